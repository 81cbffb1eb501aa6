"""`kimi-tui docs`: prints a page of the documentation as Markdown."""

import argparse

from kimi_tui.cli.output import print_out
from kimi_tui.documentation import FOLDER, INDEX, page
from kimi_tui.errors import EXIT_OK


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `docs`."""
    command.add_argument("topic", metavar="TOPIC", nargs="?", help="page, such as flows (default: the list of pages)")
    command.add_argument("--path", action="store_true", help="print the folder of the pages")


def run(options: argparse.Namespace) -> int:
    """Print the page. Raises UsageError for an unknown topic."""
    print_out(str(FOLDER) if options.path else page(options.topic or INDEX).rstrip())
    return EXIT_OK
