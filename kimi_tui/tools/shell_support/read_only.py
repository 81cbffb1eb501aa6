"""Decides whether a command line only reads, and only allowed files, so that it runs without approval.

It combines the program tables with the paths in the words: no file with secrets, and no program or settings from the
workspace itself.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from kimi_tui.i18n import tr
from kimi_tui.permission.doubt import DoubtKind
from kimi_tui.permission.programs.judge import judge
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.programs.program import Deep, Found
from kimi_tui.permission.subject import Pattern, Words
from kimi_tui.tools.file_support.git_settings import runs_nothing
from kimi_tui.tools.file_support.sensitive_names import is_sensitive
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import CommandLine
from kimi_tui.tools.shell_support.globs import expand

_MOST_FOLDERS = 8
_MOST_ENTRIES = 20_000
_MOST_PATH = 4096
_MOST_IGNORE = 100_000
_IGNORES = (".ignore", ".rgignore", ".gitignore")
_BUILTINS = frozenset({"cd", "echo", "printf", "pwd", "test", "[", "true", "false", ":", "type", "command", "kill"})
_OPEN_PLACES = ("/usr", "/opt", "/lib", "/lib64", "/bin", "/sbin", "/nix/store", "/etc/os-release", "/etc/hosts")
_NO_FILES = frozenset({"/dev/null", "-", "/dev/stdin", "/dev/stdout", "/dev/stderr"})
_WILD = re.compile(r"[*?\[]")
_STACK = re.compile(r"~[+-]?\d+(?:/|\Z)|~[+-](?:/|\Z)")


@dataclass(frozen=True, slots=True)
class Reading:
    """The result. `why_not` gives for each command why it is not read-only, "" if it is.

    `elsewhere` are the folders of commands that follow settings of a folder other than the user's.
    """

    why_not: tuple[str, ...]
    elsewhere: frozenset[int]

    @property
    def reads(self) -> bool:
        return bool(self.why_not) and not any(self.why_not)


def reading_of(line: CommandLine, workspace: Workspace | None) -> Reading:
    """Analyse a line. Without a workspace nothing is read-only, and every `cd` leads elsewhere."""
    folders: list[Path] | None = [workspace.work_dir] if workspace is not None else None
    why_not: list[str] = []
    elsewhere: set[int] = set()
    moved = False
    for place, command in enumerate(line.commands):
        words = _known(command.words)
        if words is None:
            why_not.append(tr("one of its words is known only at run time"))
            continue
        if words[0] in ("cd", "pushd", "popd"):
            moved = True
            folders = _moved(folders, words)
        here, words = _in_folder(folders, words)
        found = judge(words)
        why_not.append(_why_not(words, found, here, workspace))
        if moved and _obeys_another(words, found, folders, workspace):
            elsewhere.add(place)
    doubt = _doubt(line, folders)
    if doubt or (why_not and workspace is not None and not _files_may_be_read(line, folders, workspace)):
        doubt = doubt or tr("it reads or writes a file that needs approval")
        why_not = [why or doubt for why in why_not]
    return Reading(tuple(why_not), frozenset(elsewhere))


def _doubt(line: CommandLine, folders: Sequence[Path] | None) -> str:
    """Return the first remaining doubt; patterns that match no option-like name are not counted."""
    others = [doubt for doubt in line.doubts if doubt.kind is not DoubtKind.PATTERN_AS_OPTION]
    if others:
        return str(others[0])
    if line.doubts and (folders is None or any(_may_be_option(word, folders) for word in _patterns(line))):
        return str(line.doubts[0])
    return ""


def _patterns(line: CommandLine) -> Iterator[Pattern]:
    return (word for command in line.commands for word in command.words if isinstance(word, Pattern))


def _may_be_option(word: Pattern, folders: Sequence[Path]) -> bool:
    if word.startswith("-"):
        return True
    return any(
        expanded.cut or any(path.startswith("-") for path in expanded.paths)
        for expanded in (expand(word.spelled, folder) for folder in folders)
    )


def _files_may_be_read(line: CommandLine, folders: Sequence[Path] | None, workspace: Workspace) -> bool:
    return folders is not None and all(
        _may_be_read(file, folder, workspace) for file in line.files for folder in folders
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
    targets = _as_tilde(operands[0])
    if targets is None or operands[0].startswith("-") or not operands[0]:
        return None
    found = dict.fromkeys(folders)
    for path in [folder / target for folder in folders for target in targets]:
        found.update(dict.fromkeys((Path(os.path.normpath(path)), Path(os.path.realpath(path)))))
    return list(found) if len(found) <= _MOST_FOLDERS else None


def _as_tilde(word: str) -> tuple[str, ...] | None:
    """The word, and what it is where Bash replaces its tilde; None where that is a folder of Bash's own stack."""
    if not word.startswith("~"):
        return (word,)
    if _STACK.match(word):  # defence: directory-stack
        return None
    return (word, os.path.expanduser(word))  # noqa: PTH111 - what a Path makes of `~nobody` is an error


def _obeys_another(
    words: tuple[str, ...], found: Found, folders: Sequence[Path] | None, workspace: Workspace | None
) -> bool:
    if words[0] in ("cd", "pushd", "popd") or (found.level is Level.READS and not found.configured):
        return False
    if folders is None or workspace is None:
        return True
    if any(not _inside(folder, workspace) for folder in folders):
        return True
    return words[0].rpartition("/")[2] == "git" and not all(runs_nothing(folder) for folder in folders[1:])


def _why_not(words: tuple[str, ...], found: Found, folders: Sequence[Path] | None, workspace: Workspace | None) -> str:
    if found.level is not Level.READS:
        return found.why or tr("`{program}` can do more than read", program=" ".join(found.beginning or words[:1]))
    if folders is None or workspace is None:
        return tr("the folder it runs in is unknown")
    if _is_ours(words[0], workspace):  # defence: program-of-the-work-dir
        return tr("the program `{program}` is a file in the working directory", program=words[0])
    if any(not _inside(folder, workspace) for folder in folders):
        return tr("it runs outside the working directory")
    if found.configured and not all(runs_nothing(folder) for folder in folders):  # defence: repository-settings
        return tr("the repository has settings that may run a program")
    path = _not_to_be_read(words, found, folders, workspace)
    return tr("`{path}` may not be read without approval", path=path) if path else ""


def _not_to_be_read(words: tuple[str, ...], found: Found, folders: Sequence[Path], workspace: Workspace) -> str:
    """The first of its words, or of the folders that are read whole, that is asked for; "" where none is."""
    for folder in folders:
        for part in found.paths:
            if not _may_be_read(part, folder, workspace):  # defence: words-lead-elsewhere
                return part
        for word in words:
            if isinstance(word, Pattern) and not _matches_may_be_read(word, folder, workspace):
                return word
    if words[0] == "cd" or not found.deep:
        return ""
    roots = (root for root in _roots(words, found, folders) if not _holds_no_secrets(root, workspace, found.deep))
    return next((root.name or str(root) for root in roots), "")


def _inside(folder: Path, workspace: Workspace) -> bool:
    real = Path(os.path.realpath(folder))
    return any(real.is_relative_to(own) for own in workspace.folders)


def _is_ours(program: str, workspace: Workspace) -> bool:
    """Whether the agent may have written the program.

    Relative folders of `PATH` are resolved where the command runs.
    """
    if program in _BUILTINS:
        return False
    if not all(entry.startswith("/") for entry in os.environ.get("PATH", os.defpath).split(os.pathsep)):
        return True
    found = shutil.which(program)
    if found is None:
        return False
    inside = any(Path(os.path.abspath(found)).is_relative_to(folder) for folder in workspace.folders)  # noqa: PTH100
    real = Path(os.path.realpath(found))
    if any(real.is_relative_to(folder) for folder in workspace.folders):
        return True
    return inside and not real.name.startswith(program)


def _may_be_read(part: str, folder: Path, workspace: Workspace) -> bool:
    """Whether no file that the word may name is outside the workspace or holds secrets."""
    if part in _NO_FILES:
        return True
    if "\0" in part or len(part) > _MOST_PATH:
        return False
    for word in {part, *part.split(":")} if ":" in part else (part,):
        if not word:
            continue
        names = _as_tilde(word)
        if names is None or not all(_place_may_be_read(folder / name, workspace) for name in names):
            return False
        if _WILD.search(word):
            expanded = expand(word, folder)
            if expanded.cut or not all(_place_may_be_read(folder / path, workspace) for path in expanded.paths):
                return False
    return True


def _matches_may_be_read(word: Pattern, folder: Path, workspace: Workspace) -> bool:
    expanded = expand(word.spelled, folder)
    return not expanded.cut and all(_place_may_be_read(folder / path, workspace) for path in expanded.paths)


def _place_may_be_read(path: Path, workspace: Workspace) -> bool:
    try:
        real = Path(os.path.realpath(path))
    except (OSError, ValueError):
        return False
    if is_sensitive(path) and not any(char.isspace() for char in path.name):
        return False
    place = workspace.place_of(real)
    if place.sensitive:
        return False
    if place.folder is None:
        if not any(real.is_relative_to(open_place) for open_place in _OPEN_PLACES):
            return any(real.is_relative_to(folder) for folder in workspace.readable)
        return True
    within = [part.lower() for part in real.relative_to(place.folder).parts]
    if ".git" in within:
        return within[within.index(".git") + 1 :][:1] not in (["config"], ["hooks"])
    return not any(real.is_relative_to(own) for own in workspace.protected)


def _roots(words: tuple[str, ...], found: Found, folders: Sequence[Path]) -> list[Path]:
    """Return the folders that are read recursively: the current one if the command may run without a path."""
    patterns = [word for word in words if isinstance(word, Pattern)]
    roots: list[Path] = []
    for folder in folders:
        matched = [path for word in patterns for path in expand(word.spelled, folder).paths]
        roots += [place for path in (*found.operands, *matched) if (place := folder / path).is_dir()]
    if Deep.NAMED in found.deep or (roots and len(found.operands) > 1):
        return roots
    return [*folders, *roots]


def _holds_no_secrets(root: Path, workspace: Workspace, deep: Deep) -> bool:
    """Whether the tree holds no secrets. Hidden entries count if the program reads them, or if an ignore file may
    include them.
    """
    pending, seen = [str(root)], 0
    hidden, shown = set[str](), set[str]()
    for above in root.parents:
        shown.update(pattern for name in (*_IGNORES, ".git") for pattern in _unhidden_by(above / name))
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > _MOST_ENTRIES:
                        return False
                    if entry.name in (*_IGNORES, ".git"):
                        shown.update(_unhidden_by(Path(entry.path)))
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if entry.name.startswith(".") and Deep.HIDDEN not in deep:
                        if is_folder or is_sensitive(entry.path):
                            hidden.add(entry.name)
                    elif is_sensitive(entry.path):
                        return False
                    elif is_folder and entry.name != ".git":
                        pending.append(entry.path)
                    if Deep.LINKS not in deep or not entry.is_symlink():
                        continue
                    if not _place_may_be_read(Path(entry.path), workspace):
                        return False
        except OSError:
            continue
    if any(fnmatchcase(name, pattern) for name in hidden for pattern in shown):
        return False
    return not any(protected.is_relative_to(root) for protected in workspace.protected)


def _unhidden_by(entry: Path) -> list[str]:
    """The patterns that include files again: of an ignore file, or of the one in a repository's `.git`."""
    files = _excludes(entry) if entry.name == ".git" else [entry]
    return [pattern for file in files for pattern in _unhidden(file)]


def _excludes(git: Path) -> list[Path]:
    """The ignore files of a repository; `git` may be the `.git` file of a linked worktree."""
    folders = [git]
    try:
        if git.is_file():
            named = git.parent / git.read_text("utf-8", "replace")[:_MOST_PATH].strip().removeprefix("gitdir: ")
            folders = [named, named.parent.parent]
    except (OSError, ValueError):
        return []
    return [folder / "info/exclude" for folder in folders]  # defence: git-excludes


def _unhidden(ignore: Path) -> list[str]:
    """Return the negated patterns of an ignore file of ripgrep, which include files again, hidden ones too."""
    try:
        if not ignore.is_file():
            return []
        if ignore.stat().st_size > _MOST_IGNORE:
            return ["*"]
        lines = [line.strip() for line in ignore.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return ["*"]
    return [part for line in lines if line.startswith("!") for part in line[1:].split("/") if part]
