"""Finds unknown keys in a configuration, such as typos, at any depth."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel

from kimi_tui.config.schema import (
    Background,
    Config,
    LoopControl,
    ServiceConfig,
)

# Keys of Kimi CLI that have no meaning here, or another name; they are ignored without a warning.
PEER_KEYS: Mapping[type[BaseModel], frozenset[str]] = {
    Config: frozenset({"telemetry", "skip_afk_prompt_injection", "notifications", "mcp"}),
    ServiceConfig: frozenset({"oauth"}),
    LoopControl: frozenset({"max_steps_per_run"}),
    Background: frozenset(
        {
            "agent_task_timeout_s", "keep_alive_on_exit", "kill_grace_period_ms", "notification_tail_chars",
            "notification_tail_lines", "read_max_bytes", "wait_poll_interval_ms", "worker_heartbeat_interval_ms",
            "worker_stale_after_ms",
        }
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """An unknown key, by its path, with the most similar known key."""

    steps: tuple[str | int, ...]
    near: str | None

    @property
    def name(self) -> str:
        return ".".join(str(step) for step in self.steps)


def unknown_keys(table: Mapping[str, Any]) -> Iterator[UnknownKey]:
    """Yield the unknown keys of a configuration; values of a wrong shape are skipped."""
    return _in_section(table, Config, ())


def _in_section(
    table: Mapping[str, Any], section: type[BaseModel], steps: tuple[str | int, ...]
) -> Iterator[UnknownKey]:
    passed_over = PEER_KEYS.get(section, frozenset[str]())
    for key, value in sorted(table.items(), key=lambda item: str(item[0])):
        if key in section.model_fields:
            yield from _in_value(value, section.model_fields[key].annotation, (*steps, key))
        elif key not in passed_over:
            similar = get_close_matches(str(key), [*section.model_fields, *passed_over], n=1)
            yield UnknownKey((*steps, str(key)), similar[0] if similar else None)


def _in_value(value: Any, kind: Any, steps: tuple[str | int, ...]) -> Iterator[UnknownKey]:
    """Yield the unknown keys in a field of that type: a section, or a table or list of sections."""
    inner = get_args(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if isinstance(value, dict):
            yield from _in_section(cast(dict[str, Any], value), kind, steps)
    elif get_origin(kind) is dict:
        for key, nested in (cast(dict[str, Any], value) if isinstance(value, dict) else {}).items():
            yield from _in_value(nested, inner[1], (*steps, key))
    elif get_origin(kind) is tuple:
        for index, nested in enumerate(cast(list[Any], value) if isinstance(value, list | tuple) else []):
            yield from _in_value(nested, inner[0], (*steps, index))
    else:
        for nested in inner:  # `Section | None`
            yield from _in_value(value, nested, steps)
