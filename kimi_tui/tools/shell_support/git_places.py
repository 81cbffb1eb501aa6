"""Where a line of Git's own commands works and writes: in repositories that are checked, never in a Git directory, also
by a link that the line itself makes.
"""

import os
import re
import tempfile
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from pathlib import Path

from kimi_tui.paths import is_file, path_exists, real_path
from kimi_tui.permission.command_risk import RiskKind
from kimi_tui.permission.subject import Pattern, Spelled, Words
from kimi_tui.tools.file_support.git_dirs import find_git_entry, included_settings, is_in_git_dir
from kimi_tui.tools.file_support.guarded_names import plain
from kimi_tui.tools.shell_support.command_parser import CommandLine

WRITE_WHAT_THEY_NAME = frozenset({"mkdir", "tee", "touch"})
_LEAVES_FILES = frozenset(
    {
        *("add", "blame", "branch", "check-ignore", "clean", "commit", "commit-tree", "config", "describe", "diff"),
        *("fetch", "for-each-ref", "fsck", "gc", "grep", "hash-object", "log", "ls-files", "ls-remote", "ls-tree"),
        *("merge-base", "merge-tree", "notes", "pack-refs", "prune", "push", "range-diff", "reflog", "remote"),
        *("repack", "rev-list", "rev-parse", "rm", "shortlog", "show", "status", "tag", "update-index", "update-ref"),
        *("version", "write-tree"),
    }
)
"""Subcommands that make no file in a worktree. The others may make a link there, which the branch holds."""
_WITHOUT_FILES = frozenset(
    {
        *(("worktree", name) for name in ("list", "lock", "prune", "remove", "unlock")),
        *(("stash", name) for name in ("list", "show", "drop", "clear")),
        *(("submodule", name) for name in ("status", "summary")),
    }
)
"""Of the other subcommands, those that make none either."""
_WRITTEN_BY_GIT = (".gitattributes", ".gitmodules")
"""Files of the worktree that Git writes also where they are links."""
_PUSH_OPTIONS = frozenset({"-f", "-q", "-u", "--force", "--force-with-lease", "--quiet", "--set-upstream", "--tags"})
"""Options of a push that have no value."""
_MAX_BASES = 16
_MAX_PATH = 4096
"""Letters of a path: Linux takes no more."""
_MAX_PATHS, _MAX_WRITTEN = 4_000, 40_000
"""Paths that are looked at, and letters of those that are written, of all words in all folders."""
_OPTION = re.compile(r"-[A-Za-z]{1,4}|--[a-z]+(?:-[a-z]+)*")
"""Options of what writes files, of which none has a path in it."""


def stays_in_checked_places(
    line: CommandLine,
    folder: Path,
    folders: Collection[Path],
    *,
    others_run: bool,
    leads_elsewhere: Callable[[Path], bool] = lambda _: False,
    known: Container[tuple[Path, Path]] = (),
) -> bool:
    """Whether Git runs only in `folders`, whose repositories are checked, and no word or redirection names something
    in a Git directory: files would be written there that Git takes for its own. `folder` is where the line starts;
    `others_run`: other commands can make links and repositories meanwhile. `leads_elsewhere`: whether an absolute path
    may lead a command elsewhere than us; `known` are the included settings that were checked.
    """
    found = _bases(line, folder)
    if found is None:
        return False
    early, late = found
    gits = [_without_options(command.words) for command in line.commands if command.program == "git"]
    makers = [words for words in gits if _may_make_links(words, early | late)]
    placing = [words for words in gits if _writes_at_a_place(words)]
    writes = _writes_files(line)
    # defence: links-changed-meanwhile
    if others_run and (writes or placing):
        return False
    # A line that may make a link writes nothing else, and goes nowhere after it; a repository does not replace itself.
    elsewhere = len(gits) > 1 and late and not (len(late) == 1 and all(map(_is_top, late)) and not _enters_others(line))
    # defence: links-of-the-line
    if makers and (writes or elsewhere or (placing and (len(makers) > 1 or makers != placing))):
        return False
    included = [path for entry in git_entries(line, folder) for path in included_settings(entry)]
    # defence: settings-that-are-included-meanwhile
    if others_run and not all((path, real_path(path)) in known and path_exists(path) for path in included):
        return False
    # defence: settings-that-a-branch-brings
    if makers and any(not path_exists(path) and _is_below(path, folders) for path in included):
        return False
    for base in early | late:
        # defence: repositories-that-are-checked
        if base != folder and not _is_checked(base, folders, own=writes, kept=others_run):
            return False
    return not _names_git_dir(line, early | late, folder, leads_elsewhere)


def git_entries(line: CommandLine, folder: Path) -> set[Path]:
    """Return the `.git` of the repositories in which the line runs Git; it starts in `folder`."""
    early, late = _bases(line, folder) or ({folder}, set[Path]())
    return set(filter(None, map(find_git_entry, early | late)))


def _is_below(path: Path, folders: Collection[Path]) -> bool:
    return any(map(real_path(path).is_relative_to, folders))


def may_push_to_what_it_makes(line: CommandLine, folder: Path, added: Collection[Path]) -> bool:
    """Whether the line, which starts in `folder`, may push to a repository that it makes itself: it may make files
    outside of Git directories, and the destination is neither that of the branch nor one of `added`.
    """
    gits = [_without_options(command.words) for command in line.commands if command.program == "git"]
    makes_files = _writes_files(line) or any(_may_make_links(words, (folder,)) for words in gits)
    return makes_files and not all(_pushes_to(words[1:], folder, added) for words in gits if words[:1] == ("push",))


def _pushes_to(words: Words, folder: Path, added: Collection[Path]) -> bool:
    place = next((word for word in words if word not in _PUSH_OPTIONS), "")
    return place == "" or (type(place) is str and place.startswith("/") and real_path(Path(place)) in added)


def _without_options(words: Words) -> Words:
    """Return the words of a `git` command from the subcommand on."""
    at = 1
    while at < len(words) and words[at] in ("-C", "-c", "--no-pager"):
        at += 1 if words[at] == "--no-pager" else 2
    return words[at:]


def _is_top(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def _enters_others(line: CommandLine) -> bool:
    """Whether not all Git commands of the line are for the same folder."""
    given = {tuple(_given_folders(command.words)) for command in line.commands if command.program == "git"}
    return len(given) > 1 or any(command.program == "cd" for command in line.commands)


def _may_make_links(words: Words, bases: Collection[Path]) -> bool:
    match words:
        case (str(name), *_) if name in _LEAVES_FILES:
            return False
        case ("switch", "-c" | "-qc", name) | ("switch", "-q", "-c", name):  # `checkout -b` puts files back
            return type(name) is not str or name.startswith("-")
        case (str(name), str(sub), *_) if (name, sub) in _WITHOUT_FILES:
            return False
        case ("mv", source, place) if type(source) is str and type(place) is str:
            plain_names = not source.startswith("-") and not place.startswith("-")
            moved = [base / source for base in bases]
            return not (plain_names and all(is_file(path) and not os.path.islink(path) for path in moved))  # noqa: PTH114
        case _:
            return True


def _writes_at_a_place(words: Words) -> bool:
    match words:
        case (str(name), str(sub), *_) if (name, sub) in _WITHOUT_FILES:
            return False
        case ("mv" | "submodule" | "worktree", *_) | ("lfs", "checkout" | "track" | "untrack", *_):
            return True
        case _:
            return False


def _writes_files(line: CommandLine) -> bool:
    programs = {command.program for command in line.commands}
    redirected = any(risk.kind is RiskKind.REDIRECTION for risk in line.risks)
    return redirected or not programs.isdisjoint(WRITE_WHAT_THEY_NAME)


def _bases(line: CommandLine, folder: Path) -> tuple[set[Path], set[Path]] | None:
    """Return the folders in which commands may run: those that the line enters before all else, and the others. None
    if they are unknown.
    """
    early, late, of_one = {folder}, set[Path](), set[Path]()
    begins = True
    again = any(risk.kind is RiskKind.SYNTAX and risk.subject == "do group" for risk in line.risks)
    for command in line.commands:
        begins = begins and command.program == "cd"
        if command.words[:2] == ("cd", "-"):  # defence: folders-by-a-variable
            return None  # it is in OLDPWD
        match command.words:
            case ("cd", there) if type(there) is str and not again:
                # A command before may have failed, or run in a subshell.
                # defence: every-folder-that-a-line-may-reach
                new = {base / there for base in early | late}
                (early if begins else late).update(new)
            case ("cd", *_):
                return None
            case ("git", *_):
                places = early | late
                for there in _given_folders(command.words):
                    if type(there) is not str:
                        return None
                    places = {base / there for base in places}
                of_one |= places
            case _:
                pass
        found = early | late | of_one
        # defence: time-to-look-at-folders
        if len(found) > _MAX_BASES or any(len(str(one)) > _MAX_PATH for one in found):
            return None
    return early, (late | of_one) - early


def _given_folders(words: Words) -> Iterator[str]:
    at = 1
    while at + 1 < len(words) and words[at] in ("-C", "-c", "--no-pager"):
        value = words[at + 1]
        if words[at] == "-C" and value is not None:
            yield value
        at += 1 if words[at] == "--no-pager" else 2


def _is_checked(base: Path, folders: Collection[Path], *, own: bool, kept: bool) -> bool:
    """Whether Git finds no repository from `base` that was not checked. `own`: it could become one, unless it has a
    repository of its own; `kept`: only `folders` themselves cannot be replaced.
    """
    for path in (base, Path(os.path.normpath(base))):  # Bash leaves a folder by its name, Git by its place
        real = real_path(path)
        within = any(real == one or (not kept and real.is_relative_to(one)) for one in folders)
        if not within and (kept or not _is_above(real, folders)):
            return False
        if is_in_git_dir(real / "x") or (own and not os.path.lexists(real / ".git")):
            return False
    return True


def _is_above(real: Path, folders: Collection[Path]) -> bool:
    """Whether it is above one of the folders, where commands write nothing: not in a folder for temporary files."""
    temp = [real_path(Path(name)) for name in ("/tmp", "/var/tmp", tempfile.gettempdir())]
    return any(one.is_relative_to(real) for one in folders) and not any(map(real.is_relative_to, temp))


def _names_git_dir(
    line: CommandLine, bases: Collection[Path], folder: Path, leads_elsewhere: Callable[[Path], bool]
) -> bool:
    words: list[str] = list(line.files)
    written: list[str] = [*line.files]
    for command in line.commands:
        known = [word for word in command.words[1:] if word is not None]
        match command.words:
            case ("git", *_) if _writes_at_a_place(subcommand := _without_options(command.words)):
                written += known
                if subcommand[0] == "submodule":  # without a place, it is the last part of the address
                    written += [word.rstrip("/").removesuffix(".git").rpartition("/")[2] for word in known]
            case ("git" | "cd", *_):
                words += (word for word in known if len(word) <= _MAX_PATH)  # else it is a text
            case (name, *_) if name in WRITE_WHAT_THEY_NAME:
                written += known
            case _:
                pass
    tops = {entry.parent for entry in map(find_git_entry, bases) if entry is not None}
    written += [str(top / name) for top in (folder, *tops) for name in _WRITTEN_BY_GIT]
    if _are_too_many(words, written, len(bases)):  # defence: time-to-look-at-paths
        return True
    if any(map(_may_look_like_an_option, written)):  # defence: names-like-options
        return True
    # defence: links-in-tmp-beside-git
    if any(leads_elsewhere(base / word) for base in bases for word in written if not word.startswith("-")):
        return True
    # defence: no-files-written-in-git-directories
    return any(_is_in_git_dir(word, bases, files=False) for word in words) or any(
        _is_in_git_dir(word, bases, files=True) for word in written
    )


def _are_too_many(words: Sequence[str], written: Sequence[str], folders: int) -> bool:
    too_long = any(len(word) > _MAX_PATH for word in written)
    many = folders * (len(words) + len(written)) > _MAX_PATHS or folders * sum(map(len, written)) > _MAX_WRITTEN
    return too_long or many


def _may_look_like_an_option(word: str) -> bool:
    return word == "--" or (word.startswith("-") and _OPTION.fullmatch(word) is None)


def _is_in_git_dir(word: str, bases: Collection[Path], *, files: bool) -> bool:
    # defence: words-that-the-shell-expands
    if "\0" in word or (isinstance(word, Spelled) and (files or not isinstance(word, Pattern))):
        return True
    named = word.rpartition("=")[2] if word.startswith("-") else word
    if not named:
        return False
    paths = [real_path(base / named) for base in bases]
    if any(plain(part) == ".git" for path in (Path(named), *paths) for part in path.parts):
        return True
    return files and any(map(is_in_git_dir, paths))
