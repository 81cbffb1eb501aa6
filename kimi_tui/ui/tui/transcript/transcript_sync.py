"""Keeps a transcript in sync with the state: maps positions in the conversation to the view's ids."""

from collections.abc import Sequence

from kimi_tui.ui.tui.state.deltas import Appended, Delta, Finished, Invalidated, Pane, Replaced, Streamed, Truncated
from kimi_tui.ui.tui.state.items import Item
from kimi_tui.ui.tui.transcript.view import Transcript


class TranscriptSync:
    """Applies changes to one transcript; `ids[key]` is the view's id of the item at that position."""

    def __init__(self, view: Transcript) -> None:
        self._view = view
        self.ids: list[int] = []
        self._keys: dict[int, int] = {}

    def start(self, items: Sequence[Item]) -> None:
        """Show exactly these items."""
        self.ids = list(self._view.replace_all(items))
        self._keys = {item_id: key for key, item_id in enumerate(self.ids)}

    def prepend(self, items: Sequence[Item]) -> None:
        """Show these items above all others; the visible rows stay in place."""
        self.ids[:0] = self._view.prepend(items)
        self._keys = {item_id: key for key, item_id in enumerate(self.ids)}

    def apply(self, deltas: Sequence[Delta]) -> set[Pane]:
        """Apply changes to the transcript; returns the other invalidated panes."""
        touched: set[Pane] = set()
        for delta in deltas:
            match delta:
                case Appended(key, item):
                    item_id = self._view.append(item)
                    self.ids.append(item_id)
                    self._keys[item_id] = key
                case Replaced(key, item):
                    self._view.update(self.ids[key], item)
                case Streamed(key, text):
                    self._view.stream(self.ids[key], text)
                case Finished(key, duration):
                    self._view.finish(self.ids[key], duration_s=duration)
                case Truncated(key):
                    if key < len(self.ids):
                        self._view.truncate(self.ids[key])
                        del self.ids[key:]
                case Invalidated(part):
                    touched.add(part)
        return touched

    def key_of(self, item_id: int) -> int | None:
        return self._keys.get(item_id)
