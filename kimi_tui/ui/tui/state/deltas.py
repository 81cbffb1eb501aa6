"""State changes caused by Wire messages: small facts for the panes. No Textual here."""

from dataclasses import dataclass
from typing import Literal

from kimi_tui.ui.tui.state.items import Item

Pane = Literal["turn", "status", "todo", "approvals", "questions", "flow", "node"]
"""Panes that are redrawn whole. `flow`: another chart or none; `node`: a state change within the chart."""


@dataclass(frozen=True, slots=True)
class Appended:
    """A new item; keys count from 0 and are positions in the conversation."""

    key: int
    item: Item


@dataclass(frozen=True, slots=True)
class Replaced:
    key: int
    item: Item


@dataclass(frozen=True, slots=True)
class Streamed:
    """More text at the end of an assistant's or thinking item."""

    key: int
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    key: int
    duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class Truncated:
    """The item at `key` and all after it are removed; their keys will be reused."""

    key: int


@dataclass(frozen=True, slots=True)
class Invalidated:
    part: Pane


Delta = Appended | Replaced | Streamed | Finished | Truncated | Invalidated
