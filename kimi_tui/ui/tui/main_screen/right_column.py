"""Whether the right column is open: as the user chose, or else while there is work to show in it."""

from dataclasses import dataclass


@dataclass(slots=True)
class RightColumn:
    """The right column of a terminal wide enough for two columns; on a narrower one it is a drawer.

    `chosen` is the user's choice, None while the column follows the work; `visited` is true from the moment the user
    goes to a pane in it until they send their next message. `has_work` is whether the flow pane is worth the room,
    `chats` counts the messages that start no command. While `held`, it does not open or close automatically.
    """

    chosen: bool | None = None
    visited: bool = False
    has_work: bool = True
    chats: int = 0
    is_open: bool = False
    held: bool = False

    def follow(self, *, has_work: bool, chats: int) -> None:
        """Update the facts about the session that the column depends on."""
        if chats != self.chats:
            self.visited = False
        self.has_work, self.chats = has_work, chats

    @property
    def shows_flows(self) -> bool:
        """Whether the flow pane is shown, if it has content."""
        return self.has_work or self.visited or self.chosen is True

    def update(self, *, filled: bool, hold: bool) -> bool:
        """Open or close the column. `filled`: it has content; `hold`: it must not change automatically now."""
        if not (hold or self.held) or self.chosen is not None or self.visited:
            self.is_open = filled and (self.visited or self.chosen is not False)
        return self.is_open

    def toggle(self, *, follows_work: bool) -> None:
        """Close an open column, or open a closed one. If that is what it would be without the user's choice
        (`follows_work`), it follows the work again."""
        will_open = not self.is_open
        self.chosen, self.visited = None if will_open == follows_work else will_open, False
