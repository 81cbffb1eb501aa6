"""Key hints for the footer."""

from textual.message import Message

Hint = tuple[str, str]
"""A key as it is displayed, and what it does now."""


class HintsChanged(Message):
    """The footer's key hints have to be updated."""
