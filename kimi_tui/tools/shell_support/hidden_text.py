"""Finds invisible or misleading characters in a command."""

import re
import unicodedata

from kimi_tui.permission.command_risk import CommandRisk, RiskKind

_LOOKALIKES = frozenset("‘’‚‛“”„‟′″‵ʹʺʻʼʽˈ՚᾽´`｀＇＂；｜＆＄＜＞－–—−") - {"`"}
_BLANKS = frozenset("\u00a0\u115f\u1160\u2800\u3164\uffa0")
_PADDING = re.compile(r"[ \t]{40,}|\n[ \t]*\n[ \t\n]*\n")


def hidden_text(text: str) -> str | None:
    """Describe invisible or misleading characters in a text; None if it reads as displayed."""
    found = hidden_in(text)
    return None if found is None else str(found)


def hidden_in(text: str) -> CommandRisk | None:
    """Return `hidden_text` as a risk."""
    for char in text:
        if char in "\n\t" or " " <= char <= "~":
            continue
        kind = unicodedata.category(char)
        code = f"U+{ord(char):04X}"
        if kind in ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Zs") or char in _BLANKS or _selects(char):
            return CommandRisk(RiskKind.INVISIBLE, code)
        if char in _LOOKALIKES:
            return CommandRisk(RiskKind.LOOKALIKE, code)
    return CommandRisk(RiskKind.BLANK_SPACE) if _PADDING.search(text) else None  # defence: much-blank-space


def _selects(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or char == "\u034f"
