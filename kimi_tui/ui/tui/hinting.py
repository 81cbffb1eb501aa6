"""Which keys the last line names, after where the focus is and what goes on."""

from typing import TYPE_CHECKING

from kimi_tui.ui.tui.keys import Where
from kimi_tui.ui.tui.panels.hints import Hint
from kimi_tui.ui.tui.screens.home import Home

if TYPE_CHECKING:
    from kimi_tui.ui.tui.state import UiState

_HELP: Hint = ("F1", "help")
WRITING: tuple[Hint, ...] = (
    ("Enter", "send"),
    ("Shift+Enter", "newline"),
    ("/", "commands"),
    ("@", "files"),
    ("F3", "flows"),
    ("Ctrl+P", "palette"),
    _HELP,
)
"""Where one writes and nothing runs."""


def where_of(home: Home) -> Where:
    """The place that the focus is in."""
    if home.approval.has_focus_within:
        return "approval"
    if home.scrub.has_focus:
        return "time"
    if home.branch.has_focus_within:
        return "branches"
    if home.question.has_focus_within:
        return "question"
    match home.focused_pane:
        case "talk":
            return "conversation"
        case "flow":
            return "flow"
        case "waiting":
            return "approvals"
        case _:
            return "composer"


def hints_for(home: Home, state: "UiState") -> tuple[Hint, ...]:
    running = state.turn.running
    run = state.flow.run
    match where_of(home):
        case "approval":
            hints: tuple[Hint, ...] = (
                ("y", "once"),
                ("a", "this session"),
                ("n", "no"),
                ("f", "no, and why"),
                ("PgDn", "read on"),
                ("Esc", "interrupt"),
            )
        case "question":
            hints = (("1…4", "answer"), ("o", "another answer"), ("Esc", "no answer"))
        case "time":
            out = "quit" if home.scrub.position.recorded else "back to now"
            hints = (
                ("← →", "moment"),
                ("↑ ↓", "node"),
                ("Space", "play"),
                ("+ −", "speed"),
                ("Home", "begin"),
                ("Esc", out),
            )
        case "branches":
            hints = (("1…9", "take a branch"), ("↑ ↓ Enter", "choose"), ("Esc", "later"))
        case "conversation":
            hints = (
                ("↑ ↓", "scroll"),
                ("j k", "card"),
                ("Enter", "open"),
                ("Ctrl+F", "find"),
                ("End", "follow"),
                ("F11", "zoom"),
                ("Esc", "interrupt" if running else "write"),
            )
        case "flow" if run is not None and run.active:
            go = "go on" if run.paused else "pause"
            hints = (
                ("Enter", "node"),
                ("Space", go),
                ("n", "step"),
                ("b", "breakpoint"),
                ("c", "branch"),
                ("x", "stop"),
                ("z", "size"),
                ("F11", "zoom"),
            )
        case "flow":
            hints = (("↑ ↓", "choose"), ("Enter", "open"), ("l", "flows"), ("F11", "zoom"), ("Esc", "write"))
        case "approvals":
            hints = (("↑ ↓", "choose"), ("Enter", "answer"), ("Esc", "write"))
        case _ if state.approvals:
            hints = (("F5", "answer the approval"), ("Enter", "queue"), ("Esc", "interrupt"))
        case _ if running:
            hints = (
                ("Enter", "queue"),
                ("Ctrl+S", "steer"),
                ("Esc", "interrupt"),
                ("F3", "flow"),
                ("Ctrl+P", "palette"),
            )
        case _:
            return WRITING
    return (*hints, _HELP)
