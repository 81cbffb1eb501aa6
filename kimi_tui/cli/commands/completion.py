"""`kimi-tui completion`: shell completion scripts. They are files, made from the parser by `make docs`."""

import argparse
import re
import sys

from kimi_tui.cli.completions import SHELLS, script
from kimi_tui.errors import UsageError

NAMES_OF = {"--flow": "flows", "--session": "sessions", "-S": "sessions", "--resume": "sessions", "-r": "sessions"}
"""The options whose values are names that depend on the work dir; the scripts ask for those with `--of`."""
_WORD = re.compile(r"[\w.@+-]+")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `completion`."""
    command.add_argument("shell", choices=SHELLS, nargs="?")
    command.add_argument("--of", choices=tuple(sorted({*NAMES_OF.values()})), help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    if options.of is not None:
        sys.stdout.writelines(f"{name}\n" for name in _completion_names(options))
        return 0
    if options.shell is None:
        raise UsageError(f"missing shell name: choose {', '.join(SHELLS)}")
    sys.stdout.write(script(options.shell))
    return 0


def _completion_names(options: argparse.Namespace) -> list[str]:
    """List the flows or sessions of the work dir whose names a shell accepts as words."""
    if options.of == "flows":
        from kimi_tui.cli.commands.flow_show import skill_library

        names = [flow.name for flow in skill_library(options).flows()]
    else:
        from kimi_tui.cli.work_dir import resolve_work_dir
        from kimi_tui.session.session import list_sessions

        names = [session.id for session in list_sessions(resolve_work_dir(options)) if not session.archived]
    return [name for name in names if _WORD.fullmatch(name)]
