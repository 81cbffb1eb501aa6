"""Large pastes folded to a chip in the text, and unfolded when it is sent."""

import re
from collections.abc import Mapping

from kimi_tui.surrogates import without_surrogates
from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.sanitize import without_escapes

CHARACTERS = 1000
LINES = 15
# In either language: a draft may be of another day.
_CHIP = re.compile(r"\[(?:pasted \d[\d,]* (?:lines?|characters)|粘贴 \d[\d,]* (?:行|字符)) #(\d+)\]")


class PasteChips:
    """Remembers what each chip stands for. A chip that the person changed is text like any other."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._sent: dict[str, None] = {}

    def collapse(self, text: str) -> str:
        """What to put into the composer for a pasted text: itself, or a chip where it is large."""
        text = without_escapes(text.replace("\r\n", "\n").replace("\r", "\n"))
        text = without_surrogates(text)
        lines = _lines(text)
        if len(text) < CHARACTERS and lines < LINES:
            return text
        number = next((known for known, paste in self._texts.items() if paste == text), None)
        if number is None:
            number = max(self._texts, default=0) + 1
            self._texts[number] = text
        return _chip(number, text)

    def recall(self, text: str) -> str:
        """A message of earlier with a chip for each paste it was sent with; or for all of it."""
        for paste in self._sent:
            if paste in text:
                text = text.replace(paste, self.collapse(paste))
        return self.collapse(text)

    def expand(self, text: str) -> str:
        return _CHIP.sub(lambda chip: self._texts.get(int(chip[1]), chip[0]), text)

    def chip_before(self, before: str) -> int:
        """The length of the chip that `before` ends with, 0 where it ends with none: it is deleted as one."""
        start = before.rfind("[")
        found = _CHIP.fullmatch(before, start) if start >= 0 else None
        return len(found[0]) if found and int(found[1]) in self._texts else 0

    def recollapse(self, text: str) -> str:
        """`text`, which was unfolded before, with the chips again for the pastes that it still holds unchanged."""
        for number, paste in self._texts.items():
            text = text.replace(paste, _chip(number, paste), 1)
        return text

    @property
    def texts(self) -> Mapping[int, str]:
        """What the chips stand for, by their numbers."""
        return self._texts

    def restore(self, texts: Mapping[int, str]) -> None:
        """Have chips of an earlier time stand for what they stood for."""
        self._texts.update(texts)

    def clear(self) -> None:
        """The message that had the chips is sent."""
        self._sent.update(dict.fromkeys(paste.strip() for paste in self._texts.values()))
        self._texts.clear()


def _chip(number: int, text: str) -> str:
    if (lines := _lines(text)) > 1:
        return _("[pasted {count:,} lines #{number}]", count=lines, number=number)
    return _("[pasted {count:,} characters #{number}]", count=len(text), number=number)


def _lines(text: str) -> int:
    """How many there are; a line break at the end ends the last one."""
    return text.removesuffix("\n").count("\n") + 1
