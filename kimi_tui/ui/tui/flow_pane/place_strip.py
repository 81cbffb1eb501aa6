"""The run's place in its chart, in a few rows: the node before, the current node, and the branches that leave it."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style

from kimi_tui.flow.model.graph import Flow, NodeKind
from kimi_tui.flow.render.box_drawing import EAST, NORTH, SOUTH, WEST, line_char, line_sample
from kimi_tui.flow.render.chart_style import ChartStyle, EdgeStyle, LineKind, Role
from kimi_tui.flow.render.node_signs import ASCII_KIND_SIGNS, ASCII_SIGNS, KIND_SIGNS, SIGNS
from kimi_tui.flow.run.run_view import RunView
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, chart_style
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.state.flow_reducer import label_of
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, width_of
from kimi_tui.ui.tui.themes.palette import Palette

_MOST_ROWS = 3
_INDENT = 3
_KINDS: tuple[LineKind, ...] = ("light", "dashed", "heavy", "double")
"""From the weakest: a line that several branches share has the kind of the strongest."""


@dataclass(frozen=True, slots=True)
class _Node:
    sign: str
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class _Branch:
    edge: EdgeStyle
    label: str
    target: _Node


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run is; `max_branches` of any node of its chart keep the height constant."""

    before: _Node | None
    entered: EdgeStyle
    here: _Node
    branches: tuple[_Branch, ...]
    max_branches: int
    ascii: bool = False


def current_place(
    run: RunView,
    flow: Flow,
    now: LiveContext,
    *,
    ascii: bool = False,  # noqa: A002 - the option's name everywhere
) -> Place | None:
    """The place of an active run in `flow`, its chart; None if its current node is unknown."""
    if run.node_id not in flow.nodes:
        return None
    source, outgoing = _previous_node(run), flow.outgoing[run.node_id]
    style = chart_style(run, flow, now, ascii=ascii, only={source, run.node_id, *(edge.dst for edge in outgoing)})
    numbers = {(edge.src, edge.dst, edge.label): index for index, edge in enumerate(flow.edges)}
    before = (index for (src, dst, _label), index in numbers.items() if (src, dst) == (source, run.node_id))
    entered = next(map(style.edge, before), None)
    return Place(
        _node(run, style, source, ascii=ascii) if source and entered is not None else None,
        entered or EdgeStyle(),
        _node(run, style, run.node_id, ascii=ascii),
        tuple(
            _Branch(
                style.edge(numbers[edge.src, edge.dst, edge.label]),
                one_line(edge.label or ""),
                _node(run, style, edge.dst, ascii=ascii),
            )
            for edge in outgoing
        ),
        max(len(edges) for edges in flow.outgoing.values()),
        ascii,
    )


def _previous_node(run: RunView) -> str:
    """The node before the current one; "" if that is not known."""
    sources = {edge.src for edge in run.edges if edge.taken and edge.dst == run.node_id and edge.src != run.node_id}
    if len(sources) == 1:
        return sources.pop()
    last = run.last_decision
    return last.node_id if last is not None and last.dst == run.node_id and last.node_id in sources else ""


def _node(run: RunView, style: ChartStyle, node_id: str, *, ascii: bool) -> _Node:  # noqa: A002
    node, look = run.nodes[node_id], style.node(node_id)
    kinds = ASCII_KIND_SIGNS if ascii else KIND_SIGNS
    visits = f" {'x' if ascii else '×'}{look.visits}" if look.visits > 1 and node.kind in ("task", "decision") else ""
    sign = look.sign.strip() or kinds[NodeKind(node.kind)]
    return _Node(sign, label_of(run.begin, node_id) + visits, look.sign_role if look.sign.strip() else "muted")


def place_lines(place: Place, width: int, rows: int, palette: Palette) -> list[Line]:
    """The place in at most `rows` rows of `width` cells: a row for each branch, or all labels in a single row."""
    room = width - _INDENT - 1
    head: list[Run] = [(" " * _INDENT, palette.base)]
    if place.before is not None and room >= 60:
        head += _node_runs(place.before, room // 4, palette)
        head += [(f" {line_sample(place.entered.line, ascii=place.ascii)} ", palette.of_role(place.entered.role))]
    head += _node_runs(place.here, room // 3, palette, bold=True)
    head.append((" ", palette.base))
    if rows == 1:
        return [Line((*head, *_labels(place, width - width_of(head) - 1, palette)))]
    shown = place.branches if len(place.branches) <= rows else place.branches[: rows - 1]
    out: list[Line] = []
    for number, branch in enumerate(shown):
        before = head if number == 0 else [(" " * width_of(head), palette.base)]
        joint = _joint(place, number, len(shown) < len(place.branches))
        out.append(Line((*before, *_branch_runs(branch, joint, width - width_of(head) - 1, place, palette))))
    if hidden := len(place.branches) - len(shown):
        rest: list[Run] = [(" " * width_of(head), palette.base), ("+" if place.ascii else "╰", palette.faint)]
        out.append(Line((*rest, (" " + _("{count} more", count=hidden), palette.muted))))
    out = out or [Line(tuple(head))]
    return [*out, *[Line()] * (min(rows, place.max_branches) - len(out))]


def place_rows(height: int) -> int:
    """The rows for the place in a terminal of `height` rows."""
    return _MOST_ROWS if height >= 28 else 1 if height >= 20 else 0


def _node_runs(node: _Node, most: int, palette: Palette, *, bold: bool = False) -> list[Run]:
    text = palette.of_role(node.role) + Style(bold=True) if bold else palette.muted
    name: Run = (cut(node.name, max(8, most)), text)
    if node.sign in (SIGNS["running"], ASCII_SIGNS["running"]):  # beside an arrow it would be a second one
        return [name]
    return [(f"{node.sign} ", palette.of_role(node.role)), name]


def _joint(place: Place, number: int, more: bool) -> str:
    """The sign where a branch leaves the line that all branches share."""
    kinds: list[LineKind] = [branch.edge.line for branch in place.branches]
    if len(kinds) == 1:
        return ""
    arms: dict[int, LineKind] = {EAST: kinds[number]}
    if number == 0:
        arms[WEST] = _strongest(kinds)
    else:
        arms[NORTH] = _strongest(kinds[number:])
    if number + 1 < len(kinds) or more:
        arms[SOUTH] = _strongest(kinds[number + 1 :])
    return line_char(arms, ascii=place.ascii)


def _strongest(kinds: Sequence[LineKind]) -> LineKind:
    return _KINDS[max(map(_KINDS.index, kinds))]


def _branch_runs(branch: _Branch, joint: str, room: int, place: Place, palette: Palette) -> list[Run]:
    line = palette.of_role(branch.edge.role)
    sample = line_sample(branch.edge.line, ascii=place.ascii)
    label = cut(branch.label, max(6, room * 2 // 5)) if branch.label else ""
    marked = Style(underline=True) if branch.edge.marked else Style()
    runs: list[Run] = [(joint, line)]
    if label:
        runs += [
            (sample[0] + " ", line),
            (label, palette.of_role(branch.edge.label_role) + marked),
            (" ", palette.base),
        ]
    runs.append((sample + " ", line))
    left = room - width_of(runs) - 2
    return [*runs, *(_node_runs(branch.target, left, palette) if left >= 4 else ())]


def _labels(place: Place, room: int, palette: Palette) -> list[Run]:
    runs: list[Run] = []
    for number, branch in enumerate(place.branches):
        left = room - width_of(runs) - 3 - (3 if number + 1 < len(place.branches) else 0)
        text = branch.label or branch.target.name
        if left < min(4, cells(text)):
            return [*runs, ("~" if place.ascii else "…", palette.muted)]
        ink = palette.of_role(branch.edge.label_role) if branch.label else palette.muted
        runs += [(line_sample(branch.edge.line, ascii=place.ascii) + " ", palette.of_role(branch.edge.role))]
        runs += [(cut(text, left), ink), ("  ", palette.base)]
    return runs
