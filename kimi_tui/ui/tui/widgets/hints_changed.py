"""Key hints for the footer."""

from textual.message import Message

Hint = tuple[str, str]
"""A key as it is displayed, and what it does now."""


class HintsChanged(Message):
    """Posted when the footer's key hints need an update."""
