"""Normalizes a server's parameter schema for all model services: one object, no references, bounded.

One rejected schema would make every request of the session fail. So references are inlined, a cycle ends in
"anything", and an oversized part becomes an object with any keys.
"""

from typing import Any, cast

from kimi_tui.mcp.untrusted_text import clean
from kimi_tui.wire.parts import JsonObject

MAX_NODES = 3_000
MAX_DEPTH = 40
MAX_TEXT = 1_000
MAX_NUMBER = 1e300
_OMITTED_KEYS = frozenset({"$schema", "$id", "$defs", "definitions", "$comment", "$anchor", "$ref", "x-mcp-header"})


class _TooLargeError(Exception):
    pass


def plain_schema(schema: dict[str, Any]) -> tuple[JsonObject, bool]:
    """Return the schema for a model, and whether it is complete."""
    try:
        plain = _Walk(schema).node(schema, 0, ())
    except _TooLargeError:
        return {"type": "object", "properties": {}, "additionalProperties": True}, False
    table = cast(JsonObject, plain) if isinstance(plain, dict) else {}
    table["type"] = "object"
    if not isinstance(table.get("properties"), dict):
        table["properties"] = {}
    return table, True


class _Walk:
    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._nodes_left = MAX_NODES

    def node(self, value: object, depth: int, ancestors: tuple[str, ...]) -> object:
        self._nodes_left -= 1
        if self._nodes_left < 0 or depth > MAX_DEPTH:
            raise _TooLargeError
        match value:
            case dict():
                return self._schema(cast(dict[str, object], value), depth, ancestors)
            case list():
                return [self.node(item, depth + 1, ancestors) for item in cast(list[object], value)]
            case str() if len(value) > MAX_TEXT:
                raise _TooLargeError
            # defence: numbers-in-schema
            case int() | float() if not abs(value) <= MAX_NUMBER:  # NaN is not below anything
                raise _TooLargeError
            case _:
                return value

    def _schema(self, table: dict[str, object], depth: int, ancestors: tuple[str, ...]) -> dict[str, object]:
        while isinstance(reference := table.get("$ref"), str):
            target = None if reference in ancestors else self._find(reference)  # defence: cyclic-reference
            table = {**(target or {}), **{key: item for key, item in table.items() if key != "$ref"}}
            ancestors = (*ancestors, reference)
        return {
            key: self._value(key, item, depth, ancestors) for key, item in table.items() if key not in _OMITTED_KEYS
        }

    def _value(self, key: str, value: object, depth: int, ancestors: tuple[str, ...]) -> object:
        match key, value:
            case "description" | "title", str():
                return clean(value, limit=MAX_TEXT)
            case "properties", dict():
                by_name = cast(dict[str, object], value)
                return {name: self.node(item, depth + 1, ancestors) for name, item in by_name.items()}
            case _:
                return self.node(value, depth + 1, ancestors)

    def _find(self, reference: str) -> dict[str, object] | None:
        """Resolve a reference within the document; None for any other: nothing is ever fetched."""
        if not reference.startswith("#"):
            return None
        node: object = self._root
        for step in reference[1:].split("/")[1:]:
            if not isinstance(node, dict):
                return None
            node = cast(dict[str, object], node).get(step.replace("~1", "/").replace("~0", "~"))
        return cast(dict[str, object], node) if isinstance(node, dict) else None
