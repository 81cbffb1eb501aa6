"""The status line, which replaces panes that do not fit: the flow's node, the todo count, pending approvals."""

from textual import events
from textual.message import Message

from kimi_tui.ui.tui.i18n import labels
from kimi_tui.ui.tui.i18n.catalog import _, n_
from kimi_tui.ui.tui.state.flow_reducer import current_label
from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.text.styled_line import Line, Run, cells, cut
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.line_widget import LineWidget


class StatusLine(LineWidget):
    """Shown below the conversation if the right column is hidden; a click opens the first of these panes."""

    DEFAULT_CSS = """
    StatusLine { height: 1; background: $surface; display: none; }
    StatusLine.-filled { display: block; }
    """

    class Clicked(Message):
        pass

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._parts: tuple[tuple[str, str, str], ...] = ()

    def show(self, state: UiState) -> None:
        parts: list[tuple[str, str, str]] = []
        if (run := state.flow.run) is not None:
            sign, role = ("▶", "accent") if run.active else ("✓", "muted")
            if run.paused:
                sign, role = "‖", "warning"
            elif run.status not in (None, "finished"):
                sign, role = "■", "warning"
            place = current_label(run) if run.active else _(labels.ENDED[run.status or "finished"])
            words = _("{flow}: {place} · {move}", flow=run.name, place=place, move=run.moves)
            parts.append((sign, words + (" · " + _("pauses after this turn") if state.flow.pausing else ""), role))
        if state.todo:
            done = sum(item.status == "done" for item in state.todo)
            now = next((item.title for item in state.todo if item.status == "in_progress"), "")
            count = _("todo {done}/{count}", done=done, count=len(state.todo))
            parts.append(("○", f"{count} {now}" if now else count, "muted"))
        if state.approvals:
            parts.append(("?", n_("{count} approval", "{count} approvals", len(state.approvals)), "warning"))
        self._parts = tuple(parts)
        self.set_class(bool(parts), "-filled")
        self.redraw()

    def lines(self, width: int, palette: Palette) -> list[Line]:
        runs: list[Run] = [(" ", palette.base)]
        rooms = _shares([cells(text) for _, text, _ in self._parts], width - 2 - 7 * len(self._parts))
        for index, (sign, text, role) in enumerate(self._parts):
            style = {"accent": palette.accent, "warning": palette.warning}.get(role, palette.muted)
            if index:
                runs.append(("  │  ", palette.faint))
            runs += [(sign + " ", style), (cut(text, rooms[index]), palette.base if role != "muted" else palette.muted)]
        return [Line(tuple(runs))]

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Clicked())


def _shares(wanted: list[int], room: int) -> list[int]:
    """Columns for each text: its full width, or less if space is short; the longest text is cut first."""
    given = list(wanted)
    while given and sum(given) > room and max(given) > 6:
        given[given.index(max(given))] -= 1
    return given
