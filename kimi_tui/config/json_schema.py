"""The JSON Schema of `config.yaml`, for editors."""

from typing import Any, cast

from kimi_tui.config.schema import Config, RuleConfig
from kimi_tui.config.unknown_keys import PEER_KEYS

FILE_NAME = "config.schema.json"
"""The copy of the schema beside a new configuration file, which refers editors to it."""


def config_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12). It allows the known keys only, so that an editor marks the others."""
    schema = cast(dict[str, Any], _closed(Config.model_json_schema()))
    sections: dict[str, Any] = schema["$defs"]
    for section, keys in PEER_KEYS.items():
        table = schema if section is Config else sections[section.__name__]
        table["properties"] |= {key: {"description": "A key of Kimi CLI, without effect."} for key in sorted(keys)}
    rule = sections[RuleConfig.__name__]
    sections[RuleConfig.__name__] = {"anyOf": [{"type": "string", "minLength": 1}, rule]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "kimi-tui configuration"}


def _closed(value: object) -> object:
    """Forbid unknown keys in every section, and drop the titles, which repeat the names."""
    if isinstance(value, list):
        return [_closed(item) for item in cast(list[object], value)]
    if not isinstance(value, dict):
        return value
    table = cast(dict[str, object], value)
    properties = table.get("properties")
    closed = {
        key: _closed(item)
        for key, item in table.items()
        if key != "properties" and not (key == "title" and isinstance(item, str))
    }
    if isinstance(properties, dict):
        named = cast(dict[str, object], properties)
        closed["properties"] = {name: _closed(item) for name, item in named.items()}
        closed["additionalProperties"] = False
    return closed
