"""The command that resumes an interrupted flow run: `/flow-resume [RUN [new] [NODE=BRANCH ...]]`."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr

COMMAND_NAME = "flow-resume"


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """Which run to resume: by the beginning of its id, or the latest. `new_chart` selects the current chart of its
    flow; `choices` are branches by node, or the answer at the node where it waits for an approval.
    """

    run_id: str | None = None
    new_chart: bool = False
    choices: Mapping[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        """The command as the user types it."""
        words = [f"/{COMMAND_NAME}"] if self.run_id is None else [f"/{COMMAND_NAME}", self.run_id]
        if self.new_chart:
            words.append("new")
        return shlex.join([*words, *(f"{node}={branch}" for node, branch in self.choices.items())])


def read_resume_request(args: str) -> ResumeRequest:
    """Read what follows the name of the command. Raises UsageError."""
    try:
        run_id, *rest = shlex.split(args) or [""]
    except ValueError as error:
        raise UsageError(f"/{COMMAND_NAME}: {error}") from error
    new_chart = rest[:1] == ["new"]
    try:
        choices = dict(map(read_choice, rest[new_chart:]))
    except ValueError as error:
        raise UsageError(tr("/flow-resume [RUN [new] [NODE=BRANCH ...]]: `new` uses the current chart")) from error
    return ResumeRequest(run_id or None, new_chart, choices)


def read_choice(text: str) -> tuple[str, str]:
    """Read `NODE=BRANCH`. Raises ValueError if one of the two is missing."""
    node_id, _, label = text.partition("=")
    if not node_id.strip() or not label.strip():
        raise ValueError(text)
    return node_id, label
