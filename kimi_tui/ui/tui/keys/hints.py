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


_KEY_NAMES = {"Space": "space", ".": "full_stop"}


def approvals_key(keymap: KeyMap) -> str:
    """The current key that moves the focus to the pending request."""
    key = next(key for key in KEYS if key.id == "approvals")
    return display_keys(keymap.overrides.get(key.id, key.keys).partition(",")[0])


def write_key(keymap: KeyMap) -> str:
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


def focus_context(main_screen: MainScreen) -> KeyContext:
    """The key context of the focus."""
    if main_screen.approval_dialog.has_focus_within:
        return "approval"
    if main_screen.scrub_bar.has_focus:
        return "time"
    if main_screen.branch_dialog.has_focus_within:
        return "branches"
    if main_screen.question_dialog.has_focus_within:
        return "question"
    match main_screen.focused_pane:
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


def hints_for(main_screen: MainScreen, state: "UiState", keymap: KeyMap) -> tuple[Hint, ...]:
    """The hints for the current state, with the user's key bindings."""
    hints = _hints_in_a_line(main_screen) or _hints_for(main_screen, state)
    if not keymap.overrides:
        return hints
    context, names = focus_context(main_screen), dict[str, str]()
    for key in KEYS:
        if key.id in keymap.overrides and (
            key.context in (context, "everywhere") or (key.context == "panes" and context in PANES)
        ):
            new = display_keys(keymap.overrides[key.id].partition(",")[0])
            own = [display_keys(key.keys), *map(display_keys, key.keys.split(","))]
            names.update(
                {one: display_keys(keymap.overrides[key.id]) if one == own[0] and " " in one else new for one in own}
            )
    return tuple((name, meaning) for key, meaning in hints if (name := names.get(key, key)))


def _hints_in_a_line(main_screen: MainScreen) -> tuple[Hint, ...]:
    """Hints for single-line inputs other than the composer; empty elsewhere."""
    hints: tuple[Hint, ...] = ()
    if main_screen.approval_dialog.has_focus_within and main_screen.approval_dialog.writes:
        label = _("send") if main_screen.approval_dialog.has_class("-why") else _("save, then answer")
        hints = (("Enter", label), ("Esc", _("discard")))
    elif main_screen.question_dialog.has_focus_within and main_screen.question_dialog.has_class("-other"):
        hints = (("Enter", _("answer")), ("Esc", _("back to the list")))
    elif main_screen.find_bar.has_focus_within:
        hints = (("Enter ↓", _("next")), ("↑", _("previous")), ("Esc", _("close (n/N: next/previous match)")))
    return (*hints, _help()) if hints else ()


def _hints_for(main_screen: MainScreen, state: "UiState") -> tuple[Hint, ...]:
    running = state.turn.running
    context = focus_context(main_screen)
    if context in PANES:
        return (*_pending_hint(main_screen), *_in_a_pane(main_screen, state, context), _help())
    match context:
        case "approval":
            hints: tuple[Hint, ...] = (
                ("y", _("once")),
                *((("a", _("this session")),) if "session" in main_screen.approval_dialog.enabled_options else ()),
                ("n", p_("answer", "no")),
                ("f", _("no, and why")),
                ("Tab", _("comment")),
                *((("h", _("choose changes")),) if "hunks" in main_screen.approval_dialog.enabled_options else ()),
                *((("PgDn", _("more")),) if main_screen.approval_dialog.can_scroll_on else ()),
                ("Esc", _("interrupt")),
            )
        case "question" if main_screen.question_dialog.takes_several:
            hints = (
                (f"1…{main_screen.question_dialog.option_count}", _("tick")),
                ("d", _("done")),
                ("o", _("another answer")),
                ("Esc", _("no answer")),
            )
        case "question":
            hints = (
                (f"1…{main_screen.question_dialog.option_count}", _("answer")),
                ("o", _("another answer")),
                ("Esc", _("no answer")),
            )
        case "branches":
            hints = (("1…9", _("take a branch")), ("↑ ↓ Enter", _("choose")), ("Esc", _("later")))
        case "composer" if taken := _in_a_menu(main_screen, running=running):
            hints = taken
        case _ if main_screen.current_dialog is not None:
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
    return (*_pending_hint(main_screen), *hints, _help())


def _in_a_menu(main_screen: MainScreen, *, running: bool) -> tuple[Hint, ...]:
    """Hints while the composer's menu or search takes keys; empty without one."""
    match main_screen.composer.keys_taken:
        case "search":
            return (("Enter", _("insert")), ("↑ ↓", _("choose")), ("Esc", _("back to your text")))
        case "unmatched":
            return (("Esc", _("back to your text")),)
        case "complete":
            return (("Enter", _("insert")), ("↑ ↓", _("choose")), ("Esc", _("close")))
        case "send":
            sends = _("queue") if running else _("send")
            return (("Enter", sends), ("Tab", _("insert")), ("↑ ↓", _("choose")), ("Esc", _("close")))
        case _:
            return ()


def _in_a_pane(main_screen: MainScreen, state: "UiState", context: KeyContext) -> list[Hint]:
    """Hints for panes, where letters are keys: how to leave, and the keys that act now."""
    zoomed = main_screen.zoomed not in (None, "talk") and main_screen.focused_pane == main_screen.zoomed
    hints: list[Hint] = [("Esc", _("back") if main_screen.in_drawer else _("leave zoom"))] if zoomed else []
    if main_screen.composer.display:
        hints.append(("i", _("write a message")))
    bound = main_screen.active_bindings
    hints += [hint for hint in _keys_of(main_screen, state, context) if _is_active(hint[0], bound)]
    if context == "time":
        hints.append(("Esc", _("quit") if main_screen.scrub_bar.position.recorded else _("back to now")))
    elif not zoomed:
        if main_screen.can_zoom:
            hints.append(("F11", _("zoom")))
        if state.turn.running:
            hints.append(("Esc", _("interrupt")))
        elif main_screen.zoomed:
            hints.append(("Esc", _("leave zoom")))
    return hints


def _keys_of(main_screen: MainScreen, state: "UiState", context: KeyContext) -> tuple[Hint, ...]:
    run = state.flow.run
    match context:
        case "time":
            return (("← →", _("moment")), ("↑ ↓", _("node")), ("Space", _("play")), ("+ −", _("speed")),
                    ("Home", _("begin")))  # fmt: skip
        case "conversation":
            return (("↑ ↓", _("scroll")), ("j k", _("block")), ("Enter", _("open")), ("y", _("copy")),
                    ("Ctrl+F", _("find")), ("End", _("follow")))  # fmt: skip
        case "flow" if main_screen.flow_pane.showing == "list":
            return (("↑ ↓", _("choose")), ("Enter", _("start")), ("v", _("chart")), ("h", _("runs")))
        case "flow" if run is not None and run.active:
            continue_label = _("continue") if run.paused or state.flow.pausing else _("pause")
            return (("Enter", _("node")), ("Space", continue_label), ("n", _("step")), ("b", _("breakpoint")),
                    ("c", _("branch")), ("x", _("stop")), ("z", _("size")), (".", _("more")))  # fmt: skip
        case "flow":
            return (("Enter", _("node")), ("s", _("start")), ("l", _("flows")), ("h", _("runs")), (".", _("more")))
        case "approvals":
            return (("↑ ↓", _("choose")), ("Enter", _("answer")))
        case _:
            return ()


def _is_active(key: str, active: "Mapping[str, ActiveBinding]") -> bool:
    """Whether a hint's key acts now; checked for letters and symbols only."""
    name = _KEY_NAMES.get(key, key)
    bound = active.get(name)
    return (len(name) > 1 and name not in _KEY_NAMES.values()) or (bound is not None and bound.enabled)


def _pending_hint(main_screen: MainScreen) -> tuple[Hint, ...]:
    """The key to the pending request, if the focus is elsewhere."""
    if (
        main_screen.current_dialog is None
        or main_screen.current_dialog.has_focus_within
        or main_screen.scrub_bar.has_focus
    ):
        return ()
    if main_screen.current_dialog is main_screen.approval_dialog:
        return (("F5", _("answer the approval")),)
    return (
        (
            "F5",
            _("answer the question")
            if main_screen.current_dialog is main_screen.question_dialog
            else _("take a branch"),
        ),
    )
