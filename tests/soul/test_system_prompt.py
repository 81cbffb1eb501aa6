import os

from kimi_tui.soul.system_prompt import AGENTS_MD_BYTES, agents_md, default_values, fill, listing


def test_variables_that_are_known_are_filled_once_and_others_stay():
    assert fill("${A} ${B} $A", {"A": "${B}"}) == "${B} ${B} $A\n"


def test_a_listing_is_two_levels_folders_first_and_bounded(tmp_path):
    (tmp_path / "src").mkdir()
    for number in range(12):
        (tmp_path / "src" / f"{number:02}.py").touch()
    for number in range(40):
        (tmp_path / f"f{number:02}").touch()
    rows = listing(tmp_path).split("\n")
    assert rows[0] == "src/"
    assert rows[1] == "  00.py"
    assert rows[11] == "  ... and 2 more"
    assert rows[-1] == "... and 11 more"


def test_a_folder_that_cannot_be_read_is_an_empty_listing(tmp_path):
    assert listing(tmp_path / "nowhere") == "(empty)"


def test_agents_md_is_merged_from_the_projects_root_down_and_the_nearest_is_cut_last(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("above the project")
    (tmp_path / "a" / ".git").mkdir()
    (tmp_path / "a" / "AGENTS.md").write_text("root " + "x" * AGENTS_MD_BYTES)
    (inner / "AGENTS.md").write_text("leaf")
    text = agents_md(inner)
    assert "above the project" not in text
    assert text.index("root ") < text.index("leaf")
    assert len(text.encode()) < AGENTS_MD_BYTES + 500


def test_a_pipe_called_agents_md_holds_nothing_up(tmp_path):
    os.mkfifo(tmp_path / "AGENTS.md")
    assert agents_md(tmp_path) == ""


def test_the_values_name_the_folder_and_the_time(tmp_path):
    values = default_values(tmp_path, skills="- x")
    assert values["KIMI_WORK_DIR"] == str(tmp_path)
    assert values["KIMI_SKILLS"] == "- x"
    assert "T" in values["KIMI_NOW"]
