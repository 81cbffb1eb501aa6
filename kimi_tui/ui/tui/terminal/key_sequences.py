"""Corrects how Textual reads keys: Alt+Enter and Shift+Enter of terminals without kitty's protocol, and characters that
it does not count as text."""

import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from enum import Enum
from typing import cast
from unicodedata import category

from textual import _ansi_sequences as sequences
from textual import events
from textual.message import Message


class _Key(Enum):
    ALT_ENTER = "alt+enter"
    DRAWN = "drawn"


_ESC_BEFORE_TEXT = re.compile(r"(\x1b+)(?=[^\x00-\x1f\x7f\[\]\\O^_][^\x00-\x1f\x7f])")
_ESC_BEFORE_ARROW = re.compile(r"(?<!\x1b)\x1b\x1b[\[O]([ABCD])")
"""Alt and an arrow, as PuTTY, rxvt and macOS send it."""
_REPORT = re.compile(
    r"\x1b\][0-9]{1,4};[^\x07\x1b]*(?:\x07|\x1b\\)"  # colours, the clipboard
    r"|\x1b(?:P(?:[>!]\||[01]?[+$]r)|_G)[^\x07\x1b]*\x1b\\"  # the version, capabilities, graphics
    r"|\x1b\[[?>=][0-9;]*[cnuS]"  # the device, the colour scheme, the keyboard's mode
    r"|\x1b\[[34689];[0-9]+;[0-9]+t"  # sizes
)
"""Complete answers to what an earlier program asked, which no key sends."""


def parse_keys(text: str, feed: Callable[[str], Iterable[Message]]) -> Iterator[Message]:
    """The keys of a text that was read at once; `feed` is the parser's.

    Esc and a text after it, which a slow link delivers together, are not Alt and a letter: that would lose the Esc. Esc
    and a single letter are, and so are Esc and an arrow.
    """
    text = _REPORT.sub("", text)  # defence: reports-are-no-keys
    text = _ESC_BEFORE_ARROW.sub("\x1b[1;3\\1", text)  # defence: alt-and-an-arrow
    for index, part in enumerate(_ESC_BEFORE_TEXT.split(text)):
        if index % 2:
            yield from (events.Key("escape", esc) for esc in part)  # defence: esc-before-a-text
        elif part:  # "" would end the parser
            yield from feed(part)


def register_alt_enter() -> None:
    """Register Alt+Enter with Textual; some editors' terminals also send it for Shift+Enter."""
    table = cast(MutableMapping[str, tuple[_Key, ...]], sequences.ANSI_SEQUENCES_KEYS)
    table["\x1b\r"] = table["\x1b\n"] = (_Key.ALT_ENTER,)


def register_drawn_report() -> None:
    """Register the terminal's answer to a device status request with Textual, as a key: the parser knows no other."""
    table = cast(MutableMapping[str, tuple[_Key, ...]], sequences.ANSI_SEQUENCES_KEYS)
    table["\x1b[0n"] = table["\x1b[3n"] = (_Key.DRAWN,)


class ScreenDrawn(Message, bubble=False):
    """The terminal reports that it has drawn what was written before its request."""


def normalize_input(message: Message) -> Message:
    """Replace the keys that are none, and those that Textual would drop."""
    if isinstance(message, events.Key) and message.key == _Key.DRAWN.value:
        return ScreenDrawn()
    return unprintable_as_paste(message)


def normalize_key_name(key: str) -> str:
    """Return a key's usual name: xterm's Shift+Enter arrives as `shift+\\r`."""
    return key.replace("\r", "enter") if key.endswith("+\r") else key


class TypedCharacter(events.Paste):
    """A character that Textual does not count as text. Text fields take it as a paste, panes as a letter."""


TypedCharacter.handler_name = events.Paste.handler_name


def unprintable_as_paste(message: Message) -> Message:
    """Replace a key whose character Textual would drop: text fields insert it, and it answers no dialog.

    Textual inserts only characters that Python calls printable. The full-width and the no-break space, the joiners in
    emoji and in Persian words, and private-use symbols are not among them.
    """
    if not isinstance(message, events.Key) or message.is_printable or len(message.character or "") != 1:
        return message
    if category(message.character or "") in ("Cc", "Cs"):
        return message
    paste = TypedCharacter(message.character or "")
    paste.time = message.time
    return paste  # defence: keep-typed-characters
