"""The branches of a command by its exit status: `ok`, `failed`, `0` to `255` and `else`."""

from collections.abc import Iterator, Sequence

from kimi_tui.i18n import UserText, tr

OK = "ok"
FAILED = "failed"
ELSE = "else"
MAX_STATUS = 255


def status_branch(status: int | None, labels: Sequence[str | None]) -> str | None:
    """The branch label for an exit status; None if no label fits. A command without a status counts as failed."""
    names = [OK, "0"] if status == 0 else [str(status), FAILED]
    return next((label for label in (*names, ELSE) if label in labels), None)


def status_branch_fault(labels: Sequence[str | None]) -> Iterator[tuple[int, UserText]]:
    """What is wrong with the labels of a command's edges: the index of the edge, and what to write."""
    if len(labels) == 1 and labels[0] in (None, OK, ELSE):
        return
    if labels == [FAILED]:
        yield 0, tr("no branch for status 0; add `ok`")
        return
    taken: set[int] = set()
    for index, label in enumerate(labels):
        if label is None and len(labels) > 1:
            continue  # every branch needs a label, which the chart's own rules say
        statuses = _statuses(label or "")
        if statuses is None:
            yield index, tr("label its branches `ok`, `failed`, a status from 0 to 255, or `else`, not `{label}`",
                label=label)  # fmt: skip
            return
        if statuses & taken or (label == ELSE and label in labels[:index]):
            yield index, tr("the branch `{label}` overlaps with another one", label=label)
            return
        taken |= statuses
    every = set(range(MAX_STATUS + 1))
    if not labels or None in labels:
        return
    if ELSE in labels and taken == every:
        yield list(labels).index(ELSE), tr("`else` is never taken: the other branches cover every status")
    elif ELSE not in labels and taken != every:
        yield len(labels) - 1, tr("not every status has a branch; add `else`, or use `ok` and `failed`")


def _statuses(label: str) -> set[int] | None:
    if label == OK:
        return {0}
    if label == FAILED:
        return set(range(1, MAX_STATUS + 1))
    if label == ELSE:
        return set()
    if label.isascii() and label.isdigit() and str(int(label[:4])) == label and int(label) <= MAX_STATUS:
        return {int(label)}
    return None
