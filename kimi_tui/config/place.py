"""Where in a YAML file a key stands, for a person who is told that something is wrong with it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast


def with_line(file: Path, steps: Iterable[str | int]) -> str:
    """The file, and the line of the key, or of the last key on the way to it; the file alone where there is none."""
    line = line_of(file, steps) if file.suffix.lower() in (".yaml", ".yml") else None
    return str(file) if line is None else f"{file}:{line}"


def line_of(file: Path, steps: Iterable[str | int]) -> int | None:
    """The line (from 1) of a key, or of the last key on the way that is there."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    try:
        node: Any = YAML().compose(file.read_text("utf-8-sig"))  # pyright: ignore[reportUnknownMemberType]
    except (OSError, ValueError, YAMLError):
        return None
    line: int | None = None
    for step in steps:
        if isinstance(node, MappingNode):
            pairs = cast(list[tuple[Any, Any]], node.value)
            found = next(((key, value) for key, value in pairs if key.value == str(step)), None)
            if found is None:
                break
            line, node = int(found[0].start_mark.line) + 1, found[1]
        elif isinstance(node, SequenceNode) and isinstance(step, int):
            items = cast(list[Any], node.value)
            if not 0 <= step < len(items):
                break
            node = items[step]
            line = int(node.start_mark.line) + 1
        else:
            break
    return line
