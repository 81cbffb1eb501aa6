"""The table of a flow's earlier runs: choices, duration, outcome."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from kimi_tui.flow.render.node_signs import run_sign
from kimi_tui.flow.run.run_state import RunState
from kimi_tui.flow.run.spending import format_cost, fullest
from kimi_tui.formats import clock, token_count
from kimi_tui.timestamps import date_and_time
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import N_, _, p_
from kimi_tui.ui.tui.replay.run_index import PastRun
from kimi_tui.ui.tui.text.call_summary import one_line
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.line_list import LineList
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame


class RunTable(LineList):
    """A table with one row per run; marked runs have a letter."""

    DEFAULT_CSS = "RunTable { height: 1fr; background: $surface; }"
    at_once = False

    class Chosen(Message):
        """Enter or a click on the run under the cursor."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.runs: tuple[PastRun, ...] = ()
        self.marked: list[str] = []
        self.of_one_flow = False

    @property
    def item_count(self) -> int:
        return len(self.runs)

    @property
    def here(self) -> PastRun | None:
        return self.runs[self.cursor] if self.cursor < len(self.runs) else None

    def show(self, runs: Sequence[PastRun]) -> None:
        self.runs = tuple(runs)
        self.show_items()

    def mark(self) -> None:
        """Toggle the mark of the run under the cursor; a third mark removes the first."""
        if (run := self.here) is not None:
            self.marked = [one for one in self.marked if one != run.id] + ([] if run.id in self.marked else [run.id])
            self.marked = self.marked[-2:]
            self.redraw_in_place()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        self.item_of_line = [-1, *range(len(self.runs))]
        if not self.runs:
            return [Line(((_("No flow has been run in this folder yet."), palette.muted),))]
        head = (
            *("", "", _("when"), _("flow"), p_("run", "end"), p_("run", "moves"), p_("run", "time")),
            *(p_("run", "tokens"), p_("run", "path")),
        )
        rows = [_cells_of(run) for run in self.runs]
        widths = [max(cells(row[column]) for row in [head[2:], *rows]) for column in range(6)]
        widths[1] = 0 if self.of_one_flow else min(widths[1], max(8, width // 5))
        out = [Line(_row(("  ", "  ", *head[2:]), widths, width, [palette.muted + Style(bold=True)] * 9))]
        for index, (run, row) in enumerate(zip(self.runs, rows, strict=True)):
            here = index == self.cursor
            mark = "AB"[self.marked.index(run.id)] if run.id in self.marked else " "
            ink = {"finished": palette.success, "failed": palette.error}.get(run.state.status or "", palette.warning)
            base = palette.base + Style(bold=here)
            lead = palette.accent + Style(bold=True)
            styles = [palette.accent, lead, base, base, ink, base, base, base, palette.muted]
            out.append(Line(_row(("› " if here else "  ", mark + " ", *row), widths, width, styles)))
        return out

    def choose(self) -> None:
        self.post_message(self.Chosen())


def _cells_of(run: PastRun) -> tuple[str, ...]:
    state = run.state
    when = date_and_time(state.started_at)
    end = _(labels.ENDED[state.status]) if state.status is not None else p_("run", "open")
    if state.status == "max_moves":
        end = _("max moves")
    return (
        when,
        one_line(run.name),
        f"{run_sign(state.status)} {end}",
        str(state.moves),
        clock(run.duration_s),
        token_count(run.tokens) if not state.budget else _of_budget(state),
        one_line(run.path),
    )


def _of_budget(state: RunState) -> str:
    """How much of the budget is used: `412k/500k`, `0.42/2.00 usd`, or the share of a time."""
    spent, budget = state.spent, state.budget
    match fullest(spent, budget):
        case "tokens":
            return f"{token_count(spent.tokens)}/{token_count(budget.tokens or 0)}"
        case "cost":
            return f"{'≤' if spent.at_most else ''}{format_cost(spent.cost)}/{format_cost(budget.cost or 0)} usd"
        case _:
            return f"{clock(spent.seconds)}/{clock(budget.seconds or 0)}"


def _row(row: Sequence[str], widths: Sequence[int], width: int, styles: Sequence[Style]) -> tuple[Run, ...]:
    runs: list[Run] = [(row[0], styles[0]), (row[1], styles[1])]
    used = cells(row[0]) + cells(row[1])
    for column, text in enumerate(row[2:8]):
        if not widths[column]:
            continue
        shown = cut(text, widths[column])
        pad = " " * (widths[column] - cells(shown))
        runs.append(((pad + shown if column >= 3 else shown + pad) + "  ", styles[column + 2]))
        used += widths[column] + 2
    runs.append((cut(row[8], max(0, width - used)), styles[8]))
    return tuple(runs)


class Runs(ModalFrame[str]):
    """Shows the table of runs. Returns the view to open: `show:RUN`, `replay:RUN`, `compare:RUN:RUN`, `count:FLOW`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark", show=False),
        Binding("tab", "all", "All flows", show=False, priority=True),
    ]
    title_text = N_("runs")

    def __init__(self, runs: Sequence[PastRun], flow: str = "") -> None:
        super().__init__()
        self._runs = tuple(runs)
        self._only = self._flow = flow if any(run.name == flow for run in runs) else ""
        self.table = RunTable(id="runs")

    def body(self) -> ComposeResult:
        yield self.table

    @property
    def letter_answers(self) -> Mapping[str, str]:
        return {"c": "compare", "f": "count", "p": "take('replay')"}

    def keys(self) -> Sequence[BarKey]:
        which = _("all flows") if self._only else _("this flow")
        return (
            BarKey("Enter", _("open"), "take('show')"),
            BarKey("p", _("replay"), "take('replay')"),
            BarKey("Space", _("select"), "mark"),
            BarKey("c", _("compare two"), "compare"),
            BarKey("f", _("branch counts"), "count"),
            BarKey("Tab", which, "all"),
        )

    def on_mount(self) -> None:
        super().on_mount()
        self._fill()
        self.fit_rows(len(self._runs))
        self.table.focus()

    def _fill(self) -> None:
        shown = [run for run in self._runs if self._only in ("", run.name)]
        self.table.of_one_flow = bool(self._only)  # its name is the title
        self.table.show(shown)
        title = _("runs {count}", count=len(shown))
        if self._only:
            title = _("runs of {flow} {count}", flow=one_line(self._only), count=len(shown))
        self.query_one("#frame").border_title = Content(sanitize(title))
        self.show_keys()

    def action_all(self) -> None:
        here = self.table.here
        self._only = "" if self._only else (self._flow or (here.name if here is not None else ""))
        self._fill()

    def action_mark(self) -> None:
        self.table.mark()

    def action_take(self, what: str) -> None:
        if (run := self.table.here) is not None:
            self.dismiss(f"{what}:{run.id}")

    def action_compare(self) -> None:
        here, marked = self.table.here, self.table.marked
        if len(marked) == 1 and here is not None and here.id != marked[0]:
            marked = [marked[0], here.id]
        if len(marked) == 2:
            self.dismiss(f"compare:{marked[0]}:{marked[1]}")
        else:
            self.set_status(" " + _("select two runs with Space") + " ")

    def action_count(self) -> None:
        if (run := self.table.here) is not None:
            self.dismiss(f"count:{run.name}")

    def on_run_table_chosen(self) -> None:
        self.action_take("show")
