"""The conversation part of the UI state: items in order, and the text still streaming at the end."""

from dataclasses import replace

from kimi_tui.ui.tui.state.deltas import Appended, Delta, Finished, Replaced, Streamed, Truncated
from kimi_tui.ui.tui.state.items import AssistantItem, Item, ThinkItem


class Conversation:
    """A list of items that grows at its end; changes collect in `deltas` until `take_deltas` is called.

    The open item's text is kept in pieces, so that the cost of streaming is linear.
    """

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._open: int | None = None
        self._pieces: list[str] = []
        self._deltas: list[Delta] = []

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, key: int) -> Item:
        return self._is_complete(key)

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(self._is_complete(key) for key in range(len(self._items)))

    def _is_complete(self, key: int) -> Item:
        item = self._items[key]
        if key == self._open and isinstance(item, AssistantItem | ThinkItem):
            return replace(item, text="".join(self._pieces))
        return item

    def take_deltas(self) -> list[Delta]:
        deltas, self._deltas = self._deltas, []
        return deltas

    def add_delta(self, delta: Delta) -> None:
        """Add a delta of another pane to the conversation's, without repeating the last one."""
        if not self._deltas or self._deltas[-1] != delta:
            self._deltas.append(delta)

    def append(self, item: Item) -> int:
        self._items.append(item)
        key = len(self._items) - 1
        self._deltas.append(Appended(key, item))
        return key

    def replace(self, key: int, item: Item) -> None:
        if item != self._items[key]:
            self._items[key] = item
            self._deltas.append(Replaced(key, item))

    def stream(self, text: str, *, thinking: bool, at: float) -> None:
        """Append model text to the open item of that kind, or to a new one."""
        wanted = ThinkItem if thinking else AssistantItem
        if self._open is None or not isinstance(self._items[self._open], wanted):
            self.close(at)
            text = text.lstrip("\n")
            if not text:
                return
            self._open = self.append(ThinkItem(started=at) if thinking else AssistantItem())
        self._pieces.append(text)
        self._deltas.append(Streamed(self._open, text))

    def close(self, at: float) -> None:
        """Close the open item: its text is complete."""
        key, self._open = self._open, None
        if key is None:
            return
        item = self._items[key]
        text, self._pieces = "".join(self._pieces), []
        duration = None
        match item:
            case ThinkItem():
                duration = max(0.0, at - item.started) if item.started is not None else None
                self._items[key] = replace(item, text=text, done=True, duration_s=duration)
            case AssistantItem():
                self._items[key] = replace(item, text=text, done=True)
            case _:
                return
        self._deltas.append(Finished(key, duration))

    def truncate(self, key: int) -> None:
        """Remove the item at `key` and all after it."""
        if key >= len(self._items):
            return
        del self._items[key:]
        if self._open is not None and self._open >= key:
            self._open, self._pieces = None, []
        self._deltas.append(Truncated(key))
