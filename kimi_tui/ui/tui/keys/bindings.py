"""The key binding table: the source of bindings, help and command palette."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kimi_tui.ui.tui.i18n.catalog import N_

if TYPE_CHECKING:
    from textual.binding import Binding

KeyContext = Literal[
    "everywhere", "composer", "panes", "conversation", "flow", "todo", "time", "approval", "branches", "question",
    "approvals",
]  # fmt: skip
PANES: frozenset[KeyContext] = frozenset(("conversation", "flow", "todo", "time", "approvals"))
"""Contexts in which letters are keys."""
RULE = N_(
    "While the message has the focus, letters are typed into it. While a pane has the focus, letters are its "
    "keys; a key that does nothing there shows why. Letters typed quickly one after another are a sentence: they "
    "start nothing."
)
"""The help text about letters as keys."""

KEY_CONTEXTS: dict[KeyContext, str] = {
    "everywhere": N_("everywhere"),
    "composer": N_("composer"),
    "panes": N_("every pane"),
    "conversation": N_("conversation"),
    "flow": N_("flow"),
    "todo": N_("todo"),
    "time": N_("time"),
    "approval": N_("approval"),
    "branches": N_("branches"),
    "question": N_("question"),
    "approvals": N_("approvals"),
}
"""Display names of the contexts."""


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """One row of the table. `keys` uses Textual's names, with commas between alternatives; `action` is "" if the widget
    itself handles the key.

    Keys with an action are app actions; `priority` ones work with any focus.
    """

    id: str
    keys: str
    action: str
    description: str
    context: KeyContext = "everywhere"
    priority: bool = False
    in_palette: bool = True


KEYS: tuple[KeyBinding, ...] = (
    KeyBinding("interrupt", "escape", "escape", "Interrupt the turn (pauses a flow)"),
    KeyBinding(
        "copy",
        "ctrl+c",
        "copy_or_clear",
        "Copy the selection, or clear the message; press twice to quit",
        priority=True,
        in_palette=False,
    ),
    KeyBinding("quit", "ctrl+q", "leave", "Quit", priority=True),
    KeyBinding(
        "suspend",
        "ctrl+z",
        "suspend",
        N_("Undo in the message; otherwise suspend (fg resumes)"),
        priority=True,
        in_palette=False,
    ),
    KeyBinding("help", "f1", "help", "Keys available here", priority=True),
    KeyBinding("conversation", "f2", "pane('conversation')", "Focus the conversation", priority=True),
    KeyBinding("flow", "f3", "pane('flow')", "Focus the flow", priority=True),
    KeyBinding("todo", "f4,ctrl+t", "pane('todo')", "Focus the todo list", priority=True),
    KeyBinding("approvals", "f5", "pane('approvals')", "Answer the pending request", priority=True),
    KeyBinding("next", "f6", "screen.next_pane", "Next pane", priority=True),
    KeyBinding("drawer", "f7", "screen.drawer", "Show the right column (toggle)", priority=True),
    KeyBinding("wider", "f9", "screen.widen(4)", "Make the right column wider", priority=True),
    KeyBinding("narrower", "f10,f21,shift+f9", "screen.widen(-4)", "Make the right column narrower", priority=True),
    KeyBinding("zoom", "f11", "screen.zoom", "Zoom the pane (toggle)", priority=True),
    KeyBinding("palette", "ctrl+p", "command_palette", "All actions", in_palette=False),
    KeyBinding("expand", "ctrl+o", "screen.expand", "Expand or collapse all cards", priority=True),
    KeyBinding("find", "ctrl+f", "screen.find", "Search the conversation", priority=True),
    KeyBinding("sessions", "ctrl+l", "open_screen('sessions')", "Sessions", priority=True, in_palette=False),
    KeyBinding("time", "f8", "time", "Replay: browse the session's history", priority=True),
    KeyBinding("plan", "shift+tab", "plan", "Plan mode (toggle)", priority=True),
    KeyBinding(
        "editor", "ctrl+g", "editor", "Edit the message (or read the conversation) in your editor", priority=True
    ),
    KeyBinding("scrollback", "", "scrollback", "Print the conversation to the terminal's scrollback"),
    KeyBinding("theme", "", "themes", "Change the theme"),
    KeyBinding("send", "enter", "", "Send (queued while a turn runs)", "composer", in_palette=False),
    KeyBinding("newline", "shift+enter,alt+enter,ctrl+j", "", "New line", "composer", in_palette=False),
    KeyBinding("steer", "ctrl+s", "", "Send to the running turn now (steer)", "composer", in_palette=False),
    KeyBinding("paste", "ctrl+v", "", "Paste (images are attached)", "composer", in_palette=False),
    KeyBinding("history", "ctrl+r", "", "Search earlier messages", "composer", in_palette=False),
    KeyBinding("older", "up", "", "Earlier message, or the last queued", "composer", in_palette=False),
    KeyBinding("page", "pageup,pagedown,ctrl+end", "", "Scroll the conversation", "composer", in_palette=False),
    KeyBinding("commands", "/", "", "Commands, skills and flows", "composer", in_palette=False),
    KeyBinding("files", "@", "", "Files", "composer", in_palette=False),
    KeyBinding("shell", "!", "", "Run a shell command without the model", "composer", in_palette=False),
    KeyBinding("eof", "ctrl+d", "", "Quit (when the message is empty)", "composer", in_palette=False),
    KeyBinding("write", "i", "", "Write the message", "panes", in_palette=False),
    KeyBinding("scroll", "up,down,pageup,pagedown", "", "Scroll", "conversation", in_palette=False),
    KeyBinding("block", "j,k", "", "Next and previous block", "conversation", in_palette=False),
    KeyBinding("card", "alt+down,alt+up", "", "Next and previous card", "conversation", in_palette=False),
    KeyBinding("turns", "[,]", "", "Previous / next message of yours", "conversation", in_palette=False),
    KeyBinding("copy-block", "y", "", "Copy the block, or the last reply", "conversation", in_palette=False),
    KeyBinding("open", "enter", "", "Expand or collapse a card", "conversation", in_palette=False),
    KeyBinding("charts", "v", "", "Draw charts, or show their source", "conversation", in_palette=False),
    KeyBinding("write-out", "alt+t", "", "Print to the terminal's scrollback", "conversation", in_palette=False),
    KeyBinding("matches", "n,N", "", "Next and previous match", "conversation", in_palette=False),
    KeyBinding("follow", "end,ctrl+end", "", "Jump to the end and follow", "conversation", in_palette=False),
    KeyBinding("walk", "up,down,left,right", "", "Move along the chart", "flow", in_palette=False),
    KeyBinding("node", "enter", "", "Open the node, or start the flow", "flow", in_palette=False),
    KeyBinding("pause", "space", "", "Pause or continue", "flow", in_palette=False),
    KeyBinding("step", "n", "", "One step", "flow", in_palette=False),
    KeyBinding("breakpoint", "b", "", "Toggle a breakpoint on the node", "flow", in_palette=False),
    KeyBinding("branch", "c", "", "Choose a branch", "flow", in_palette=False),
    KeyBinding("again", "r", "", "Rerun the node", "flow", in_palette=False),
    KeyBinding("stop", "x", "", "Stop the run", "flow", in_palette=False),
    KeyBinding("jump", "j", "", "Continue from the node", "flow", in_palette=False),
    KeyBinding("prompt", "p", "", "Edit the node's prompt and run it", "flow", in_palette=False),
    KeyBinding("ask", "a", "", "Ask me at this decision; A: at each", "flow", in_palette=False),
    KeyBinding("size", "z,plus,minus", "", "Zoom: fit, boxes, compact, outline", "flow", in_palette=False),
    KeyBinding("outline", "o", "", "Outline", "flow", in_palette=False),
    KeyBinding("turned", "d", "", "Direction: down or right", "flow", in_palette=False),
    KeyBinding("pan", "shift+up,shift+down,shift+left,shift+right", "", "Pan (or drag)", "flow", in_palette=False),
    KeyBinding("map", "m", "", "Minimap of a large chart", "flow", in_palette=False),
    KeyBinding("legend", "question_mark", "", N_("What the lines mean"), "flow", in_palette=False),
    KeyBinding("here", "home", "", "Return to the current node and follow it", "flow", in_palette=False),
    KeyBinding("view", "v,s", "", "In the list: show or start the flow", "flow", in_palette=False),
    KeyBinding("export", "e", "", "Export the run or the chart", "flow", in_palette=False),
    KeyBinding("cut-off", "g", "", N_("Resume the interrupted run"), "flow", in_palette=False),
    KeyBinding("menu", "full_stop", "", N_("All actions for this view (also: right click)"), "flow", in_palette=False),
    KeyBinding("runs", "h", "", "Earlier runs: compare, counts, replay", "flow", in_palette=False),
    KeyBinding("list", "l", "", "Return to the flow list after a run", "flow", in_palette=False),
    KeyBinding("moment", "left,right", "", "Previous / next event", "time", in_palette=False),
    KeyBinding("nodes", "up,down", "", "Previous / next node or decision", "time", in_palette=False),
    KeyBinding("play", "space", "", "Play / pause", "time", in_palette=False),
    KeyBinding("speed", "plus,minus", "", "Faster, slower", "time", in_palette=False),
    KeyBinding("edges", "home,end", "", "Start / now", "time", in_palette=False),
    KeyBinding("once", "y,1", "", "Yes, this once", "approval", in_palette=False),
    KeyBinding("session", "a,2", "", "Yes, for this session", "approval", in_palette=False),
    KeyBinding("no", "n,3", "", "No", "approval", in_palette=False),
    KeyBinding("why", "f,4", "", "No, and say why", "approval", in_palette=False),
    KeyBinding("edit", "e", "", "Edit the command before it runs", "approval", in_palette=False),
    KeyBinding("whole", "ctrl+f", "", "View full screen", "approval", in_palette=False),
    KeyBinding("hunks", "h", "", "Accept changes of an edit one by one", "approval", in_palette=False),
    KeyBinding("comment", "tab", "", "Add a comment to the answer", "approval", in_palette=False),
    KeyBinding("other", "left,right", "", "Previous / next pending request", "approval", in_palette=False),
    KeyBinding("read", "pageup,pagedown", "", "Scroll the text", "approval", in_palette=False),
    KeyBinding("take", "1…9", "", "Take this branch", "branches", in_palette=False),
    KeyBinding("option", "1…4", "", "Choose or tick this answer", "question", in_palette=False),
    KeyBinding("own", "o", "", "Another answer", "question", in_palette=False),
    KeyBinding("done", "d", "", "Confirm the selection", "question", in_palette=False),
    KeyBinding("waiting", "enter", "", "Open the approval", "approvals", in_palette=False),
)

ACTIONS = frozenset(key.action.partition("(")[0] for key in KEYS if key.action)
"""The app actions that have keys."""
_OPENING_ACTIONS = frozenset(
    ("help", "pane", "screen.next_pane", "command_palette", "open_screen", "time", "screen.find")
)
"""Those that open a screen or move the focus: the keys that follow belong there."""

DISPLAY_NAMES = {
    "escape": "Esc", "enter": "Enter", "space": "Space", "tab": "Tab", "up": "↑", "down": "↓", "left": "←",
    "right": "→", "plus": "+", "full_stop": ".", "question_mark": "?", "minus": "−",
    "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
}  # fmt: skip

_SHIFTED = {f"f{number + 12}": f"f{number}" for number in range(1, 13)}
"""Names that some terminals send for a function key with Shift."""


def display_keys(keys: str) -> str:
    """Format keys for display: `Ctrl+P`, `F1`, `↑ ↓`."""
    return " ".join(dict.fromkeys(_one(key) for key in keys.split(",") if key))


def _one(key: str) -> str:
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if last in _SHIFTED:
        modifiers, last = [*modifiers, "shift"], _SHIFTED[last]
    is_function_key = len(last) > 1 and last[0] == "f" and last[1:].isdigit()
    name = DISPLAY_NAMES.get(last) or (last.upper() if is_function_key else last)
    if modifiers:
        name = name.capitalize() if len(name) > 1 else name.upper()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


def bindings() -> "list[Binding]":
    """The app's bindings."""
    from textual.binding import Binding

    return [
        Binding(key.keys, key.action, key.description, show=False, priority=key.priority, id=key.id)
        for key in KEYS
        if key.action and key.keys
    ]


def default_keys(where: KeyContext, ids: Sequence[str]) -> dict[str, str]:
    """Maps each default key of these bindings to the id, in the order of `ids`; a binding's first key comes first."""
    by_id = {binding.id: binding for binding in KEYS if binding.context == where}
    return {key: name for name in ids for key in by_id[name].keys.split(",")}


def bindings_for(where: KeyContext) -> list[KeyBinding]:
    """Return the keys that act in a context, the context's own keys first."""
    places: list[KeyContext] = [where, *(("panes",) if where in PANES else ()), "everywhere"]
    return [key for place in dict.fromkeys(places) for key in KEYS if key.context == place]


def opens_something(action: str) -> bool:
    """Whether the action opens a screen or moves the focus: the keys that follow its key belong there."""
    return action.partition("(")[0] in _OPENING_ACTIONS
