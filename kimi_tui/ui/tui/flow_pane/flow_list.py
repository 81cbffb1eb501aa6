"""The list of available flows, to start one."""

from collections.abc import Sequence

from rich.style import Style
from textual.message import Message

from kimi_tui.flow.model.graph import NodeKind
from kimi_tui.flow.run.node_prompts import shown_label
from kimi_tui.ui.tui.engine_protocol import FlowSkill
from kimi_tui.ui.tui.flow_pane.broken_flow import BrokenFlow
from kimi_tui.ui.tui.i18n.labels import node_titles
from kimi_tui.ui.tui.i18n.translate import translate, translate_lines
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_list import LineList

_ABOUT_ROWS = 3


class FlowList(LineList):
    """Name, description and first nodes of each flow; Enter or a click chooses one."""

    DEFAULT_CSS = "FlowList { height: 1fr; background: $background; padding: 0 1; }"

    class Moved(Message):
        """The cursor moved; the keys that act may differ."""

    class Chosen(Message):
        def __init__(self, name: str) -> None:
            self.flow_name = name
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.flows: tuple[FlowSkill, ...] = ()

    @property
    def item_count(self) -> int:
        return len(self.flows)

    def show(self, flows: Sequence[FlowSkill]) -> None:
        self.flows = tuple(flows)
        self.show_items()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        out: list[Line] = []
        self.item_of_line = []
        for index, skill in enumerate(self.flows):
            here = self.has_focus and index == self.cursor
            head: list[Run] = [("› " if here else "  ", palette.accent)]
            head.append((cut(skill.name, width - 2), (palette.accent if here else palette.base) + Style(bold=True)))
            rows = [Line(tuple(head))]
            for text in _first_lines(one_line(translate(skill.description)), max(8, width - 3)):
                rows.append(Line((("  ", palette.base), (text, palette.muted))))
            if isinstance(skill, BrokenFlow):
                rows.append(
                    Line(
                        (
                            ("  ✗ ", palette.error),
                            (cut(f"{skill.place}: {translate_lines(skill.cause)}", width - 4), palette.error),
                        )
                    )
                )
            elif way := first_nodes(skill):
                rows.append(Line((("  ", palette.base), (cut(way, width - 2), palette.muted))))
            rows.append(Line())
            out += rows
            self.item_of_line += [index] * len(rows)
        return out

    def action_move(self, by: int) -> None:
        super().action_move(by)
        self.post_message(self.Moved())

    def choose(self) -> None:
        self.post_message(self.Chosen(self.flows[self.cursor].name))


def _first_lines(text: str, width: int) -> list[str]:
    """Up to `_ABOUT_ROWS` lines of a text; if there is more, the last ends with an ellipsis after a word."""
    lines = ["".join(piece for piece, _ in row).rstrip() for row, _ in wrap_text(text, Style(), width)]
    if len(lines) <= _ABOUT_ROWS:
        return lines
    last = lines[_ABOUT_ROWS - 1]
    if cells(last) >= width:
        last = last.rpartition(" ")[0] or cut(last, width - 1).removesuffix("…")
    return [*lines[: _ABOUT_ROWS - 1], last.rstrip(" ,;:.，。；：、") + "…"]


def first_nodes(skill: FlowSkill) -> str:
    """`Fix → Green? → …`"""
    flow = skill.flow
    if flow is None:
        return ""
    names = [
        shown_label(node.title, None) for node in flow.nodes.values() if node.kind in (NodeKind.TASK, NodeKind.DECISION)
    ]
    return " → ".join(node_titles(names[:3])) + (" → …" if len(names) > 3 else "")
