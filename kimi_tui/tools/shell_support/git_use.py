"""What a command line does with Git, which decides what of `.git` a sandboxed command can write."""

from collections.abc import Generator, Iterable

from kimi_tui.tools.file_support.git_settings import ShownRemotes
from kimi_tui.tools.shell_support.bwrap_args import GitUse
from kimi_tui.tools.shell_support.command_parser import CommandLine

_DAILY = frozenset(
    {
        *("add", "branch", "checkout", "clone", "commit", "diff", "fetch", "log", "merge", "pull", "push", "rebase"),
        *("remote", "reset", "restore", "show", "stash", "status", "switch", "tag", "worktree"),
        *("sparse-checkout", "blame", "cherry-pick", "describe", "ls-files", "merge-base", "mv", "reflog", "revert"),
        *("rev-parse", "rm", "shortlog"),
    }
)
_OPTIONS_RUN_NOTHING = frozenset({"add", "branch", "checkout", "commit", "switch", "tag"})
"""Subcommands of which a word may be known only at run time, such as `-m "$(cat ...)"`: no option of theirs runs a
program.
"""
_HARMLESS_PROGRAMS = frozenset(
    {"cat", "cd", "echo", "false", "grep", "head", "ls", "printf", "pwd", "tail", "true", "wc"}
)
"""Programs that change no file and run no other, whatever their options; the shell's redirections are judged apart."""
_OF_SUBMODULES = frozenset({"add", "init", "update", "sync", "deinit", "status", "absorbgitdirs"})
_MOVING = {
    "remote": frozenset({"add", "set-url", "rename", "rm", "remove", None}),
    "submodule": frozenset({"sync", None}),
}
"""Subcommands that set where pushes go; None is a word that the shell expands."""

_SETTINGS = frozenset(
    {
        *("user.name", "user.email", "core.autocrlf", "core.eol", "fetch.prune", "init.defaultbranch", "pull.ff"),
        *("pull.rebase", "push.autosetupremote", "push.default", "rebase.autosquash", "rebase.autostash"),
    }
)
"""Settings that start nothing and lead nowhere; `git config KEY VALUE` may set them."""
_FOR_ONE_COMMAND = _SETTINGS | {"protocol.file.allow", "commit.gpgsign", "color.ui"}
"""Settings that `git -c` may set."""
_RUN = frozenset({"-i", "--interactive", "-c", "--config", "--template"})
"""Options with which Git runs programs, or takes settings or hooks from elsewhere. `unread` covers the long ones."""
_OF_CLONE = frozenset({"-b", "-j", "-l", "-n", "-o", "-q", "-s", "-v"})
"""The short options of `git clone` that do none of that."""


def git_use(line: CommandLine) -> GitUse:
    """Judge by the words alone. Most of `git -c`, aliases and `submodule foreach` are not daily commands."""
    if not any(command.program == "git" for command in line.commands):
        return GitUse.NONE
    beside = [command for command in line.commands if command.program in _HARMLESS_PROGRAMS]
    # defence: nothing-written-beside-git
    writes = any(command.program != "cd" for command in beside) and not set(line.files) <= {"/dev/null"}
    if line.unread or writes or not all(command in beside or _is_daily(command.words) for command in line.commands):
        return GitUse.SOME
    return GitUse.ONLY


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


def _moves_remote(words: tuple[str | None, ...]) -> bool:
    return any(
        word in moving and name in words[:at] for at, word in enumerate(words) for name, moving in _MOVING.items()
    )


def _without_global_options(words: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """Leave out the options before the subcommand that say only where and how to look."""
    while len(words) > 2:
        match words[1:3]:
            case ("--no-pager", _):
                taken = 1
            case ("-C", str()):
                taken = 2
            case ("-c", str(setting)):
                if setting.partition("=")[0].lower() not in _FOR_ONE_COMMAND:  # defence: settings-of-one-command
                    break
                taken = 2
            case _:
                break
        words = (words[0], *words[1 + taken :])
    return words


def _is_daily(words: tuple[str | None, ...]) -> bool:
    if words[0] != "git":
        return False
    words = _without_global_options(words)
    if len(words) < 2:
        return False
    options = [word or "" for word in words[2:] if (words[1], word) != ("switch", "-c")]
    if any(word in _RUN or word.startswith("-x") for word in options):  # defence: git-alone
        return False
    short = {word for word in options if word.startswith("-") and not word.startswith("--")}
    if words[1] == "clone" and not short <= _OF_CLONE:  # defence: options-of-clone
        return False
    if None in words[2:] and words[1] not in _OPTIONS_RUN_NOTHING:  # defence: git-words-known
        return False
    if words[1] == "config":
        match words[2:]:
            case (str(key),) | ("--get" | "--get-all" | "--get-regexp", str(key)):
                return not key.startswith("-") or key in ("-l", "--list")
            case (str(key), str(value)) | ("--local", str(key), str(value)):
                # defence: settings-that-start-nothing
                return key.lower() in _SETTINGS and not value.startswith("-")
            case _:
                return False
    if words[1] == "submodule":
        return len(words) > 2 and words[2] in _OF_SUBMODULES
    return words[1] in _DAILY
