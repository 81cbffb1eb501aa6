"""Gets a skill from its source, with the commit."""

from pathlib import Path
from typing import NamedTuple

from kimi_tui.errors import SkillInstallError
from kimi_tui.i18n import tr
from kimi_tui.paths import is_file
from kimi_tui.skill.sharing.git_repository import FetchedCommit, fetched_commit
from kimi_tui.skill.sharing.skill_package import Entry, SkillPackage, package_of_folder, read_package, skill_folder
from kimi_tui.skill.sharing.source import SkillSource
from kimi_tui.skill.skill import SKILL_FILE


class FetchedSkill(NamedTuple):
    """A fetched skill with its commit.

    `path` is the skill's folder in its source; `commit` is None for a folder on this disk.
    """

    package: SkillPackage
    path: str
    commit: str | None


def fetch_skill(source: SkillSource) -> FetchedSkill:
    """Fetch the skill. Raises SkillInstallError."""
    if source.protocol is None:
        return _from_folder(source)
    with fetched_commit(source) as found:
        folder = skill_folder(found.entries, source.path)
        return FetchedSkill(_package(found, folder), folder, found.commit)


def _package(found: FetchedCommit, folder: str) -> SkillPackage:
    prefix = f"{folder}/" if folder else ""
    entries: dict[str, Entry] = {}
    for name, entry in found.entries.items():
        if not name.startswith(prefix):
            continue
        inner = name.removeprefix(prefix)
        if entry.mode not in ("100644", "100755", "100664", "120000"):
            raise SkillInstallError(tr("{name} is a submodule, which is not fetched", name=inner))
        entries[inner] = Entry(entry.mode == "100755", entry.mode == "120000")

    def read(names: list[str]) -> dict[str, bytes]:
        contents = found.read([prefix + name for name in names])
        return {name.removeprefix(prefix): content for name, content in contents.items()}

    return read_package(entries, read)


def _from_folder(source: SkillSource) -> FetchedSkill:
    top = Path(source.location)
    path = source.path
    if not is_file(top / path / SKILL_FILE):
        held = (each for depth in ("*", "*/*") for each in top.glob(f"{depth}/{SKILL_FILE}"))
        path = skill_folder([each.relative_to(top).as_posix() for each in held], path)
    return FetchedSkill(package_of_folder(top / path), path, None)
