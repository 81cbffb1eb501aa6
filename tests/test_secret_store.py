"""Keys in the system's keyring, and what happens where there is none."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui import paths, secret_store
from kimi_tui.cli.main import main
from kimi_tui.config.loader import load_config
from kimi_tui.config.model_selection import choose_model
from kimi_tui.config.yaml_editor import edit, without_keys
from kimi_tui.errors import ConfigError
from kimi_tui.mcp.token_store import forget_tokens, read_tokens, token_file, write_tokens
from kimi_tui.soul.assemble import EngineConfig, build_engine
from kimi_tui.tools.shell_support.child_env import ChildEnv
from tests.keyrings import empty_cache, wallet

KEY = "sk-of-the-test-1234567890"
CHANGES = {
    ("providers", "moon", "type"): "kimi",
    ("providers", "moon", "api_key"): KEY,
    ("models", "k2"): {"provider": "moon", "model": "kimi-k2"},
}


def test_a_key_goes_into_the_keyring_and_the_configuration_only_refers_to_it() -> None:
    with wallet() as mine:
        loaded = edit(without_keys(CHANGES))
        assert mine.kept == {("kimi-tui", "providers.moon"): KEY}
        assert loaded.file is not None
        assert KEY not in loaded.file.read_text()
        assert "api_key: keyring" in loaded.file.read_text()
        reference = choose_model(load_config().config).provider.api_key.get_secret_value()
        assert reference == "keyring:providers.moon"
        empty_cache()
        assert secret_store.resolve(reference) == KEY


def test_whole_tables_are_taken_over_without_their_keys() -> None:
    table = {"a": {"type": "kimi", "api_key": "one"}, "b": {"type": "kimi", "api_key": ""}}
    with wallet() as mine:
        changes = without_keys({("providers",): table, ("services", "tavily", "api_key"): "two"})
        assert changes[("providers",)] == {"a": {"type": "kimi", "api_key": "keyring"}, "b": table["b"]}
        assert mine.kept == {("kimi-tui", "providers.a"): "one", ("kimi-tui", "services.tavily"): "two"}
        loaded = edit(changes)
        assert sorted(loaded.config.api_keys) == ["keyring:providers.a", "keyring:services.tavily"]
        assert sorted(secret_store.all_secrets(loaded.config.api_keys)) == ["one", "two"]


def test_without_a_keyring_the_key_is_in_a_file_that_only_the_person_can_read() -> None:
    assert secret_store.backend_name() is None
    loaded = edit(without_keys(CHANGES))
    assert loaded.file is not None
    assert KEY in loaded.file.read_text()
    assert loaded.file.stat().st_mode & 0o777 == 0o600


def test_a_keyring_that_is_locked_takes_nothing_and_gives_nothing() -> None:
    with wallet() as mine:
        assert secret_store.store("providers.moon", KEY)
        empty_cache()
        mine.locked = True
        assert without_keys(CHANGES)["providers", "moon", "api_key"] == KEY
        with pytest.raises(
            ConfigError, match=r"api_key: could not read providers\.moon from the keyring \(Wallet\); unlock"
        ):
            secret_store.resolve("keyring:providers.moon")
        assert not secret_store.delete("providers.moon")


def test_a_key_that_was_looked_up_is_kept_from_commands_and_exports() -> None:
    references, key = ["keyring:providers.moon"], "of-the-test-without-the-look-of-a-key"
    env = ChildEnv(secrets=lambda: secret_store.cached_secrets(references))
    with wallet() as mine:
        mine.kept["kimi-tui", "providers.moon"] = key
        assert env.build({"X": key}).get("X") == key
        secret_store.resolve(references[0])
        assert "X" not in env.build({"X": key})
        empty_cache()
        assert secret_store.all_secrets(references) == [key]


async def test_the_model_is_asked_with_the_key_of_the_keyring_which_is_read_when_it_is_made(tmp_path: Path) -> None:
    with wallet() as mine:
        loaded = edit(without_keys(CHANGES))
        mine.locked = True
        empty_cache()
        engine = await build_engine(EngineConfig(work_dir=tmp_path, config=loaded.config))
        try:
            with pytest.raises(ConfigError, match="could not read"):
                await engine.models.ready()
            mine.locked = False
            await engine.models.ready()
            assert engine.soul.provider is not None
        finally:
            await engine.aclose()


def test_tokens_of_mcp_servers_live_there_too() -> None:
    file = token_file("s", "http://127.0.0.1/mcp")
    write_tokens(file, "old")
    assert file.stat().st_mode & 0o777 == 0o600
    with wallet() as mine:
        write_tokens(file, "new")
        assert not file.exists()
        empty_cache()
        assert read_tokens(file) == "new"
        mine.locked = True
        write_tokens(file, "newest")
        assert read_tokens(file) == "newest"
        mine.locked = False
        assert forget_tokens("s", "http://127.0.0.1/mcp")
        assert (mine.kept, file.exists()) == ({}, False)


@pytest.fixture
def of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keyring of files that `keyrings.alt` has, chosen by the user."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyrings.alt.file.PlaintextKeyring")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.usefixtures("of_files")
def test_another_process_finds_what_was_kept_and_doctor_says_where_but_never_the_key() -> None:
    def python(code: str) -> str:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()

    keep = f"from kimi_tui.config import yaml_editor as c; c.edit(c.without_keys({CHANGES!r}))"
    python(keep)
    python("from kimi_tui.mcp.token_store import *; write_tokens(token_file('s', 'http://x/'), 'token')")
    assert python("from kimi_tui import secret_store; print(secret_store.resolve('keyring:providers.moon'))") == KEY
    assert python("from kimi_tui.mcp.token_store import *; print(read_tokens(token_file('s', 'http://x/')))") == "token"
    assert KEY not in "".join(file.read_text() for file in paths.home().rglob("*") if file.is_file())
    for command, said in (("doctor", "providers.moon in the keyring (file PlaintextKeyring)"), ("info", "keyring (")):
        done = subprocess.run([sys.executable, "-m", "kimi_tui", command], capture_output=True, text=True)
        assert said in done.stdout
        assert KEY not in done.stdout + done.stderr


def test_a_keyring_that_is_but_a_file_is_used_only_when_it_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHON_KEYRING_BACKEND")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:")
    code = "from kimi_tui import secret_store; print(secret_store.backend_name())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "None\n"


def test_without_the_package_all_works_and_the_start_never_loads_it(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('["text: hello"]')
    value = {
        "providers": {"s": {"type": "scripted", "scripts": str(tmp_path / "s.json")},
                      "k": {"type": "kimi", "api_key": "keyring"}},
        "models": {"m": {"provider": "s", "model": "m"}},
        "default_model": "m",
    }  # fmt: skip
    code = (
        "import sys\n"
        "from kimi_tui.cli.main import main\n"
        "BEFORE\n"
        f"status = main(['--print', '-p', 'hi', '--config', {json.dumps(value)!r}])\n"
        "print(status, [name for name in sys.modules if name.startswith('keyring') and sys.modules[name]])"
    )
    for before in ("", "sys.modules['keyring'] = sys.modules['keyring.core'] = None"):
        done = subprocess.run(
            [sys.executable, "-c", code.replace("BEFORE", before)], capture_output=True, text=True, cwd=tmp_path
        )
        assert done.stdout == "hello\n0 []\n", done.stderr


def test_doctor_tells_of_a_file_that_others_can_read(capsys: pytest.CaptureFixture[str]) -> None:
    loaded = edit(without_keys(CHANGES))
    assert loaded.file is not None
    loaded.file.chmod(0o644)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "warn  keys           1 in ~/.kimi-tui/config.yaml" in said
    assert "chmod 600 ~/.kimi-tui/config.yaml" in said
    os.truncate(loaded.file, 0)
    main(["doctor"])
    assert "ok    keys           none" in capsys.readouterr().out


def test_doctor_says_which_key_is_not_to_be_had(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--config", "providers: {k: {type: kimi, api_key: keyring}}", "doctor"])
    said = capsys.readouterr().out
    assert "fail  keys           providers.k in the keyring (none)" in said
    assert "not available: providers.k" in said


def test_no_program_of_the_project_starts_where_the_keyring_is_looked_for(tmp_path: Path) -> None:
    for name in ("gcc", "cc", "ld"):
        planted = tmp_path / name
        planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/PWNED\n")
        planted.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    env.pop("PYTHON_KEYRING_BACKEND", None)
    code = "from kimi_tui import secret_store; secret_store.backend_name()"
    subprocess.run([sys.executable, "-c", code], env=env, cwd=Path(__file__).parents[1], check=True, timeout=60)
    assert not (tmp_path / "PWNED").exists()
