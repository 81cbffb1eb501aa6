"""Why a command line requires approval even in yolo mode: sensitive or protected files, or an incomplete parse.

Words are expanded like in Bash. The check covers honest commands only: a program can reach a file without naming it.
The sandbox protects against those.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from kimi_tui.i18n import tr
from kimi_tui.paths import is_file, is_folder, real_path
from kimi_tui.permission.command_risk import CommandRisk, RiskKind, Severity
from kimi_tui.permission.programs.classifier import classify
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.subject import Spelled
from kimi_tui.tools.file_support.sensitive_names import is_sensitive
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import CommandLine
from kimi_tui.tools.shell_support.globs import UNKNOWN, expand, quoted

_MAX_FOLDERS = 8
_MAX_PATHS = 5_000
_OF_KEYS = frozenset({".ssh", ".gnupg", ".aws"})
"""Folders whose files hold secrets, whatever they are called."""
_WRITE_ALL = frozenset({"tee", "touch", "truncate", "rm", "mv", "chmod", "chown", "shred", "unlink", "rmdir", "dd"})
_WRITE_LAST = frozenset({"cp", "install", "ln", "rsync", "scp"})
_GLUED_VALUE = re.compile(r"-[A-Za-z]|@|--?[\w-]+=@?|[\w.-]+=@?", re.ASCII)
"""Prefixes of a file within one word: `-f.env`, `@.env`, `--file=.env`, `of=.env`."""
_AROUND = re.compile(r"\\?[=@;,]")
"""What is between parts of one word, in its source form: `f=@.env;type=a`, `type=bind,source=.env`."""


def ask_reason(line: CommandLine, workspace: Workspace) -> str | None:
    """Return the reason, or None if rules, mode and answers decide."""
    for risk in line.risks:
        if risk.severity is Severity.LIMIT:  # defence: ask-at-limit
            return tr("only part of it was read: {why}", why=risk)
    folders = _folders(line, workspace)
    if len(folders) > _MAX_FOLDERS:  # defence: folders-of-a-line
        return tr("only part of it was read: {why}", why=CommandRisk(RiskKind.TOO_MANY_COMMANDS))
    for word, of_any in dict.fromkeys(_written(line)):
        for folder in folders:
            for path in expand(word, folder).paths:
                if _acts_later(path, folder, workspace, of_any=of_any):
                    return tr("it names a protected or sensitive file: {file}", file=path)
    seen: set[str] = set()
    for word in dict.fromkeys(each for spelled in (*_known(line), *line.spelled) for each in _values(spelled)):
        for folder in folders:
            expanded = expand(word, folder)
            for path in expanded.paths:  # defence: expand-words
                file = path.replace(UNKNOWN, "1")  # a number or a name
                if f"{folder}\0{file}" in seen:
                    continue
                seen.add(f"{folder}\0{file}")
                if len(file) < 4096 and _is_protected(file, folder, workspace):
                    return tr("it names a protected or sensitive file: {file}", file=file)
            if expanded.cut or len(seen) > _MAX_PATHS:
                return tr("it names too many files to check: {word}", word=word)
    return None


def program_of_workspace(line: CommandLine, workspace: Workspace) -> str | None:
    """Return the first program of the line that PATH finds where a command could have put it."""
    for command in (*line.commands, *line.wrappers):
        found = shutil.which(command.program) if command.program and "/" not in command.program else None
        if found is not None:
            places = (real_path(found), real_path(Path(found).parent))
            if any(place.is_relative_to(folder) for place in places for folder in workspace.written_folders):
                return found
    return None


def _known(line: CommandLine) -> Iterator[str]:
    """Yield the words of commands within wrappers and the redirection targets, as the programs receive them."""
    yield from map(quoted, line.files)
    for command in line.commands:
        yield from (quoted(word) for word in command.words[1:] if word is not None)


def _written(line: CommandLine) -> Iterator[tuple[str, bool]]:
    """Yield words that may be written to: redirection targets (True), and words of programs that are not read-only. Git
    is excluded: its dangerous paths are handled separately.
    """
    for file in line.files:
        yield _spelled(file), True
    for command in line.commands:
        known = tuple(word for word in command.words if word is not None)
        reads = len(known) == len(command.words) and classify(known).level is Level.READS
        if not reads and command.program != "git":
            yield from ((value, False) for word in known[1:] for value in _values(_spelled(word)))
        for word in _surely_written(known):
            yield from ((value, True) for value in _values(_spelled(word)))


def _surely_written(words: Sequence[str]) -> Sequence[str]:
    """Return the words that name what a program writes or removes, in any folder, classified by its purpose."""
    name = words[0].rpartition("/")[2] if words else ""
    if name in _WRITE_ALL:
        return words[1:]
    if name in _WRITE_LAST:
        return words[1:] if any(word.startswith(("-t", "--t")) for word in words) else words[-1:]
    if name == "sed" and any(word.startswith(("-i", "--in-place")) for word in words):
        return words[1:]
    return ()


def _spelled(word: str) -> str:
    return word.spelled if isinstance(word, Spelled) else quoted(word)


def _acts_later(path: str, folder: Path, workspace: Workspace, *, of_any: bool) -> bool:
    """Whether changing the file can run a program later; outside the workspace, only if `of_any`."""
    try:
        place = workspace.resolve_real(real_path(folder / path))
    except (OSError, ValueError):  # a link that only its owner may read, such as /proc/1/root
        return False
    return place.protected and (of_any or place.inside)


def _values(spelled: str) -> Iterator[str]:
    yield spelled
    if glued := _GLUED_VALUE.match(spelled):
        yield spelled[glued.end() :]
    if ":" in spelled:
        yield from spelled.split(":")
    if not any(char.isspace() for char in spelled):
        yield from _AROUND.split(spelled)[1:]  # defence: files-in-lists-of-a-word


def _folders(line: CommandLine, workspace: Workspace) -> list[Path]:
    """Return the work dir, and the folders that `cd` leads to."""
    folders = [workspace.work_dir]
    for command in line.commands:
        if command.program in ("cd", "pushd") and len(command.words) > 1 and command.words[-1] is not None:
            for path in expand(quoted(command.words[-1]).removeprefix("\\"), folders[-1]).paths:
                there = Path(os.path.normpath(folders[-1] / path))
                if there not in folders[-1:]:
                    folders.append(there)
    return folders


def _is_protected(word: str, folder: Path, workspace: Workspace) -> bool:
    path = folder / word
    if _guards(path, workspace) or (not any(char.isspace() for char in word) and "." in word and is_sensitive(path)):
        return True
    try:
        real = real_path(path)
    except (OSError, ValueError):  # a link that only its owner may read; half a surrogate pair, which names no file
        return False
    if word and (workspace.is_our_home(real) or (real.name.lower() in _OF_KEYS and is_folder(real))):
        return True
    try:
        return _guards(real, workspace) or (is_file(real) and workspace.resolve_real(real).sensitive)
    except OSError:  # below a folder that the user cannot read, where the program fails too
        return False


def _guards(path: PurePosixPath | Path, workspace: Workspace) -> bool:
    """Whether the file is our own settings, or Git's hooks and configuration; Git writes the rest of `.git` in daily
    work.
    """
    folder = next((folder for folder in workspace.folders if path.is_relative_to(folder)), None)
    parts = [part.lower() for part in (path if folder is None else path.relative_to(folder)).parts]
    if ".kimi-tui" in parts:
        return True
    if ".git" in parts and parts[parts.index(".git") + 1 :][:1] in (["hooks"], ["config"]):
        return True
    return any(path.is_relative_to(protected) for protected in workspace.protected)
