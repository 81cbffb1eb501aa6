"""Which folders a user trusts, and what of a project waits for a yes."""

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.cli.main import main
from kimi_tui.permission import trust

LOOSE = "permissions: {allow: [Shell], mode: yolo}"


@pytest.fixture(autouse=True)
def no_word_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(trust.TRUST_VARIABLE, raising=False)


def project(tmp_path: Path, *files: str, content: str = "{}") -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True, exist_ok=True)
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, "utf-8")
    return root


def items(work_dir: Path, extra: Sequence[str] = ()) -> list[tuple[str, str]]:
    root = paths.project_root(work_dir)
    return [(trust.name_in(root, one.path), one.what) for one in trust.project_items(work_dir, extra)]


def test_decisions_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(24)]
    for folder in folders:
        (folder / ".git").mkdir(parents=True)
    undone, kept = folders[:8], folders[8:]
    for folder in undone:
        trust.remember(folder, True)
    with ThreadPoolExecutor(24) as threads:
        changes = [threads.submit(trust.remember, folder, True) for folder in kept]
        changes += [threads.submit(trust.remove_decision, folder) for folder in undone]
        for change in changes:
            change.result()
    assert sorted(trust.decisions()) == sorted(kept)


def test_a_project_that_brings_nothing_asks_nothing(tmp_path: Path) -> None:
    root = project(tmp_path, "README.md")
    assert items(root) == []
    assert trust.trust_state(root).active


def test_skills_servers_and_looser_rules_are_named_from_below_too(tmp_path: Path) -> None:
    root = project(tmp_path, ".kimi/skills/a/SKILL.md", ".mcp.json", "src/x.py", "team/skills/b.md")
    project(tmp_path, ".kimi-tui/config.yaml", content=LOOSE)
    assert items(root / "src", ["team/skills", "/elsewhere", "~/mine"]) == [
        (".kimi/skills", "skills"),
        ("team/skills", "skills"),
        (".mcp.json", "MCP servers"),
        (".kimi-tui/config.yaml", "rules that allow, mode yolo"),
    ]
    assert not trust.trust_state(root / "src").active


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("permissions: {deny: [Shell], ask: [Shell], mode: plan}\nsandbox: {mode: require, network: false}", ""),
        ("permissions: {mode: accept-edits}", "mode accept-edits"),
        ("sandbox: {mode: off}", "wider sandbox access"),
        ("sandbox: {writable: [/]}", "wider sandbox access"),
        ("sandbox: {network: true}", "wider sandbox access"),
        ("theme: [", ""),
    ],
)
def test_a_configuration_waits_for_a_yes_only_where_it_is_looser(tmp_path: Path, content: str, what: str) -> None:
    root = project(tmp_path, ".kimi-tui/config.yaml", content=content)
    assert items(root) == ([(".kimi-tui/config.yaml", what)] if what else [])


def test_an_answer_is_kept_for_the_whole_project(tmp_path: Path) -> None:
    root = project(tmp_path, "src/x.py", ".mcp.json")
    trust.remember(root / "src", True, trust.project_items(root))
    assert trust.trust_state(root).answer is True
    assert trust.trust_state(tmp_path).answer is None
    assert (paths.home() / "trusted.json").stat().st_mode & 0o077 == 0


def test_the_nearest_answer_counts(tmp_path: Path) -> None:
    root = project(tmp_path, ".mcp.json")
    trust.remember(tmp_path, True)
    assert trust.trust_state(root).answer is True
    trust.remember(root, False)
    assert trust.trust_state(root).answer is False
    assert trust.trust_state(tmp_path / "other").answer is True


@pytest.mark.parametrize("name", [".mcp.json", ".kimi-tui/mcp.json", ".kimi-tui/config.yaml"])
def test_a_file_that_changed_or_came_after_the_yes_is_asked_about_again(tmp_path: Path, name: str) -> None:
    root = project(tmp_path, ".kimi/skills/a/SKILL.md")
    trust.remember(root, True, trust.project_items(root))
    assert trust.trust_state(root).active
    project(tmp_path, name, content=LOOSE)
    assert trust.trust_state(root).answer is None
    shown = trust.project_items(root)
    project(tmp_path, name, content=LOOSE + " ")
    trust.remember(root, True, shown)
    assert not trust.trust_state(root).active, "what was shown is not what there is"
    trust.remember(root, True, trust.project_items(root))
    assert trust.trust_state(root).active


@pytest.mark.parametrize("block", ['```mermaid\nflowchart TD\na@{ run: "id" }\n```', "```d2\nvars: {flow: {}}\n```"])
def test_a_flow_with_commands_that_changed_after_the_yes_is_asked_about_again(tmp_path: Path, block: str) -> None:
    root = project(tmp_path, ".kimi/skills/a/SKILL.md", content="plain")
    trust.remember(root, True, trust.project_items(root))
    assert trust.trust_state(root).active
    project(tmp_path, ".kimi/skills/a/SKILL.md", content=block)
    state = trust.trust_state(root)
    assert (state.answer, state.active) == (None, False)
    assert [one.what for one in state.items] == [trust.SKILLS, trust.COMMANDS]
    assert not any(one.loosens for one in state.items)
    trust.remember(root, True, trust.project_items(root))
    assert trust.trust_state(root).active
    project(tmp_path, ".kimi/skills/a/SKILL.md", content=block + " ")
    assert trust.trust_state(root).answer is None


def test_a_flow_with_commands_among_many_other_files_is_asked_about(tmp_path: Path) -> None:
    root = project(tmp_path, ".kimi/skills/a/SKILL.md", content="plain")
    trust.remember(root, True, trust.project_items(root))
    for number in range(2100):
        (root / f".kimi/skills/filler{number}.md").touch()
    project(tmp_path, ".kimi/skills/a/SKILL.md", content='```mermaid\nflowchart TD\na@{ run: "id" }\n```')
    assert not trust.trust_state(root).active


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ('{"command": "node", "args": ["--x", "build/index.js"]}', "build/index.js"),
        ('{"command": "./run"}', "run"),
        ('{"command": "python", "args": ["a.py"], "cwd": "tools"}', "tools/a.py"),
        ('{"command": "uv", "args": ["--directory", "tools", "run", "a.py"]}', "tools/a.py"),
        ('{"command": "uv", "args": ["--directory=./tools", "run", "a.py"]}', "tools/a.py"),
        ('{"command": "sh", "args": ["-c", "cd tools && exec node a.js"]}', "tools/a.js"),
        ('{"command": "node", "args": ["--import=./tools/a.js", "x"]}', "tools/a.js"),
        ('{"command": "python", "args": ["-m", "tools.a"]}', "tools/a.py"),
        ('{"command": "python", "args": ["-m", "tools"]}', "tools/__main__.py"),
        ('{"command": "node", "args": ["${PWD:-.}/tools/a.js"]}', "tools/a.js"),
        ('{"command": "python", "args": ["-m", "a"], "env": {"PYTHONPATH": "tools"}}', "tools/a.py"),
        ('{"command": "node", "args": ["x"], "env": {"NODE_OPTIONS": "--require ./tools/a.js"}}', "tools/a.js"),
    ],
)
def test_a_program_that_a_server_of_the_project_runs_is_asked_about_when_it_changed(
    tmp_path: Path, entry: str, name: str
) -> None:
    """A command in the sandbox could have changed it."""
    root = project(tmp_path, ".mcp.json", content=f'{{"mcpServers": {{"s": {entry}}}}}')
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("one")
    trust.remember(root, True, trust.trust_state(root).items)
    assert trust.trust_state(root).answer is True
    (root / name).write_text("two")
    assert trust.trust_state(root).answer is None


@pytest.mark.parametrize("mode", [0o755, 0o111])
def test_a_program_of_a_server_that_is_too_large_to_hash_is_asked_about_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    monkeypatch.setattr(trust, "_MAX_PROGRAM", 4)
    root = project(tmp_path, ".mcp.json", content='{"mcpServers": {"s": {"command": "./run"}}}')
    for content in ("larger than that", "as large as that"):
        (root / "new").write_text(content)
        (root / "new").chmod(mode)
        (root / "new").rename(root / "run")
        assert trust.trust_state(root).answer is None
        trust.remember(root, True, trust.trust_state(root).items)
        assert trust.trust_state(root).answer is True


def test_a_yes_covers_what_was_shown_as_long_as_the_program_runs(tmp_path: Path) -> None:
    root = project(tmp_path, "run", ".mcp.json", content='{"mcpServers": {"s": {"command": "./run"}}}')
    trust.remember(root, True, trust.project_items(root))
    state = trust.trust_state(root)
    assert (trust.changed_items(root, state), trust.changed_servers(root, state)) == ((), "")
    (root / "run").write_text("another")
    assert [one.path.name for one in trust.changed_items(root, state)] == ["run"]
    assert trust.changed_servers(root, state).startswith("run changed after you trusted this folder")
    trust.remember(root, True, trust.project_items(root))
    assert trust.changed_servers(root, state) == "", "they said yes to this too, in another window"
    trust.remember(root, True)
    (root / "run").write_text("a third")
    assert trust.changed_servers(root, state) == "", "they trust whatever the folder holds"


def test_a_server_of_any_form_is_no_error(tmp_path: Path) -> None:
    others = ('"x"', '{"env": [1]}', '{"env": {"a": 1}}', "[]")
    for entry in (*others, '{"command": 1, "args": [null, "\\u0000", 2]}', '{"args": "x", "cwd": [1]}'):
        root = project(tmp_path, ".mcp.json", content=f'{{"mcpServers": {{"s": {entry}}}}}')
        assert [item.path.name for item in trust.trust_state(root).items] == [".mcp.json"]


def test_a_project_within_a_trusted_one_is_asked_about_for_its_own_files(tmp_path: Path) -> None:
    root = project(tmp_path, ".mcp.json")
    trust.remember(root, True, trust.project_items(root))
    inner = project(root, ".mcp.json")
    assert not trust.trust_state(inner).active


def test_a_folder_below_ones_home_is_not_ones_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    below = tmp_path / "Downloads" / "evil"
    below.mkdir(parents=True)
    (below / ".mcp.json").write_text("{}")
    (tmp_path / ".mcp.json").write_text("{}")
    assert items(below) == [(".mcp.json", "MCP servers")]
    assert not trust.trust_state(below).active
    assert trust.trust_state(tmp_path).active


@pytest.mark.parametrize("name", [".kimi-tui", ".kimi-tui/skills", ".mcp.json"])
@pytest.mark.parametrize("target", ["a" * 300, "{itself}"], ids=["long", "loop"])
def test_a_link_that_leads_nowhere_keeps_no_project_from_being_asked_about(
    tmp_path: Path, name: str, target: str
) -> None:
    root = project(tmp_path, ".claude/skills/a/SKILL.md")
    link = root / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target.format(itself=link.name))
    assert items(root) == [(".claude/skills", trust.SKILLS)]


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    root = project(tmp_path, ".mcp.json")
    trust.remember(root, False)
    (tmp_path / "link").symlink_to(root)
    assert trust.trust_state(tmp_path / "link").answer is False


@pytest.mark.parametrize("broken", ["[", "[]", '{"/": 5}', '{"/": {"trusted": 1, "files": {}}}', "\x00"])
def test_a_broken_file_of_answers_says_nothing(tmp_path: Path, broken: str) -> None:
    root = project(tmp_path, ".mcp.json")
    trust.remember(root, True)
    (paths.home() / "trusted.json").write_text(broken, "utf-8")
    assert trust.trust_state(root).answer is None


def test_the_environment_can_say_yes_to_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path, ".mcp.json")
    trust.remember(root, False)
    monkeypatch.setenv(trust.TRUST_VARIABLE, "1")
    assert trust.trust_state(root).active


def test_what_is_left_out_is_said_with_what_to_do(tmp_path: Path) -> None:
    root = project(tmp_path, ".kimi/skills/a/SKILL.md", ".mcp.json")
    said = trust.ignored_items(root, trust.trust_state(root))
    assert said == (
        f"{root} is not trusted; ignored: .kimi/skills (skills), .mcp.json (MCP servers). "
        f"Review these, then run: kimi-tui trust {root} (or --trust for one run)"
    )
    trust.remember(root, True)
    assert trust.ignored_items(root, trust.trust_state(root)) == ""


def test_the_command_says_yes_no_and_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = project(tmp_path, ".mcp.json", "src/x")
    assert main(["trust", str(root / "src")]) == 0
    assert capsys.readouterr().out == (
        f"{root} is trusted.\n  .mcp.json: MCP servers\nIf one of these files changes, you are asked again.\n"
    )
    assert trust.trust_state(root).active
    assert main(["trust", str(root), "--no"]) == 0
    assert trust.trust_state(root).answer is False
    capsys.readouterr()
    assert main(["trust", "--list"]) == 0
    assert capsys.readouterr().out == f"not trusted  {root}\n"
    assert main(["trust", str(root), "--undo"]) == 0
    assert trust.trust_state(root).answer is None
    assert main(["trust", str(tmp_path / "absent")]) == 2


def test_a_folder_of_projects_can_be_trusted_as_a_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        f"{tmp_path} is trusted.\n"
        "It is not a project, so whatever it holds later is trusted too, without another question.\n"
    )
    assert trust.trust_state(project(tmp_path, ".mcp.json")).active


def test_a_folder_whose_name_is_not_utf8_cannot_be_remembered_and_says_so(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff"))
    folder.mkdir()
    with pytest.raises(OSError, match=r"trusted\.json"):
        trust.remember(folder, True)
    assert trust.decisions() == {}


def test_a_broken_file_of_decisions_is_kept_beside_the_new_one_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path, ".mcp.json")
    store = paths.home() / "trusted.json"
    store.parent.mkdir(parents=True, exist_ok=True)
    for number, broken in enumerate(('{"/refused": false,', "[]")):
        store.write_text(broken, "utf-8")
        assert "cannot be read" in trust.broken_decisions()
        assert main(["trust", str(root)]) == 0
        aside = store.with_name(f"trusted.json.broken{number or ''}")
        assert aside.name in capsys.readouterr().err
        assert aside.read_text("utf-8") == broken
        assert trust.broken_decisions() == ""
        assert trust.trust_state(root).answer is True


def test_a_decision_keeps_what_another_version_wrote_about_other_folders(tmp_path: Path) -> None:
    store = paths.home() / "trusted.json"
    store.parent.mkdir(parents=True, exist_ok=True)
    others = {"/a": {"trusted": True, "files": {}, "until": 9}, "/b": {"trust": "some"}, "/c": False}
    store.write_text(json.dumps(others), "utf-8")
    root = trust.remember(project(tmp_path), True)
    assert json.loads(store.read_text("utf-8")) == {**others, str(root): True}
