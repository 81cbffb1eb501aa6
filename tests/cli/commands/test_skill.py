"""`kimi-tui skill list`, as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import kimi_tui
from tests.skill.skill_files import write_skill


def run(tmp_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "work").mkdir(exist_ok=True)
    environ = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "KIMI_TUI_HOME": str(tmp_path / "own"),
        "COLUMNS": "60",
        "PYTHONPATH": str(Path(kimi_tui.__file__).parent.parent),
    }
    return subprocess.run(
        [sys.executable, "-m", "kimi_tui", *args], cwd=tmp_path / "work", env=environ, capture_output=True, text=True
    )


def test_skills_are_listed_by_where_they_come_from(tmp_path: Path) -> None:
    write_skill(tmp_path / "work/.agents/skills", "ours", "Does " + "much " * 30)
    write_skill(tmp_path / "own/skills", "mine", flow="Step")
    done = run(tmp_path, "skill", "list")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["Project", "  ours                        Does much much much much much…"]
    assert lines[3:5] == ["User", "  mine                  flow  Does it."]
    assert any(line.startswith("  fix-until-green       flow  Makes") and len(line) == 60 for line in lines)
    assert not any("demo" in line for line in lines)


def test_wide_characters_keep_the_columns(tmp_path: Path) -> None:
    write_skill(tmp_path / "mine", "修复", "把" * 40)
    done = run(tmp_path, "skill", "list", "--skills-dir", str(tmp_path / "mine"))
    assert done.stdout.splitlines()[1] == "  修复" + " " * 24 + "把" * 14 + "…"


def test_problems_have_file_line_and_column_and_a_status(tmp_path: Path) -> None:
    file = write_skill(tmp_path / "own/skills", "broken", flow="Step")
    file.write_text(file.read_text().replace("([END])", ""))
    assert run(tmp_path, "skill", "list").stdout.endswith("2 problems: kimi-tui skill list --problems\n")
    done = run(tmp_path, "skill", "list", "--problems")
    assert done.returncode == 1
    assert done.stdout.startswith(f"{file}:")
    assert ": error: no node is labelled END" in done.stdout
    file.write_text("---\nname: broken\ndescription: d\n---\n")
    done = run(tmp_path, "skill", "list", "--problems")
    assert (done.returncode, done.stdout) == (0, "")


def test_all_of_it_is_there_as_json(tmp_path: Path) -> None:
    file = write_skill(tmp_path / "mine", "one", "Does it.")
    write_skill(tmp_path / "mine", "two").write_text("---\nname: [\n---\n")
    done = run(tmp_path, "skill", "list", "--json", "--skills-dir", str(tmp_path / "mine"))
    told = json.loads(done.stdout)
    assert told["skills"][0] == {
        "name": "one",
        "description": "Does it.",
        "kind": "standard",
        "declared_kind": "standard",
        "scope": "Extra",
        "path": str(file),
    }
    [problem] = told["problems"]
    assert (problem["severity"], problem["line"]) == ("error", 3)


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    done = run(tmp_path, "skill", "list", "--skills-dir", "nowhere")
    assert (done.returncode, done.stderr) == (2, "kimi-tui: --skills-dir nowhere: no such folder\n")
