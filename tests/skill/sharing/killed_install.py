"""Changes a folder of skills and is killed at each crash point: `python -m tests.skill.sharing.killed_install FOLDER`.

Makes one home a point, `FOLDER/ACTION-POINT`, as the killed process left it.
"""

import os
import sys
from pathlib import Path

from kimi_tui.skill.sharing.installation import open_installation
from kimi_tui.skill.sharing.skill_package import PackagedFile, SkillPackage
from kimi_tui.skill.sharing.skills_lock import LockedSkill

POINTS = {
    "add": ("skill.file_staged", "skill.file_staged:2", "skill.before_lock", "skill.after_lock"),
    "update": (
        "skill.file_staged", "skill.file_staged:2", "skill.before_lock", "skill.after_lock", "skill.after_exchange",
    ),
    "edited": ("skill.file_staged", "skill.before_lock", "skill.after_lock", "skill.after_exchange"),
    "remove": ("skill.after_aside", "skill.after_unlock"),
    "unedit": ("skill.after_aside", "skill.after_unlock"),
}  # fmt: skip
"""`edited` updates and `unedit` removes a skill that the user changed."""


def version(number: int) -> SkillPackage:
    return SkillPackage({"SKILL.md": PackagedFile(b"version %d" % number), "a/b": PackagedFile(b"same")})


def entry(package: SkillPackage) -> LockedSkill:
    return LockedSkill(source="file:///x", commit=None, hash=package.hash, files=package.hashes)


def install(home: Path, number: int) -> None:
    with open_installation(home) as installation:
        installation.stage("one", version(number))
        installation.commit("one", entry(version(number)))


def change(home: Path, action: str) -> None:
    if action in ("remove", "unedit"):
        with open_installation(home) as installation:
            installation.remove("one")
    else:
        install(home, 1 if action == "add" else 2)


def main(base: Path) -> None:
    for action, points in POINTS.items():
        for point in points:
            home = base / f"{action}-{point}"
            home.mkdir()
            if action != "add":
                install(home, 1)
            if action in ("edited", "unedit"):
                (home / "skills/one/SKILL.md").write_text("mine")
            child = os.fork()
            if child == 0:
                os.environ["KIMI_TUI_CRASH_AT"] = point
                change(home, action)
                os._exit(0)
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -9:
                sys.exit(f"{home.name}: not killed")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
