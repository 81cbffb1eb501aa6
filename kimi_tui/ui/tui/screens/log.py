"""The log file, latest entries at the end; filtered by errors or a search text."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from kimi_tui.paths import shown
from kimi_tui.regular_file import read_end
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.text_field import TextField
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer

_TAIL_BYTES = 1 << 18
_LEAD = len("10:00:00 ! ")
_BAD = ("WARNING", "ERROR", "CRITICAL")


def last_entries(file: Path) -> list[tuple[str, str]]:
    """The last entries of a log, as level and text; a traceback belongs to the entry before it."""
    try:
        content, _ = read_end(file, _TAIL_BYTES)  # defence: regular-log-end
    except OSError:
        return []
    rows = content.decode("utf-8", "replace").splitlines()
    entries: list[tuple[str, str]] = []
    for row in rows:
        words = row.split(" ", 3)
        if len(words) > 3 and words[2].isupper() and words[0][:4].isdigit():
            entries.append((words[2], row))
        elif entries:
            level, text = entries[-1]
            entries[-1] = (level, f"{text}\n{row}")
    return entries


class LogView(ModalFrame[None]):
    """Shows the log file; rereads it on request."""

    CSS = """
    LogView #search { height: 1; margin-bottom: 1; }
    LogView #mark { width: 7; color: $primary; }
    LogView Input { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+w", "bad", "Only what went wrong", show=False, priority=True),
        Binding("ctrl+r", "again", "Read again", show=False, priority=True),
    ]
    title_text = N_("log")
    head_rows = 2

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self._entries: list[tuple[str, str]] = []
        self._bad = False

    def body(self) -> ComposeResult:
        with Horizontal(id="search"):
            yield Static(_("find") + " › ", id="mark", markup=False)
            yield TextField(placeholder=_("text to find"))
        yield TextViewer()

    def keys(self) -> Sequence[BarKey]:
        if not self._entries:
            return (BarKey("Ctrl+R", _("reload"), "again"),)
        return (
            BarKey("Ctrl+W", _("show all") if self._bad else _("errors only"), "bad"),
            BarKey("Ctrl+R", _("reload"), "again"),
            BarKey("Tab", _("scroll"), "app.focus_next"),
        )

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(Input).focus()
        self.set_status(shown(self._file))
        self.fit_rows(0)
        self.action_again()

    def action_again(self) -> None:
        self.run_worker(self._read, group="load", exclusive=True)

    async def _read(self) -> None:
        self._entries = await asyncio.to_thread(last_entries, self._file)
        self.fit_rows(len(self._entries))
        self.show_keys()
        self._show()

    def action_bad(self) -> None:
        self._bad = not self._bad
        self.show_keys()
        self._show()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    def _show(self) -> None:
        needle = self.query_one(Input).value.strip().casefold()
        fits = [
            (level, text)
            for level, text in self._entries
            if (not self._bad or level in _BAD) and needle in text.casefold()
        ]
        none = _("no entries match") if self._entries else _("the log is empty")
        self.query_one(TextViewer).show(
            lambda width, palette: _lines(fits, width, palette) or [Line(((none, palette.muted),))], at_end=True
        )


def _lines(entries: Sequence[tuple[str, str]], width: int, palette: Palette) -> list[Line]:
    """The entries as lines, grouped by day: the time, a glyph, and the text with a hanging indent."""
    level_styles = {
        "WARNING": ("!", palette.warning),
        "ERROR": ("✗", palette.error),
        "CRITICAL": ("✗", palette.error),
        "DEBUG": ("·", palette.muted),
    }
    out: list[Line] = []
    day = ""
    for level, text in entries:
        first, *rest = text.rstrip().split("\n")
        date, time, _level, said = (*first.split(" ", 3), "", "", "")[:4]
        if date != day:
            out += [*([Line()] if day else []), Line(((date, palette.muted + Style(bold=True)),))]
            day = date
        sign, ink = level_styles.get(level, ("·", palette.base))
        lead = ((time.partition(",")[0] + " ", palette.muted), (sign + " ", ink))
        room = max(8, width - _LEAD)
        for index, (row, _ends) in enumerate(wrap_text(said, ink, room)):
            out.append(Line((*(lead if not index else ((" " * _LEAD, palette.faint),)), *row)))
        for more in rest:
            out += [Line(((" " * _LEAD, palette.faint), *row)) for row, _ends in wrap_text(more, palette.muted, room)]
    return out
