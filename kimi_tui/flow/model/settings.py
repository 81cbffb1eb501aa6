"""The settings of nodes and of whole flows, as read from a chart's `id@{ key: "value" }` and a skill's `metadata`.

`read_settings` checks each value separately; `setting_rules` checks them against the node's edges and the other nodes.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from kimi_tui.config.budget import Budget, read_budget, read_time
from kimi_tui.flow.model.result_type import read_result_type
from kimi_tui.i18n import UserText, tr

MERMAID_KEYS = frozenset(
    {"shape", "label", "icon", "form", "pos", "img", "w", "h", "constraint", "priority", "assigned", "ticket"}
    | {"animate", "animation", "curve"}
)
"""The keys of a data block that Mermaid itself uses, for nodes and for edges."""
MAX_RETRIES = 10
MAX_AT_ONCE = 64
MAX_MOVES = 1_000_000
PARK = "park"
_T = TypeVar("_T")

Context = Literal["shared", "fork", "fresh"]

_NAME = re.compile(r"[^\W_][\w./:@+-]*\Z")
_TOOLS = re.compile(r"[A-Za-z_]\w*(?:[\s,]+[A-Za-z_]\w*)*\Z")


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """The settings of one node, checked. `written` has them as in the chart, `timeout` is in seconds."""

    run: str | None = None
    ask: bool = False
    on: str | None = None
    flow: str | None = None
    args: str | None = None
    out: str | None = None
    timeout: float | None = None
    retries: int = 0
    default: str | None = None
    context: Context | None = None
    model: str | None = None
    agent: str | None = None
    tools: tuple[str, ...] = ()
    worktree: bool = False
    each: str | None = None
    max: int | None = None
    written: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)

    @property
    def has_turn(self) -> bool:
        """Whether the node is a turn of the model."""
        return self.run is None and not self.ask and self.on is None


@dataclass(frozen=True, slots=True)
class FlowSettings:
    """The settings of a whole flow. `max_moves` is None if the flow sets no limit of its own."""

    max_moves: int | None = None
    budget: Budget = field(default_factory=Budget)


class _WrongValueError(Exception):
    def __init__(self, cause: UserText) -> None:
        self.cause = cause
        super().__init__(cause)


@dataclass(frozen=True, slots=True)
class WrittenSetting:
    """A key and its value with their position (from 1); `value` is None for a key without a value."""

    key: str
    value: str | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class InvalidSetting:
    """A setting with an invalid value, and what to write instead."""

    setting: WrittenSetting
    cause: UserText


def _text(value: str) -> str:
    return value


def _read_by(reader: Callable[[str], _T]) -> Callable[[str], _T]:
    """Return the reader, with its ValueError as the cause of a wrong value."""

    def read(value: str) -> _T:
        try:
            return reader(value)
        except ValueError as error:
            raise _WrongValueError(str(error)) from error

    return read


_time, _budget = _read_by(read_time), _read_by(read_budget)


def _count(least: int, most: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not value.isascii() or not value.isdigit() or len(value) > 9 or not least <= int(value) <= most:
            raise _WrongValueError(tr("write a whole number from {least} to {most}", least=least, most=most))
        return int(value)

    return read


def _word(*allowed: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in allowed:
            words = ", ".join(f"`{word}`" for word in allowed)
            if near := difflib.get_close_matches(value, allowed, 1):
                raise _WrongValueError(tr("allowed: {words}; did you mean `{near}`?", words=words, near=near[0]))
            raise _WrongValueError(tr("allowed: {words}", words=words))
        return value

    return read


def _name(value: str) -> str:
    if not _NAME.match(value):
        raise _WrongValueError(tr("write one name; variables are not allowed here"))
    return value


def _names(value: str) -> tuple[str, ...]:
    if not _TOOLS.match(value):
        raise _WrongValueError(tr("write names of tools with spaces between them; variables are not allowed here"))
    return tuple(value.replace(",", " ").split())


def _result(value: str) -> str:
    try:
        read_result_type(value)
    except ValueError as error:
        raise _WrongValueError(str(error)) from error
    return value


_NODE_KEYS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "run": ("run", _text),
    "ask": ("ask", lambda value: _word("human")(value) == "human"),
    "on": ("on", _text),
    "flow": ("flow", _name),
    "args": ("args", _text),
    "out": ("out", _result),
    "timeout": ("timeout", _time),
    "retries": ("retries", _count(0, MAX_RETRIES)),
    "default": ("default", _text),
    "context": ("context", _word("shared", "fork", "fresh")),
    "model": ("model", _name),
    "agent": ("agent", _name),
    "tools": ("tools", _names),
    "in": ("worktree", lambda value: _word("worktree")(value) == "worktree"),
    "each": ("each", _text),
    "max": ("max", _count(1, MAX_AT_ONCE)),
}
_FLOW_KEYS: dict[str, Callable[[str], Any]] = {
    "budget": _budget,
    "max-moves": _count(1, MAX_MOVES),
    "max-parallel": _count(1, MAX_AT_ONCE),
    "model": _name,
    "worktree-setup": _text,
    "worktree-copy": _text,
}
NODE_KEYS = frozenset(_NODE_KEYS)
FLOW_KEYS = frozenset(_FLOW_KEYS)
KEYS_WITH_VARIABLES = ("run", "args", "each", "on", "default")
"""The keys whose values may contain variables."""
INACTIVE_NODE_KEYS = NODE_KEYS - {"run", "retries", "timeout", "ask", "default", "on", "out", "tools"}
"""Keys that are parsed and checked, but have no effect yet: `flow check` reports each use."""
INACTIVE_FLOW_KEYS = FLOW_KEYS - {"budget", "max-moves"}


def is_known(key: str) -> bool:
    """Whether this is a key of Mermaid or of a flow."""
    return key in NODE_KEYS or key in MERMAID_KEYS


def nearest_key(key: str) -> str | None:
    """The known key that was probably meant."""
    near = difflib.get_close_matches(key.lower().replace("_", "-"), sorted(NODE_KEYS | MERMAID_KEYS), 1, 0.6)
    return near[0] if near else None


def last_of_each(written: Iterable[WrittenSetting]) -> dict[str, WrittenSetting]:
    """The settings by key, the last one of each; only keys of flows."""
    return {setting.key: setting for setting in written if setting.key in NODE_KEYS}


def read_settings(written: Sequence[WrittenSetting]) -> tuple[NodeSettings, tuple[InvalidSetting, ...]]:
    """The settings of a node, without those whose value is wrong, and the wrong ones."""
    values: dict[str, Any] = {}
    wrong: list[InvalidSetting] = []
    used = last_of_each(written)
    for key, setting in used.items():
        name, read = _NODE_KEYS[key]
        value = _checked(setting.value, read)
        if isinstance(value, _WrongValueError):
            wrong.append(InvalidSetting(setting, tr("`{key}`: {cause}", key=key, cause=value.cause)))
        else:
            values[name] = value
    shown = {key: setting.value or "" for key, setting in used.items()}
    return NodeSettings(**values, written=shown), tuple(wrong)


def read_flow_setting(key: str, value: str) -> tuple[object, UserText | None]:
    """A setting of the whole flow: its value, or what is wrong with it. Raises KeyError for an unknown key."""
    checked = _checked(value, _FLOW_KEYS[key])
    if isinstance(checked, _WrongValueError):
        return None, tr("`{key}`: {cause}", key=key, cause=checked.cause)
    return checked, None


def _checked(value: str | None, read: Callable[[str], object]) -> object:
    if value is None or not value.strip():
        return _WrongValueError(tr('it has no value; write `key: "value"` with a space after the colon'))
    if "\n" in value:
        return _WrongValueError(tr("write the value on one line"))
    if "\0" in value:
        return _WrongValueError(tr("the value contains a NUL character"))
    try:
        return read(value.strip())
    except _WrongValueError as error:
        return error
