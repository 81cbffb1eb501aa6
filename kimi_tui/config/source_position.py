"""Finds the line of a key in a configuration file, for error messages."""

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from kimi_tui import yaml_text
from kimi_tui.regular_file import read_text


def with_line(file: Path, steps: Iterable[str | int]) -> str:
    """Return the file with the line of the key, or of its deepest existing parent; the file alone if neither exists.

    Without steps, the line of the whole value in YAML and JSON.
    """
    match file.suffix.lower():
        case ".yaml" | ".yml" | ".json":  # YAML is a superset of JSON
            line = line_of(file, steps)
        case ".toml":
            line = _find_toml_line(file, steps)
        case _:
            line = None
    return str(file) if line is None else f"{file}:{line}"


def _find_toml_line(file: Path, steps: Iterable[str | int]) -> int | None:
    """Like `line_of`; keys of an inline table or value have the line of that table."""
    try:
        lines = read_text(file).splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    path = tuple(steps)
    best: tuple[int, int | None] = (0, None)
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(lines, 1):
        match = _TOML_LINE.match(line)
        if match is None:
            continue
        current = _toml_steps(match["table"] or match["list"] or match["key"])
        if match["list"]:
            counts[current] = counts.get(current, -1) + 1
            table = current = (*current, counts[current])
        elif match["table"]:
            table = current
        else:
            current = (*table, *current)
        shared = len(current) if current == path[: len(current)] else 0
        if shared > best[0]:
            best = (shared, number)
    return best[1]


# defence: blanks-of-a-config-line
_TOML_LINE = re.compile(r"\s*+(?:\[\[(?P<list>.+)\]\]|\[(?P<table>.+)\]|(?P<key>[^=#\[]++)=)")


def _toml_steps(dotted: str) -> tuple[str | int, ...]:
    """Split a dotted key."""
    try:
        inner: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    steps: list[str | int] = []
    while isinstance(inner, dict):
        key, inner = next(iter(cast(dict[str, Any], inner).items()))
        steps.append(key)
    return tuple(steps)


def line_of(file: Path, steps: Iterable[str | int]) -> int | None:
    """Return the line (from 1) of a key, or of its deepest existing parent; without steps, of the whole value."""
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    try:
        node: Any = _composed(read_text(file))
    except (OSError, ValueError, YAMLError, RecursionError):
        return None
    steps = tuple(steps)
    line: int | None = int(node.start_mark.line) + 1 if node is not None and not steps else None
    for step in steps:
        if isinstance(node, MappingNode):
            pairs = cast(list[tuple[Any, Any]], node.value)
            pair = next(((key, value) for key, value in pairs if key.value == str(step)), None)
            if pair is None:
                break
            line, node = int(pair[0].start_mark.line) + 1, pair[1]
        elif isinstance(node, SequenceNode) and isinstance(step, int):
            items = cast(list[Any], node.value)
            if not 0 <= step < len(items):
                break
            node = items[step]
            line = int(node.start_mark.line) + 1
        else:
            break
    return line


@lru_cache(maxsize=1)
def _composed(text: str) -> Any:
    """Parse the file's YAML nodes. Cached, since each warning looks up a line."""
    yaml_text.check(text)
    return yaml_text.reader("rt").compose(text)
