"""A Shell call made by a flow's node. Rules and approvals apply to the command with its variables replaced by their
values; Bash gets the values as environment variables.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

from kimi_tui.tools.shell_support.process_runner import ProcessResult


@dataclass(slots=True)
class NodeCommand:
    """The command of a flow's node. The Shell call has `shown`; Bash runs `line` instead, with `env`, for at most
    `seconds`.

    `imported`: the chart belongs to an imported run, so that neither rules nor yolo approve the command. `ended` is the
    end of the command after it has run. A command that the user edited runs as edited.
    """

    shown: str
    line: str
    seconds: float
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    imported: bool = False
    ended: ProcessResult | None = None


node_command: ContextVar[NodeCommand | None] = ContextVar("node_command", default=None)
"""The command of the node whose Shell call is under way; None in calls of a model."""
