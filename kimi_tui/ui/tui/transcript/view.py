"""The conversation on screen: one widget, however long the conversation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from textual.message import Message
from textual.scroll_view import ScrollView

from kimi_tui.ui.tui.transcript.items import Item


@dataclass(frozen=True, slots=True)
class Match:
    """A place that a search found: the item, and the line in it."""

    item_id: int
    line: int


class Transcript(ScrollView, can_focus=True):
    """A virtualised list of items. Ids grow and are never used again."""

    class ItemClicked(Message):
        """`action` is what was under the mouse: `toggle`, `node:ID`, `link:URL`, `image:NAME` or `item`."""

        def __init__(self, item_id: int, action: str) -> None:
            self.item_id = item_id
            self.action = action
            super().__init__()

    class FollowChanged(Message):
        """The view began or ceased to follow the end, or the number of items below that were not seen changed."""

        def __init__(self, following: bool, unseen: int) -> None:
            self.following = following
            self.unseen = unseen
            super().__init__()

    def __init__(
        self,
        *,
        clock: Callable[[], float] = monotonic,
        motion: bool = True,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.clock = clock
        self.motion = motion

    @property
    def follow(self) -> bool:
        """Whether the view stays at the end as items come."""
        raise NotImplementedError

    @follow.setter
    def follow(self, value: bool) -> None:
        raise NotImplementedError

    def append(self, item: Item) -> int:
        """Add an item at the end; its id."""
        raise NotImplementedError

    def update(self, item_id: int, item: Item) -> None:
        """Put `item` in the place of another."""
        raise NotImplementedError

    def stream(self, item_id: int, text: str) -> None:
        """More text for an assistant or thinking item."""
        raise NotImplementedError

    def finish(self, item_id: int, *, duration_s: float | None = None) -> None:
        """No more text comes for this item."""
        raise NotImplementedError

    def truncate(self, item_id: int) -> None:
        """Remove this item and all after it."""
        raise NotImplementedError

    def clear(self) -> None:
        """Remove every item."""
        raise NotImplementedError

    def replace_all(self, items: Sequence[Item]) -> list[int]:
        """Show these items and no other (a resumed session); their ids."""
        raise NotImplementedError

    def toggle(self, item_id: int) -> None:
        """Open a folded item, or fold it."""
        raise NotImplementedError

    def toggle_all(self) -> None:
        """Open every tool card and thought; fold all when all are open."""
        raise NotImplementedError

    def find(self, query: str) -> list[Match]:
        """Mark the places where `query` occurs, case ignored; "" ends the search."""
        raise NotImplementedError

    def find_next(self) -> Match | None:
        raise NotImplementedError

    def find_previous(self) -> Match | None:
        raise NotImplementedError

    def jump_to(self, item_id: int) -> None:
        """Bring the item to the top of the view."""
        raise NotImplementedError

    def selected_text(self) -> str:
        """What the mouse has selected, without borders and padding; "" when nothing is."""
        raise NotImplementedError

    def plain_text(self) -> str:
        """The whole conversation as text."""
        raise NotImplementedError
