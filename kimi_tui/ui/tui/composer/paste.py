"""Large pastes folded to a chip in the text, and unfolded when it is sent."""

import re

CHARACTERS = 1000
LINES = 15
_CHIP = re.compile(r"\[pasted \d[\d,]* (?:lines?|characters) #(\d+)\]")


class Pastes:
    """Remembers what each chip stands for. A chip that the person changed is text like any other."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def fold(self, text: str) -> str:
        """What to put into the composer for a pasted text: itself, or a chip where it is large."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode("utf-8")
        lines = text.count("\n") + 1
        if len(text) < CHARACTERS and lines < LINES:
            return text
        number = len(self._texts) + 1
        self._texts[number] = text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        return f"[pasted {size} #{number}]"

    def unfold(self, text: str) -> str:
        return _CHIP.sub(lambda chip: self._texts.get(int(chip[1]), chip[0]), text)

    def chip_before(self, before: str) -> int:
        """The length of the chip that `before` ends with, 0 where it ends with none: it is deleted as one."""
        start = before.rfind("[pasted ")
        found = _CHIP.fullmatch(before, start) if start >= 0 else None
        return len(found[0]) if found and int(found[1]) in self._texts else 0

    def clear(self) -> None:
        self._texts.clear()
