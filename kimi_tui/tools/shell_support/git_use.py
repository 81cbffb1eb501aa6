"""What a command line does with Git: whether Git alone writes in `.git`, and where it moves pushes."""

import re
from collections.abc import Collection, Generator, Iterable
from pathlib import Path

from kimi_tui.permission.command_risk import CommandRisk, RiskKind
from kimi_tui.permission.programs.classifier import classify, find_program_table
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.subject import Pattern, Words
from kimi_tui.tools.file_support.git_settings import ShownRemotes
from kimi_tui.tools.shell_support.command_parser import CommandLine
from kimi_tui.tools.shell_support.git_places import WRITE_WHAT_THEY_NAME, stays_in_checked_places

_OWN = frozenset(
    {
        *("add", "am", "apply", "archive", "bisect", "branch", "bundle", "checkout", "cherry-pick", "clean"),
        *("commit", "commit-tree", "diff", "fetch", "fsck", "gc", "hash-object", "log"),
        *("ls-remote", "merge", "merge-tree", "mv", "notes", "pack-refs", "prune", "pull", "push", "range-diff"),
        *("read-tree", "rebase", "reflog", "remote", "repack", "rerere", "reset", "restore", "revert", "rm", "show"),
        *("sparse-checkout", "stash", "status", "switch", "tag", "update-index", "update-ref", "worktree"),
        "write-tree",
    }
)
"""Git's own commands that write in `.git` and, unless an option is dangerous, run nothing but hooks."""
_OPTIONS_RUN_NOTHING = frozenset({"add", "branch", "checkout", "commit", "switch", "tag"})
"""Subcommands of which a word may be known only at run time, such as `-m "$(cat ...)"`: no option of theirs runs a
program or writes a file that it names.
"""
_HARMLESS_PROGRAMS = frozenset(
    {
        *(":", "[", "cat", "cd", "echo", "exit", "false", "grep", "head", "ls", "printf", "pwd", "sleep", "tail"),
        *("test", "true", "wait", "wc"),
    }
)
"""Programs that change no file and run no other, whatever their options; the shell's redirections are judged apart."""
_HARMLESS_RISKS = frozenset(
    {
        *(RiskKind.BLANK_SPACE, RiskKind.BRACES, RiskKind.COMMENT, RiskKind.EXPANSION, RiskKind.HERE_DOCUMENT),
        *(RiskKind.INVISIBLE, RiskKind.LONG, RiskKind.LOOKALIKE, RiskKind.PATTERN_AS_OPTION, RiskKind.REDIRECTION),
        *(RiskKind.SETS_VARIABLE, RiskKind.SUBSTITUTION, RiskKind.SYNTAX),
    }
)
"""Risks of a line that runs only the commands that were found in it. Those, files and variables are judged apart."""
_JUDGED_APART = {(RiskKind.CHANGES_SHELL, "set"), (RiskKind.RISKY_OPTION, "--edit")}
_SHELL_OPTIONS = frozenset({"-e", "-u", "-x", "-eu", "-ex", "-eux", "-euo", "-eo", "-o", "pipefail", "+e", "+x"})
_ASSIGNED = frozenset(
    {
        *("GIT_AUTHOR_DATE", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "GIT_COMMITTER_DATE", "GIT_COMMITTER_EMAIL"),
        *("GIT_COMMITTER_NAME", "GIT_MERGE_AUTOEDIT", "GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "HUSKY"),
        *("NO_COLOR", "SKIP", "TZ"),
    }
)
"""Variables that start nothing and lead nowhere, whatever their value."""
_LOCALES = frozenset({"LANG", "LC_ALL"})
_LOCALE = re.compile(r"(?:C|POSIX|[\w@]+\.(?:UTF-8|utf-?8))?", re.ASCII)
"""Locales in which Bash reads the line as we do: in others a backslash or a quote can be part of a letter."""
_LOCAL_NAME = re.compile("[a-z][a-z0-9]*", re.ASCII)
"""Names of variables that neither Bash nor Git obeys."""
_WRAPPERS = frozenset({"command", "nice", "time", "timeout"})
_EDITORS = frozenset({"EDITOR", "GIT_EDITOR", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "PAGER", "VISUAL"})
_NO_EDITORS = frozenset({"true", ":", "cat", "'true'", '"true"', "''", ""})
_OF_SUBMODULES = frozenset({"add", "init", "update", "sync", "deinit", "status", "absorbgitdirs", "summary"})
_OF_LFS = frozenset({"checkout", "env", "fetch", "ls-files", "prune", "pull", "push", "status", "track", "untrack"})
_OPTIONS = {
    **dict.fromkeys(("commit", "merge", "revert", "cherry-pick"), frozenset({"-S", "--gpg-sign", "-e", "--edit"})),
    **dict.fromkeys(("rebase", "am"), frozenset({"-S", "--gpg-sign"})),
    "tag": frozenset({"-s", "--sign", "-e", "--edit"}),
}
"""Options with which Git runs the program of the user's settings that signs, or an editor, which fails at once."""
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
_FOR_ONE_COMMAND = _SETTINGS | {
    *("protocol.file.allow", "commit.gpgsign", "color.ui", "gpg.format", "user.signingkey", "core.quotepath"),
    *("advice.detachedhead", "core.pager=cat"),
}
"""Settings that `git -c` may set."""


def runs_git_alone(
    line: CommandLine, folder: Path, *, others_run: bool = False, folders: Collection[Path] | None = None
) -> bool:
    """Whether in this line, which starts in `folder`, only Git itself writes in `.git`: by its own commands, beside
    which programs only read, and files are written that are named. Most of `git -c`, aliases and `submodule foreach`
    are none of those commands. `others_run`: other commands change files meanwhile; `folders` are those whose
    repositories are checked.
    """
    if line.unknown_files or not any(command.program == "git" for command in line.commands):
        return False
    if not all(map(_starts_nothing, line.assigned)):  # defence: variables-beside-git
        return False
    if not all(map(_LOCAL_NAME.fullmatch, line.set_names)):  # defence: variables-that-loops-set
        return False
    if not {command.program for command in line.wrappers} <= _WRAPPERS:  # defence: wrappers-beside-git
        return False
    # defence: settings-of-a-push
    if pushes(line) and any("protocol.file.allow=always" in command.words for command in line.commands):
        return False
    harmless = all(map(_is_harmless, line.risks)) and all(_is_harmless_command(each.words) for each in line.commands)
    checked = (folder,) if folders is None else folders
    return harmless and stays_in_checked_places(line, folder, checked, others_run=others_run)


def pushes(line: CommandLine) -> bool:
    return any(command.program == "git" and "push" in command.words for command in line.commands)


def _is_harmless(risk: CommandRisk) -> bool:
    return risk.kind in _HARMLESS_RISKS or (risk.kind, risk.subject) in _JUDGED_APART


def _starts_nothing(assignment: str) -> bool:
    name, _, value = assignment.partition("=")
    if name in _LOCALES:
        return _LOCALE.fullmatch(value) is not None  # defence: letters-as-they-were-read
    return name in _ASSIGNED or (name in _EDITORS and value in _NO_EDITORS)


def _is_harmless_command(words: Words) -> bool:
    if words[0] == "git":
        return _is_own(_without_global_options(words))
    if words[0] == "set":
        return all(word in _SHELL_OPTIONS for word in words[1:])
    if words[0] in _HARMLESS_PROGRAMS:
        return True
    known = tuple(word for word in words if word is not None and not isinstance(word, Pattern))
    if words[0] in WRITE_WHAT_THEY_NAME:
        return len(known) == len(words)
    table = find_program_table(words[0] or "")
    # A folder may choose which interpreter runs.
    # defence: interpreters-beside-git
    if len(known) < len(words) or table is None or table.version:
        return False
    return classify(known).level is Level.READS  # defence: only-reading-beside-git


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


def _without_global_options(words: Words) -> Words:
    """Leave out the options before the subcommand that say only where and how to look."""
    while len(words) > 2:
        match words[1:3]:
            case ("--no-pager", _):
                taken = 1
            case ("-C", str()):
                taken = 2
            case ("-c", str(setting)):
                name = setting.partition("=")[0].lower()
                if _FOR_ONE_COMMAND.isdisjoint((setting, name)):  # defence: settings-of-one-command
                    break
                taken = 2
            case _:
                break
        words = (words[0], *words[1 + taken :])
    return words


def _is_own(words: Words) -> bool:
    """Whether it is one of Git's own commands, without options that run a program or write a file that they name."""
    if len(words) < 2:
        return False
    subcommand, rest = words[1], words[2:]
    certain = not any(word is None or isinstance(word, Pattern) for word in words)
    if not certain and subcommand not in _OPTIONS_RUN_NOTHING:  # defence: git-words-known
        return False
    match subcommand:
        case "config":
            return _sets_or_shows(rest)
        case "submodule":
            return bool(rest) and rest[0] in _OF_SUBMODULES
        case "lfs":
            return bool(rest) and rest[0] in _OF_LFS
        case _:
            pass
    known = tuple("x" if word is None else str(word) for word in words)
    found = classify(known)
    options = _OPTIONS.get(str(subcommand), frozenset[str]())
    allowed = {at for at, word in enumerate(known) if word in options}
    if subcommand == "worktree":  # where it makes one; within `.git` it does not
        allowed |= {at for at, word in enumerate(known) if not word.startswith("-")}
    dangers = set(found.dangers) - allowed
    return not dangers and (subcommand in _OWN or found.level is Level.READS)  # defence: git-alone


def _sets_or_shows(words: Words) -> bool:
    match words:
        case (str(key),) | ("--get" | "--get-all" | "--get-regexp", str(key)):
            return not key.startswith("-") or key in ("-l", "--list")
        case (str(key), str(value)) | ("--local", str(key), str(value)):
            # defence: settings-that-start-nothing
            return key.lower() in _SETTINGS and not value.startswith("-")
        case _:
            return False
