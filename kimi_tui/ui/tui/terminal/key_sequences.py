"""Registers legacy escape sequences for Alt+Enter and Shift+Enter, which Textual takes for Enter, for terminals without
kitty's protocol."""

from collections.abc import MutableMapping
from enum import Enum
from typing import cast

from textual import _ansi_sequences as sequences


class _Key(Enum):
    ALT_ENTER = "alt+enter"


def register_alt_enter() -> None:
    """Register Alt+Enter with Textual; some editors' terminals also send it for Shift+Enter."""
    table = cast(MutableMapping[str, tuple[_Key, ...]], sequences.ANSI_SEQUENCES_KEYS)
    table["\x1b\r"] = table["\x1b\n"] = (_Key.ALT_ENTER,)


def normalize_key_name(key: str) -> str:
    """A key's usual name: xterm's Shift+Enter arrives as `shift+\\r`."""
    return key.replace("\r", "enter") if key.endswith("+\r") else key
