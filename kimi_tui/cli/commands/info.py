"""`kimi-tui info`: prints versions; the JSON output has the same keys as Kimi CLI's, and more."""

import argparse

from kimi_tui import __version__
from kimi_tui.cli.output import print_json, print_out


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `info`."""
    command.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    from platform import python_version

    from kimi_tui.secret_store import backend_name
    from kimi_tui.soul.agent_spec import VERSIONS
    from kimi_tui.wire.recorder import PROTOCOL_VERSION

    backend = backend_name()
    keys = f"in the system's keyring ({backend})" if backend else "in config.yaml (readable only by you)"
    facts: dict[str, str | list[str]] = {
        "kimi_tui_version": __version__,
        "kimi_cli_version": __version__,
        "agent_spec_versions": list(VERSIONS),
        "wire_protocol_version": PROTOCOL_VERSION,
        "python_version": python_version(),
        "keys": keys,
    }
    if options.json:
        print_json(facts, indent=None)
        return 0
    print_out(
        f"kimi-tui {__version__}\n"
        f"agent files: version {', '.join(VERSIONS)}\n"
        f"Wire: version {PROTOCOL_VERSION}\n"
        f"Python {python_version()}\n"
        f"new keys: {keys}"
    )
    return 0
