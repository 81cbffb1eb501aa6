import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kimi_tui.errors import ConfigError
from kimi_tui.mcp.config import ServerConfig, load, user_file
from kimi_tui.mcp.config_editor import add_server, remove_server


def write(file: Path, **servers: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    return file


def test_the_usual_spellings_of_a_transport_are_understood() -> None:
    def transport(**entry: object) -> str:
        return ServerConfig.model_validate(entry).transport

    assert transport(command="x") == "stdio"
    assert transport(command="x", type="stdio") == "stdio"
    assert transport(url="https://a/mcp") == "http"
    assert transport(url="https://a/mcp", type="streamable-http") == "http"
    assert transport(url="https://a/sse?x=1") == "sse"
    assert transport(url="https://a/mcp", transport="sse") == "sse"
    assert ServerConfig.model_validate({"command": "x", "disabled": True}).enabled is False


@pytest.mark.parametrize(
    ("entry", "key", "cause"),
    [
        ({}, "mcpServers.s", "a server needs either a command or a url"),
        ({"command": "x", "url": "http://y"}, "mcpServers.s", "a server needs either a command or a url"),
        ({"command": " "}, "mcpServers.s", "the command is empty"),
        ({"command": "x", "transport": "http"}, "mcpServers.s", "transport http cannot be used with a command"),
        ({"command": "x", "auth": "oauth"}, "mcpServers.s", "`auth` is only for a server with a `url`"),
        ({"command": "x", "timeout_ms": 0}, "mcpServers.s.timeout_ms", "greater than or equal to 1"),
        ({"command": "x", "args": "y"}, "mcpServers.s.args", "tuple"),
        ("x", "mcpServers.s", "dictionary"),
    ],
)
def test_a_wrong_entry_is_located_and_the_others_are_good(tmp_path: Path, entry: object, key: str, cause: str) -> None:
    file = write(user_file(), s=entry, good={"command": "y"})
    setup = load(tmp_path)
    assert [server.name for server in setup.servers] == ["good"]
    (problem,) = setup.problems
    assert problem.startswith(f"{file}: {key}: ")
    assert cause in problem


def test_a_broken_file_is_a_problem_and_an_error_where_it_was_named(tmp_path: Path) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text('{"mcpServers": {,}}', "utf-8")
    assert load(tmp_path).problems[0].startswith(f"{user_file()}: line 1, column 17: ")
    with pytest.raises(ConfigError, match="line 1, column 17"):
        load(tmp_path, files=[user_file()])
    with pytest.raises(ConfigError, match="No such file"):
        load(tmp_path, files=[tmp_path / "absent.json"])
    with pytest.raises(ConfigError, match="--mcp-config"):
        load(tmp_path, texts=["[]"])


def test_named_files_stand_in_place_of_the_usual_ones_and_texts_add(tmp_path: Path) -> None:
    write(user_file(), mine={"command": "x"})
    other = write(tmp_path / "other.json", other={"command": "y"})
    text = json.dumps({"mcpServers": {"extra": {"command": "z"}}})
    assert {server.name for server in load(tmp_path, texts=[text]).servers} == {"mine", "extra"}
    assert {server.name for server in load(tmp_path, files=[other], texts=[text]).servers} == {"other", "extra"}


def test_the_servers_of_a_project_may_be_started_where_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    write(user_file(), mine={"command": "x"})
    write(tmp_path / ".mcp.json", theirs={"command": "x"})
    assert [(one.name, one.trusted) for one in load(tmp_path / "below").servers] == [("mine", True), ("theirs", False)]
    assert all(one.trusted for one in load(tmp_path / "below", trusted=True).servers)


def test_ones_own_server_wins_over_the_projects(tmp_path: Path) -> None:
    write(user_file(), both={"command": "mine"})
    file = write(tmp_path / ".kimi-tui/mcp.json", both={"command": "theirs"})
    setup = load(tmp_path)
    assert [server.config.command for server in setup.servers] == ["mine"]
    assert setup.problems == (f"{file}: both: ignored; {user_file()} already defines this name",)


def test_servers_that_are_added_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    names = [f"s{number}" for number in range(80)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda name: add_server(file, name, {"command": "x"}), names))
    assert set(json.loads(file.read_text("utf-8"))["mcpServers"]) == set(names)


def test_editing_keeps_what_else_is_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"other": 1, "mcpServers": {"a": {"command": "x", "alwaysAllow": []}}}), "utf-8")
    assert add_server(file, "b", {"command": "y"}) is False
    assert add_server(file, "b", {"command": "z"}) is True
    assert json.loads(file.read_text("utf-8")) == {
        "other": 1,
        "mcpServers": {"a": {"command": "x", "alwaysAllow": []}, "b": {"command": "z"}},
    }
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ConfigError):
        add_server(file, "c", {})
    assert remove_server(file, "b") is not None
    assert remove_server(file, "b") is None
    assert "b" not in json.loads(file.read_text("utf-8"))["mcpServers"]


def test_a_file_that_is_nested_too_deeply_is_a_problem_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text("[" * 1000 + "]" * 1000)
    (problem,) = load(tmp_path).problems
    assert problem.endswith(".mcp.json: nested too deeply")
    with pytest.raises(ConfigError, match="nested too deeply"):
        load(tmp_path, files=[file])


@pytest.mark.parametrize("named", [True, False])
def test_a_key_that_is_nearly_ours_is_a_problem_with_its_line_and_others_are_not(tmp_path: Path, named: bool) -> None:
    file = user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        '{"mcpServers": {\n"a": {"command": "x",\n"alowed_tools": [],\n"timeout": 3, "alwaysAllow": []},\n'
        '"b": {"command": "y", "header\\u001bs": {}}}}'
    )
    setup = load(tmp_path, files=[file] if named else [])
    first, second = setup.problems
    assert first == f"{file}:3: mcpServers.a.alowed_tools: no such key; did you mean allowed_tools?"
    assert second.isprintable()
    assert [server.name for server in setup.servers] == ["a", "b"]


@pytest.mark.parametrize("named", [True, False])
def test_an_empty_file_is_a_problem(tmp_path: Path, named: bool) -> None:
    file = user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(" \n")
    assert load(tmp_path, files=[file] if named else []).problems == (f"{file}: the file is empty",)


def test_a_large_file_with_many_mistyped_keys_is_read_at_once(tmp_path: Path) -> None:
    file = write(user_file(), **{f"s{number}": {"command": "x", "comandd": 1} for number in range(10_000)})
    began = time.monotonic()
    setup = load(tmp_path)
    assert len(setup.problems) == 20
    assert str(setup.problems[0]).startswith(f"{file}: mcpServers.s0.comandd: ")
    assert time.monotonic() - began < 20
