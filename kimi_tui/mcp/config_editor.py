"""Changing `mcp.json`: what else is in the file stays as it is, and only its owner may read it, for it holds keys."""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.mcp.config import Server, check, read_table, user_file
from kimi_tui.mcp.private_file import write_private


def add_server(file: Path, name: str, entry: Mapping[str, object]) -> bool:
    """Put the entry into the file; whether one of this name was replaced. Raises ConfigError and OSError."""
    check(name, entry, str(file))
    table, servers = _entries(file)
    replaced = name in servers
    servers[name] = dict(entry)
    _write(file, table)
    return replaced


def take_over(source: Path) -> list[str]:
    """Put the servers of another `mcp.json` into the user's, those of a name that is there already and those that are
    wrong left out; the names of those put. Raises ConfigError and OSError.
    """
    if not source.is_file():
        return []
    _table, theirs = _entries(source)
    table, ours = _entries(user_file())
    taken: list[str] = []
    for name, entry in theirs.items():
        with contextlib.suppress(ConfigError):
            if name not in ours and isinstance(entry, dict):
                check(name, cast(dict[str, object], entry), str(source))
                ours[name] = entry
                taken.append(name)
    if taken:
        _write(user_file(), table)
    return taken


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
        raise ConfigError(tr("this is a table of servers by name"), file=file, key="mcpServers")
    return table, cast(dict[str, Any], servers)


def _write(file: Path, table: dict[str, Any]) -> None:
    write_private(file, json.dumps(table, indent=2, ensure_ascii=False) + "\n")
