"""CJK-aware soft wrapping for TextArea: breaks between Chinese characters, according to punctuation rules.

Textual breaks at spaces only, which leaves Chinese lines ragged and puts commas at their start.
"""

from functools import lru_cache

from textual._wrap import compute_wrap_offsets
from textual.document._wrapped_document import WrappedDocument
from textual.strip import Strip
from textual.widgets import TextArea

from kimi_tui.ui.tui.text.control_free_strip import control_free
from kimi_tui.ui.tui.text.wrap import break_text


class CjkWrappedDocument(WrappedDocument):
    """A document with CJK-aware line breaks. Unchanged lines are not wrapped again."""

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        super().wrap(0, tab_width)
        self._width = width
        if not width:
            return
        self._wrap_offsets = [wrap_offsets(line, width, self._tab_width) for line in self.document.lines]
        self._offset_to_line_info = [
            (index, part) for index, offsets in enumerate(self._wrap_offsets) for part in range(len(offsets) + 1)
        ]
        self._line_index_to_offsets = [[] for _ in self._wrap_offsets]
        for at, (index, _part) in enumerate(self._offset_to_line_info):
            self._line_index_to_offsets[index].append(at)

    def wrap_range(self, start: tuple[int, int], old_end: tuple[int, int], new_end: tuple[int, int]) -> None:
        self.wrap(self._width)


@lru_cache(1024)
def wrap_offsets(line: str, width: int, tab_width: int) -> list[int]:
    """The offsets at which the wrapped rows after the first start."""
    if line.isascii() or "\t" in line:
        return compute_wrap_offsets(line, width, tab_width)
    return [start for start, _end, _swallowed in break_text(line, width)[1:]]


class CjkTextArea(TextArea):
    """Textual's TextArea with CJK-aware line breaks; control characters of the text never reach the terminal."""

    def render_line(self, y: int) -> Strip:
        return control_free(super().render_line(y))  # defence: controls-in-a-text-area

    @property
    def wrapped_document(self) -> WrappedDocument:
        return self._broken

    @wrapped_document.setter
    def wrapped_document(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, made: WrappedDocument
    ) -> None:
        tab_width = made._tab_width  # pyright: ignore[reportPrivateUsage]
        self._broken = CjkWrappedDocument(made.document, tab_width=tab_width)
