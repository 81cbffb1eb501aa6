import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui.errors import SkillInstallError
from kimi_tui.skill.sharing.installation import open_installation
from kimi_tui.skill.sharing.skill_package import hashes_of_folder, package_hash
from kimi_tui.skill.sharing.skills_lock import read_lock
from tests.skill.sharing.killed_install import POINTS, install, version

ROOT = Path(__file__).parents[3]


def text_in_use(home: Path) -> str | None:
    file = home / "skills/one/SKILL.md"
    return file.read_text() if file.exists() else None


def kept_texts(home: Path) -> set[str]:
    return {file.read_text() for file in home.glob("skills/.kept/*/SKILL.md")}


def test_a_kill_at_each_point_leaves_the_old_version_or_the_new_one(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.skill.sharing.killed_install", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    homes = sorted(tmp_path.iterdir())
    assert len(homes) == sum(map(len, POINTS.values()))
    valid = {
        "add": (None, "version 1"),
        "update": ("version 1", "version 2"),
        "edited": ("mine", "version 2"),
        "remove": (None,),
        "unedit": (None,),
    }
    for home in homes:
        action = home.name.partition("-")[0]
        left = text_in_use(home)
        assert left in valid[action], home.name
        with open_installation(home) as installation:
            entry = installation.lock.skills.get("one")
            now = text_in_use(home)
            assert now in valid[action], home.name
            assert (now is None) == (entry is None), home.name
            if entry is not None and now != "mine":
                assert package_hash(hashes_of_folder(home / "skills/one")) == entry.hash, home.name
        if action in ("edited", "unedit"):
            assert now == "mine" or "mine" in kept_texts(home), home.name
        assert {path.name for path in (home / "skills").iterdir()} <= {"one", ".kept"}, home.name


def test_what_the_user_changed_is_kept(tmp_path: Path) -> None:
    install(tmp_path, 1)
    (tmp_path / "skills/one/SKILL.md").write_text("mine")
    (tmp_path / "skills/one/notes").write_text("mine too")
    with open_installation(tmp_path) as installation:
        assert installation.changes("one") == ["SKILL.md", "notes"]
    install(tmp_path, 2)
    assert (text_in_use(tmp_path), kept_texts(tmp_path)) == ("version 2", {"mine"})
    (tmp_path / "skills/one/SKILL.md").write_text("mine again")
    with open_installation(tmp_path) as installation:
        assert installation.remove("one") == tmp_path / "skills/.kept/one-2"
    assert (text_in_use(tmp_path), kept_texts(tmp_path)) == (None, {"mine", "mine again"})
    assert read_lock(tmp_path / "skills-lock.json").skills == {}


def test_a_version_that_the_user_did_not_change_leaves_nothing_behind(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        install(tmp_path, number)
    with open_installation(tmp_path) as installation:
        assert installation.remove("one") is None
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["skills", "skills-lock.json"]


def test_only_one_process_changes_the_skills(tmp_path: Path) -> None:
    with (
        open_installation(tmp_path),
        pytest.raises(SkillInstallError, match="another kimi-tui"),
        open_installation(tmp_path),
    ):
        pass


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 2, "skills": {}}', '{"skills": {"../x": 1}}'])
def test_a_damaged_lock_is_an_error_and_stays(tmp_path: Path, text: str) -> None:
    file = tmp_path / "skills-lock.json"
    file.write_text(text)
    with pytest.raises(SkillInstallError, match="skills-lock"), open_installation(tmp_path):
        pass
    assert file.read_text() == text


def test_a_name_in_the_lock_is_no_path(tmp_path: Path) -> None:
    install(tmp_path, 1)
    file = tmp_path / "skills-lock.json"
    file.write_text(file.read_text().replace('"one"', '"../one"'))
    with pytest.raises(SkillInstallError, match="damaged"):
        read_lock(file)


def test_a_staged_file_never_follows_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with open_installation(tmp_path) as installation:
        (tmp_path / "skills/.staged").mkdir(exist_ok=True)
        (tmp_path / "skills/.staged/one").symlink_to(outside)
        installation.stage("one", version(1))
        assert list(outside.iterdir()) == []
