"""The lock file of the shared skills, `skills-lock.json` beside the user's folder of skills.

It stores each skill's source, its commit, and the hash of each of its files.
"""

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kimi_tui import json_text
from kimi_tui.atomic_file import replace_file
from kimi_tui.errors import SkillInstallError, UsageError
from kimi_tui.i18n import tr
from kimi_tui.paths import shown
from kimi_tui.regular_file import read_text
from kimi_tui.skill.sharing.skill_package import package_hash
from kimi_tui.skill.sharing.source import SkillSource, read_source

FILE = "skills-lock.json"
NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(-[a-z0-9]+)*")
"""A name of the Agent Skills format, in ASCII: no other letters that look the same."""


class LockedSkill(BaseModel):
    """The locked version of a shared skill.

    `ref`: the branch or tag that updates follow; None: the default branch. `files`: SHA-256 by path.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    source: str
    ref: str | None = None
    path: str = ""
    commit: str | None = None
    hash: str
    files: dict[str, str]

    def read_source(self) -> SkillSource:
        """Parse the stored source. Raises SkillInstallError if its folder is missing or the stored text is invalid."""
        try:
            return read_source(self.source, ref=self.ref, path=self.path)
        except UsageError as error:
            raise SkillInstallError(str(error)) from error


class SkillsLock(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    version: int = 1
    skills: dict[str, LockedSkill] = Field(default_factory=dict)


def read_lock(file: Path) -> SkillsLock:
    """Read the lock; a missing file is an empty one. Raises SkillInstallError for a file that is not valid."""
    try:
        lock = SkillsLock.model_validate(json_text.loads(read_text(file)))
    except FileNotFoundError:
        return SkillsLock()
    except OSError as error:
        raise SkillInstallError(f"{shown(file)}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise SkillInstallError(f"{shown(file)}: {place}: {first['msg']}") from error
    except ValueError as error:
        raise SkillInstallError(f"{shown(file)}: {error}") from error
    if lock.version != 1:
        raise SkillInstallError(tr("{file} was written by a newer version of kimi-tui", file=shown(file)))
    for name, entry in lock.skills.items():
        if not NAME.fullmatch(name) or entry.hash != package_hash(entry.files):  # defence: lock-names-no-path
            raise SkillInstallError(tr("{file}: the entry {name!r} is damaged", file=shown(file), name=name))
    return lock


def write_lock(file: Path, lock: SkillsLock) -> None:
    """Replace the lock. Raises OSError."""
    data = SkillsLock(version=lock.version, skills=dict(sorted(lock.skills.items())))
    replace_file(file, data.model_dump_json(indent=2) + "\n", follow_link=True, sync_folder=True)
