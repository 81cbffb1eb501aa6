"""Changing `mcp.json`: what else is in the file stays as it is, and only its owner may read it, for it holds keys."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from kimi_tui.errors import ConfigError
from kimi_tui.mcp.config import Server, check, read_table
from kimi_tui.mcp.private_file import write_private
from kimi_tui.said import said


def add_server(file: Path, name: str, entry: Mapping[str, object]) -> bool:
    """Put the entry into the file; whether one of this name was replaced. Raises ConfigError and OSError."""
    check(name, entry, str(file))
    table, servers = _entries(file)
    replaced = name in servers
    servers[name] = dict(entry)
    _write(file, table)
    return replaced


def remove_server(file: Path, name: str) -> Server | None:
    """Take the entry out of the file; None where there is none. Raises ConfigError and OSError."""
    table, servers = _entries(file)
    if name not in servers:
        return None
    entry = servers.pop(name)
    _write(file, table)
    try:
        return check(name, entry, str(file))
    except ConfigError:
        return None


def _entries(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    table = read_table(file)
    servers = table.setdefault("mcpServers", {})
    if not isinstance(servers, dict):
        raise ConfigError(said("this is a table of servers by name"), file=file, key="mcpServers")
    return table, cast(dict[str, Any], servers)


def _write(file: Path, table: dict[str, Any]) -> None:
    write_private(file, json.dumps(table, indent=2, ensure_ascii=False) + "\n")
