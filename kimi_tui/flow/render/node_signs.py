"""The signs of nodes and runs, one set for charts, outlines, the conversation, the scrub bar, tables and exports.

A sign is one cell. A node that has not run has the shape of its box as its sign.
"""

from collections.abc import Mapping
from typing import Literal

from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.wire.flow_events import FlowStatus

NodeStatus = Literal[
    "waiting", "running", "approval", "answer", "choice", "retrying", "paused", "breakpoint", "done", "failed",
    "cancelled", "stopped", "rejected", "skipped",
]  # fmt: skip

SIGNS: Mapping[NodeStatus, str] = {
    "waiting": " ",
    "running": "▶",
    "approval": "?",
    "answer": "?",
    "choice": "?",
    "retrying": "↻",
    "paused": "‖",
    "breakpoint": "●",
    "done": "✓",
    "failed": "✗",
    "cancelled": "■",
    "stopped": "■",
    "rejected": "⊘",
    "skipped": "–",
}
KIND_SIGNS: Mapping[NodeKind, str] = {
    NodeKind.BEGIN: "○",
    NodeKind.END: "○",
    NodeKind.TASK: "□",
    NodeKind.DECISION: "◇",
}
_ASCII = {"▶": ">", "↻": "&", "‖": '"', "●": "@", "✓": "*", "✗": "X", "■": "#", "⊘": "%", "–": "-"}
"""No sign is a character of lines, arrow heads and frames, but that of the running node, which is an arrow everywhere,
and that of a skipped one."""
ASCII_SIGNS: Mapping[NodeStatus, str] = {status: _ASCII.get(sign, sign) for status, sign in SIGNS.items()}
ASCII_KIND_SIGNS: Mapping[NodeKind, str] = {
    NodeKind.BEGIN: "o",
    NodeKind.END: "o",
    NodeKind.TASK: "o",
    NodeKind.DECISION: "<",
}


def run_sign(status: FlowStatus | None) -> str:
    """The sign of a run that ended so; None: it is active."""
    match status:
        case None:
            return SIGNS["running"]
        case "finished":
            return SIGNS["done"]
        case "failed":
            return SIGNS["failed"]
        case "stopped" | "cancelled" | "max_moves":
            return SIGNS["stopped"]
