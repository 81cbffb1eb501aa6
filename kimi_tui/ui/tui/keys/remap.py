"""Maps pressed keys through the user's key bindings."""

from typing import Protocol

from textual import events

from kimi_tui.ui.tui.keys.bindings import KEYS, KeyContext
from kimi_tui.ui.tui.keys.keymap import KeyMap, is_text

_SIGNS = {"space": " ", "plus": "+", "minus": "-"}


class KeyHost(Protocol):
    """Provides the user's key map and runs actions."""

    @property
    def keymap(self) -> KeyMap: ...
    @property
    def key_context(self) -> KeyContext | None:
        """The context of the focus; None on a screen with keys of its own."""
        ...

    async def run_action(self, action: str, /) -> bool: ...


async def resolve_key(host: KeyHost, event: events.Key) -> events.Key | None:
    """Return the key to process; None if it is disabled, or ran an action directly."""
    where = host.key_context
    if where is None:
        return event
    key = host.keymap.resolve(event.key, where)
    if key is None or key == event.key or (where in ("everywhere", "composer") and is_text(event.key)):
        return event
    if key.startswith("run:"):
        await host.run_action(next(one.action for one in KEYS if one.id == key[4:]))
        return None
    if not key:
        return None
    return events.Key(key, key if len(key) == 1 else _SIGNS.get(key))
