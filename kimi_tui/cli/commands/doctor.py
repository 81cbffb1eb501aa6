"""`kimi-tui doctor`: checks the requirements on this machine, and suggests fixes."""

import argparse

from kimi_tui.cli.output import print_json, print_out, printable


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    command.add_argument("--json", action="store_true", help="as JSON")
    command.add_argument("--keys", action="store_true", help="show what the terminal sends for each key")


def run(options: argparse.Namespace) -> int:
    """Print one line per check; returns 1 if a check failed."""
    if options.keys:
        from kimi_tui.cli.commands.doctor_keys import show_keys

        return show_keys()
    from dataclasses import replace

    from kimi_tui.cli.commands.doctor_checks import all_checks
    from kimi_tui.session.redact import Redactor

    shown = Redactor().text  # what is found goes into reports of faults
    checks = [replace(check, found=shown(check.found), todo=shown(check.todo)) for check in all_checks(options)]
    if options.json:
        from dataclasses import asdict

        print_json([asdict(check) for check in checks], indent=None)
    else:
        for check in checks:
            print_out(printable(f"{check.state:<4}  {check.name:<14} {check.found}"))
            if check.todo:
                print_out(printable(f"{'':<4}  {'':<14} → {check.todo}"))
    return 1 if any(check.state == "fail" for check in checks) else 0
