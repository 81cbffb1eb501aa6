"""The folders that skills are found in, in order of precedence, and the skill files in them."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from kimi_tui import paths
from kimi_tui.i18n import tr
from kimi_tui.skill.skill import SKILL_FILE, Problem, Scope
from kimi_tui.skill.skill_file import reason

MAX_ENTRIES = 20_000
"""A folder with more entries is not a skill folder; the rest is ignored with a problem."""

_BRANDS = (".kimi-tui/skills", ".kimi/skills", ".claude/skills", ".codex/skills")
_GENERIC = ".agents/skills"
_GENERIC_USER = (".config/agents/skills", ".agents/skills")


@dataclass(frozen=True, slots=True)
class SkillRoot:
    """A folder that may hold skills. `named`: the user named it, so it is a problem if it is missing."""

    path: Path
    scope: Scope
    named: bool = False


@dataclass(frozen=True, slots=True)
class SkillRoots:
    """Where to look. Every call checks the disk, so a folder may appear later.

    `skills_dirs` (`--skills-dir`) replace the project's and the user's folders; `merge_all` false uses only the first
    brand's folder that exists, once for the project and once for the user. `with_project` false: the project's folders
    do not count, except those in `skills_dirs`. `project_waits`: they do not count either, but are searched, since the
    user would be asked to trust them. `project_last`: they count, but a skill of the user's or ours of the same name
    comes first.
    """

    work_dir: Path
    user_home: Path = field(default_factory=Path.home)
    own_home: Path = field(default_factory=paths.home)
    skills_dirs: tuple[Path, ...] = ()
    extra_dirs: tuple[str, ...] = ()
    merge_all: bool = True
    with_project: bool = True
    project_waits: bool = False
    project_last: bool = False
    bundled: Path = field(default_factory=lambda: paths.bundled("skills"))

    def candidates(self) -> tuple[SkillRoot, ...]:
        """Every folder that may ever count, existing or not, best first."""
        project, generic_project, user, generic_user = self._discovered()
        return (
            *self._configured_roots(self.skills_dirs),
            *project,
            *generic_project,
            *user,
            *generic_user,
            *self._configured_roots(self._extra()),
            SkillRoot(self.bundled, Scope.BUNDLED),
        )

    def existing(self) -> tuple[SkillRoot, ...]:
        """The folders that count now, best first, each once even if it has several names."""
        if self.project_waits and self.project_root() != self.user_home:
            return replace(self, with_project=False, project_waits=False).existing()
        project, generic_project, user, generic_user = self._discovered()
        project, user = list(filter(_exists, project)), list(filter(_exists, user))
        if not self.merge_all:
            project, user = project[:1], user[:1]
        generic_user = list(filter(_exists, generic_user))[:1]
        user_folders = {_identity(root.path) for root in (*user, *generic_user)}
        # A project that is the user's own home has only the user's folders.
        projects = [root for root in (*project, *generic_project) if _identity(root.path) not in user_folders]
        named, extra = self._configured_roots(self.skills_dirs), self._configured_roots(self._extra())
        bundled = SkillRoot(self.bundled, Scope.BUNDLED)
        if self.project_last:  # defence: own-skills-before-untrusted-ones
            top = self.project_root()
            projects += [root for root in extra if root.path.is_relative_to(top)]
            return tuple(
                _each_once(
                    [
                        *named,
                        *user,
                        *generic_user,
                        *(root for root in extra if root not in projects),
                        bundled,
                        *projects,
                    ]
                )
            )
        return tuple(_each_once([*named, *projects, *user, *generic_user, *extra, bundled]))

    def waiting(self) -> tuple[SkillRoot, ...]:
        """The project's folders that would count once the user trusts the project."""
        if not self.project_waits:
            return ()
        count = self.existing()
        return tuple(root for root in replace(self, project_waits=False).existing() if root not in count)

    def project_root(self) -> Path:
        return paths.project_root(self.work_dir, self.user_home)

    def _discovered(self) -> tuple[list[SkillRoot], list[SkillRoot], list[SkillRoot], list[SkillRoot]]:
        if self.skills_dirs:
            return [], [], [], []
        top = self.project_root()
        project = [SkillRoot(top / name, Scope.PROJECT) for name in _BRANDS] if self.with_project else []
        generic = [SkillRoot(top / _GENERIC, Scope.PROJECT)] if self.with_project else []
        own_brand, *other_brands = _BRANDS
        del own_brand  # the user's own folder moves with our home
        user = [self.own_home / "skills", *(self.user_home / name for name in other_brands)]
        return (
            project,
            generic,
            [SkillRoot(path, Scope.USER) for path in user],
            [SkillRoot(self.user_home / name, Scope.USER) for name in _GENERIC_USER],
        )

    def _extra(self) -> Iterator[Path]:
        for name in self.extra_dirs:
            if name == "~" or name.startswith("~/"):
                yield self.user_home / name[2:]
            elif self.with_project or name.startswith("/"):
                yield self.project_root() / name

    def _configured_roots(self, folders: Iterable[Path]) -> list[SkillRoot]:
        return [SkillRoot(self.work_dir / folder, Scope.EXTRA, named=True) for folder in folders]


def skill_files(root: Path) -> tuple[list[Path], list[Problem]]:
    """The skill files of a folder, ordered by name, and a problem for each entry that cannot be read.

    `NAME/SKILL.md` wins over `NAME.md`. A folder with a SKILL.md of its own is that one skill.
    """
    if os.path.lexists(root / SKILL_FILE):
        return [root / SKILL_FILE], []
    problems: list[Problem] = []
    folders: dict[str, Path] = {}
    files: dict[str, Path] = {}
    for entry in _entries(root, problems):
        try:
            if entry.is_dir():
                if _holds_skill(entry.path):
                    folders[entry.name.casefold()] = Path(entry.path, SKILL_FILE)
            elif entry.name.endswith(".md"):
                files[entry.name.removesuffix(".md").casefold()] = Path(entry.path)
        except OSError as error:
            problems.append(Problem(Path(entry.path), None, None, "error", reason(error)))
    files_found = {**files, **folders}
    return [files_found[name] for name in sorted(files_found)], problems


def _holds_skill(folder: str) -> bool:
    """Whether the folder has a SKILL.md, even a broken link. Raises OSError if that cannot be determined."""
    try:
        os.lstat(f"{folder}/{SKILL_FILE}")
    except FileNotFoundError:
        return False
    return True


def _entries(root: Path, problems: list[Problem]) -> list[os.DirEntry[str]]:
    """The entries of a folder, hidden ones left out, in a fixed order."""
    entries: list[os.DirEntry[str]] = []
    try:
        with os.scandir(root) as listing:
            for number, entry in enumerate(listing):
                if number == MAX_ENTRIES:
                    text = f"has more than {MAX_ENTRIES} entries; the rest is ignored"
                    problems.append(Problem(root, None, None, "warning", text))
                    break
                if not entry.name.isprintable():
                    name = entry.name.encode("utf-8", "replace").decode().encode("unicode_escape").decode()
                    problems.append(
                        Problem(
                            root,
                            None,
                            None,
                            "error",
                            tr("the name `{name}` contains characters that cannot be displayed", name=name),
                        )
                    )
                elif not entry.name.startswith("."):
                    entries.append(entry)
    except OSError as error:
        problems.append(Problem(root, None, None, "error", reason(error)))
    return sorted(entries, key=lambda entry: entry.name, reverse=True)


def _exists(root: SkillRoot) -> bool:
    return paths.is_folder(root.path)


def _identity(path: Path) -> tuple[int, int] | None:
    """Identifies a folder independently of its path; None if there is no such folder."""
    status = _status(path)
    return (status.st_dev, status.st_ino) if status and stat.S_ISDIR(status.st_mode) else None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _each_once(roots: Iterable[SkillRoot]) -> Iterator[SkillRoot]:
    identities: set[tuple[int, int]] = set()
    for root in roots:
        identity = _identity(root.path)
        if identity is not None and identity not in identities:
            identities.add(identity)
            yield root
