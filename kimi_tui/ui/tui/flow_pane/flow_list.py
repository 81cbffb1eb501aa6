"""The list of available flows, to start one."""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.run.node_prompts import shown_label
from kimi_tui.ui.tui.engine_protocol import FlowSkill
from kimi_tui.ui.tui.flow_pane.broken_flow import BrokenFlow
from kimi_tui.ui.tui.i18n.labels import node_title
from kimi_tui.ui.tui.i18n.translate import translate, translate_lines
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_scroll_view import LineScrollView


class FlowList(LineScrollView, can_focus=True):
    """Name, description and first nodes of each flow; Enter or a click chooses one."""

    DEFAULT_CSS = "FlowList { height: 1fr; background: $background; padding: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("home", "edge(-1)", "First", show=False),
        Binding("end", "edge(1)", "Last", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("enter", "choose", "Show and start", show=False),
    ]

    class Chosen(Message):
        def __init__(self, name: str) -> None:
            self.flow_name = name
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.flows: tuple[FlowSkill, ...] = ()
        self.cursor = 0
        self._rows: list[int] = []

    def show(self, flows: Sequence[FlowSkill]) -> None:
        self.flows = tuple(flows)
        self.cursor = max(0, min(self.cursor, len(flows) - 1))
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out: list[Line] = []
        self._rows = []
        for index, skill in enumerate(self.flows):
            here = self.has_focus and index == self.cursor
            head: list[Run] = [("› " if here else "  ", palette.accent)]
            head.append((cut(skill.name, width - 2), (palette.accent if here else palette.base) + Style(bold=True)))
            rows = [Line(tuple(head))]
            about = wrap_text(
                _first_of(one_line(translate(skill.description)), 3 * (width - 3)), palette.muted, max(8, width - 3)
            )
            rows += [Line((("  ", palette.base), *row)) for row, _ in about]
            if isinstance(skill, BrokenFlow):
                rows.append(
                    Line(
                        (
                            ("  ✗ ", palette.error),
                            (cut(f"{skill.place}: {translate_lines(skill.cause)}", width - 4), palette.error),
                        )
                    )
                )
            elif way := _first_nodes(skill):
                rows.append(Line((("  ", palette.base), (cut(way, width - 2), palette.muted))))
            rows.append(Line())
            out += rows
            self._rows += [index] * len(rows)
        return out

    def action_move(self, by: int) -> None:
        if self.flows:
            self.cursor = max(0, min(self.cursor + by, len(self.flows) - 1))
            self.redraw()
            if self.cursor in self._rows:
                self.scroll_to(0, max(0, self._rows.index(self.cursor) - 2), animate=False, immediate=True)

    def action_edge(self, way: int) -> None:
        self.action_move(way * len(self.flows))

    def action_page(self, way: int) -> None:
        """Move by the number of visible flows, at least one."""
        top = self.scroll_offset.y
        seen = len(set(self._rows[top : top + self.size.height]))
        self.action_move(way * max(1, seen - 1))

    def action_choose(self) -> None:
        if self.flows:
            self.post_message(self.Chosen(self.flows[self.cursor].name))

    def on_click(self, event: events.Click) -> None:
        row = event.y - self.gutter.top + self.scroll_offset.y
        if 0 <= row < len(self._rows):
            self.cursor = self._rows[row]
            self.redraw()
            self.action_choose()

    def on_focus(self) -> None:
        self.redraw()

    def on_blur(self) -> None:
        self.redraw()


def _first_of(text: str, most: int) -> str:
    """The start of a text that fits the given cells, less the cells lost at line ends."""
    return cut(text, max(8, most - 12)) if cells(text) > most - 12 else text


def _first_nodes(skill: FlowSkill) -> str:
    """`Fix → Green? → …`"""
    flow = skill.flow
    if flow is None:
        return ""
    names = [
        node_title(shown_label(node.title, None))
        for node in flow.nodes.values()
        if node.kind in (NodeKind.TASK, NodeKind.DECISION)
    ]
    return " → ".join(name for name in names[:3]) + (" → …" if len(names) > 3 else "")
