"""Collapses large pastes to chips in the text, and expands them on sending."""

import re
from collections.abc import Mapping

from kimi_tui.surrogates import without_surrogates
from kimi_tui.text_safety import without_controls, without_escapes
from kimi_tui.ui.tui.i18n.catalog import _

CHARACTERS = 1000
LINES = 15
# In both languages: a draft may have been written in the other one.
_CHIP = re.compile(r"\[(?:pasted \d[\d,]* (?:lines?|characters)|粘贴 \d[\d,]* (?:行|字符)) #(\d+)\]")


class PasteChips:
    """Maps chips to pasted texts. A chip that the user edited is plain text."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._sent: dict[str, None] = {}

    def collapse(self, text: str) -> str:
        """The text to insert for a paste: the paste itself, or a chip if it is large."""
        text = without_surrogates(without_controls(without_escapes(text)))
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")  # Textual drops one at the end
        lines = _lines(text)
        if len(text) < CHARACTERS and lines < LINES:  # defence: fold-large-paste
            return text
        number = next((known for known, paste in self._texts.items() if paste == text), None)
        if number is None:
            number = max(self._texts, default=0) + 1
            self._texts[number] = text
        return _chip(number, text)

    def recall(self, text: str) -> str:
        """An earlier message with a chip for each of its pastes; one chip for all of it if it is still large."""
        for paste in self._sent:
            if paste in text:
                text = text.replace(paste, self.collapse(paste))
        return self.collapse(text)

    def expand(self, text: str) -> str:
        return _CHIP.sub(lambda chip: self._texts.get(int(chip[1]), chip[0]), text)

    def chip_before(self, before: str) -> int:
        """The length of the chip at the end of `before`, 0 if there is none: Backspace deletes it whole."""
        start = before.rfind("[")
        found = _CHIP.fullmatch(before, start) if start >= 0 else None
        return len(found[0]) if found and int(found[1]) in self._texts else 0

    def recollapse(self, text: str) -> str:
        """Replace each paste with its chip, if an expanded `text` still contains it unchanged."""
        for number, paste in self._texts.items():
            text = text.replace(paste, _chip(number, paste), 1)
        return text

    @property
    def texts(self) -> Mapping[int, str]:
        """The pasted texts by chip number."""
        return self._texts

    def restore(self, texts: Mapping[int, str]) -> None:
        """Restore the chips of an earlier session."""
        self._texts.update(texts)

    def clear(self) -> None:
        """Forget the chips after their message is sent."""
        self._sent.update(dict.fromkeys(paste.strip() for paste in self._texts.values()))
        self._texts.clear()


def _chip(number: int, text: str) -> str:
    if (lines := _lines(text)) > 1:
        return _("[pasted {count:,} lines #{number}]", count=lines, number=number)
    return _("[pasted {count:,} characters #{number}]", count=len(text), number=number)


def _lines(text: str) -> int:
    """The number of lines; a trailing line break does not start another one."""
    return text.removesuffix("\n").count("\n") + 1
