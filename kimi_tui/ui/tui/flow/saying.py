"""A run in words: the pane's title, and the facts below the chart."""

from kimi_tui.flow.picture import FlowPicture
from kimi_tui.ui.tui import wording
from kimi_tui.ui.tui.flow.foot import FootFacts
from kimi_tui.ui.tui.flow.looks import WORDS, Circumstances, standing_of
from kimi_tui.ui.tui.flow_fold import FlowRun, branches_of
from kimi_tui.ui.tui.headline import one_line
from kimi_tui.ui.tui.language import _, n_
from kimi_tui.ui.tui.text.line import cells
from kimi_tui.ui.tui.text.sanitize import sanitize


def title_of(run: FlowRun, picture: FlowPicture, now: float, width: int) -> str:
    """` flow: release · move 3/1,000 · 1:12 `, without the most moves where it is narrow."""
    moves = n_("{count} move", "{count} moves", picture.moves)
    if run.active:
        moves = _("move {number}", number=picture.moves)
    most = f"/{run.begin.max_moves:,}" if run.active else ""
    spent = f" · {wording.elapsed(picture.elapsed(now))} "
    name = sanitize(one_line(run.begin.name))
    if cells(name) + cells(moves) + len(most) + len(spent) + 14 > width:
        most = ""
    return " " + _("flow: {name}", name=name) + f" · {moves}{most}{spent}"


def facts_of(run: FlowRun, picture: FlowPicture, now: Circumstances, *, changed: bool = False) -> FootFacts:
    """What the foot says of a run."""
    figures: list[str] = []
    node = picture.current
    if node is not None and run.active:
        figures.append(wording.elapsed(node.elapsed(now.now)))
    if picture.tokens:
        figures.append(_("{count} tokens", count=wording.tokens(picture.tokens)))
    if changed:
        figures.append(_("the file has changed; this run keeps its chart"))
    if run.status is not None:
        return _ended(run, tuple(figures))
    place = run.node_label
    if run.pause is not None:
        word = _(wording.PAUSED[run.pause.reason])
        choices = tuple((f"choose:{label}", label) for label in branches_of(run.begin, run.node_id))
        if run.pause.reason == "choice":
            return FootFacts("?", word, "warning", place, tuple(figures), choices)
        buttons = [
            ("toggle", _("space goes on")),
            ("step", _("n one step")),
            ("again", _("r again")),
            ("stop", _("x stop")),
        ]
        return FootFacts("‖", word, "warning", place, tuple(figures), tuple(buttons))
    standing = standing_of(picture, picture.node_id, now)
    buttons = (
        ("toggle", _("space pause")),
        ("step", _("n step")),
        ("breakpoint", _("b breakpoint")),
        ("stop", _("x stop")),
    )
    if standing in ("approval", "answer"):
        return FootFacts("?", _(WORDS[standing]), "warning", place, tuple(figures))
    if standing == "retrying" and now.retry_until is not None:
        left = wording.elapsed(now.retry_until - now.now + 0.999)
        return FootFacts("↻", _("retrying in {time}", time=left), "warning", place, tuple(figures), buttons)
    if picture.pausing:
        return FootFacts("▶", _("pauses after"), "accent", place, tuple(figures), (("toggle", _("space goes on")),))
    return FootFacts("▶", _("running"), "accent", place, tuple(figures), buttons)


def _ended(run: FlowRun, figures: tuple[str, ...]) -> FootFacts:
    assert run.status is not None
    sign, role = ("✓", "success") if run.status == "finished" else ("■", "warning")
    if run.status == "failed":
        sign, role = "✗", "error"
    word = _("cut off") if run.cut_off else _(wording.ENDED[run.status])
    place = _("at {node}", node=run.node_label) if run.cut_off else ""
    buttons = (("list", _("l flows")), ("export", _("e export")), ("runs", _("h runs")))
    return FootFacts(sign, word, role, place, figures, buttons)
