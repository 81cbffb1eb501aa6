"""Checks the files in which Git stores the state of its operations: Git trusts them.

A path in the index can make Git write outside the worktree when the user resets it, a path in `MERGE_RR` read or write
there when the user commits, also through a link; the strategy of a rebase is the name of a program, and an option of it
can name a file to write; scripts for a shell's prompt, Git's own too, let the shell expand the numbers of a rebase, and
give its hashes to Git as options; `remotes` and `branches` set where a push goes.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from secrets import token_bytes
from typing import NamedTuple

from kimi_tui.paths import real_path
from kimi_tui.regular_file import read_bytes
from kimi_tui.tools.file_support.git_config_values import config_values
from kimi_tui.tools.file_support.git_dirs import named_in
from kimi_tui.tools.file_support.git_index import MAX_INDEX, MAX_NAME, blocks_are_entries, index_entries
from kimi_tui.tools.file_support.guarded_names import plain
from kimi_tui.tools.shell_support.safe_rename import ASIDE

_MAX_STATE = 1 << 20
_INDEX, _CONFLICTS = "index", "MERGE_RR"
_SHARED = re.compile(r"sharedindex\.[0-9a-f]{40,64}")
_FILES = (_INDEX, _CONFLICTS)
_OPERATIONS = ("rebase-merge", "rebase-apply", "sequencer")
_TEXTS = frozenset(
    {
        *("current-fixups", "done", "dropped", "final-commit", "git-rebase-todo", "gpg_sign_opt"),
        *("git-rebase-todo.backup", "info", "message", "message-fixup", "message-squash", "msg"),
        *("msg-clean", "patch", "patch-merge-index", "todo", "trailer"),
    }
)
"""Files of an operation that hold any text, or that are checked elsewhere."""
_PATCH = re.compile(r"[0-9]+")
_OF_AN_EDITOR = re.compile(r"[.#].*|.*~")
_NUMBERS = frozenset(
    {
        *("abort-safety", "amend", "autostash", "end", "head", "last", "msgnum", "next", "onto", "orig-head"),
        *("original-commit", "rewritten", "rewritten-list", "rewritten-pending", "squash-onto", "stopped-sha"),
    }
)
"""Files of an operation with numbers and hashes, which scripts for prompts give to a shell or to Git as they are."""
_HEX = re.compile(rb"[0-9a-f\s]*")
_REFS = frozenset({"head-name", "refs-to-delete", "update-refs"})
_NAMED = re.compile(rb"\s*(?:(?:refs/\S+|detached HEAD|[0-9a-f]+)(?:\s+|\Z))*")
_AUTHOR = re.compile(rb"(?:GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\\]|'\\['!]'|\\)*'\s*)*")
"""An early Git lets the shell read it."""
_HEADS = re.compile(r"(?!FETCH_)[A-Z_]+_HEAD|AUTO_MERGE|MERGE_AUTOSTASH|BISECT_EXPECTED_REV")
"""Files with hashes, such as `REBASE_HEAD`: editors give them to Git as they are."""
_HEAD = re.compile(rb"[0-9a-f\s]*|ref:[ \t]*refs/\S+\s*")
_FLAG = re.compile(rb"[0-9a-f\s]*|(?:--)?[a-z]+(?:-[a-z]+)*\s*")
"""What the other files of an operation hold, also those that a later Git may have."""
STATE_FOLDERS = ("remotes", "branches", *_OPERATIONS)
_STRATEGIES = frozenset({b"recursive", b"ort", b"resolve", b"octopus", b"ours", b"subtree"})
_STRATEGY_OPTION = re.compile(
    rb"(?:--)?(?:ours|theirs|patience|histogram|minimal|(?:no-)?renormalize|no-renames|find-renames|subtree"
    rb"|ignore-(?:space-change|all-space|space-at-eol|cr-at-eol)"
    rb"|(?:find-renames|rename-threshold|diff-algorithm|subtree)=[A-Za-z0-9_./%-]*)"
)
_OPTION = re.compile(rb"[ \t]*([A-Za-z-]+)[ \t]*=[ \t]*([^\\]*)")
# defence: numbers-of-resolutions
_CONFLICT = re.compile(rb"[0-9a-f]{40,64}(?:\.[0-9]{1,6})?\t(.+)", re.DOTALL)
_APPLY = re.compile(
    rb"\s*(?:'(?:-[Cp][0-9]+|--(?:whitespace|directory|exclude|include)=[^']*|--reject|--3way"
    rb"|--ignore-(?:whitespace|space-change))'\s*)*"
)


class State(NamedTuple):
    """What tells one state of a file from another. `context` is what else decides what it does: the size of hashes by
    which an index is read, whether the paths of conflicts lead elsewhere. `digest` is that of the content, where it
    was read.
    """

    inode: int
    changed: int
    context: int
    digest: bytes | None


States = Mapping[str, State]
"""By the names of the files."""


def git_state_files(git_dir: Path, known: States, *, read: bool) -> States:
    """Return the files in a Git directory that store such state.

    A program that maps a file to memory changes it without a new time, as long as it runs: if one may, `read` the
    contents. The contents of those files are read again whose contents are `known`.
    """
    names = list(_FILES)
    for folder in ("", *STATE_FOLDERS):
        try:
            with os.scandir(f"{git_dir}/{folder}") as entries:
                found_here = (one.name for one in entries if not one.name.endswith(ASIDE))
                names += [f"{folder}/{name}" if folder else name for name in found_here if _is_state(folder, name)]
        except OSError:
            pass
    found: dict[str, State] = {}
    room = MAX_INDEX
    for name in names:
        try:
            status = os.lstat(f"{git_dir}/{name}")
        except OSError:
            continue
        context = _context(git_dir, name)
        before = known.get(name)
        read_again = read or (before is not None and before.digest is not None)  # defence: states-that-are-mapped
        digest = None
        if read_again:
            room -= status.st_size
            # What is too much to read never is as it was.
            digest = _digest(git_dir / name) if room >= 0 else token_bytes()  # defence: time-to-read-contents
        found[name] = State(status.st_ino, status.st_ctime_ns, context, digest)
    return found


def _is_state(folder: str, name: str) -> bool:
    if folder in _OPERATIONS:
        return name not in _TEXTS and not _PATCH.fullmatch(name) and not _OF_AN_EDITOR.fullmatch(name)
    return folder != "" or is_shared_index(name) or _HEADS.fullmatch(name) is not None


def changed_states(now: States, before: States) -> set[str]:
    """Return the names of the files that are new or were changed."""
    return {name for name, state in now.items() if name not in before or not _is_same(state, before[name])}


def _is_same(one: State, other: State) -> bool:
    same_content = None in (one.digest, other.digest) or one.digest == other.digest
    return same_content and one._replace(digest=None) == other._replace(digest=None)


def _digest(file: Path) -> bytes:
    try:
        return hashlib.blake2b(b"" if file.is_symlink() else read_bytes(file, most=MAX_INDEX)).digest()
    except OSError:
        return b""


def _context(git_dir: Path, name: str) -> int:
    if _is_an_index(name):
        return _known_hash_size(git_dir)  # defence: indexes-by-their-hashes
    try:
        return name == _CONFLICTS and not _conflicts_are_plain(git_dir)  # defence: conflicts-behind-new-links
    except (OSError, ValueError):
        return -1


def is_shared_index(name: str) -> bool:
    return _SHARED.fullmatch(name) is not None


def _is_an_index(name: str) -> bool:
    return name == _INDEX or is_shared_index(name)


def is_unsafe_state(git_dir: Path, name: str) -> bool:
    """Whether this file of `git_state_files` could make Git run a program, write elsewhere or push elsewhere; true if
    it is not what Git writes.
    """
    file = git_dir / name
    if file.is_symlink():
        return True
    try:
        if _is_an_index(name):
            return not _index_is_plain(read_bytes(file, most=MAX_INDEX), hash_size=hash_size_of(git_dir))
        if name == _CONFLICTS:
            return not _conflicts_are_plain(git_dir)
        content = read_bytes(file, most=_MAX_STATE)
    except FileNotFoundError:
        return os.path.lexists(file)
    except (OSError, ValueError, IndexError):
        return True
    match name:
        case "rebase-merge/strategy":
            return content.strip() not in _STRATEGIES
        case "rebase-merge/strategy_opts":
            return not all(map(_is_strategy_option, content.split()))
        case "sequencer/opts":
            return not all(map(_is_plain_option, content.splitlines()))
        case "rebase-apply/apply-opt":
            return _APPLY.fullmatch(content) is None
        case _ if name.startswith(_OPERATIONS) or _HEADS.fullmatch(name):
            return _shape_of(name).fullmatch(content) is None
        case _:
            return True


def _shape_of(name: str) -> re.Pattern[bytes]:
    folder, _, file = name.rpartition("/")
    if not folder:
        return _HEAD  # defence: heads-for-editors
    if file in _REFS:
        return _NAMED  # defence: refs-of-operations
    if file == "author-script":
        return _AUTHOR  # defence: authors-for-a-shell
    return _HEX if file in _NUMBERS else _FLAG  # defence: numbers-for-a-prompt


def _conflicts_are_plain(git_dir: Path) -> bool:
    """Whether the paths for which Git records a resolution are files of the worktree, and not behind a link. Raises
    OSError and ValueError.
    """
    content = read_bytes(git_dir / _CONFLICTS, most=_MAX_STATE)
    *conflicts, rest = content.split(b"\0")  # defence: time-to-read-states
    if rest:
        return False
    top = worktree_of(git_dir) if conflicts else None
    found = [_CONFLICT.fullmatch(one) for one in conflicts]
    return all(one is not None and is_within(one[1]) and _is_no_link(top, one[1]) for one in found)


def _is_no_link(top: Path | None, path: bytes) -> bool:
    """Whether neither the file nor a folder of its path is a link; False for a worktree that is not known."""
    # defence: conflicts-behind-links
    return top is not None and real_path(file := top / os.fsdecode(path)) == file


def worktree_of(git_dir: Path) -> Path | None:
    """Return the worktree, without links; None if it is not known. Raises OSError and ValueError."""
    if os.path.lexists(git_dir / "gitdir"):  # of a linked worktree
        named = named_in(read_bytes(git_dir / "gitdir", most=MAX_NAME))
        return real_path(git_dir / named).parent if named else None
    config = git_dir / "config"
    found = config_values(read_bytes(config, most=_MAX_STATE), "worktree") if os.path.lexists(config) else ()
    if found:  # of a submodule
        return real_path(git_dir / found[0][1]) if len(found) == 1 else None
    return real_path(git_dir.parent) if git_dir.name.lower() == ".git" else None


def _is_plain_option(line: bytes) -> bool:
    if line.strip() in (b"", b"[options]"):
        return True
    found = _OPTION.fullmatch(line)
    if found is None:
        return False
    key, value = found[1].lower(), found[2].strip()
    if key == b"strategy-option":
        return _is_strategy_option(value)
    return key != b"strategy" or value in _STRATEGIES


def _is_strategy_option(word: bytes) -> bool:
    # defence: options-of-strategies
    return _STRATEGY_OPTION.fullmatch(word.strip(b"'\"")) is not None


def hash_size_of(git_dir: Path) -> int:
    """Return the bytes of a hash. Raises OSError, and ValueError if the settings may say more than one size."""
    config = git_dir / "config"
    common = git_dir / "commondir"
    if os.path.lexists(common):  # Git reads no other settings than those there
        named = named_in(read_bytes(common, most=MAX_NAME))
        if not named:
            raise ValueError(common)
        config = git_dir / named / "config"
    found = config_values(read_bytes(config, most=_MAX_STATE), "objectformat") if os.path.lexists(config) else ()
    if len(found) > 1:  # defence: one-size-of-hashes
        raise ValueError(config)
    return 32 if any(value.lower() == "sha256" for _, value in found) else 20


def _known_hash_size(git_dir: Path) -> int:
    try:
        return hash_size_of(git_dir)
    except (OSError, ValueError):
        return -1


def _index_is_plain(data: bytes, *, hash_size: int) -> bool:
    """Whether all paths of an index are within the worktree and none is Git's own. Raises ValueError and IndexError
    for what Git would not read.
    """
    starts: list[int] = []
    for place, name, _ in index_entries(data, hash_size=hash_size):
        if name and not is_within(name):  # in a split index it may be empty
            return False
        starts.append(place)
    return blocks_are_entries(data, starts)


_PLAIN_PATH = re.compile(rb"(?:[A-Za-z0-9_-][A-Za-z0-9_.+@ -]*/)*[A-Za-z0-9_-][A-Za-z0-9_.+@ -]*")
_GIT = re.compile(r"\.git|git~[0-9]")


def is_within(path: bytes) -> bool:
    """Whether a path leads to a file in the worktree that is not Git's."""
    if _PLAIN_PATH.fullmatch(path):  # nearly all, and in a tenth of the time
        return True
    names = os.fsdecode(path.removesuffix(b"/")).split("/")  # a sparse index has folders
    return b"\0" not in path and not any(name in ("", ".", "..") or _GIT.fullmatch(plain(name)) for name in names)
