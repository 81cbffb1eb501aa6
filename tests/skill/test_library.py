"""All skills together: which one has a name, what the model is told of them, and what a reload brings."""

import os
import subprocess
import sys
import time
from pathlib import Path

from kimi_tui.skill.library import SkillChange, SkillLibrary
from kimi_tui.skill.skill import Scope, SkillKind
from kimi_tui.skill.skill_file import MAX_PROJECT_BYTES
from tests.skill.skill_files import roots_in, write_skill


def texts(library: SkillLibrary) -> list[str]:
    return [f"{problem.severity}: {problem.text}" for problem in library.problems()]


def test_the_first_skill_of_a_name_wins_whatever_its_case(tmp_path: Path) -> None:
    write_skill(tmp_path / "project/.kimi/skills", "tidy", "The project's.")
    write_skill(tmp_path / "own/skills", "TIDY", "The user's.")
    library = SkillLibrary.load(roots_in(tmp_path))
    assert [(skill.name, skill.scope) for skill in library.skills] == [("tidy", Scope.PROJECT)]
    found = library.get(" Tidy ")
    assert found is not None
    assert found.description == "The project's."
    assert any(text.startswith("note: `TIDY` is ignored; ") for text in texts(library))


def test_flows_are_listed_apart_and_broken_ones_are_not_among_them(tmp_path: Path) -> None:
    root = tmp_path / "own/skills"
    write_skill(root, "plain")
    write_skill(root, "walk", flow="Step")
    broken = write_skill(root, "stuck", flow="Step")
    broken.write_text(broken.read_text().replace("([END])", ""))
    library = SkillLibrary.load(roots_in(tmp_path))
    assert [skill.name for skill in library.flows()] == ["walk"]
    stuck = library.get("stuck")
    assert stuck is not None
    assert stuck.kind is SkillKind.STANDARD
    problem = next(one for one in library.problems() if one.severity == "error")
    assert (problem.path, problem.severity, problem.line is not None) == (broken, "error", True)


def test_bad_skills_are_passed_over_with_a_reason_and_the_good_ones_stay(tmp_path: Path) -> None:
    root = tmp_path / "own/skills"
    write_skill(root, "good")
    write_skill(root, "yaml").write_text("---\nname: [\n---\n")
    write_skill(root, "kind").write_text("---\nname: kind\ntype: graph\n---\n")
    write_skill(root, "bytes").write_bytes(b"\xff")
    (root / "pipe").mkdir()
    os.mkfifo(root / "pipe" / "SKILL.md")
    (root / "loop").symlink_to("loop")
    library = SkillLibrary.load(roots_in(tmp_path))
    assert [skill.name for skill in library.skills] == ["good"]
    assert {problem.path.parent.name for problem in library.problems() if problem.path.name == "SKILL.md"} == {
        "yaml",
        "kind",
        "bytes",
        "pipe",
    }
    assert all(problem.severity == "error" for problem in library.problems())


def test_a_folder_that_was_named_and_is_missing_is_told(tmp_path: Path) -> None:
    library = SkillLibrary.load(roots_in(tmp_path, skills_dirs=(tmp_path / "gone",)))
    assert [problem.path for problem in library.problems()] == [tmp_path / "gone"]


def test_the_listing_groups_by_scope_and_leaves_hidden_ones_out(tmp_path: Path) -> None:
    own = write_skill(tmp_path / "own/skills", "user-one", "Helps the user.")
    mine = write_skill(tmp_path / "project/.agents/skills", "project-one", "Helps the project.")
    hidden = write_skill(tmp_path / "bundled", "demo")
    hidden.write_text("---\nname: demo\ndescription: d\nmetadata:\n  hidden: true\n---\n")
    library = SkillLibrary.load(roots_in(tmp_path))
    assert library.listing() == (
        f"### Project\n\n- project-one\n  - Path: {mine}\n  - Description: Helps the project.\n\n"
        f"### User\n\n- user-one\n  - Path: {own}\n  - Description: Helps the user."
    )
    assert library.get("demo") is not None


def test_a_featured_flow_is_listed_first_hidden_or_not(tmp_path: Path) -> None:
    chart = "```mermaid\nflowchart TD\nBEGIN([BEGIN]) --> A[Do it] --> END([END])\n```\n"
    for name, hidden in (("aaa", "false"), ("demo", "true"), ("other", "true")):
        file = write_skill(tmp_path / "own/skills", name)
        file.write_text(f"---\nname: {name}\ndescription: d\ntype: flow\nmetadata:\n  hidden: {hidden}\n---\n{chart}")
    assert [skill.name for skill in SkillLibrary.load(roots_in(tmp_path)).flows()] == ["aaa"]
    library = SkillLibrary.load(roots_in(tmp_path), featured="demo")
    assert [skill.name for skill in library.flows()] == ["demo", "aaa"]
    assert [skill.name for skill in library.skills] == ["aaa"]


def test_without_skills_the_listing_says_so(tmp_path: Path) -> None:
    assert SkillLibrary.load(roots_in(tmp_path)).listing() == "No skills found."


def test_a_reload_says_what_is_different(tmp_path: Path) -> None:
    root = tmp_path / "own/skills"
    write_skill(root, "edited")
    removed = write_skill(root, "removed")
    write_skill(root, "same")
    library, messages = SkillLibrary.load(roots_in(tmp_path)), list[SkillChange]()
    before = library.snapshot
    stop = library.listen(messages.append)
    write_skill(root, "edited", "Does it better.")
    write_skill(root, "added")
    removed.unlink()
    change = library.reload()
    assert change == SkillChange(added=("added",), changed=("edited",), removed=("removed",))
    assert messages == [change]
    assert set(before.skills) == {"edited", "removed", "same"}
    assert not library.reload()
    stop()
    write_skill(root, "later")
    assert library.reload()
    assert messages == [change]


def test_a_new_problem_alone_is_a_change(tmp_path: Path) -> None:
    library = SkillLibrary.load(roots_in(tmp_path))
    write_skill(tmp_path / "own/skills", "bad").write_text("---\n[\n---\n")
    assert library.reload() == SkillChange(problems=True)


def test_breaking_and_mending_a_flow_takes_it_out_and_back(tmp_path: Path) -> None:
    file = write_skill(tmp_path / "own/skills", "walk", flow="Step")
    library = SkillLibrary.load(roots_in(tmp_path))
    text = file.read_text()
    file.write_text(text.replace("BEGIN([BEGIN])", "START"))
    assert library.reload() == SkillChange(changed=("walk",), problems=True)
    assert library.flows() == ()
    file.write_text(text)
    assert library.reload() == SkillChange(changed=("walk",), problems=True)
    assert [skill.name for skill in library.flows()] == ["walk"]


def test_an_edit_that_leaves_size_and_time_alone_is_seen(tmp_path: Path) -> None:
    file = write_skill(tmp_path / "own/skills", "walk", "one")
    os.utime(file, (1_000_000_000, 1_000_000_000))
    library = SkillLibrary.load(roots_in(tmp_path))
    write_skill(tmp_path / "own/skills", "walk", "two")
    os.utime(file, (1_000_000_000, 1_000_000_000))
    assert library.reload() == SkillChange(changed=("walk",))


def test_a_thousand_skills_are_read_in_a_moment(tmp_path: Path) -> None:
    for number in range(1000):
        write_skill(tmp_path / "own/skills", f"skill-{number}")
    roots = roots_in(tmp_path)
    began = time.process_time()
    library = SkillLibrary.load(roots)
    first = time.process_time() - began
    library.reload()
    assert len(library.skills) >= 1000
    assert first < 0.6
    assert time.process_time() - began - first < 0.3


def test_importing_skills_loads_no_watcher_no_screen_and_no_sdk() -> None:
    heavy = "{'watchfiles', 'textual', 'openai', 'mcp', 'httpx', 'markdown_it', 'ruamel'}"
    code = f"import sys, kimi_tui.skill.library; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_skills_of_a_project_that_take_too_long_are_left_out_and_the_users_own_stay(tmp_path: Path) -> None:
    write_skill(tmp_path / "project/.kimi/skills", "theirs")
    write_skill(tmp_path / "own/skills", "mine")
    library = SkillLibrary(roots_in(tmp_path), seconds=-1)
    library.reload()
    assert [skill.name for skill in library.skills] == ["mine"]
    assert "warning: reading the skills took too long; the remaining ones are ignored" in texts(library)


def test_a_project_has_smaller_skills_than_the_user(tmp_path: Path) -> None:
    for root in ("project/.kimi/skills", "own/skills"):
        name = root.split("/")[0]
        with write_skill(tmp_path / root, name).open("a", encoding="utf-8") as file:
            file.write("x" * MAX_PROJECT_BYTES)
    library = SkillLibrary.load(roots_in(tmp_path))
    assert [skill.name for skill in library.skills] == ["own"]
    assert any("128 KiB" in text for text in texts(library))
