"""Rules from the configuration and from a project: checked on load, and never looser for a stranger's project."""

import json
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import kimi_tui.tools
from kimi_tui import paths
from kimi_tui.config.loader import load_config
from kimi_tui.errors import ConfigError
from kimi_tui.mcp.resource_tools import LIST, READ
from kimi_tui.permission.rule import Effect
from kimi_tui.permission.settings import PermissionSettings, loosening_rules, permission_settings
from kimi_tui.tools.core.permission_subject import parse_subject
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.host_access import TOOL


def load(work_dir: Path, text: str = "{}", project: str | None = None, *, trusted: bool = False) -> PermissionSettings:
    work_dir.mkdir(exist_ok=True)
    if project is not None:
        (work_dir / ".kimi-tui").mkdir(exist_ok=True)
        (work_dir / ".kimi-tui/config.yaml").write_text(project)
    loaded = load_config(text=text)
    workspace = Workspace(work_dir)
    return permission_settings(
        loaded.config, loaded.file, work_dir, lambda *what: parse_subject(*what, workspace), trusted=trusted
    )


def test_rules_are_texts_or_tables_with_examples(tmp_path: Path) -> None:
    settings = load(
        tmp_path / "w",
        "permissions:\n  mode: accept-edits\n  allow:\n    - Shell(ls *)\n"
        "    - {rule: Shell(git log *), match: [git log, git log -1], not_match: [git logs, git log > x]}\n"
        "  deny:\n    - {rule: Edit(gen/**), match: [gen/a], not_match: [a]}\n",
    )
    assert [f"{rule.effect} {rule}" for rule in settings.rules] == [
        "allow Shell(ls *)", "allow Shell(git log *)", "deny Edit(gen/**)"]  # fmt: skip
    assert (settings.mode, settings.policy().accept_edits) == ("accept-edits", True)


def test_a_rule_that_denies_holds_where_a_link_in_its_path_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, elsewhere = tmp_path / "w", tmp_path / "elsewhere"
    for folder in (work, elsewhere / "in", tmp_path / "real home/notes"):
        folder.mkdir(parents=True)
    (tmp_path / "home").symlink_to("real home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (work / "secrets").symlink_to(elsewhere)
    (work / "plan.txt").symlink_to(elsewhere / "p")
    denied = {
        "secrets/**": f"{elsewhere}/in/x", "secrets/in/": f"{elsewhere}/in/x", "secrets/*/x": "secrets/in/x",
        "plan.txt": f"{elsewhere}/p", "~/notes/**": f"{tmp_path}/real home/notes/n", "~/notes/n": "~/notes/n",
        f"{tmp_path}/home/**": "~/notes/n", "../elsewhere/**": f"{work}/secrets/p", "/**": f"{elsewhere}/p",
    }  # fmt: skip
    for pattern, path in denied.items():
        given = path if path.startswith(("/", "~")) else f"{work}/{path}"
        subject = parse_subject("ReadFile", given, Workspace(work))
        for effect in ("deny", "ask"):
            policy = load(work, json.dumps({"permissions": {effect: [f"Read({pattern})"]}})).policy()
            assert policy.decide("ReadFile", subject).effect == effect, pattern
        assert load(work, json.dumps({"permissions": {"deny": ["Read(other/**)", "Read(*.lock)"]}})).policy().decide(
            "ReadFile", subject
        ).effect is None  # fmt: skip
    allowed = load(work, "permissions: {allow: [Edit(secrets/**)]}").policy()
    subject = parse_subject("WriteFile", f"{elsewhere}/in/x", Workspace(work))
    assert allowed.decide("WriteFile", subject).effect is None, "somebody else may have made the link"


@pytest.mark.parametrize("trusted", [True, False])
def test_a_projects_file_that_cannot_be_read_is_an_error_with_its_name_and_an_empty_one_is_a_warning(
    tmp_path: Path, trusted: bool
) -> None:
    file = tmp_path / "w/.kimi-tui/config.yaml"
    with pytest.raises(ConfigError, match=r"config\.yaml:1: the configuration must be a mapping, not a list"):
        load(tmp_path / "w", project="[]", trusted=trusted)
    assert load(tmp_path / "w", project="", trusted=trusted).warnings == (f"{file}: the file is empty",)
    assert load(tmp_path / "w", project="# no rules\n", trusted=trusted).warnings == ()
    file.unlink()
    file.symlink_to("nowhere")
    with pytest.raises(ConfigError, match=r"config\.yaml: file not found"):
        load(tmp_path / "w", trusted=trusted)
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match=r"config\.yaml: this is not a regular file"):
        load(tmp_path / "w", trusted=trusted)


@pytest.mark.parametrize("trusted", [True, False])
def test_a_mistyped_key_of_a_project_is_a_warning_with_its_line(tmp_path: Path, trusted: bool) -> None:
    text = 'permissions:\n  denny: [Shell(rm *)]\nsandbx: {network: false}\n"x\\e[2J": 1\n'
    settings = load(tmp_path / "w", project=text, trusted=trusted)
    file = tmp_path / "w/.kimi-tui/config.yaml"
    assert settings.warnings[:2] == (
        f"{file}:2: permissions.denny: no such key; did you mean deny?",
        f"{file}:3: sandbx: no such key; did you mean sandbox?",
    )
    assert all(warning.isprintable() for warning in settings.warnings)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("allow: [{rule: Shell(ls *), match: [rm a]}]", r"permissions\.allow\.0\.match\.0: `Shell\(ls \*\)` does not"),
        ("deny: [a, {rule: Shell(ls *), not_match: [ls, x]}]", r"permissions\.deny\.1\.not_match\.0: .* matches 'ls'"),
        ("ask: ['Shell(']", r"permissions\.ask\.0: 'Shell\(' does not end with a bracket"),
        ("ask: [{rule: ReadFile(a), match: ['../../x']}]", r"permissions\.ask\.0\.match\.0: .* does not fit"),
        ("allow: {a: 1}", r"permissions\.allow"),
        ("mode: never", r"permissions\.mode"),
    ],
)
def test_a_rule_whose_example_fails_is_an_error_with_its_place(tmp_path: Path, rules: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(tmp_path / "w", f"permissions: {{{rules}}}")


PROJECT = """
permissions:
  mode: yolo
  allow: [Shell]
  ask: ["Shell(make *)"]
  deny: ["Shell(rm *)"]
sandbox: {mode: off, network: false, writable: [/]}
"""


def test_a_project_only_makes_it_stricter(tmp_path: Path) -> None:
    settings = load(tmp_path / "w", "permissions: {allow: [Shell(ls *)]}", PROJECT)
    assert [rule.effect for rule in settings.rules] == [Effect.ALLOW, Effect.ASK, Effect.DENY]
    assert settings.rules[1].origin.endswith(".kimi-tui/config.yaml")
    assert (settings.mode, settings.sandbox.mode, settings.sandbox.network) == ("default", "auto", False)
    assert settings.sandbox.writable == ()
    asked_for = load_config(tmp_path / "w/.kimi-tui/config.yaml").config
    assert loosening_rules(asked_for) == ("rules that allow", "mode yolo", "wider sandbox access")


def test_a_project_may_ask_for_plan_mode_and_for_a_sandbox(tmp_path: Path) -> None:
    project = "permissions: {mode: plan}\nsandbox: {mode: require, network: false}"
    settings = load(tmp_path / "w", "sandbox: {mode: off}", project)
    assert (settings.mode, settings.sandbox.mode, settings.sandbox.network) == ("plan", "require", False)
    assert loosening_rules(load_config(tmp_path / "w/.kimi-tui/config.yaml").config) == ()


def test_a_trusted_folder_counts_in_full(tmp_path: Path) -> None:
    settings = load(tmp_path / "w", "{}", PROJECT, trusted=True)
    assert (settings.mode, settings.sandbox.mode, settings.sandbox.writable) == ("yolo", "off", (Path("/"),))
    assert [rule.effect for rule in settings.rules] == [Effect.ALLOW, Effect.ASK, Effect.DENY]


def test_the_project_is_found_up_to_the_repositorys_root_and_is_not_our_home(tmp_path: Path) -> None:
    inner = tmp_path / "w/a/b"
    load(tmp_path / "w", "{}", PROJECT)
    inner.mkdir(parents=True)
    assert load(inner).rules == ()
    (tmp_path / "w/.git").mkdir()
    assert len(load(inner).rules) == 2
    (tmp_path / "w/a/.git").mkdir()
    assert load(inner).rules == ()
    paths.home().mkdir(parents=True)
    (paths.home() / "config.yaml").write_text(PROJECT)
    assert load(paths.home().parent).rules == ()


def test_a_broken_project_is_an_error_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\.kimi-tui/config\.yaml: permissions\.deny\.0"):
        load(tmp_path / "w", "{}", "permissions: {deny: ['(']}")


def test_what_does_not_count_in_a_projects_file_keeps_nothing_from_starting(tmp_path: Path) -> None:
    text = "providers: {x: {type: no-such}}\ntheme: 7\npermissions: {deny: [Shell(rm *)]}\n"
    settings = load(tmp_path / "w", project=text)
    assert [str(rule) for rule in settings.rules] == ["Shell(rm *)"]
    file = tmp_path / "w/.kimi-tui/config.yaml"
    assert settings.warnings == (f"{file}: ignored in a project: theme, providers",)


def test_a_project_may_have_reading_asked_for_and_only_a_trusted_one_may_end_it(tmp_path: Path) -> None:
    asks, asks_not = "permissions: {ask_read_only: true}", "permissions: {ask_read_only: false}"
    assert load(tmp_path / "w").policy().free_reading
    assert not load(tmp_path / "w", asks).policy().free_reading
    assert not load(tmp_path / "w", "{}", asks).policy().free_reading
    assert not load(tmp_path / "w", asks, asks_not).policy().free_reading
    assert load(tmp_path / "w", asks, asks_not, trusted=True).policy().free_reading


@pytest.mark.parametrize("trusted", [False, True])
def test_a_project_that_asks_for_nothing_loosens_nothing_of_the_users(tmp_path: Path, trusted: bool) -> None:
    project = "permissions: {mode: default}\nsandbox: {mode: auto}"
    assert loosening_rules(load_config(text=project).config) == ()
    settings = load(tmp_path / "w", "permissions: {mode: plan}\nsandbox: {mode: require}", project, trusted=trusted)
    assert (settings.mode, settings.sandbox.mode) == ("plan", "require")


def test_a_project_that_ends_the_questions_about_reading_is_asked_about() -> None:
    project = load_config(text="permissions: {ask_read_only: false}").config
    assert loosening_rules(project) == ("read-only commands run without approval",)


@pytest.mark.parametrize(
    ("rule", "advice"),
    [
        ("Bash(rm *)", "write Shell"), ("shell(rm *)", "write Shell"), ("WebFetch(evil.example)", "write FetchURL"),
        ("Write(src/**)", "write Edit"), ("Shel(rm *)", "Shel is not a tool of kimi-tui"),
        ("Shell(git push:*)", "write `git push *`"), ("FetchURL(domain:a.example)", "write `a.example`"),
        ("FetchURL(a.example/x*)", "write `https://a.example/x*`"),
    ],
)  # fmt: skip
def test_a_rule_that_never_matches_is_warned_of(tmp_path: Path, rule: str, advice: str) -> None:
    (warning,) = load(tmp_path / "w", f"permissions: {{deny: ['{rule}']}}").warnings
    assert rule in warning
    assert advice in warning


def test_a_rule_for_a_tool_that_there_is_is_not_warned_of(tmp_path: Path) -> None:
    modules = [import_module(f"kimi_tui.tools.{found.name}") for found in iter_modules(kimi_tui.tools.__path__)]
    own = {value.name for module in modules for value in vars(module).values() if hasattr(value, "read_only")
           and hasattr(value, "name")}  # fmt: skip
    assert {"Shell", "WriteFile", "CreateSubagent", "SubmitResult"} <= own
    rules = [*own, LIST, READ, TOOL, "Edit(src/**)", "Read(src/**)", "mcp__a__b", "mcp__*", "*", "Shell(a:b *)"]
    assert not load(tmp_path / "w", f"permissions: {{deny: {json.dumps(rules)}}}").warnings
