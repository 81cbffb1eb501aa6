"""Whether Git alone writes in `.git` while a command line runs."""

import re
from collections.abc import Callable, Collection, Container
from itertools import dropwhile, pairwise
from pathlib import Path

from kimi_tui.permission.command_risk import CommandRisk, RiskKind
from kimi_tui.permission.programs.classifier import classify, find_program_table
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.subject import Pattern, Words
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
_WRITE_NOTHING = frozenset(
    {
        *("archive", "bundle", "clean", "diff", "format-patch", "fsck", "log", "ls-remote", "merge-tree", "range-diff"),
        *("show", "status"),
    }
)
_OPTIONS_RUN_NOTHING = frozenset({"add", "branch", "checkout", "commit", "reset", "restore", "rm", "switch", "tag"})
"""Subcommands of which a word may be known only at run time, such as `-m "$(cat ...)"`: no option of theirs runs a
program or writes a file that it names.
"""
_HARMLESS_PROGRAMS = frozenset(
    {
        *(":", "[", "break", "cat", "cd", "continue", "echo", "exit", "false", "grep", "head", "ls", "printf", "pwd"),
        *("sleep", "tail", "test", "true", "wait", "wc"),
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
_JUDGED_APART = {
    *((RiskKind.CHANGES_SHELL, "set"), (RiskKind.RISKY_OPTION, "--edit"), (RiskKind.UNKNOWN_ARGUMENTS, "xargs")),
}
_XARGS_OPTIONS = frozenset({"-0", "-r", "-0r", "-r0", "-n1", "-n", "1", "-I{}", "-I", "{}", "--no-run-if-empty"})
_SHELL_OPTIONS = frozenset({"-e", "-u", "-x", "-eu", "-ex", "-eux", "-euo", "-eo", "-o", "pipefail", "+e", "+x"})
_ASSIGNED = frozenset(
    {
        *("GIT_AUTHOR_DATE", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "GIT_COMMITTER_DATE", "GIT_COMMITTER_EMAIL"),
        *("GIT_COMMITTER_NAME", "GIT_MERGE_AUTOEDIT", "GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "HUSKY"),
        *("NO_COLOR", "SKIP", "TZ", "BASE", "BRANCH", "COMMIT", "MESSAGE", "MSG", "SHA", "TAG"),
    }
)
"""Variables that start nothing and lead nowhere, whatever their value."""
_LOCALES = frozenset({"LANG", "LC_ALL"})
_LOCALE = re.compile(r"(?:C|POSIX|[\w@]+\.(?:UTF-8|utf-?8))?", re.ASCII)
"""Locales in which Bash reads the line as we do: in others a backslash or a quote can be part of a letter."""
_EVALUATE = frozenset({"[", "printf", "test", "wait"})
"""Of these, those that run what a subscript in an operand says: `test -v 'a[$(x)]'` runs x."""
_OPERAND = re.compile(r"[\w\s./:=!@%+,~\\-]*")
"""Words without subscripts and expansions."""
_LOCAL_NAME = re.compile("[a-z][a-z0-9]*", re.ASCII)
"""Names of variables that neither Bash nor Git obeys."""
_WRAPPERS = frozenset({"command", "nice", "time", "timeout"})
_EDITORS = frozenset({"EDITOR", "GIT_EDITOR", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "PAGER", "VISUAL"})
_NO_EDITORS = frozenset({"true", ":", "cat", "'true'", '"true"', "''", ""})
_OF_SUBMODULES = frozenset({"add", "init", "update", "sync", "deinit", "status", "absorbgitdirs", "summary"})
_OF_LFS = frozenset({"checkout", "env", "fetch", "ls-files", "prune", "pull", "push", "status", "track", "untrack"})
_OF_SPARSE = frozenset({"--cone", "--no-cone", "--no-sparse-index", "--skip-checks", "--stdin"})
_OPTIONS = {
    **dict.fromkeys(("commit", "merge", "revert", "cherry-pick"), frozenset({"-S", "--gpg-sign", "-e", "--edit"})),
    **dict.fromkeys(("rebase", "am"), frozenset({"-S", "--gpg-sign"})),
    "tag": frozenset({"-s", "--sign", "-e", "--edit"}),
    **dict.fromkeys(("add", "checkout", "reset", "restore", "stash"), frozenset({"-p", "--patch"})),
}
"""Options with which Git runs the program of the user's settings that signs or colours, or an editor, which fails at
once.
"""
_STRATEGIES = frozenset({"octopus", "ort", "ours", "recursive", "resolve", "subtree"})
_MERGING = frozenset({"cherry-pick", "merge", "pull", "rebase", "revert"})
_SETTINGS = frozenset(
    {
        *("user.name", "user.email", "core.autocrlf", "core.eol", "fetch.prune", "init.defaultbranch", "pull.ff"),
        *("pull.rebase", "push.autosetupremote", "push.default", "rebase.autosquash", "rebase.autostash"),
        *("commit.gpgsign", "tag.gpgsign", "core.filemode", "core.ignorecase", "core.longpaths", "core.quotepath"),
        *("merge.conflictstyle", "merge.ff", "rerere.enabled", "push.followtags", "submodule.recurse", "color.ui"),
        *("diff.algorithm", "diff.renames", "log.date", "gc.auto", "fetch.parallel"),
    }
)
"""Settings that start nothing and lead nowhere; `git config KEY VALUE` may set them."""
_FOR_ONE_COMMAND = _SETTINGS | {
    *("protocol.file.allow=always", "gpg.format", "user.signingkey", "advice.detachedhead", "core.pager=cat"),
    *("core.editor=true", "core.editor=:", "sequence.editor=true", "sequence.editor=:", "core.hooksPath=/dev/null"),
    *("diff.renamelimit", "merge.renamelimit", "protocol.version"),
}
"""Settings that `git -c` may set."""


def runs_git_alone(
    line: CommandLine,
    folder: Path,
    *,
    others_run: bool = False,
    folders: Collection[Path] | None = None,
    leads_elsewhere: Callable[[Path], bool] = lambda _: False,
    known: Container[tuple[Path, Path]] = (),
) -> bool:
    """Whether in this line, which starts in `folder`, only Git itself writes in `.git`: by its own commands, beside
    which programs only read, and files are written that are named. Most of `git -c`, aliases and `submodule foreach`
    are none of those commands. `others_run`: other commands change files meanwhile; `folders` are those whose
    repositories are checked; `leads_elsewhere`: whether an absolute path may lead a command elsewhere than us;
    `known` are the included settings that were checked.
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
    return harmless and stays_in_checked_places(
        line, folder, checked, others_run=others_run, leads_elsewhere=leads_elsewhere, known=known
    )


def writes_in_git_dir(line: CommandLine, *, silently: bool) -> bool:
    """Whether a Git command of the line would write in the Git directory of a repository that there is already;
    `silently`: one that may say nothing where it cannot.
    """
    used = [_without_global_options(each.words) for each in line.commands if each.program == "git"]
    if any(len(words) > 1 and words[1] in ("clone", "init") for words in used):
        return False
    known = [tuple("x" if word is None else str(word) for word in words) for words in used if len(words) > 1]
    writing = {"stash"} if silently else _OWN - _WRITE_NOTHING
    return any(words[1] in writing and classify(words).level is not Level.READS for words in known)


def pushes(line: CommandLine) -> bool:
    return any(command.program == "git" and "push" in command.words for command in line.commands)


def _is_harmless(risk: CommandRisk) -> bool:
    return risk.kind in _HARMLESS_RISKS or (risk.kind, risk.subject) in _JUDGED_APART


def _starts_nothing(assignment: str) -> bool:
    name, _, value = assignment.partition("=")
    if name in _LOCALES:
        return _LOCALE.fullmatch(value) is not None  # defence: letters-as-they-were-read
    if name in _EDITORS:
        return value in _NO_EDITORS
    return name in _ASSIGNED or _LOCAL_NAME.fullmatch(name) is not None


def _is_harmless_command(words: Words) -> bool:
    if words[0] == "git":
        return _is_own(_without_global_options(words))
    if words[0] == "set":
        return all(word in _SHELL_OPTIONS for word in words[1:])
    if words[0] in _EVALUATE:
        return _evaluates_nothing(words[1:-1] if words[0] == "[" else words[1:], words[0])
    if words[0] in _HARMLESS_PROGRAMS:
        return True
    if words[0] == "xargs":
        inner = tuple(dropwhile(lambda word: word in _XARGS_OPTIONS, words[1:]))
        return len(inner) > 1 and inner[0] == "git" and _is_own((*inner, None))  # defence: git-by-xargs
    known = tuple(word for word in words if word is not None and not isinstance(word, Pattern))
    if words[0] in WRITE_WHAT_THEY_NAME:
        return len(known) == len(words)
    table = find_program_table(words[0] or "")
    # A folder may choose which interpreter runs.
    # defence: interpreters-beside-git
    if len(known) < len(words) or table is None or table.version:
        return False
    return classify(known).level is Level.READS  # defence: only-reading-beside-git


def _evaluates_nothing(operands: Words, program: str) -> bool:
    """Whether no operand of `_EVALUATE` can name a variable with a subscript: a word that is not quoted becomes many,
    also an option. Behind its format, `printf` takes any.
    """
    if program == "printf" and operands and type(operands[0]) is str and not operands[0].startswith("-"):
        return True
    # defence: operands-that-bash-evaluates
    return all(type(word) is str and _OPERAND.fullmatch(word) is not None for word in operands)


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
        case "sparse-checkout":
            # A sparse index does not name the submodules of the folders that are left out.
            options = (word for word in rest if not (type(word) is str and not word.startswith("-")))
            if not all(option in _OF_SPARSE for option in options):  # defence: indexes-that-name-submodules
                return False
        case _:
            pass
    known = tuple("x" if word is None else str(word) for word in words)
    found = classify(known)
    options = _OPTIONS.get(str(subcommand), frozenset[str]())
    allowed = {at for at, word in enumerate(known) if word in options}
    if subcommand in _MERGING:
        allowed |= {at for at, (word, name) in enumerate(pairwise(known)) if word == "-s" and name in _STRATEGIES}
        allowed |= {at for at, word in enumerate(known) if word.removeprefix("--strategy=") in _STRATEGIES}
    if subcommand == "worktree":  # where it makes one; within `.git` it does not
        allowed |= {at for at, word in enumerate(known) if not word.startswith("-")}
    dangers = set(found.dangers) - allowed
    return not dangers and (subcommand in _OWN or found.level is Level.READS)  # defence: git-alone


def _sets_or_shows(words: Words) -> bool:
    match words:
        case (str(key),) | ("--get" | "--get-all" | "--get-regexp", str(key)):
            return not key.startswith("-") or key in ("-l", "--list")
        case ("--unset", str(key)) | ("--local", "--unset", str(key)):
            return key.lower() in _SETTINGS
        case (str(key), str(value)) | ("--local", str(key), str(value)):
            # defence: settings-that-start-nothing
            return key.lower() in _SETTINGS and not value.startswith("-")
        case _:
            return False
