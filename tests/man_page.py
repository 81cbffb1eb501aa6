"""The manual page `kimi-tui.1`, from the same tables as the page of the options; `make docs` writes it."""

import argparse
import re
from collections.abc import Iterable, Iterator

from kimi_tui import __version__
from kimi_tui.documentation import FOLDER
from tests.docs import VARIABLES, help_of, option_names

FILE = FOLDER / "kimi-tui.1"


def man_page() -> str:
    """The page in roff's `man` macros."""
    from kimi_tui.cli.options import parser

    top = parser()
    commands = list(_commands(top))
    lines = [
        f'.TH KIMI-TUI 1 "" "kimi-tui {__version__}" "User Commands"',
        ".SH NAME",
        _text(f"kimi-tui - {(top.description or '').rstrip('.')[2:]}"),
        ".SH SYNOPSIS",
        ".B kimi-tui",
        ".RI [ OPTIONS ]",
        ".RI [ COMMAND",
        ".IR ... ]",
        ".SH DESCRIPTION",
        _text("Without a command, the full-screen program starts in the current folder."),
        _text("With --print, the answer goes to standard output."),
        _text("kimi-tui docs lists the pages of the documentation; kimi-tui docs TOPIC prints one."),
        ".SH OPTIONS",
        *_options(_own(top)),
        ".SH COMMANDS",
    ]
    for name, command, about in commands:
        lines += [f".SS {_text(f'kimi-tui {name}')}", _text(about[:1].upper() + about[1:].rstrip(".") + ".")]
        if name != "web":
            lines += _options(_own(command))
    lines += [".SH EXIT STATUS", *_pairs(_exit_statuses()), ".SH ENVIRONMENT", *_pairs(VARIABLES)]
    lines += [
        ".SH FILES",
        *_pairs((
            ("~/.kimi-tui/config.yaml", "The settings; kimi-tui docs configuration lists the keys."),
            ("~/.kimi-tui/skills/", "Skills and flows of the user; those of a project are in .kimi-tui/skills/."),
        )),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _commands(top: argparse.ArgumentParser, before: str = "") -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """Each command with its words, parser and line of help, those within it after it."""
    for action in top._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        about = {one.dest: one.help or "" for one in action._get_subactions()}
        for name, command in action.choices.items():
            yield f"{before}{name}", command, about.get(name, "")
            yield from _commands(command, f"{before}{name} ")


def _own(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        and "--help" not in action.option_strings
        and not isinstance(action, argparse._SubParsersAction)
    ]


def _options(actions: Iterable[argparse.Action]) -> Iterator[str]:
    return _pairs((option_names(action), help_of(action)) for action in actions)


def _pairs(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, meaning in rows:
        yield ".TP"
        yield f"\\fB{_text(name)}\\fR"
        yield _text(meaning)


def _exit_statuses() -> list[tuple[str, str]]:
    """The table of the page about headless use."""
    section = (FOLDER / "headless.md").read_text("utf-8").partition("## Exit statuses")[2].partition("\n## ")[0]
    return re.findall(r"^\| (\d+) \| (.+) \|$", section, re.MULTILINE)


def _text(text: str) -> str:
    """Text for roff: links as their words, no marks of code, and no line that begins with a request."""
    plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("`", "").replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
