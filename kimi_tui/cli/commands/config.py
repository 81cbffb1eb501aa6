"""`kimi-tui config`: prints the JSON Schemas of the configuration, of flows and of the protocols."""

import argparse

from kimi_tui.cli.output import print_json
from kimi_tui.errors import EXIT_OK

_SCHEMAS = ("config", "flow", "wire", "stream-json")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `config`."""
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    schema = actions.add_parser("schema", help="print a JSON Schema")
    schema.add_argument(
        "of",
        choices=_SCHEMAS,
        nargs="?",
        default="config",
        help="config.yaml (default), frontmatter of a SKILL.md, messages of --wire, or lines of "
        "--output-format stream-json",
    )


def run(options: argparse.Namespace) -> int:
    match options.of:
        case "wire":
            from kimi_tui.wire.json_schema import wire_schema

            print_json(wire_schema())
        case "stream-json":
            from kimi_tui.ui.print.json_schema import stream_json_schema

            print_json(stream_json_schema())
        case "flow":
            from kimi_tui.skill.json_schema import flow_schema

            print_json(flow_schema())
        case _:
            from kimi_tui.config.json_schema import config_schema

            print_json(config_schema())
    return EXIT_OK
