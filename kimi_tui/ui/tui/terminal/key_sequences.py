"""Enter with a modifier, as terminals send it that do not speak kitty's protocol: Textual takes it for Enter alone."""

from collections.abc import MutableMapping
from enum import Enum
from typing import cast

from textual import _ansi_sequences as sequences


class _Key(Enum):
    ALT_ENTER = "alt+enter"


def register_alt_enter() -> None:
    """Have Textual know Alt+Enter, which is also what some editors' terminals send for Shift+Enter."""
    table = cast(MutableMapping[str, tuple[_Key, ...]], sequences.ANSI_SEQUENCES_KEYS)
    table["\x1b\r"] = table["\x1b\n"] = (_Key.ALT_ENTER,)


def normalize_key_name(key: str) -> str:
    """A key by its usual name: xterm's way to tell Shift+Enter comes as `shift+\\r`."""
    return key.replace("\r", "enter") if key.endswith("+\r") else key
