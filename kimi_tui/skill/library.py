"""All skills of a session, as one snapshot that is replaced whole when files change."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kimi_tui.errors import SkillError
from kimi_tui.i18n import tr
from kimi_tui.paths import is_folder
from kimi_tui.skill.roots import SkillRoots, skill_files
from kimi_tui.skill.skill import MAX_DESCRIPTION, Problem, Scope, Skill, SkillKind, read_skill


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The skills on disk at one moment, by lower-case name, best first, and their problems.

    `waiting`: skill files of a project whose trust the user has not decided yet.
    """

    skills: Mapping[str, Skill] = field(default_factory=dict[str, Skill])
    problems: tuple[Problem, ...] = ()
    waiting: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillChange:
    """What a reload changed, as names. It is true if anything changed, problems and waiting skills included."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: bool = False
    waiting: bool = False

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.problems or self.waiting)


@dataclass(frozen=True, slots=True)
class _ReadSkill:
    """A file's stamp when it was read, and the result."""

    stamp: tuple[int, ...]
    scope: Scope
    outcome: Skill | SkillError


# A file that changed this shortly before it was read may change again with the same times.
_UNSETTLED_NS = 2_000_000_000

PROJECT_SECONDS = 2.0
"""The limit of processor time for a project's skills: an untrusted folder may have thousands that parse slowly."""

Listener = Callable[[SkillChange], None]


class SkillLibrary:
    """The skills of a session. Empty until the first `reload`.

    `scan` may run in a thread; `adopt`, which calls the listeners, must run in the listeners' thread. `featured` names
    a flow that is listed first, hidden or not.
    """

    def __init__(self, roots: SkillRoots, *, featured: str | None = None, seconds: float = PROJECT_SECONDS) -> None:
        self._seconds = seconds
        self.roots = roots
        self._featured = featured
        self.snapshot = Snapshot()
        self._listeners: list[Listener] = []
        self._readings: Mapping[Path, _ReadSkill] = {}

    @classmethod
    def load(cls, roots: SkillRoots, *, featured: str | None = None) -> "SkillLibrary":
        """Create a library and read the skills."""
        library = cls(roots, featured=featured)
        library.reload()
        return library

    @property
    def skills(self) -> tuple[Skill, ...]:
        """All skills that are not hidden, ordered by scope and name."""
        return tuple(skill for skill in self.snapshot.skills.values() if not skill.hidden)

    def get(self, name: str) -> Skill | None:
        """The skill with that name, ignoring case; also finds hidden skills."""
        return self.snapshot.skills.get(name.strip().casefold())

    def flows(self) -> tuple[Skill, ...]:
        """The skills that can run as flows, the featured one first."""
        first = self.get(self._featured) if self._featured else None
        skills = (*([first] if first else []), *(skill for skill in self.skills if skill is not first))
        return tuple(skill for skill in skills if skill.kind is SkillKind.FLOW)

    def problems(self) -> tuple[Problem, ...]:
        """The problems of skills and folders, in the order of the folders."""
        return self.snapshot.problems

    def listing(self) -> str:
        """The skill list for the system prompt: the model opens the file of a skill that it needs."""
        parts: list[str] = []
        for scope in Scope:
            skills = [skill for skill in self.skills if skill.scope is scope]
            if skills:
                parts.append(f"### {scope}\n\n" + "\n".join(_entry(skill) for skill in skills))
        return "\n\n".join(parts) or "No skills found."

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each change; returns a function that unsubscribes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def reload(self) -> SkillChange:
        """Read everything again and return the difference."""
        return self.adopt(self.scan())

    def scan(self) -> Snapshot:
        """Read the disk. Skips unchanged files and does not change the library."""
        skills: dict[str, Skill] = {}
        readings: dict[Path, _ReadSkill] = {}
        until = time.thread_time() + self._seconds
        problems = [
            Problem(root.path, None, None, "warning", tr("skill folder not found"))
            for root in self.roots.candidates()
            if root.named and not is_folder(root.path)
        ]
        for root in self.roots.existing():
            files, root_problems = skill_files(root.path)
            problems += root_problems
            for file in files:
                if root.scope is Scope.PROJECT and time.thread_time() > until:  # defence: bound-project-skills
                    text = tr("reading the skills took too long; the remaining ones are ignored")
                    problems.append(Problem(root.path, None, None, "warning", text))
                    break
                skill = self._read(file, root.scope, readings)
                if isinstance(skill, SkillError):
                    problems.append(
                        Problem(file, skill.line, None, "error", tr("{cause} (ignored)", cause=skill.cause))
                    )
                    continue
                problems += skill.problems
                first = skills.setdefault(skill.key, skill)
                if first is not skill:
                    text = tr("`{name}` is ignored; {file} already has this name", name=skill.name, file=first.path)
                    problems.append(Problem(skill.path, None, None, "note", text))
        self._readings = readings
        waiting = tuple(file for root in self.roots.waiting() for file in skill_files(root.path)[0])
        return Snapshot(skills, tuple(problems), waiting)

    def _read(self, file: Path, scope: Scope, readings: dict[Path, _ReadSkill]) -> Skill | SkillError:
        stamp = _stamp(file)
        cached = self._readings.get(file)
        if cached is None or cached.stamp != stamp or cached.scope is not scope:
            try:
                outcome = read_skill(file, scope)
            except SkillError as error:  # defence: bad-skill
                outcome = error
            cached = _ReadSkill(stamp, scope, outcome)
        if stamp:
            readings[file] = cached
        return cached.outcome

    def adopt(self, snapshot: Snapshot) -> SkillChange:
        """Make `snapshot` the current one and call the listeners, if it is different."""
        old, new = self.snapshot, snapshot
        self.snapshot = snapshot
        change = SkillChange(
            added=tuple(skill.name for key, skill in new.skills.items() if key not in old.skills),
            changed=tuple(
                skill.name for key, skill in new.skills.items() if key in old.skills and old.skills[key] != skill
            ),
            removed=tuple(skill.name for key, skill in old.skills.items() if key not in new.skills),
            problems=old.problems != new.problems,
            waiting=old.waiting != new.waiting,
        )
        if change:
            for listener in tuple(self._listeners):
                listener(change)
        return change


def _stamp(file: Path) -> tuple[int, ...]:
    """Identifies one version of a file; empty if the file cannot be examined."""
    try:
        status = file.stat()
    except (OSError, ValueError):
        return ()
    changed = max(status.st_mtime_ns, status.st_ctime_ns)
    if time.time_ns() - changed < _UNSETTLED_NS:
        return ()
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _entry(skill: Skill) -> str:
    description = skill.description[:MAX_DESCRIPTION]
    return f"- {skill.name}\n  - Path: {skill.path}\n  - Description: {description}"
