"""The status line, which replaces panes that are not shown: the flow's node, the todo count."""

from textual import events
from textual.message import Message

from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.state.flow_reducer import current_label, move_count
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut, width_of
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget

_RUN_SIGNS, _TODO_SIGN = "▶✓‖■", "○"


class StatusLine(LineWidget):
    """Shown below the conversation while the right column is hidden; a click opens the column, or its first pane."""

    DEFAULT_CSS = """
    StatusLine { height: 1; background: $surface; display: none; }
    StatusLine.-filled { display: block; }
    """

    class Clicked(Message):
        pass

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._parts: tuple[tuple[str, str, str], ...] = ()
        self._folded = False
        self._beside = ""
        self.open_key = ""

    def show(self, state: UiState) -> None:
        parts: list[tuple[str, str, str]] = []
        if (run := state.flow.run) is not None:
            sign, role = ("▶", "accent") if run.active else ("✓", "muted")
            if run.paused or run.held:
                sign, role = "‖", "warning"
            elif run.status not in (None, "finished"):
                sign, role = "■", "warning"
            place = current_label(run) if run.active else _(labels.ENDED[run.status or "finished"])
            words = _("{flow}: {place} · {moves}", flow=run.name, place=place, moves=move_count(run))
            parts.append((sign, words + (" · " + _("pauses after this turn") if state.flow.pausing else ""), role))
        if state.todo:
            done = sum(item.status == "done" for item in state.todo)
            now = next((item.title for item in state.todo if item.status == "in_progress"), "")
            count = _("todo {done}/{count}", done=done, count=len(state.todo))
            parts.append((_TODO_SIGN, f"{count} {now}" if now else count, "muted"))
        if tuple(parts) != self._parts:
            self._parts = tuple(parts)
            self._update()

    def fold(self, *, folded: bool) -> None:
        """Name the key that opens a closed right column."""
        if folded != self._folded:
            self._folded = folded
            self._update()

    def hide_part_of(self, pane: str | None) -> None:
        """Leave out what this pane shows, `flow` or `todo`, while it takes the whole screen."""
        if (beside := {"flow": _RUN_SIGNS, "todo": _TODO_SIGN}.get(pane or "", "")) != self._beside:
            self._beside = beside
            self._update()

    @property
    def _shown(self) -> tuple[tuple[str, str, str], ...]:
        return tuple(part for part in self._parts if part[0] not in self._beside)

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
        rooms = _shares([cells(text) for _, text, _ in parts], room - 7 * len(parts))
        for index, (sign, text, role) in enumerate(parts):
            style = {"accent": palette.accent, "warning": palette.warning}.get(role, palette.muted)
            if index:
                runs.append(("  │  ", palette.faint))
            runs += [(sign + " ", style), (cut(text, rooms[index]), palette.base if role != "muted" else palette.muted)]
        return [Line((*runs, (" " * max(1, width - width_of(runs) - width_of(key)), palette.base), *key))]

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Clicked())


def _shares(wanted: list[int], room: int) -> list[int]:
    """Columns for each text: its full width, or less if space is short; the longest text is cut first."""
    given = list(wanted)
    while given and sum(given) > room and max(given) > 6:
        given[given.index(max(given))] -= 1
    return given
