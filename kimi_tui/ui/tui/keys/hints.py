"""Footer hints, by focus context and state."""

from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _, p_
from kimi_tui.ui.tui.keys.bindings import KEYS, PANES, KeyContext, display_keys
from kimi_tui.ui.tui.keys.keymap import KeyMap
from kimi_tui.ui.tui.main_screen.footer import Hint
from kimi_tui.ui.tui.main_screen.screen import MainScreen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.binding import ActiveBinding

    from kimi_tui.ui.tui.state.ui_state import UiState


_SIGNS = {"Space": "space", ".": "full_stop"}


def approvals_key(keymap: KeyMap) -> str:
    """The current key that moves the focus to the pending request."""
    key = next(key for key in KEYS if key.id == "approvals")
    return display_keys(keymap.overrides.get(key.id, key.keys).partition(",")[0])


def writes(keymap: KeyMap) -> str:
    """The current key that moves from a pane to the message."""
    key = next(key for key in KEYS if key.id == "write")
    return display_keys(keymap.overrides.get(key.id, key.keys).partition(",")[0]) or "Esc"


def composer_hints() -> tuple[Hint, ...]:
    """Hints for the composer while nothing runs."""
    return (
        ("Enter", _("send")),
        ("Shift+Enter", _("newline")),
        ("/", _("commands")),
        ("@", _("files")),
        ("F3", _("flows")),
        ("Ctrl+P", _("palette")),
        _help(),
    )


def _help() -> Hint:
    return ("F1", _("help"))


def focus_context(home: MainScreen) -> KeyContext:
    """The key context of the focus."""
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
        case "todo":
            return "todo"
        case _:
            return "composer"


def hints_for(home: MainScreen, state: "UiState", keymap: KeyMap) -> tuple[Hint, ...]:
    """The hints for the current state, with the user's key bindings."""
    hints = _hints_in_a_line(home) or _hints_for(home, state)
    if not keymap.overrides:
        return hints
    where, names = focus_context(home), dict[str, str]()
    for key in KEYS:
        if key.id in keymap.overrides and (
            key.context in (where, "everywhere") or (key.context == "panes" and where in PANES)
        ):
            new = display_keys(keymap.overrides[key.id].partition(",")[0])
            own = [display_keys(key.keys), *map(display_keys, key.keys.split(","))]
            names.update(
                {one: display_keys(keymap.overrides[key.id]) if one == own[0] and " " in one else new for one in own}
            )
    return tuple((name, meaning) for key, meaning in hints if (name := names.get(key, key)))


def _hints_in_a_line(home: MainScreen) -> tuple[Hint, ...]:
    """Hints for single-line inputs other than the composer; empty elsewhere."""
    hints: tuple[Hint, ...] = ()
    if home.approval.has_focus_within and home.approval.writes:
        said = _("send it") if home.approval.has_class("-why") else _("keep it, then answer")
        hints = (("Enter", said), ("Esc", _("take it back")))
    elif home.question.has_focus_within and home.question.has_class("-other"):
        hints = (("Enter", _("give this answer")), ("Esc", _("back to the others")))
    elif home.finder.has_focus_within:
        hints = (("Enter ↓", _("next")), ("↑", _("previous")), ("Esc", _("close; n and N go on")))
    return (*hints, _help()) if hints else ()


def _hints_for(home: MainScreen, state: "UiState") -> tuple[Hint, ...]:
    running = state.turn.running
    where = focus_context(home)
    if where in PANES:
        return (*_pending_hint(home), *_in_a_pane(home, state, where), _help())
    match where:
        case "approval":
            hints: tuple[Hint, ...] = (
                ("y", _("once")),
                *((("a", _("this session")),) if "session" in home.approval.offered_options else ()),
                ("n", p_("answer", "no")),
                ("f", _("no, and why")),
                ("Tab", _("comment")),
                *((("h", _("choose changes")),) if "hunks" in home.approval.offered_options else ()),
                *((("PgDn", _("read on")),) if home.approval.reads_on else ()),
                ("Esc", _("interrupt")),
            )
        case "question" if home.question.takes_several:
            hints = (
                (f"1…{home.question.option_count}", _("tick")),
                ("d", _("done")),
                ("o", _("another answer")),
                ("Esc", _("no answer")),
            )
        case "question":
            hints = (
                (f"1…{home.question.option_count}", _("answer")),
                ("o", _("another answer")),
                ("Esc", _("no answer")),
            )
        case "branches":
            hints = (("1…9", _("take a branch")), ("↑ ↓ Enter", _("choose")), ("Esc", _("later")))
        case _ if home.open_dialog_widget is not None:
            hints = (("Enter", _("queue")), ("Esc", _("interrupt"))) if running else (("Enter", _("send")),)
        case _ if running:
            hints = (
                ("Enter", _("queue")),
                ("Ctrl+S", _("steer")),
                ("Esc", _("interrupt")),
                ("F3", _("flow")),
                ("Ctrl+P", _("palette")),
            )
        case _:
            return composer_hints()
    return (*_pending_hint(home), *hints, _help())


def _in_a_pane(home: MainScreen, state: "UiState", where: KeyContext) -> list[Hint]:
    """Hints for panes, where letters are keys: how to leave, and the keys that act now."""
    zoomed = home.zoomed not in (None, "talk") and home.focused_pane == home.zoomed
    hints: list[Hint] = [("Esc", _("back") if home.opened else _("leave the zoom"))] if zoomed else []
    if home.composer.display:
        hints.append(("i", _("write")))
    bound = home.active_bindings
    hints += [hint for hint in _keys_of(home, state, where) if _acts(hint[0], bound)]
    if where == "time":
        hints.append(("Esc", _("quit") if home.scrub.position.recorded else _("back to now")))
    elif not zoomed:
        if home.can_zoom:
            hints.append(("F11", _("zoom")))
        if state.turn.running:
            hints.append(("Esc", _("interrupt")))
        elif home.zoomed:
            hints.append(("Esc", _("leave the zoom")))
    return hints


def _keys_of(home: MainScreen, state: "UiState", where: KeyContext) -> tuple[Hint, ...]:
    run = state.flow.run
    match where:
        case "time":
            return (("← →", _("moment")), ("↑ ↓", _("node")), ("Space", _("play")), ("+ −", _("speed")),
                    ("Home", _("begin")))  # fmt: skip
        case "conversation":
            return (("↑ ↓", _("scroll")), ("j k", _("block")), ("Enter", _("open")), ("y", _("copy")),
                    ("Ctrl+F", _("find")), ("End", _("follow")))  # fmt: skip
        case "flow" if home.flow.showing == "list":
            return (("↑ ↓", _("choose")), ("Enter", _("start")), ("v", _("chart")), ("h", _("runs")))
        case "flow" if run is not None and run.active:
            go = _("go on") if run.paused or state.flow.pausing else _("pause")
            return (("Enter", _("node")), ("Space", go), ("n", _("step")), ("b", _("breakpoint")), ("c", _("branch")),
                    ("x", _("stop")), ("z", _("size")), (".", _("more")))  # fmt: skip
        case "flow":
            return (("Enter", _("node")), ("s", _("start")), ("l", _("flows")), ("h", _("runs")), (".", _("more")))
        case "approvals":
            return (("↑ ↓", _("choose")), ("Enter", _("answer")))
        case _:
            return ()


def _acts(key: str, active: "Mapping[str, ActiveBinding]") -> bool:
    """Whether a hint's key acts now; checked for letters and symbols only."""
    name = _SIGNS.get(key, key)
    bound = active.get(name)
    return (len(name) > 1 and name not in _SIGNS.values()) or (bound is not None and bound.enabled)


def _pending_hint(home: MainScreen) -> tuple[Hint, ...]:
    """The key to the pending request, if the focus is elsewhere."""
    if home.open_dialog_widget is None or home.open_dialog_widget.has_focus_within or home.scrub.has_focus:
        return ()
    if home.open_dialog_widget is home.approval:
        return (("F5", _("answer the approval")),)
    return (("F5", _("answer the question") if home.open_dialog_widget is home.question else _("take a branch")),)
