"""Edits `mcp.json`: keeps the rest of the file, and makes it readable by its owner only, because it has keys."""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from kimi_tui.atomic_file import replace_file
from kimi_tui.errors import ConfigError
from kimi_tui.file_lock import changing
from kimi_tui.i18n import tr
from kimi_tui.mcp.config import Server, check, read_table, user_file


def add_server(file: Path, name: str, entry: Mapping[str, object]) -> bool:
    """Write the entry to the file; returns whether it replaced one of the same name. Raises ConfigError and OSError."""
    check(name, entry, str(file))
    with changing(file):  # defence: one-writer-of-servers
        table, servers = _entries(file)
        replaced = name in servers
        servers[name] = dict(entry)
        _write(file, table)
    return replaced


def import_servers(source: Path) -> list[str]:
    """Import the servers of another `mcp.json` into the user's, except invalid ones and names that exist already.

    Returns the names of the imported servers. Raises ConfigError and OSError.
    """
    if not source.is_file():
        return []
    _table, imported = _entries(source)
    added: list[str] = []
    with changing(user_file()):
        table, existing = _entries(user_file())
        for name, entry in imported.items():
            with contextlib.suppress(ConfigError):
                if name not in existing and isinstance(entry, dict):
                    check(name, cast(dict[str, object], entry), str(source))
                    existing[name] = entry
                    added.append(name)
        if added:
            _write(user_file(), table)
    return added


def remove_server(file: Path, name: str) -> Server | None:
    """Remove the entry from the file; return None if the file has no such entry. Raises ConfigError and OSError."""
    with changing(file):
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
        raise ConfigError(tr("expected a mapping of servers by name"), file=file, key="mcpServers")
    return table, cast(dict[str, Any], servers)


def _write(file: Path, table: dict[str, Any]) -> None:
    replace_file(file, json.dumps(table, indent=2, ensure_ascii=False) + "\n", follow_link=True, sync_folder=True)
