"""Fallback for failed rendering: plain text. The fault is logged, once per place in the code."""

import logging
import traceback
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING

from rich.style import Style

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.styled_line import Line
from kimi_tui.ui.tui.text.wrap import wrap_text
from kimi_tui.ui.tui.themes.palette import Palette

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_MAX_CHARACTERS = 20_000
_MAX_PLACES = 100
_log = logging.getLogger(__name__)
_logged: set[tuple[str, int | None]] = set()


def log_fault(error: Exception) -> None:
    """Log a rendering fault, unless the same place has failed before."""
    frames = traceback.extract_tb(error.__traceback__)
    place = (frames[-1].filename, frames[-1].lineno) if frames else ("", None)
    if place not in _logged and len(_logged) < _MAX_PLACES:
        _logged.add(place)
        if logging.getLogger().handlers:  # without a log it would go to the screen
            _log.error("drawing failed; showing plain text instead", exc_info=error)


def plain_lines(text: str, width: int, style: Style | None = None) -> list[Line]:
    """`text` as unformatted lines of `width` columns."""
    return [Line(row, join=join) for row, join in wrap_text(text, style or Style.null(), max(1, width))]


def plain_item(item: "DataclassInstance", width: int, style: Style) -> list[Line]:
    """Return the texts of an item that cannot be drawn, one below the other; very long ones truncated."""
    texts = [value for field in fields(item) if isinstance(value := getattr(item, field.name), str) and value]
    return plain_lines("\n".join(str(text)[:_MAX_CHARACTERS] for text in texts), width, style)


def lines_or_notice(draw: Callable[[int, Palette], list[Line]], width: int, palette: Palette) -> list[Line]:
    """Return the result of `draw` for a width and a palette; if it fails, a line that reports it."""
    try:
        return draw(width, palette)
    except Exception as error:  # noqa: BLE001 - the edge: a pane that cannot be drawn ends nothing
        log_fault(error)
        # defence: notice-in-pane
        return plain_lines(_("this cannot be drawn; see the log for details"), width, palette.warning)
