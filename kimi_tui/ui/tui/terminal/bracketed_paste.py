"""Separates pastes from a terminal's input before key parsing.

Textual's parser looks for keys inside a paste too: text with colour codes arrives in thousands of pieces.
"""

START, END = "\x1b[200~", "\x1b[201~"
_SHORTEST = 3
"""Minimum prefix of START at the end of the input that is held back for the rest; a shorter one may
be the key Escape."""


class PastedText(str):
    """The text of one paste, as the terminal sent it."""


class BracketedPasteParser:
    """Separates keys and pastes, however the input is split."""

    def __init__(self) -> None:
        self._held = ""
        self._paste: list[str] | None = None

    def read(self, text: str) -> list[str]:
        """The input in order: texts with keys, and a `PastedText` for each complete paste. "" is a pause."""
        if not text and self._paste is not None:
            return []
        is_pause, text, self._held = not text, self._held + text, ""
        out: list[str] = []
        while text:
            if self._paste is None:
                keys, start, text = text.partition(START)
                if start:
                    self._paste = []
                elif not is_pause:
                    keys = self._hold(keys, START, _SHORTEST)
                if keys:
                    out.append(keys)
            else:
                paste, end, text = text.partition(END)
                if end:
                    out.append(PastedText("".join((*self._paste, paste))))
                    self._paste = None
                else:
                    self._paste.append(self._hold(paste, END, 1))
        return out

    def _hold(self, text: str, mark: str, least: int) -> str:
        """The text without a prefix of `mark` at its end, which is held back."""
        for size in range(len(mark) - 1, least - 1, -1):
            if text.endswith(mark[:size]):
                self._held = text[-size:]
                return text[:-size]
        return text
