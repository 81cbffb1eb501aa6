"""Converts parsed options back to arguments, for child processes of this program."""

import argparse


def to_argv(options: argparse.Namespace, parser: argparse.ArgumentParser) -> list[str]:
    """Return arguments that `parser` parses to `options`, without commands and their options."""
    argv: list[str] = []
    for action in parser._actions:
        if not action.option_strings or action.dest == argparse.SUPPRESS or action.help == argparse.SUPPRESS:
            continue
        value: object = getattr(options, action.dest, action.default)
        if value == action.default:
            continue
        name = next(name for name in action.option_strings if name.startswith("--"))
        if isinstance(action, argparse.BooleanOptionalAction):
            argv.append(name if value else f"--no-{name[2:]}")
        elif action.nargs == 0 or (action.nargs == "?" and value == action.const):
            argv.append(name)
        else:
            values: list[object] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
            argv.extend(f"{name}={value_item}" for value_item in values)
    return argv
