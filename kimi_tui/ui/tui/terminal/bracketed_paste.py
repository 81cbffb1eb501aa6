"""Separates pastes from a terminal's input before key parsing.

Textual's parser looks for keys inside a paste too: text with colour codes arrives in thousands of pieces.
"""

import re

START, END = "\x1b[200~", "\x1b[201~"
_SHORTEST = 3
"""Minimum prefix of START at the end of the input that is held back for the rest; a shorter one may
be the key Escape."""
SILENCE = 30
"""Pauses in a row after which an unfinished paste is returned as far as it was received."""
_CANCEL_SILENCE = 10
"""Pauses after Ctrl+C that end an unfinished paste: no more text comes."""
_CTRL_C = re.compile(r"(?:\x03|\x1b\[99(?::\d*)*;\d+(?::1)?(?:;[\d:]*)?u|\x1b\[27;\d+;99~)+")


class PastedText(str):
    """The text of one paste, as the terminal sent it."""


class UnfinishedPaste(PastedText):
    """The part of a paste that was received before a long silence."""


class StartedKeys(str):
    """The rest of a START whose first characters were returned as keys, and an END: neither a key nor a paste."""


class BracketedPasteParser:
    """Separates keys and pastes, however the input is split.

    Invariant: after START, text is only ever returned as a paste, until END or a Ctrl+C with silence around it.
    """

    def __init__(self) -> None:
        self._held = ""
        self._returned = ""
        """The beginning of a START that was returned as keys."""
        self._paste: list[str] | None = None
        self._silence = 0
        self._is_cancelled = False

    def read(self, text: str) -> list[str]:
        """The input in order: texts with keys, and a `PastedText` for each paste. "" is a pause of 0.1 s."""
        if not text and self._paste is not None:
            return self._pause(self._paste)
        if self._paste is not None and self._silence and _CTRL_C.fullmatch(text):  # defence: cancel-unfinished-paste
            self._is_cancelled, self._silence = True, min(self._silence, SILENCE - _CANCEL_SILENCE)
            return []
        self._silence, self._is_cancelled = 0, False
        is_pause, returned = not text, self._returned
        text, self._held, self._returned = returned + self._held + text, "", ""
        out: list[str] = []
        while text:
            if self._paste is None:
                keys, start, text = text.partition(START)
                if start:
                    self._paste = []
                else:
                    keys = self._hold_start(keys, len(returned), is_pause=is_pause)
                if len(keys) < len(returned) and start:
                    out.append(StartedKeys(START[len(returned) :] + END))  # defence: start-of-paste-in-pieces
                elif keys := keys[len(returned) :]:
                    out.append(keys)
                returned = ""
            else:
                paste, end, text = text.partition(END)
                if end:
                    out.append(PastedText("".join((*self._paste, paste))))
                    self._paste = None
                else:
                    self._paste.append(self._hold(paste, END, 1))
        return out

    def _pause(self, paste: list[str]) -> list[str]:
        self._silence += 1
        if self._silence < SILENCE:  # defence: silence-in-a-paste
            return []
        text = "".join(paste)
        paste.clear()
        if self._is_cancelled:
            self._paste, self._held = None, ""
        return [UnfinishedPaste(text)] if text else []

    def _hold_start(self, keys: str, returned: int, *, is_pause: bool) -> str:
        """The keys without the beginning of a START at their end; the first `returned` characters were returned."""
        whole = keys
        if not is_pause:
            keys = self._hold(keys, START, _SHORTEST)
        if self._held:
            begun = max(0, returned - len(keys))
            self._returned, self._held = self._held[:begun], self._held[begun:]
        else:
            self._returned = next((START[:size] for size in range(5, 0, -1) if whole.endswith(START[:size])), "")
        return keys

    def _hold(self, text: str, mark: str, least: int) -> str:
        """The text without a prefix of `mark` at its end, which is held back."""
        for size in range(len(mark) - 1, least - 1, -1):
            if text.endswith(mark[:size]):
                self._held = text[-size:]
                return text[:-size]
        return text
