"""Message from a widget whose keys have changed."""

from textual.message import Message


class HintsChanged(Message):
    """The footer's key hints have to be updated."""
