"""Completions at the cursor."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kimi_tui.ui.tui.engine_protocol import Command
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.text.fuzzy import best

LIMIT = 50
_KINDS = ("flow", "skill")
_SLASH = re.compile(r"/([\w:.-]*)\Z")
# A file completes after a space, a bracket or nothing, but not inside a word, an address or a quotation. In quotation
# marks its name may contain spaces.
_FILE = re.compile(r"""(?<![A-Za-z0-9.\-_'"`:@#~])@(?:"([^"\n]*)|([^\s@"]*))\Z""")


@dataclass(frozen=True, slots=True)
class Completion:
    """One row of the menu; `insert` replaces the text from `start` to the cursor.

    `runs`: Enter may also send it, as `enter_action` decides.
    """

    label: str
    description: str
    insert: str
    runs: bool = False


@dataclass(frozen=True, slots=True)
class Trigger:
    """A word at the cursor to complete; `start` is its column in the text before the cursor."""

    kind: Literal["command", "file"]
    query: str
    start: int


def find_trigger(before: str) -> Trigger | None:
    """The trigger in the text before the cursor: a command at the very start, a file anywhere."""
    if found := _SLASH.fullmatch(before):
        return Trigger("command", found[1], 0)
    if found := _FILE.search(before):
        return Trigger("file", found[1] if found[1] is not None else found[2], found.start())
    return None


def command_choices(query: str, commands: Iterable[Command]) -> list[Completion]:
    """Commands by name and alias; without a query, flows and skills come first and /clear last."""
    if not query:
        commands = sorted(commands, key=_rank)
    names = [(name, command) for command in commands for name in (command.name, *command.aliases)]
    found: dict[str, Command] = {}
    for command in best(query, names, LIMIT * 2):
        found.setdefault(command.name, command)
    return [
        Completion(f"/{command.name}", translate(command.description), f"/{command.name} ", runs=True)
        for command in list(found.values())[:LIMIT]
    ]


def _rank(command: Command) -> int:
    kind, colon, _name = command.name.partition(":")
    return _KINDS.index(kind) if colon and kind in _KINDS else len(_KINDS) + (command.name == "clear")


def enter_action(
    name: str, choice: Completion, commands: Iterable[Command], *, moved: bool
) -> Literal["send", "run", "complete"]:
    """Return what Enter does while the menu offers `choice` for a slash and `name`: send the text, send the choice
    instead, or only insert the choice. A choice that the user did not select runs only if it is unambiguous.
    """
    if moved:
        return "run"
    known = [each.casefold() for command in commands for each in (command.name, *command.aliases)]
    kind, colon, _rest = name.casefold().partition(":")
    if name.casefold() in known or (colon and not any(each.startswith(f"{kind}:") for each in known)):
        return "send"
    plain = ":" not in choice.label
    return "run" if name and plain and choice.label.startswith(f"/{name}") else "complete"


def file_choices(query: str, search: Callable[[str, int], Sequence[str]]) -> list[Completion]:
    """Files of the work dir; a name with spaces is put in quotation marks."""
    return [Completion(path, "", f"@{_quoted(path)} ") for path in search(query, LIMIT)]


def _quoted(path: str) -> str:
    return f'"{path}"' if any(char.isspace() for char in path) and '"' not in path else path
