"""All messages of a session, and the UI state after any of them.

Invariant: `state_at(n)` equals the fold of the first n messages, however it was computed.
"""

from bisect import bisect_right
from collections.abc import Iterable
from copy import copy
from dataclasses import is_dataclass
from typing import Any, cast

from kimi_tui.ui.tui.state.ui_state import UiState
from kimi_tui.ui.tui.state.view_clock import Timed

EVERY = 400
"""Messages between two stored states."""


class StateHistory:
    """Messages with their times, oldest first; states stored at intervals make going back fast."""

    def __init__(self, messages: Iterable[Timed] = ()) -> None:
        self.messages: list[Timed] = list(messages)
        self.checkpoints: dict[int, UiState] = {}
        """Stored states, by the number of messages before them."""
        self._numbers: list[int] = []

    def __len__(self) -> int:
        return len(self.messages)

    def append(self, message: Timed) -> None:
        self.messages.append(message)

    def prepend(self, messages: list[Timed]) -> None:
        """Add messages before all others."""
        self.messages[:0] = messages
        self.checkpoints.clear()
        self._numbers.clear()

    def time_of(self, number: int) -> float:
        """The time of the last of the first `number` messages."""
        if not self.messages:
            return 0.0
        return self.messages[max(0, min(number, len(self.messages)) - 1)][0]

    def state_at(self, number: int) -> UiState:
        """A new state after the first `number` messages: the caller may keep folding it."""
        number = max(0, min(number, len(self.messages)))
        place = bisect_right(self._numbers, number) - 1
        start = self._numbers[place] if place >= 0 else 0
        state = copied(self.checkpoints[start]) if place >= 0 else UiState()
        while start < number:
            stop = min(number, (start // EVERY + 1) * EVERY)
            state.fold_all(self.messages[start:stop])
            start = stop
            if start % EVERY == 0 and start not in self.checkpoints:
                self.checkpoints[start] = copied(state)
                self._numbers = sorted(self.checkpoints)
        return state


def copied(state: UiState) -> UiState:
    """A copy that shares only immutable values with the original."""
    return cast(UiState, _copied(state, {}))


def _copied(value: Any, known: dict[int, Any]) -> Any:
    """Copy everything mutable: lists, dicts, sets and our own objects; frozen objects and strings are shared."""
    place = id(value)
    if place in known:
        return known[place]
    match value:
        case list():
            known[place] = fresh = list[Any]()
            fresh.extend(_copied(one, known) if _changes(one) else one for one in cast(list[Any], value))
            return fresh
        case dict():
            known[place] = fresh = dict[Any, Any]()
            for key, one in cast(dict[Any, Any], value).items():
                fresh[key] = _copied(one, known) if _changes(one) else one
            return fresh
        case set():
            return set(cast(set[Any], value))
        case _:
            known[place] = fresh = copy(value)
            for name in _names(value):
                if _changes(one := getattr(value, name)):
                    setattr(fresh, name, _copied(one, known))
            return fresh


def _changes(value: object) -> bool:
    """Whether the value is mutable, so that a copy must not share it."""
    if isinstance(value, list | dict | set):
        return True
    kind = type(value)
    if not kind.__module__.startswith(("kimi_tui.ui.tui", "kimi_tui.flow")):
        return False
    return not (is_dataclass(kind) and kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]


def _names(value: object) -> list[str]:
    own = list(vars(value)) if hasattr(value, "__dict__") else []
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*own, *(name for name in slots if name not in ("__dict__", "__weakref__") and hasattr(value, name))]
