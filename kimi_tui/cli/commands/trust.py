"""`kimi-tui trust`: trusts a folder, removes a decision, or lists the decisions."""

import argparse
from typing import TYPE_CHECKING

from kimi_tui.errors import EXIT_OK, KimiTuiError
from kimi_tui.paths import path_exists

if TYPE_CHECKING:
    from kimi_tui.permission.trust import TrustDecision


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `trust`."""
    command.add_argument("folder", metavar="DIR", nargs="?", help="folder (default: current)")
    action = command.add_mutually_exclusive_group()
    action.add_argument("--no", action="store_true", help="do not trust it, and do not ask again")
    action.add_argument("--undo", action="store_true", help="remove the decision, so that it is asked again")
    action.add_argument("--list", action="store_true", help="list trust decisions")


def run(args: argparse.Namespace) -> int:
    """Apply the decision and explain its effect. Raises UsageError, and KimiTuiError if it cannot be saved."""
    from kimi_tui.cli.error_output import print_error
    from kimi_tui.cli.output import print_out, printable
    from kimi_tui.permission.trust import broken_decisions, decisions

    if broken := broken_decisions():
        print_error(broken)
    if args.list:
        for folder, answer in decisions().items():
            print_out(printable(f"{_answer_label(answer):12} {folder}"))
        return EXIT_OK
    try:
        for line in _change(args):
            print_out(printable(line))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise KimiTuiError(f"the decision cannot be saved: {where}{error.strerror or error}") from error
    return EXIT_OK


def _change(args: argparse.Namespace) -> list[str]:
    from kimi_tui.cli.work_dir import resolve_folder, resolve_work_dir
    from kimi_tui.paths import project_root, shown
    from kimi_tui.permission.trust import name_in, project_items, remember, remove_decision

    work_dir = resolve_folder(args.folder, "trust") if args.folder else resolve_work_dir(args)
    root = project_root(work_dir)
    if args.undo:
        return [f"{shown(root)}: {'decision removed' if remove_decision(work_dir) else 'no decision stored'}"]
    items = project_items(work_dir)
    a_project = bool(items) or path_exists(root / ".git")
    remember(work_dir, not args.no, items if a_project else None)
    if args.no:
        return [f"{shown(root)} is not trusted: its skills, MCP servers and rules are ignored."]
    lines = [f"{shown(root)} is trusted."]
    lines += [f"  {name_in(root, item.path)}: {item.what}" for item in items]
    if any(item.mark for item in items):
        lines.append("If one of these files changes, you are asked again.")
    if not a_project:
        lines.append("It is not a project, so whatever it holds later is trusted too, without another question.")
    return lines


def _answer_label(answer: "TrustDecision") -> str:
    return "trusted" if answer.trusted else "not trusted"
