"""A node of the run: its prompt, its turns, its figures, and what can be done with it."""

from typing import Literal

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from kimi_tui.flow.picture import FlowPicture
from kimi_tui.ui.tui import wording
from kimi_tui.ui.tui.dialogs.body import spelled
from kimi_tui.ui.tui.dialogs.options import Option, OptionRows
from kimi_tui.ui.tui.flow.looks import SIGNS, WORDS
from kimi_tui.ui.tui.headline import one_line
from kimi_tui.ui.tui.panels.scroll import LineScroll
from kimi_tui.ui.tui.text.line import Line
from kimi_tui.ui.tui.text.palette import Palette
from kimi_tui.ui.tui.text.wrap import wrap_text

NodeAction = Literal["turn", "breakpoint", "again", "jump"]


class NodeText(LineScroll):
    """Figures, ways out and prompt of one node."""

    DEFAULT_CSS = "NodeText { max-height: 100%; height: auto; background: $surface; }"

    def __init__(self, picture: FlowPicture, node_id: str, now: float) -> None:
        super().__init__()
        self._picture, self._node_id, self._now = picture, node_id, now

    def lines(self, width: int, palette: Palette) -> list[Line]:
        picture = self._picture
        node = picture.nodes.get(self._node_id)
        if node is None:
            return []
        state = picture.state_of(node.id)
        facts = [f"{SIGNS[state]} {WORDS[state]}".strip(), wording.plural(node.visits, "visit")]
        if node.visits:
            facts.append(wording.elapsed(node.elapsed(self._now)))
            facts.append(wording.plural(node.steps + node.live_steps, "step"))
        if node.tokens:
            facts.append(f"{wording.tokens(node.tokens)} tokens")
        out = [Line(((" · ".join(facts), palette.muted),)), Line()]
        for row, _ in wrap_text(spelled(node.label), palette.base, width):
            out.append(Line(row))
        ways = [edge for edge in picture.edges if edge.src == node.id]
        if ways:
            out += [Line(), Line((("ways out", palette.muted + Style(bold=True)),))]
        for edge in ways:
            target = picture.nodes.get(edge.dst)
            name = one_line(target.label if target is not None else edge.dst)
            label = f"{one_line(edge.label)} → " if edge.label else "→ "
            taken = f"  ×{edge.taken}" if edge.taken else ""
            style = palette.accent if edge.taken else palette.base
            out.append(Line((("  " + label, style), (name, palette.muted), (taken, palette.accent))))
        return out


class NodeDetails(ModalScreen[NodeAction | None]):
    """Gives back what the person wants done, or None."""

    CSS = """
    NodeDetails { align: center middle; background: $background 60%; }
    NodeDetails > Vertical {
        width: 76; max-width: 94%; height: auto; max-height: 85%; background: $surface; padding: 0 1;
        border: round $primary; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $muted;
    }
    NodeDetails OptionRows { margin-top: 1; }
    """

    def __init__(
        self, picture: FlowPicture, node_id: str, *, now: float, turns: int, running: bool, at_breakpoint: bool
    ) -> None:
        super().__init__()
        self._picture, self._node_id, self._now = picture, node_id, now
        self._options = [Option("turn", "t", "Go to its turn in the conversation")] if turns else []
        if running:
            words = "Take the breakpoint away" if at_breakpoint else "Pause before it (breakpoint)"
            self._options.append(Option("breakpoint", "b", words))
            self._options.append(Option("jump", "j", "Go on from here"))
        self._node_title = self._picture.nodes[node_id].label if node_id in picture.nodes else node_id

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(f"◆ {spelled(wording.short_title(self._node_title))}"[:60])
            box.border_subtitle = "esc closes"
            yield NodeText(self._picture, self._node_id, self._now)
            yield OptionRows(id="node-options")

    def on_mount(self) -> None:
        self.query_one(OptionRows).show(self._options)

    def on_key(self, event: events.Key) -> None:
        options = self.query_one(OptionRows)
        if event.key in ("escape", "q"):
            event.stop()
            self.dismiss(None)
        elif event.key in ("up", "down"):
            event.stop()
            options.move(-1 if event.key == "up" else 1)
        elif event.key in ("pageup", "pagedown"):
            event.stop()
            self.query_one(NodeText).scroll_relative(y=-8 if event.key == "pageup" else 8, animate=False)
        elif event.key == "enter":
            event.stop()
            self._take(options.selected.id if options.selected is not None else None)
        else:
            found = next((option for option in self._options if option.key == event.key), None)
            if found is not None:
                event.stop()
                self._take(found.id)

    def on_option_rows_clicked(self, event: OptionRows.Clicked) -> None:
        event.stop()
        self._take(event.option_id)

    def _take(self, option_id: str | None) -> None:
        match option_id:
            case "turn" | "breakpoint" | "again" | "jump":
                self.dismiss(option_id)
            case _:
                self.dismiss(None)
