"""Writes the reference pages of `kimi_tui/docs` and the completion scripts from the program's own tables, and
`llms.txt` from its index.

`make docs` runs it, and `tests/test_docs.py` fails while a page differs from what this makes.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from kimi_tui import documentation
from kimi_tui.cli.completions import FOLDER
from tests.completion_scripts import scripts

DOCS = documentation.FOLDER
SEE = "This page is made by `make docs` from the program itself."


def pages() -> dict[str, str]:
    """The generated pages by file name."""
    return {
        "configuration.md": configuration(),
        "commands.md": commands(),
        "keys.md": keys(),
        "options.md": options(),
        "llms.txt": llms(),
    }


# -- config.yaml ---------------------------------------------------------------------------------------------------

_HIDDEN_WORDS = frozenset({"vertexai"})
"""Words that the configuration accepts for Kimi CLI's sake, without effect here."""
_TYPES: dict[object, str] = {
    bool: "`true`, `false`", int: "whole number", float: "number", str: "text", SecretStr: "text", Path: "path",
}  # fmt: skip
_NAMED = frozenset({"models", "providers"})

_ABOUT_CONFIGURATION = """\
The program reads `~/.kimi-tui/config.yaml`; `config.toml` and `config.json` of the same shape work too. `KIMI_TUI_HOME`
names another folder, `--config-file FILE` another file, `--config TEXT` gives the settings themselves. An option on the
command line wins over the file, an environment variable over both.

A wrong value is an error with file and line; an unknown key is a warning with the nearest name. For completion and
checks in an editor, setup writes `config.schema.json` beside the file and names it in the first line;
`kimi-tui config schema` prints it.

`/settings` on the screen changes most keys. A project's `.kimi-tui/config.yaml` can hold `permissions` and `sandbox`;
see [permissions](permissions.md#trust).
"""

VARIABLES = (
    (
        "`KIMI_TUI_HOME`",
        "the folder for settings, sessions and logs; default `~/.kimi-tui`. `KIMI_SHARE_DIR` works too",
    ),
    ("`KIMI_API_KEY`, `MOONSHOT_API_KEY`", "the key for Kimi"),
    ("`KIMI_BASE_URL`, `KIMI_MODEL_NAME`", "the server and the model, for providers of type `kimi`"),
    ("`KIMI_MODEL_MAX_CONTEXT_SIZE`, `KIMI_MODEL_CAPABILITIES`", "what is known about that model"),
    (
        "`KIMI_MODEL_TEMPERATURE`, `KIMI_MODEL_TOP_P`, `KIMI_MODEL_MAX_TOKENS`, `KIMI_MODEL_MAX_COMPLETION_TOKENS`",
        "parameters of its requests",
    ),
    ("`KIMI_MODEL_THINKING_KEEP`", "which of its earlier thoughts a thinking model is sent, as its service names it"),
    ("`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL`", "key, server and model of an OpenAI-compatible service"),
    ("`KIMI_TUI_TRUST_PROJECT`", "`1` trusts the folder for this run, as `--trust` does"),
    ("`KIMI_TUI_OTEL`", "`1` sends spans of what happens; see [OpenTelemetry](tracing.md)"),
    ("`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`", "the proxy for requests to models and pages"),
    ("`BROWSER`", "the browser for `kimi-tui web` and `kimi-tui mcp auth NAME`"),
    ("`VISUAL`, `EDITOR`", "the editor for Ctrl+G"),
    ("`NO_COLOR`", "no colours"),
    ("`COLORTERM`", "`truecolor`: the terminal has 16 million colours"),
    ("`LC_ALL`, `LC_MESSAGES`, `LANG`", "the language of the screen, with `language: auto`"),
)


def configuration() -> str:
    """The page with every key of `config.yaml`."""
    from kimi_tui.config.schema import Config

    parts = ["# Configuration", SEE, _ABOUT_CONFIGURATION.rstrip()]
    plain = {name: field for name, field in Config.model_fields.items() if _section(field) is None}
    parts += ["## Top level", _keys_table(plain)]
    for name, field in Config.model_fields.items():
        if section := _section(field):
            parts += list(_sections(name + (".NAME" if name in _NAMED else ""), section, field.description or ""))
    parts += ["## keys", _ABOUT_KEYS]
    parts += ["## Environment variables", _table(("variable", "meaning"), VARIABLES)]
    return "\n\n".join(parts) + "\n"


_ABOUT_KEYS = """\
A key by the name of its action; `none` removes it. [Keys](keys.md) lists the names. `kimi-tui doctor` reports bad
entries.

```yaml
keys:
  zoom: f12
  todo: "f4, ctrl+t"
  suspend: none
```"""


def _sections(name: str, section: type[BaseModel], description: str) -> Iterator[str]:
    yield f"## {name}"
    yield description
    inner = {key: nested for key, field in section.model_fields.items() if (nested := _section(field)) is not None}
    yield _keys_table(section.model_fields)
    for nested in dict.fromkeys(inner.values()):
        names = ", ".join(f"`{key}`" for key, one in inner.items() if one is nested)
        yield f"Keys of {names}:"
        yield _keys_table(nested.model_fields)


def _section(field: FieldInfo) -> type[BaseModel] | None:
    return next(
        (one for one in _leaves(field.annotation) if isinstance(one, type) and issubclass(one, BaseModel)), None
    )


def _leaves(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal or not get_args(annotation):
        yield annotation
    else:
        for argument in get_args(annotation):
            yield from _leaves(argument)


def _keys_table(fields: Any) -> str:
    rows = [
        (f"`{name}`", _type_of(field.annotation), _default_of(field), field.description or "")
        for name, field in cast("dict[str, FieldInfo]", fields).items()
    ]
    return _table(("key", "type", "default", "meaning"), rows)


def _type_of(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in arguments if not word.startswith("_") and word not in _HIDDEN_WORDS)
    if origin in (Union, UnionType):
        return " or ".join(_type_of(one) for one in arguments if one is not NoneType)
    if origin in (tuple, frozenset, list):
        return f"list of {_type_of(arguments[0])}s"
    if origin is dict:
        return f"table of {_type_of(arguments[1])}s"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "rule" if annotation.__name__ == "RuleConfig" else "table"
    return _TYPES.get(cast(object, annotation), "anything")


def _default_of(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)  # pyright: ignore[reportUnknownMemberType, reportCallIssue]
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if value is None or isinstance(value, BaseModel) or value in ("", (), {}, frozenset()):
        return ""
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


# -- slash commands ------------------------------------------------------------------------------------------------


def commands() -> str:
    """The page with every slash command."""
    from kimi_tui.soul.commands.registry import COMMANDS
    from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS

    everywhere = [
        (_names(one.info.name, one.info.aliases), one.info.description, "yes" if one.while_running else "")
        for one in sorted(COMMANDS, key=lambda one: one.info.name)
    ]
    screens = [
        (_names(one.name, one.aliases), one.description) for one in sorted(SCREEN_COMMANDS, key=lambda one: one.name)
    ]
    return "\n\n".join((
        "# Slash commands",
        SEE,
        "Type `/` to complete one. A command that is marked works while a turn runs; the others wait for its end.",
        "## Everywhere",
        "On the screen, in editors, over the Wire and with `--print -p`:",
        _table(("command", "meaning", "during a turn"), everywhere),
        "## On the screen",
        "These open a screen if they are given without arguments:",
        _table(("command", "meaning"), screens),
        "## Skills, flows and prompts",
        _table(
            ("command", "meaning"),
            (
                ("`/skill:NAME TEXT`", "Send the skill's instructions with this text"),
                ("`/flow:NAME TEXT`", "Run the [flow](flows.md) with these arguments"),
                ("`/begin TEXT`", "Run the chart of `--prompt-flow`"),
                ("`/mcp:SERVER:PROMPT TEXT`", "Send a prompt of an [MCP server](mcp.md)"),
            ),
        ),
        "## Control a flow",
        "`/flow` without a word lists the flows. While one runs:",
        _table(
            ("command", "meaning"),
            (
                ("`/flow pause`, `/flow continue`", "Pause after the node's turn; continue"),
                ("`/flow step`", "Do one node, then pause"),
                ("`/flow break NODE`", "Set or remove a breakpoint"),
                ("`/flow choose BRANCH at NODE`", "Choose a branch, now or in advance"),
                ("`/flow ask always`, `never`, `NODE...`", "Ask you at decisions in place of the model"),
                ("`/flow again NODE`", "Rerun a node"),
                ("`/flow edit NODE TEXT`", "Change a node's prompt for this run"),
                ("`/flow jump NODE`", "Continue from a node"),
                ("`/flow skip`", "Skip the node"),
                ("`/flow budget CAPS`", "Change the [budget](flows.md#budgets): `/flow budget 3 usd, 1h`"),
                ("`/flow stop`", "Stop the run"),
                ("`/flow-resume RUN`", "Resume an interrupted run; `/flow-resume RUN new` with the current chart"),
            ),
        ),
    )) + "\n"  # fmt: skip


def _names(name: str, aliases: Sequence[str]) -> str:
    return ", ".join(f"`/{one}`" for one in (name, *aliases))


# -- keys ----------------------------------------------------------------------------------------------------------


def keys() -> str:
    """The page with every key, by context."""
    from kimi_tui.ui.tui.keys.bindings import KEY_CONTEXTS, KEYS, RULE, display_keys

    parts = [
        "# Keys",
        SEE,
        f"{RULE} F1 shows the keys that work where you are, Ctrl+P all actions.",
        "The names in the last column are those of [`keys`](configuration.md#keys) in `config.yaml`.",
    ]
    for context, title in KEY_CONTEXTS.items():
        rows = [
            (f"`{display_keys(key.keys)}`" if key.keys else "", str(key.description), f"`{key.id}`")
            for key in KEYS
            if key.context == context
        ]
        if rows:
            parts += [f"## {title[0].upper()}{title[1:]}", _table(("keys", "action", "name"), rows)]
    return "\n\n".join(parts) + "\n"


# -- command line options ------------------------------------------------------------------------------------------


def options() -> str:
    """The page with every option of every command."""
    from kimi_tui.cli.options import parser

    parts = [
        "# Command line options",
        SEE,
        "`kimi-tui COMMAND --help` prints the part about one command.",
        *(_of_parser("kimi-tui", parser())),
    ]
    return "\n\n".join(parts) + "\n"


def _of_parser(name: str, parser: argparse.ArgumentParser, about: str = "") -> Iterator[str]:
    yield f"{'##' if name.count(' ') < 2 else '###'} {name}"
    if text := about or parser.description:
        yield f"{text[0].upper()}{text[1:].rstrip('.')}."
    inner: list[tuple[str, argparse.ArgumentParser, str]] = []
    own: list[tuple[str, str]] = []
    for group in parser._action_groups:
        rows: list[tuple[str, str]] = []
        for action in group._group_actions:
            if isinstance(action.choices, dict):
                parsers = cast("dict[str, argparse.ArgumentParser]", action.choices)
                listed = cast("list[argparse.Action]", cast(Any, action)._get_subactions())
                told = {one.dest: one.help or "" for one in listed}
                inner += [(key, one, told.get(key, "")) for key, one in parsers.items()]
            elif action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
                rows.append((option_names(action), help_of(action)))
        if name == "kimi-tui" and rows:
            if group.title and group.title != "options":
                note = f": {group.description}" if group.description else ""
                yield f"**{group.title[0].upper()}{group.title[1:]}**{note}"
            yield _table(("option", "meaning"), rows)
        elif name != "kimi-tui web" or group.title == "options":
            own += rows
    if own:
        yield _table(("option", "meaning"), own)
    if name == "kimi-tui web":
        yield "It also takes the options of a session, as `kimi-tui` does."
    for key, one, told in inner:
        yield from _of_parser(f"{name} {key}", one, told)


def option_names(action: argparse.Action) -> str:
    value = _value(action)
    if not action.option_strings:
        return f"`{value}`"
    first, *others = action.option_strings
    return ", ".join((f"`{first} {value}`" if value else f"`{first}`", *(f"`{name}`" for name in others)))


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    names = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    text = names if isinstance(names, str) else " ".join(names)
    match action.nargs:
        case "?":
            return f"[{text}]"
        case "*":
            return f"[{text} ...]"
        case "+":
            return f"{text} ..."
        case _:
            return text


def help_of(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    return text if "." in text.partition(" ")[0] or text.startswith("-") else text[:1].upper() + text[1:]


# -- llms.txt ------------------------------------------------------------------------------------------------------


def llms() -> str:
    """The index as models expect it: the title, a summary as a quote, and the links by section."""
    text = documentation.page()
    title, rest = text.split("\n\n", 1)
    summary, rest = rest.split("\n\n", 1)
    title = title.replace("'s documentation", "")
    return f"{title}\n\n> {' '.join(summary.split())}\n\n{rest}"


# -- tables --------------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in lines)


def main() -> None:
    from tests.man_page import FILE, man_page

    for name, text in pages().items():
        (DOCS / name).write_text(text, "utf-8")
        print(name, file=sys.stderr)
    FILE.write_text(man_page(), "utf-8")
    print(FILE.name, file=sys.stderr)
    for shell, text in scripts().items():
        Path(FOLDER, shell).write_text(text, "utf-8")
        print(f"completions/{shell}", file=sys.stderr)


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    main()
