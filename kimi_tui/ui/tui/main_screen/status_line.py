"""The status line, which replaces panes that are not shown: the flow's node, its branches, the todo count."""

from typing import Literal

from textual import events
from textual.message import Message

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.render.node_signs import SIGNS, run_sign
from kimi_tui.ui.tui.accessibility import display_options_of
from kimi_tui.ui.tui.flow_pane.place_strip import Place, current_place, place_lines, place_rows
from kimi_tui.ui.tui.flow_pane.run_styles import LiveContext, recorded_chart
from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.state.flow_reducer import current_label, move_count
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, width_of
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget
from kimi_tui.wire.flow_events import FlowBegin

_TODO_SIGN = "○"

_Part = tuple[Literal["flow", "todo"], str, str, str]
"""The pane that a part replaces, a sign, a text and a role."""


class StatusLine(LineWidget):
    """Shown below the conversation while the right column is hidden; a click opens the column, or its first pane."""

    DEFAULT_CSS = """
    StatusLine { height: auto; background: $surface; display: none; }
    StatusLine.-filled { display: block; }
    """

    class Clicked(Message):
        pass

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._parts: tuple[_Part, ...] = ()
        self._place: Place | None = None
        self._chart: tuple[FlowBegin, Flow] | None = None
        self._folded = False
        self._beside = ""
        self.open_key = ""

    def show(self, state: UiState, now: LiveContext) -> None:
        parts: list[_Part] = []
        place: Place | None = None
        if (run := state.flow.run) is not None:
            sign, role = run_sign(run.status), "accent" if run.active else "muted"
            if run.paused or run.held:
                sign, role = SIGNS["paused"], "warning"
            elif run.status not in (None, "finished"):
                role = "warning"
            options = display_options_of(self)
            if run.active and not options.plain:
                if self._chart is None or self._chart[0] is not run.begin:
                    self._chart = (run.begin, recorded_chart(run.begin))
                place = current_place(run, self._chart[1], now, ascii=options.ascii)
            where = current_label(run) if run.active else _(labels.ENDED[run.status or "finished"])
            words = _("{flow}: {place} · {moves}", flow=run.name, place=where, moves=move_count(run))
            if place is not None and place_rows(self.app.size.height):  # the rows below name the node
                words = f"{run.name} · {move_count(run)}"
            words += " · " + _("pauses after this turn") if state.flow.pausing else ""
            parts.append(("flow", sign, words, role))
        if state.todo:
            done = sum(item.status == "done" for item in state.todo)
            title = next((item.title for item in state.todo if item.status == "in_progress"), "")
            count = _("todo {done}/{count}", done=done, count=len(state.todo))
            parts.append(("todo", _TODO_SIGN, f"{count} {title}" if title else count, "muted"))
        if (tuple(parts), place) != (self._parts, self._place):
            self._parts, self._place = tuple(parts), place
            self._update()

    def fold(self, *, folded: bool) -> None:
        """Name the key that opens a closed right column."""
        if folded != self._folded:
            self._folded = folded
            self._update()

    def hide_shown_pane(self, pane: str | None) -> None:
        """Leave out what this pane shows, `flow` or `todo`, while it takes the whole screen."""
        if (pane or "") != self._beside:
            self._beside = pane or ""
            self._update()

    @property
    def _shown(self) -> tuple[_Part, ...]:
        return tuple(part for part in self._parts if part[0] != self._beside)

    def _update(self) -> None:
        self.set_class(bool(self._shown), "-filled")
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        parts = self._shown
        key: list[Run] = []
        if self._folded and self.open_key:
            key = [(self.open_key, palette.base), (" " + _("show"), palette.muted), (" ", palette.base)]
        runs: list[Run] = [(" ", palette.base)]
        room = width - width_of(key) - 2
        rooms = _shares([cells(text) for _, _, text, _ in parts], room - 7 * len(parts))
        for index, (_pane, sign, text, role) in enumerate(parts):
            style = {"accent": palette.accent, "warning": palette.warning}.get(role, palette.muted)
            if index:
                runs.append(("  │  ", palette.faint))
            runs += [(sign + " ", style), (cut(text, rooms[index]), palette.base if role != "muted" else palette.muted)]
        first = Line((*runs, (" " * max(1, width - width_of(runs) - width_of(key)), palette.base), *key))
        rows = place_rows(self.app.size.height) if self._place is not None and self._beside != "flow" else 0
        return [first, *(place_lines(self._place, width, rows, palette) if self._place is not None and rows else ())]

    def on_resize(self) -> None:
        self.call_after_refresh(self.redraw)

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Clicked())


def _shares(wanted: list[int], room: int) -> list[int]:
    """Columns for each text: its full width, or less if space is short; the longest text is cut first."""
    given = list(wanted)
    while given and sum(given) > room and max(given) > 6:
        given[given.index(max(given))] -= 1
    return given
