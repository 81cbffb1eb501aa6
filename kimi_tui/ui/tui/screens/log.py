"""The log file, latest entries at the end; filtered by errors or a search text."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
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
from kimi_tui.ui.tui.text.styled_line import Line, Run
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_frame import ModalFrame
from kimi_tui.ui.tui.widgets.text_field import TextField
from kimi_tui.ui.tui.widgets.text_viewer import TextViewer

_TAIL_BYTES = 1 << 18
_LEAD = len("10:00:00 ! ")
_SERVER_LOGGER = "kimi_tui.mcp.server_log"
_SERVER_OUTPUT = re.compile(r"(?P<server>MCP server [^:]+):(?: (?P<output>.*)|)")
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


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry by its parts; `source` is the logger, or the MCP server whose output it is."""

    level: str
    day: str
    time: str
    source: str
    rows: tuple[str, ...]

    @classmethod
    def of(cls, level: str, text: str) -> "_Entry":
        first, *more = text.rstrip().split("\n")
        day, time, _level, said = (*first.split(" ", 3), "", "", "")[:4]
        source, _blank, said = said.partition(" ")
        if source == _SERVER_LOGGER and (found := _SERVER_OUTPUT.fullmatch(said)):
            source, said = found["server"], found["output"] or ""
        return cls(level, day, time.partition(",")[0], source, (said, *more))


def _lines(entries: Sequence[tuple[str, str]], width: int, palette: Palette) -> list[Line]:
    """The entries as lines, grouped by day and by source: the time, a glyph, and the text with a hanging indent."""
    signs = {
        "WARNING": ("!", palette.warning),
        "ERROR": ("✗", palette.error),
        "CRITICAL": ("✗", palette.error),
        "DEBUG": ("·", palette.muted),
    }
    out: list[Line] = []
    day = ""
    parts = (_Entry.of(level, text) for level, text in entries)
    for _key, group in groupby(parts, key=lambda entry: (entry.day, entry.level, entry.source)):
        first, *others = group
        if first.day != day:
            out += [*([Line()] if day else []), Line(((first.day, palette.muted + Style(bold=True)),))]
            day = first.day
        sign, ink = signs.get(first.level, ("·", palette.base))
        lead: tuple[Run, ...] = ((f"{first.time} ", palette.muted), (f"{sign} ", ink))
        if not others:
            out += _hanging(lead, (f"{first.source} {first.rows[0]}", *first.rows[1:]), ink, width, palette)
            continue
        out.append(Line((*lead, (first.source, palette.muted))))
        time = first.time
        for entry in (first, *others):
            shown = entry.time if entry.time != time else ""
            lead = ((shown.ljust(_LEAD), palette.muted),)
            out += _hanging(lead, entry.rows, ink, width, palette)
            time = entry.time
    return out


def _hanging(lead: tuple[Run, ...], rows: Sequence[str], ink: Style, width: int, palette: Palette) -> list[Line]:
    """The rows of an entry, wrapped, the first one after `lead`; the rows of a traceback are muted."""
    room = max(8, width - _LEAD)
    out: list[Line] = []
    for number, text in enumerate(rows):
        for row, _ends in wrap_text(text, palette.muted if number else ink, room):
            out.append(Line((*(((" " * _LEAD, palette.faint),) if out else lead), *row)))
    return out
