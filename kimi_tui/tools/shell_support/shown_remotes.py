"""What a command line shows of where the user's next push will go."""

from collections.abc import Generator, Iterable

from kimi_tui.permission.subject import Words
from kimi_tui.tools.file_support.git_settings import ShownRemotes
from kimi_tui.tools.shell_support.command_parser import CommandLine

_MOVING = {
    "remote": frozenset({"add", "set-url", "rename", "rm", "remove", None}),
    "submodule": frozenset({"sync", None}),
}
"""Subcommands that set where pushes go; None is a word that the shell expands."""


def shown_remotes(line: CommandLine) -> ShownRemotes:
    """Return what the words show of where the user's next push will go. Words that are known only at run time, or read
    from a file, do not.
    """
    moved: set[str] = set()
    named: set[str] = set()
    submodules = False
    for command in line.commands:
        if command.program != "git":
            continue
        named.update(filter(None, command.words))
        if _moves_remote(command.words):
            if None in command.words:
                return ShownRemotes(None)
            if "submodule" in command.words:
                submodules = True
            else:
                moved.update(filter(None, command.words))
    return ShownRemotes(frozenset(moved), frozenset(_upstreams(named)), submodules=submodules)


def _upstreams(words: Iterable[str]) -> Generator[str]:
    """Yield the names of remotes that the words may begin with, as `-u REMOTE`, `REMOTE/BRANCH` and
    `--set-upstream-to=REMOTE/BRANCH` do; a name may have slashes.
    """
    for word in words:
        parts = word.rpartition("=")[2].split("/")
        yield from ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def _moves_remote(words: Words) -> bool:
    return any(
        word in moving and name in words[:at] for at, word in enumerate(words) for name, moving in _MOVING.items()
    )
