"""Details of a run's node: its prompt, turns and figures, and the available actions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from kimi_tui.flow.layout.cell_text import clean_label
from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.render.node_signs import KIND_SIGNS, SIGNS
from kimi_tui.flow.run.node_result import result_text
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.formats import clock, token_count
from kimi_tui.ui.tui.dialogs.approval_body import reveal_hidden
from kimi_tui.ui.tui.dialogs.option_list import Option, OptionList
from kimi_tui.ui.tui.flow_pane.run_styles import CLOSED_WORDS, LiveContext, node_status
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import Line, cut
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey, KeyBar
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView
from kimi_tui.ui.tui.widgets.one_shot_screen import OneShotModal

_TURNS = 9
_FOLLOW_S = 0.5


class NodeDetailsText(LineScrollView):
    """Figures, prompt, guidance from the flow's file, and branches of one node."""

    DEFAULT_CSS = "NodeDetailsText { max-height: 100%; height: auto; background: $surface; }"

    def __init__(self, picture: RunView, node_id: str, now: LiveContext, edited: str = "", section: str = "") -> None:
        super().__init__()
        self._picture, self._node_id, self._now, self._edited = picture, node_id, now, edited
        self._section = section

    def follow(self, picture: RunView, now: LiveContext) -> None:
        """Update the figures; the rows and the scroll position stay."""
        self._picture, self._now = picture, now
        self.redraw_in_place()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        picture = self._picture
        node = picture.nodes.get(self._node_id)
        if node is None:
            return []
        standing = node_status(picture, node.id, self._now)
        facts = [f"{SIGNS[standing]} {_(CLOSED_WORDS[standing])}".strip()]
        if node.visits:
            facts.append(n_("{count} visit", "{count} visits", node.visits))
            facts.append(clock(node.elapsed(self._now.now)))
            facts.append(n_("{count} step", "{count} steps", node.steps + node.live_steps))
        if node.exit_status is not None:
            facts.append(_("status {code}", code=node.exit_status))
        if node.tokens:
            facts.append(_("{count} tokens", count=token_count(node.tokens)))
        out = [Line(((" · ".join(facts), palette.muted),)), Line()] if picture.run_id else []
        if self._edited:
            out.append(Line(((_("edited for this run:"), palette.warning),)))
        for row, _join in wrap_text(reveal_hidden(self._edited or node.label), palette.base, width):
            out.append(Line(row))
        if self._section:
            out += [Line(), Line(((_("from the flow's file"), palette.muted + Style(bold=True)),))]
            out += [Line(row) for row, _join in wrap_text(reveal_hidden(self._section), palette.base, width)]
        out += _table(_("settings"), node.settings, width, palette)
        out += _table(
            _("result"), {key: result_text(value) for key, value in (node.result or {}).items()}, width, palette
        )
        ways = [edge for edge in picture.edges if edge.src == node.id]
        if ways:
            out += [Line(), Line(((_("outgoing edges"), palette.muted + Style(bold=True)),))]
        for edge in ways:
            target = picture.nodes.get(edge.dst)
            name = one_line(clean_label(target.label) if target is not None else edge.dst)
            label = f"{one_line(clean_label(edge.label))} → " if edge.label else "→ "
            hand = any(
                one.by == "user" and (one.node_id, one.choice) == (edge.src, edge.label) for one in picture.decisions
            )
            taken = (f"  ×{edge.taken}" if edge.taken else "") + (" " + _("by hand") if hand else "")
            if picture.chosen.get(edge.src) == edge.label and edge.label:
                taken += " " + _("preselected")
            style = palette.accent if edge.taken else palette.base
            out.append(Line((("  " + label, style), (name, palette.muted), (taken, palette.accent))))
        return out


def _table(title: str, values: Mapping[str, str], width: int, palette: Palette) -> list[Line]:
    """A title and a line for each value; nothing without values."""
    if not values:
        return []
    out = [Line(), Line(((title, palette.muted + Style(bold=True)),))]
    for key, value in values.items():
        out += [Line(row) for row, _join in wrap_text(reveal_hidden(f"{key}: {value}"), palette.base, width)]
    return out


@dataclass(frozen=True, slots=True)
class NodeActions:
    """The actions available at a node. `turns` are the results of its visits, oldest first."""

    turns: Sequence[str] = ()
    running: bool = False
    here: bool = False
    at_breakpoint: bool = False
    asks: bool | None = None
    edited: str = ""
    section: str = ""
    branches: Sequence[str] = ()
    has_prompt: bool = True


class NodeDetails(OneShotModal[str | None]):
    """Shows a node, and the actions available there. Returns the chosen action, or None.

    The actions are breakpoint, again, jump, edit, ask, choose, and `turn:N`, with N counting visits from 0. `live`
    returns the present state of the run for the figures; the actions do not change, so that none moves under a key or a
    click.
    """

    CSS = """
    NodeDetails { align: center middle; }
    NodeDetails.-alone { background: $background 60%; }
    NodeDetails > Vertical {
        width: 76; max-width: 94%; height: auto; max-height: 90%; background: $surface; padding: 0 1;
        border: round $primary; border-title-color: $primary; border-title-style: bold; border-subtitle-color: $muted;
    }
    NodeDetails NodeDetailsText { max-height: 24; }
    NodeDetails OptionList { margin-top: 1; }
    NodeDetails KeyBar { dock: none; margin-top: 1; background: $surface; }
    """

    def __init__(
        self,
        picture: RunView,
        node_id: str,
        controls: NodeActions,
        *,
        now: LiveContext,
        live: Callable[[], tuple[RunView, LiveContext] | None] | None = None,
    ) -> None:
        super().__init__()
        self._live = live
        self._picture, self._node_id, self._now, self._controls = picture, node_id, now, controls
        self._options = [*_turn_options(controls), *_steering_options(controls)]
        self._node_title = picture.nodes[node_id].label if node_id in picture.nodes else node_id
        self._sign = KIND_SIGNS[NodeKind(picture.nodes[node_id].kind if node_id in picture.nodes else "task")]

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(cut(f"{self._sign} {reveal_hidden(labels.node_title(self._node_title))}", 66))
            yield NodeDetailsText(
                self._picture, self._node_id, self._now, self._controls.edited, self._controls.section
            )
            yield OptionList(id="node-options")
            yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(OptionList).show(self._options)
        keys = (BarKey("↑ ↓ Enter", _("choose")),) if self._options else ()
        self.query_one(KeyBar).show((*keys, BarKey("Esc", _("close"), "leave")))
        if self._live is not None:
            self.set_interval(_FOLLOW_S, self._follow)

    def _follow(self) -> None:
        if self._live is not None and (state := self._live()) is not None:
            self.query_one(NodeDetailsText).follow(*state)

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        options = self.query_one(OptionList)
        if event.key == "escape":
            event.stop()
            self.dismiss(None)
        elif event.key in ("up", "down"):
            event.stop()
            options.move(-1 if event.key == "up" else 1)
        elif event.key in ("pageup", "pagedown"):
            event.stop()
            self.query_one(NodeDetailsText).scroll_relative(y=-8 if event.key == "pageup" else 8, animate=False)
        elif event.key == "enter":
            event.stop()
            self.dismiss(options.selected.id if options.selected is not None else None)

    @property
    def letter_answers(self) -> Mapping[str, str]:
        return {"q": "close", **{option.key: option.id for option in self._options}}

    def take_letter(self, answer: str) -> None:
        self.dismiss(None if answer == "close" else answer)

    def on_option_list_clicked(self, event: OptionList.Clicked) -> None:
        event.stop()
        self.dismiss(event.option_id)


def _turn_options(controls: NodeActions) -> list[Option]:
    turns = list(enumerate(controls.turns))
    if not turns:
        return []
    last, came_of_it = turns[-1]
    words = _("Show its turn in the conversation") if len(turns) == 1 else _("Show its last turn in the conversation")
    out = [Option(f"turn:{last}", "t", words, came_of_it)]
    if len(turns) > 1:
        out += [
            Option(f"turn:{place}", str(place + 1), _("Show visit {number}", number=place + 1), words)
            for place, words in turns[:_TURNS]
        ]
    return out


def _steering_options(controls: NodeActions) -> list[Option]:
    if not controls.running:
        return []
    out: list[Option] = []
    if controls.branches:
        out.append(
            Option("choose", "c", _("Take a branch of this node"), _("now") if controls.here else _("preselected"))
        )
        if controls.asks is not None:
            words = _("Let the model choose by itself") if controls.asks else _("Ask me before the run continues")
            out.append(Option("ask", "a", words))
    words = _("Remove the breakpoint") if controls.at_breakpoint else _("Pause before this node (breakpoint)")
    out.append(Option("breakpoint", "b", words))
    if controls.here:
        out.append(Option("again", "r", _("Rerun")))
    else:
        out.append(Option("jump", "j", _("Continue from here")))
    if controls.has_prompt:
        out.append(Option("edit", "p", _("Edit the prompt and run it")))
    return out
