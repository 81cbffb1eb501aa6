"""Background tasks, with the end of each task's output."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from kimi_tui.flow.render.chart_style import Role
from kimi_tui.formats import clock
from kimi_tui.regular_file import read_end
from kimi_tui.timestamps import steady_time
from kimi_tui.tools.shell_support.background import BackgroundTask, TaskStatus
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.text.sanitize import plain_output
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.list_detail import ListDetail
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer

_TAIL_BYTES = 1 << 15
_EVERY_S = 1.0
_SIGNS: dict[TaskStatus, tuple[str, Role]] = {
    "running": ("◐", "accent"),
    "done": ("✓", "success"),
    "failed": ("✗", "error"),
    "timed out": ("✗", "error"),
    "stopped": ("■", "warning"),
}


class Tasks(ModalFrame[None]):
    """Lists the background tasks; updated while it is open. Running tasks can be stopped."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+x", "stop", "Stop it", show=False, priority=True)]
    title_text = N_("background tasks")

    def __init__(
        self,
        tasks: Callable[[], Sequence[BackgroundTask]],
        *,
        stop: Callable[[str], Awaitable[object]],
        now: Callable[[], float] = steady_time,
    ) -> None:
        super().__init__()
        self._tasks, self._stop, self._now = tasks, stop, now
        self._seen: tuple[str, int] = ("", -1)

    def body(self) -> ComposeResult:
        tasks = ItemList(at_once=False, empty=_("no background tasks"), id="tasks")
        yield ListDetail(tasks, TextViewer(id="output"), stacked=True)

    def keys(self) -> Sequence[BarKey]:
        task = self._selected
        return (
            *((BarKey("Ctrl+X", _("stop"), "stop"),) if task is not None and task.running else ()),
            *((BarKey("Tab", _("output"), "app.focus_next"),) if task is not None else ()),
        )

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(ItemList).focus()
        self.refresh_status()
        self.set_interval(_EVERY_S, self.refresh_status)

    def refresh_status(self) -> None:
        """Refresh the status."""
        now = self._now()
        picks: list[ListItem] = []
        for task in reversed(self._tasks()):
            sign, role = _SIGNS[task.status]
            code = "" if task.exit_code is None else f" ({task.exit_code})"
            took = clock((task.ended_at or now) - task.started_at)
            picks.append(
                ListItem(task.id, task.description, right=f"{_(task.status)}{code}  {took}", sign=sign, role=role)
            )
        self.query_one(ItemList).show(picks)
        self.fit_rows(len(picks), bare=not picks)
        self._read_output()
        self.show_keys()

    @property
    def _selected(self) -> BackgroundTask | None:
        key = self.query_one(ItemList).key
        return next((task for task in self._tasks() if task.id == key), None)

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        self._read_output()
        self.show_keys()

    def _read_output(self) -> None:
        self.run_worker(partial(self._output, self._selected), group="load", exclusive=True)

    async def _output(self, task: BackgroundTask | None) -> None:
        text, size = await asyncio.to_thread(_tail, task.log) if task is not None else ("", 0)
        seen = (task.id if task is not None else "", size)
        if seen != self._seen:
            self._seen = seen
            self.query_one(ListDetail).keep_height()
            self.query_one(TextViewer).show(lambda width, palette: _lines(text, width, palette), at_end=True)

    def action_stop(self) -> None:
        task = self._selected
        if task is not None and task.running:
            self.run_worker(self._stopped(task.id), group="change")

    async def _stopped(self, task_id: str) -> None:
        await self._stop(task_id)
        self.refresh_status()


def _tail(log: Path) -> tuple[str, int]:
    """The end of the output, and its size."""
    try:
        content, size = read_end(log, _TAIL_BYTES)
    except OSError:
        return "", 0
    return plain_output(content.decode("utf-8", "replace")), size


def _lines(text: str, width: int, palette: Palette) -> list[Line]:
    rows = text.rstrip("\n").split("\n") if text.strip() else [_("no output yet")]
    return [Line(row) for line in rows for row, _ in wrap_text(line, palette.muted, max(8, width))]
