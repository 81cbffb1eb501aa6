"""Checks whether read-only Git commands in a folder could run a program because of the repository's settings.

Anyone may have written the settings of a repository. Settings known to be harmless are listed; any other setting
requires approval. User-level and system-level settings are trusted.
"""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.paths import is_file, is_folder, path_exists, real_path
from kimi_tui.regular_file import read_bytes
from kimi_tui.tools.file_support.git_dirs import (
    git_dir_at,
    hooks_of_user,
    looks_like_git_dir,
    repository_around,
    repository_at,
    user_git_files,
)
from kimi_tui.tools.file_support.git_names import is_name_of_git

_MAX_CONFIG = 100_000
_MAX_INDEX = 64 << 20
# defence: names-end-at-nul
_SECTION = re.compile(r'\[([A-Za-z0-9.-]+)(?:[ \t]+"([^"\\\x00-\x1f]*)")?\]')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*([^\n\0]*))?")
"""Neither has a NUL: to Git the name of a setting ends there, `[core "fsmonitor\\0x"]`."""
_PATH = re.compile(r"[\w./-]+", re.ASCII)
_HEAD = re.compile(r"(?:ref: refs/\S+|[0-9a-f]{40}(?:[0-9a-f]{24})?)\n?", re.ASCII)
_ELSEWHERE = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"),
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
)
# defence: key-of-a-credential
_CREDENTIAL = re.compile(
    r"://[^/\s@:]*:[^/\s@]+@|://[^/\s@]{20,}@|"
    r"^[^\S\n]*+(?>\w*?(?:extraheader|passw|token|secret))\w*+\s*+=",
    re.IGNORECASE | re.MULTILINE,
)
_BLANKS = " \t\r"
"""The characters that Git ignores around a setting. To Git any other blank, as Unicode has, is a part of the value."""
_UNSURE = "?"
"""Stands for a section that depends on how Git reads the lines above. No section has this name."""
_GITLINK = b"\x00\x00\xe0\x00"
_HARMLESS = {
    "core": "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol "
    "safecrlf quotepath untrackedcache abbrev longpaths trustctime checkstat sparsecheckout sparsecheckoutcone",
    "remote": "url fetch pushurl tagopt prune mirror gh-resolved pushdefault",
    "branch": "remote merge rebase description pushremote autosetuprebase autosetupmerge "
    "vscode-merge-base gh-merge-base",
    "user": "name email signingkey useconfigonly",
    "author": "name email",
    "committer": "name email",
    "submodule": "url active branch recurse",
    "init": "defaultbranch",
    "pull": "rebase ff",
    "push": "default autosetupremote followtags",
    "fetch": "prune prunetags parallel",
    "color": "ui status diff branch",
    "status": "showuntrackedfiles short branch",
    "diff": "renames algorithm colormoved mnemonicprefix noprefix",
    "merge": "conflictstyle ff log name",
    "rebase": "autostash autosquash updaterefs",
    "log": "date decorate abbrevcommit follow",
    "commit": "gpgsign verbose",
    "tag": "gpgsign sort",
    "gc": "auto autodetach autopacklimit",
    "rerere": "enabled",
    "index": "version threads sparse",
    "feature": "manyfiles",
    "lfs": "repositoryformatversion",
    "extensions": "objectformat worktreeconfig",
}
_HARMLESS_VALUES = {
    ("core", "fsmonitor"): ("true", "false"),
    ("core", "protecthfs"): ("true",),
    ("core", "protectntfs"): ("true",),
    ("extensions", "refstorage"): ("files", "reftable"),
}
_OF_A_REMOTE = ("url", "pushurl", "pushdefault", "mirror", "gh-resolved")  # defence: what-a-push-does-there
_DESTINATIONS = {"remote": _OF_A_REMOTE, "branch": ("remote", "pushremote")}
_KEYS = {section: frozenset(keys.split()) for section, keys in _HARMLESS.items()}


def runs_no_program(folder: Path) -> bool:
    """Whether the repository around `folder`, if any, has only harmless settings, hooks and parts.

    A `.git` that Git may not accept as a repository yields False: Git would continue in the parent folders. So
    does an environment that names another repository.
    """
    if any(name in os.environ for name in _ELSEWHERE):
        return False
    try:
        for above in (folder, *folder.parents):
            entry = above / ".git"
            if is_folder(entry):
                return _is_git_dir(entry) and _is_plain(entry, above)  # defence: sure-git-dir
            if path_exists(entry) or entry.is_symlink():
                return _is_plain_link(entry, above)
            # defence: possible-bare-repository
            if os.path.lexists(above / "HEAD"):  # Git also takes the rest from a `commondir`, and a dangling link
                return False
    except (OSError, ValueError):
        return False
    return True


def settings_hold_credential(folder: Path) -> bool:
    """Whether the settings of the repository around `folder`, or those of the user, hold a password or a token, as in
    an address: Git puts `url.ADDRESS.insteadOf` into the addresses that it shows.
    """
    try:
        found = repository_around(folder)
    except (OSError, ValueError):
        return True
    own = [found.common / "config"] if found is not None else []
    return any(map(holds_credential, (*own, *user_git_files())))  # defence: credential-of-the-user


def holds_credential(config: Path) -> bool:
    """Whether this file of Git's settings holds a password or a token; true if it cannot be read."""
    try:
        return os.path.lexists(config) and _CREDENTIAL.search(_text(config, _MAX_CONFIG)) is not None
    except (OSError, ValueError):
        return True


def reads_another_repository(folder: Path, folders: Sequence[Path]) -> bool:
    """Whether Git in this folder may print files of a repository that is neither around it nor in one of `folders`.

    `.git` files, links and `objects/info/alternates` are untrusted: they may point to other repositories.
    """
    try:
        found = repository_around(folder)
        if found is None:
            return False
        entry = found.top / ".git"
        own = is_folder(entry) and not entry.is_symlink()
        linked_back = is_file(entry) and not entry.is_symlink() and git_dir_at(entry) is not None
        if not (own or linked_back) and not all(_is_within(path, folders) for path in (found.git_dir, found.common)):
            return True
        objects = found.common / "objects"
        links = [*([objects] if objects.is_symlink() else []), *_links(objects), *_links(objects / "pack")]
        if not all(_is_within(real_path(path), (found.common, *folders)) for path in links):
            return True
        return os.path.lexists(objects / "info/alternates")
    except (OSError, ValueError):
        return True


def _is_within(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _links(folder: Path) -> list[Path]:
    if not os.path.lexists(folder):
        return []
    with os.scandir(folder) as entries:
        return [Path(entry.path) for entry in entries if entry.is_symlink()]


def _is_plain_link(entry: Path, top: Path) -> bool:
    """Whether `entry` is the `.git` file of a linked worktree or a submodule."""
    found = repository_at(entry)
    if found.common == found.git_dir:
        return _is_plain(found.git_dir, top)
    return _is_plain(found.common, top) and _index_is_plain(found.git_dir)


def _is_git_dir(folder: Path) -> bool:
    """Whether Git certainly accepts the folder as a repository."""
    head = folder / "HEAD"
    if head.is_symlink() or not _HEAD.fullmatch(_text(head, 4096)):
        return False
    return all(is_folder(folder / name) and os.access(folder / name, os.X_OK) for name in ("objects", "refs"))


def _is_plain(git_dir: Path, top: Path) -> bool:
    # defence: git-common-dir
    if os.path.lexists(git_dir / "commondir"):  # Git reads the settings of the folder that it names
        return False
    if path_exists(git_dir / "config.worktree") or _hooked(git_dir / "hooks"):
        return False
    if any(map(_hooked, hooks_of_user(top))):  # defence: hooks-in-each-worktree
        return False
    config = git_dir / "config"
    if path_exists(config) and not _config_is_plain(_text(config, _MAX_CONFIG), top):
        return False
    return _index_is_plain(git_dir)


def _config_is_plain(text: str, top: Path) -> bool:
    section = ""
    for line in text.split("\n"):
        line = line.strip(_BLANKS)  # defence: blanks-of-git
        if not line or line[0] in "#;":
            continue
        if found := _SECTION.fullmatch(line):
            section = found[1].lower()
            continue
        setting = _SETTING.fullmatch(line)
        if setting is None or line.endswith("\\"):
            return False
        key, value = setting[1].lower(), (setting[2] or "true").strip('"')
        if value.lower() in _HARMLESS_VALUES.get((section, key), ()):
            continue
        if (section, key) == ("core", "hookspath") and _PATH.fullmatch(value) and not _hooked(top / value):
            continue
        if (section, key, value) == ("merge", "driver", "true"):  # keeps a file as it is
            continue
        if key not in _KEYS.get(section, ()):
            return False
    return True


def _hooked(folder: Path) -> bool:
    """Whether the repository has a hook that Git runs even on reads, after it refreshes its index."""
    return path_exists(folder / "post-index-change")


def _index_is_plain(git_dir: Path) -> bool:
    """Whether the index has no submodules: in each, Git would use the settings there."""
    index = git_dir / "index"
    if not path_exists(index):
        return True
    return not any(git_dir.glob("sharedindex.*")) and _GITLINK not in read_bytes(index, most=_MAX_INDEX)


def _text(file: Path, most: int) -> str:
    return read_bytes(file, most=most).decode("utf-8")


def _with_continued_lines(text: str) -> Iterator[str]:
    """Yield the lines of a configuration; those of a value of several lines as one."""
    waiting: list[str] = []
    for line in text.split("\n"):
        waiting.append(line)
        comment = waiting[0].strip(_BLANKS)[:1] in ("#", ";")
        if comment or not line.rstrip(_BLANKS).endswith("\\"):
            yield "\n".join(waiting)
            waiting = []
    if waiting:
        yield "\n".join(waiting)


def without_unsafe_settings(
    text: str, *, git_dir: Path, tops: Collection[Path], kept_ones: Collection[str] = ()
) -> tuple[str, list[str]]:
    """Return a configuration without the settings that are neither known to be harmless nor among `kept_ones`, and
    these settings as `section.key=value`.

    Invalid lines are removed too. `git_dir` is its Git directory; a submodule's worktree is in `tops`.
    """
    kept: list[str] = []
    taken: list[str] = []
    section = named = ""
    for line in _with_continued_lines(text):  # defence: continued-lines-of-settings
        bare = line.strip(_BLANKS)
        if not bare or bare[0] in "#;":
            kept.append(line)
        elif found := _SECTION.fullmatch(bare):
            section, named = found[1].lower(), found[2] or ""
            kept.append(line)
        else:
            setting = _SETTING.fullmatch(bare)
            key = setting[1].lower() if setting is not None else ""
            harmless = not bare.endswith("\\") and key in _KEYS.get(section, ())
            value = (setting[2] or "").strip('"') if setting is not None else ""
            # defence: names-of-other-file-systems
            if value.lower() in _HARMLESS_VALUES.get((section, key), ()):
                harmless = True
            if section == "extensions" and named:  # defence: names-of-extensions
                harmless = False
            if (section, key) == ("core", "worktree") and _is_worktree_of_submodule(value, git_dir, tops):
                harmless = True
            # defence: settings-of-a-subsection
            spelled = f"{section}.{named}.{bare}" if named else f"{section}.{bare}"
            if harmless or spelled in kept_ones:
                kept.append(line)
            else:
                taken.append(spelled)
            # A header may be in it, also where Git reads another end of the value.
            if "\n" in line or setting is None:  # defence: headers-in-unknown-lines
                section, named = _UNSURE, ""
    return "\n".join(kept) + "\n" if kept else "", taken


@dataclass(frozen=True, slots=True)
class ShownRemotes:
    """What a command line shows of where pushes will go. `moved` are the words of the commands that add a remote or
    change its address; None if they show nothing, and any may change. `upstreams` are names of remotes that it may
    give to branches. `submodules`: those of submodules may change, as `.gitmodules` says.
    """

    moved: frozenset[str] | None = frozenset()
    upstreams: frozenset[str] = frozenset()
    submodules: bool = False

    @property
    def any_moves(self) -> bool:
        return self.moved != frozenset() or self.submodules


NO_REMOTES = ShownRemotes()


def moved_destinations(old: str, new: str, *, known: str, shown: ShownRemotes) -> list[str]:
    """Return changes of push destinations that the command line does not show: addresses of remotes, and branches with
    another remote. `known` are the earlier settings that name the remotes.
    """
    if shown.moved is None:
        return []
    before, after = _destinations(old), _destinations(new)
    values = {value for *_, value in before}
    remotes = {name for section, name, _, _ in _destinations(known) if section == "remote"} | {"."}
    tracking = {one[:3] for one in before}
    moved = [one for one in (*(after - before), *(before - after)) if one[0] == "remote"]
    for one in after - before:
        *setting, value = one
        # A branch that had no remote may get one: each `git checkout -b` does that.
        follows = setting[2] == "remote" and (tuple(setting) not in tracking or value in shown.upstreams)
        if one[0] == "branch" and not (follows and value in remotes):  # defence: remotes-of-branches
            moved.append(one)
    # defence: only-what-the-line-shows-moves
    moved = [one for one in moved if not _is_named(one, shown.moved, removed=one in before, values=values)]
    return sorted({f"{section}.{name}.{key}" if name else f"{section}.{key}" for section, name, key, _ in moved})


def _is_named(
    setting: tuple[str, str, str, str], approved: Collection[str], *, removed: bool, values: Collection[str]
) -> bool:
    """Whether words of `git remote` name the remote, and its new address unless it was renamed."""
    section, name, key, value = setting
    if key == "mirror" and not removed:
        return name in approved and any(word.startswith("--mirror") for word in approved)
    if section == "branch" or not name:
        return value in approved
    return name in approved and (removed or value in approved or value in values)


def _destinations(text: str) -> frozenset[tuple[str, str, str, str]]:
    """Return section, name, key and value of each setting that `without_unsafe_settings` keeps and that says where a
    push goes. A value of more than a name or an address counts as it is written.
    """
    found: set[tuple[str, str, str, str]] = set()
    section = name = ""
    for line in text.split("\n"):
        bare = line.strip(_BLANKS)
        if header := _SECTION.fullmatch(bare):
            section, name = header[1].lower(), header[2] or ""
        elif setting := _SETTING.fullmatch(bare):
            key, value = setting[1].lower(), (setting[2] or "").strip('"')
            if key in _DESTINATIONS.get(section, ()):
                found.add((section, name, key, value))
    return frozenset(found)


def _is_worktree_of_submodule(value: str, git_dir: Path, tops: Collection[Path]) -> bool:
    """Whether Git in a submodule writes its files below one of `tops`, and not in a place that a command chooses."""
    if "modules" not in git_dir.parts or not value.startswith("../") or "\0" in value:
        return False
    real = real_path(git_dir / value)
    below = any(real.is_relative_to(top) and real != top for top in tops)
    return below and not _is_git_folder(real)  # defence: worktrees-in-git-directories


def _is_git_folder(real: Path) -> bool:
    """Whether this path, without links, is that of a Git directory or of a folder in one that Git uses itself. A
    repository without a worktree of its own may hold the worktrees of others.
    """
    if any(part.lower() == ".git" for part in real.parts) or looks_like_git_dir(real):
        return True
    return any(is_name_of_git(folder.name) and looks_like_git_dir(folder.parent) for folder in (real, *real.parents))
