"""`kimi-tui migrate`: imports the settings of Kimi CLI. Existing settings stay unchanged."""

import argparse

from kimi_tui.errors import EXIT_OK, ConfigError, UsageError


def add_options(command: argparse.ArgumentParser) -> None:
    """Add nothing: `migrate` takes no options."""


def run(options: argparse.Namespace) -> int:
    """Import and report. Raises UsageError if there is nothing to import, ConfigError if the import fails."""
    from kimi_tui.cli.output import print_out, printable
    from kimi_tui.config.kimi_import import find_kimi_cli_import
    from kimi_tui.config.loader import load_config
    from kimi_tui.config.yaml_editor import edit, editable_file, without_keys
    from kimi_tui.mcp.config_editor import import_servers
    from kimi_tui.paths import kimi_home, shown

    takeover = find_kimi_cli_import()
    if takeover is None:
        raise UsageError(f"no Kimi CLI settings to import: no file {shown(kimi_home() / 'config.toml')}")
    if takeover.trouble:
        raise ConfigError(takeover.trouble, file=takeover.file)
    file = editable_file()
    config = load_config(file).config if file.exists() else None
    changes = {path: value for path, value in takeover.changes.items() if config is None or not _is_set(config, path)}
    if changes:
        edit(without_keys(changes), file)
    names = sorted(".".join(path) for path in changes)
    print_out(printable(f"{shown(takeover.file)} -> {shown(file)}: {', '.join(names) or 'nothing new'}"))
    if servers := import_servers(takeover.file.with_name("mcp.json")):
        print_out(printable(f"MCP servers: {', '.join(servers)}"))
    if takeover.logins:
        print_out(printable(f"not imported (OAuth logins): {', '.join(takeover.logins)}; set an API key for them"))
    print_out("Kimi CLI's sessions: kimi-tui session list --kimi")
    return EXIT_OK


def _is_set(config: object, path: tuple[str, ...]) -> bool:
    """Whether the key, or an entry of a table, is set explicitly."""
    from pydantic import BaseModel

    for step in path:
        if isinstance(config, BaseModel):
            if step not in config.model_fields_set:
                return False
            config = getattr(config, step)
        elif isinstance(config, dict):
            return step in config
    return True
