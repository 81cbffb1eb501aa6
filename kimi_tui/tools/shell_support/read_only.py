"""Decides whether a command line only reads, and only allowed files, so that it runs without approval.

It combines the program tables with the paths in the words: no file with secrets, and no program or settings from the
workspace itself.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui.i18n import tr
from kimi_tui.paths import is_folder, real_path
from kimi_tui.permission.command_risk import RiskKind
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.programs.classifier import classify
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.programs.program import EVERYTHING, Classification, RecursiveRead
from kimi_tui.permission.subject import FileSubject, Pattern, Words
from kimi_tui.tools.file_support.git_dirs import repository_around
from kimi_tui.tools.file_support.git_settings import (
    holds_credential,
    reads_another_repository,
    runs_no_program,
    settings_hold_credential,
)
from kimi_tui.tools.file_support.sensitive_names import is_sensitive
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.code_loading_env import loads_code_from
from kimi_tui.tools.shell_support.command_parser import CommandLine
from kimi_tui.tools.shell_support.git_read_paths import limited_files, printed_files, prints_history
from kimi_tui.tools.shell_support.globs import UNKNOWN, expand
from kimi_tui.tools.shell_support.read_trees import reads_nothing_refused
from kimi_tui.tools.shell_support.readable_paths import (
    expand_tilde,
    leads_through_processes,
    matches_may_be_read,
    named_places,
    place_may_be_read,
    word_may_be_read,
)

if TYPE_CHECKING:
    from kimi_tui.tools.file_support.git_history import History

NO_RULES = Policy()

_MAX_FOLDERS = 8
_MAX_FOR_RULES = 5_000
_BUILTINS = frozenset({"cd", "echo", "printf", "pwd", "test", "[", "true", "false", ":", "type", "command", "kill"})
_SCRIPTS = {"egrep": "grep", "fgrep": "grep"}
"""Programs that are scripts in some systems, and the program that they run."""
_GREPS = frozenset({"grep", "egrep", "fgrep"})
_PS_VARIABLES = ("PS_FORMAT", "PS_PERSONALITY", "CMD_ENV", "I_WANT_A_BROKEN_PS")
_NAMED_OPTION = re.compile(r"--[a-z][a-z-]*=")
_WILD = re.compile(r"[*?\[]")
_WITHIN = re.compile(r"[=@;,<]")
"""What may be around the name of a file within a word: `-d@FILE`, `f=@FILE;type=x`, `f=<FILE`."""
_GIT_SETTINGS = re.compile(r"\.git/(?:.*/)?config(?:\.worktree)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result. `why_not` has a reason for each command that is not read-only, "" for the others.

    `elsewhere` are the commands that follow settings of a folder other than the user's, `secrets` those that may read
    secrets that none of their words names, or write through a link that leads out of the workspace.
    `rule` names a rule for reading files that is about a file it reads.
    """

    why_not: tuple[str, ...]
    elsewhere: frozenset[int]
    secrets: frozenset[int] = frozenset()
    rule: str = ""

    @property
    def reads(self) -> bool:
        return bool(self.why_not) and not any(self.why_not)


def analyse_reads(line: CommandLine, workspace: Workspace | None, policy: Policy = NO_RULES) -> Reading:
    """Analyse a line. Without a workspace nothing is read-only, and every `cd` leads elsewhere."""
    folders: list[Path] | None = [workspace.work_dir] if workspace is not None else None
    why_not: list[str] = []
    elsewhere, secrets, rule, moved = set[int](), set[int](), "", False
    for place, command in enumerate(line.commands):
        words = _known(command.words)
        if words is None:
            why_not.append(tr("one of its words is known only at run time"))
            continue
        if words[0] in ("cd", "pushd", "popd"):
            moved = True
            folders = _moved(folders, words)
        here, words = _in_folder(folders, words)
        found = _in_environment(words, classify(words))
        why_not.append(_why_not(words, found, here, workspace))
        if workspace is not None:
            if not _finds_no_secrets(words, found, here, workspace) or _leads_out(found, here, workspace):
                secrets.add(place)
            rule = rule or _rule_about(words, found, here, workspace, policy)  # defence: rules-for-reading
        if moved and _obeys_another(words, found, folders, workspace):
            elsewhere.add(place)
    if workspace is not None:
        rule = rule or _rule_about_parts((*line.files, *_words_of_unknown(line, folders)), folders, workspace, policy)
    risk = _first_risk(line, folders) or _wrapper_of_ours(line, workspace)  # defence: wrapper-of-the-work-dir
    programs = [command.program or "" for command in (*line.commands, *line.wrappers)]
    # defence: variables-that-load
    if not risk and workspace is not None and (name := loads_code_from(workspace.folders, os.environ, programs)):
        risk = tr("because of `{name}` it may run code from the working directory", name=name)
    if risk or (why_not and workspace is not None and not _files_may_be_read(line, folders, workspace)):
        risk = risk or tr("it reads or writes a file that needs approval")
        why_not = [why or risk for why in why_not]
    return Reading(tuple(why_not), frozenset(elsewhere), frozenset(secrets), rule)


def _in_environment(words: tuple[str, ...], found: Classification) -> Classification:
    """Adapt a classification to variables from which the program takes further options."""
    program = words[0].rpartition("/")[2]
    if program == "rg" and "--no-config" not in words and os.environ.get("RIPGREP_CONFIG_PATH"):
        return _with_more_options(found)  # defence: options-of-a-file
    if program in _GREPS and os.environ.get("GREP_OPTIONS"):
        return _with_more_options(found)
    name = next((name for name in _PS_VARIABLES if name in os.environ), "") if program == "ps" else ""
    if name and found.level < Level.EXACT:
        why = tr("because of `{name}` its options may mean something else", name=name)
        return replace(found, level=Level.EXACT, why=why)
    return found


def _with_more_options(found: Classification) -> Classification:
    """Adapt it to unknown options, by which each word may name a file."""
    return replace(found, deep=EVERYTHING, paths=(*found.paths, *found.texts))


def _first_risk(line: CommandLine, folders: Sequence[Path] | None) -> str:
    """Return the first remaining risk; patterns that match no option-like name are not counted."""
    others = [risk for risk in line.risks if risk.kind is not RiskKind.PATTERN_AS_OPTION]
    if others:
        return str(others[0])
    if line.risks and (folders is None or any(_may_be_option(word, folders) for word in _patterns(line))):
        return str(line.risks[0])
    return ""


def _wrapper_of_ours(line: CommandLine, workspace: Workspace | None) -> str:
    programs = (command.program or "" for command in line.wrappers)
    ours = next((program for program in programs if workspace is not None and _is_ours(program, workspace)), "")
    return ours and tr("the program `{program}` is a file in the working directory", program=ours)


def _patterns(line: CommandLine) -> Iterator[Pattern]:
    return (word for command in line.commands for word in command.words if isinstance(word, Pattern))


def _may_be_option(word: Pattern, folders: Sequence[Path]) -> bool:
    if _NAMED_OPTION.match(word.spelled):  # whatever files there are, it stays this option, with another value
        return False
    if word.startswith("-"):
        return True
    return any(
        expanded.cut or any(path.startswith("-") for path in expanded.paths)
        for expanded in (expand(word.spelled, folder) for folder in folders)
    )


def _files_may_be_read(line: CommandLine, folders: Sequence[Path] | None, workspace: Workspace) -> bool:
    return folders is not None and all(
        word_may_be_read(file, folder, workspace) for file in line.files for folder in folders
    )


def _in_folder(folders: Sequence[Path] | None, words: tuple[str, ...]) -> tuple[list[Path] | None, tuple[str, ...]]:
    """Handle `git -C FOLDER`: return the folders that Git may run in, and the words without the option."""
    here = None if folders is None else list(folders)
    while words[:2] == ("git", "-C") and len(words) > 2 and here is not None:
        moved = _moved(here, ("cd", words[2]))
        here = None if moved is None else [folder for folder in moved if folder not in here] or here
        words = ("git", *words[3:])
    return here, words


def _known(words: Words) -> tuple[str, ...] | None:
    known = tuple(word for word in words if word is not None)
    return known if known and len(known) == len(words) else None


def _moved(folders: Sequence[Path] | None, words: tuple[str, ...]) -> list[Path] | None:
    """Return every folder the line may be in after a `cd`, which may fail, or run in a subshell."""
    operands = [word for word in words[1:] if word not in ("-L", "-P", "--")]
    if folders is None or words[0] != "cd" or len(operands) != 1 or _WILD.search(operands[0]):
        return None
    targets = expand_tilde(operands[0])
    if targets is None or operands[0].startswith("-") or not operands[0]:
        return None
    found = dict.fromkeys(folders)
    for path in [folder / target for folder in folders for target in targets]:
        if leads_through_processes(path):
            return None
        found.update(dict.fromkeys((Path(os.path.normpath(path)), real_path(path))))
    return list(found) if len(found) <= _MAX_FOLDERS else None


def _obeys_another(
    words: tuple[str, ...], found: Classification, folders: Sequence[Path] | None, workspace: Workspace | None
) -> bool:
    if words[0] in ("cd", "pushd", "popd") or (found.level is Level.READS and not found.configured):
        return False
    if folders is None or workspace is None:
        return True
    if any(not _inside(folder, workspace) for folder in folders):
        return True
    return words[0].rpartition("/")[2] == "git" and not all(runs_no_program(folder) for folder in folders[1:])


def _why_not(
    words: tuple[str, ...], found: Classification, folders: Sequence[Path] | None, workspace: Workspace | None
) -> str:
    if found.level is not Level.READS:
        return found.why or tr("`{program}` can do more than read", program=" ".join(found.beginning or words[:1]))
    if folders is None or workspace is None:
        return tr("the folder it runs in is unknown")
    if _is_ours(words[0], workspace):  # defence: program-of-the-work-dir
        return tr("the program `{program}` is a file in the working directory", program=words[0])
    from kimi_tui.tools.shell_support.version_shims import chosen_by_folder

    if words[0] not in _BUILTINS and chosen_by_folder(words[0], folders):  # defence: shims-of-version-managers
        return tr("files of the folder choose which program `{program}` is", program=words[0])
    if any(not _inside(folder, workspace) for folder in folders):
        return tr("it runs outside the working directory")
    if found.configured and not all(runs_no_program(folder) for folder in folders):  # defence: repository-settings
        return tr("the repository has settings that may run a program")
    # defence: another-repository
    if found.configured and any(reads_another_repository(folder, workspace.folders) for folder in folders):
        return tr("it reads a repository outside the working directory")
    # defence: settings-with-credential
    if found.beginning[1:2] in (("remote",), ("config",)) and any(map(settings_hold_credential, folders)):
        return tr("`{path}` may not be read without approval", path=".git/config")
    # defence: unknown-history
    if any(_prints_history(found, folder) and _history(folder, workspace) is None for folder in folders):
        return tr("the repository's history could not be searched for files with secrets")
    path = _not_to_be_read(words, found, folders, workspace)
    return tr("`{path}` may not be read without approval", path=path) if path else ""


def _not_to_be_read(
    words: tuple[str, ...], found: Classification, folders: Sequence[Path], workspace: Workspace
) -> str:
    """Return the first word, or folder read as a whole, that requires approval; "" if there is none."""
    for folder in folders:
        for part in found.paths:
            if not word_may_be_read(part, folder, workspace):  # defence: words-lead-elsewhere
                return part
        for word in words:
            if isinstance(word, Pattern) and not matches_may_be_read(word, folder, workspace):
                return word
    return "" if _finds_no_secrets(words, found, folders, workspace) else folders[0].name


def _prints_history(found: Classification, folder: Path) -> bool:
    return found.tracked is not None and prints_history(found.tracked, folder)


def _history(folder: Path, workspace: Workspace) -> "History | None":
    """The history of the repository around the folder; None if it is not known."""
    from kimi_tui.tools.file_support.git_history import read_history

    git = None if _is_ours("git", workspace) else shutil.which("git")
    return None if git is None else read_history(real_path(folder), git)


def _inside(folder: Path, workspace: Workspace) -> bool:
    real = real_path(folder)
    return any(real.is_relative_to(own) for own in workspace.folders)


def _leads_out(found: Classification, folders: Sequence[Path] | None, workspace: Workspace) -> bool:
    """Whether a command that writes in the workspace, as `touch`, gets a path with a link that leads out of it."""
    if found.level is not Level.HARMLESS or folders is None:
        return False
    # defence: links-of-what-writes
    return any(not _inside(folder / word, workspace) for folder in folders for word in found.operands)


def _is_ours(program: str, workspace: Workspace) -> bool:
    """Whether the agent may have written the program.

    Relative folders of `PATH` are resolved where the command runs.
    """
    if program in _BUILTINS:
        return False
    if not all(entry.startswith("/") for entry in os.environ.get("PATH", os.defpath).split(os.pathsep)):
        return True
    if program in _SCRIPTS and _is_ours(_SCRIPTS[program], workspace):
        return True
    found = shutil.which(program)
    if found is None:
        return False
    folders = workspace.written_folders
    inside = any(Path(os.path.abspath(found)).is_relative_to(folder) for folder in folders)  # noqa: PTH100
    real = real_path(found)
    if any(real.is_relative_to(folder) for folder in folders):
        return True
    return inside and not real.name.startswith(program)


def _roots(words: tuple[str, ...], found: Classification, folders: Sequence[Path]) -> list[Path]:
    """Return the folders that are read recursively: the current one if the command may run without a path."""
    patterns = [word for word in words if isinstance(word, Pattern)]
    roots: list[Path] = []
    for folder in folders:
        matched = [path for word in patterns for path in expand(word.spelled, folder).paths]
        roots += [place for path in (*found.operands, *matched) if is_folder(place := folder / path)]
    if RecursiveRead.NAMED in found.deep or (roots and len(found.operands) > 1):
        return roots
    return [*folders, *roots]


def _finds_no_secrets(
    words: tuple[str, ...], found: Classification, folders: Sequence[Path] | None, workspace: Workspace
) -> bool:
    """Whether no file with secrets is among those that the command reads without naming them."""
    if words[0] == "cd" or not (found.deep or found.tracked):
        return True
    if folders is None:
        return False
    if found.tracked:
        for folder in folders:
            files = printed_files(found.tracked, folder)
            if files is None or any(map(is_sensitive, files)):  # defence: tracked-secrets
                return False
            history = _history(folder, workspace) if _prints_history(found, folder) else None
            # defence: secrets-of-the-history
            if history and limited_files(found.tracked, folder, history.sensitive):
                return False
    for root in _roots(words, found, folders) if found.deep else ():
        if any(protected.is_relative_to(root) for protected in workspace.protected):
            return False
        if not reads_nothing_refused(
            root,
            found.deep,
            refused=_holds_secrets,
            refused_target=lambda path: not place_may_be_read(path, workspace),
        ):
            return False
    return True


def _holds_secrets(path: str) -> bool:
    settings = _GIT_SETTINGS.search(path) is not None  # defence: settings-of-submodules
    return is_sensitive(path) or (settings and holds_credential(Path(path)))


def _rule_about(
    words: tuple[str, ...], found: Classification, folders: Sequence[Path] | None, workspace: Workspace, policy: Policy
) -> str:
    """Name a rule that asks about or denies reading a file that the command may read; "" without one."""
    if not policy.reading_rules or words[0] == "cd":
        return ""
    if rule := _rule_about_parts(found.paths, folders, workspace, policy, tracked=found.configured):
        return rule
    held = _RuleFinder(workspace, policy)
    for folder in folders or ():
        for word in words:
            if isinstance(word, Pattern):
                expanded = expand(word.spelled, folder)
                if expanded.cut or any(held.refuses(folder / path) for path in expanded.paths):
                    return held.name
        if found.tracked:
            files = printed_files(found.tracked, folder)
            prints = _prints_history(found, folder)
            history = _history(folder, workspace) if prints else None
            if files is None or (prints and history is None):
                return held.name
            once = limited_files(found.tracked, folder, history.files) if history else ()
            if len(files) + len(once) > _MAX_FOR_RULES or any(map(held.refuses, (*files, *once))):
                return held.name
    for root in _roots(words, found, folders) if found.deep and folders is not None else ():
        real = real_path(root)
        if not reads_nothing_refused(
            real, found.deep, refused=held.refuses, refused_target=held.refuses, most=_MAX_FOR_RULES
        ):
            return held.name
    return ""


def _rule_about_parts(
    parts: Sequence[str],
    folders: Sequence[Path] | None,
    workspace: Workspace,
    policy: Policy,
    *,
    tracked: bool = False,
) -> str:
    """The same for words that may name files; with `tracked` also files that no longer exist, as Git names them."""
    if not policy.reading_rules or not parts:
        return ""
    held = _RuleFinder(workspace, policy)
    if folders is None:
        return held.name
    if tracked:
        # defence: paths-from-the-top
        folders = [*folders, *_tops(folders)]
    # defence: files-within-words
    named = parts if tracked else dict.fromkeys(name for part in parts for name in (part, *_WITHIN.split(part)))
    for folder in folders:
        for part in named:
            places = named_places(part, folder)
            if places is None or any(held.refuses(place) for place in places if tracked or os.path.lexists(place)):
                return held.name
            if any(map(leads_through_processes, places)):  # defence: rules-through-processes
                return held.name
    return ""


def _words_of_unknown(line: CommandLine, folders: Sequence[Path] | None) -> list[str]:
    """Return what the words of a line that has words known only at run time may name: `$PWD/a` is known, and for
    `secrets/$x` the files in `secrets` count.
    """
    # defence: words-beside-unknown-ones
    if not line.unknown_files and not any(None in command.words for command in line.commands):
        return []
    known = [spelled for spelled in line.spelled if UNKNOWN not in spelled]
    found = [path for folder in folders or () for spelled in known for path in expand(spelled, folder).paths]
    partly = [spelled for spelled in line.spelled if UNKNOWN in spelled and spelled.strip(UNKNOWN)]
    for folder in folders or ():
        for pattern in (spelled.replace(UNKNOWN, text) for spelled in partly for text in ("*", ".*")):
            expanded = expand(pattern, folder)  # defence: words-known-in-part
            found += [path for path in expanded.paths if os.path.lexists(folder / path)]
            found += [UNKNOWN] if expanded.cut else []
    return found


def _tops(folders: Sequence[Path]) -> list[Path]:
    """The top folders of the repositories, where a path behind a revision starts: `git -C sub show HEAD:x` prints x."""
    tops: list[Path] = []
    for folder in folders:
        with contextlib.suppress(OSError, ValueError):
            found = repository_around(folder)
            tops += [] if found is None else [found.top]
    return tops


class _RuleFinder:
    """Finds the rule about a file. `name` is that of the last rule found, else of the first one."""

    def __init__(self, workspace: Workspace, policy: Policy) -> None:
        self._workspace = workspace
        self._policy = policy
        self.name = policy.reading_rules[0]

    def refuses(self, path: str | Path) -> bool:
        try:
            place = self._workspace.resolve_real(real_path(path))
        except (OSError, ValueError):
            return True
        rule = self._policy.rule_about_reading(FileSubject(place.real, place.folder))
        self.name = rule or self.name
        return bool(rule)
