"""Our home is closed to others."""

import ast
import errno
import os
from pathlib import Path

import pytest

from kimi_tui import paths
from kimi_tui.paths import real_path


def test_our_home_is_closed_to_others_also_where_an_older_version_left_it_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("KIMI_TUI_HOME", str(home))
    (home / "sessions" / "k").mkdir(parents=True)
    (home / "config.yaml").write_text("key")
    (tmp_path / "others").write_text("")
    (home / "link").symlink_to(tmp_path / "others")
    for path in (home, home / "sessions", home / "sessions" / "k", tmp_path / "others"):
        path.chmod(0o755)
    (home / "config.yaml").chmod(0o644)
    paths.make_home_private()
    for path in (home, home / "sessions", home / "sessions" / "k", home / "config.yaml"):
        assert path.stat().st_mode & 0o077 == 0, path
    assert (tmp_path / "others").stat().st_mode & 0o777 == 0o755


def test_a_home_that_is_missing_is_made_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "a" / "home"))
    paths.make_home_private()
    paths.private_folder(tmp_path / "a" / "home" / "sessions" / "k" / "s")
    made = [tmp_path / "a", *(tmp_path / "a").rglob("*")]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o700] * 5


@pytest.mark.parametrize("mode", [0o1777, 0o755])
def test_a_home_that_is_more_than_ours_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    tmp_path.chmod(mode)
    paths.make_home_private()
    assert tmp_path.stat().st_mode & 0o7777 == mode
    tmp_path.chmod(0o700)


def test_a_link_that_leads_back_to_itself_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to("file")
    assert paths.real_path(tmp_path / "loop" / "below") == tmp_path / "loop" / "below"
    assert paths.real_path(tmp_path / "link") == tmp_path / "file"


def test_a_program_that_commands_could_have_put_on_path_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("work/.venv/bin", "links", "system"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("work/.venv/bin/rg", "system/rg"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "links/rg").symlink_to(tmp_path / "work/.venv/bin/rg")
    work = tmp_path / "work"
    monkeypatch.setenv("PATH", f".:{work}/.venv/bin:{tmp_path}/links:{tmp_path}/system")
    assert paths.find_program("rg", outside=[work]) == str(tmp_path / "system/rg")
    assert paths.find_program("rg", outside=[]) == str(work / ".venv/bin/rg")
    monkeypatch.setenv("PATH", f"{work}/.venv/bin")
    assert paths.find_program("rg", outside=[work]) is None


def test_a_session_in_the_home_finds_the_programs_that_no_command_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for folder in (".local/bin", ".cache/bin", "bin", "proj/bin"):
        (home / folder).mkdir(parents=True)
    for program in (".local/bin/rg", ".cache/bin/uv", "bin/vi", "proj/bin/git"):
        (home / program).write_text("#!/bin/sh\n")
        (home / program).chmod(0o700)
    (home / ".local/bin/fd").symlink_to(home / "proj/bin/git")
    entries = [str(home / folder) for folder in ("proj/bin", ".cache/bin", ".local/bin", "bin")]
    monkeypatch.setenv("PATH", ":".join(entries))
    monkeypatch.setenv("HOME", str(home))
    for outside in (home, tmp_path):
        found = [paths.find_program(name, outside=[outside]) for name in ("rg", "vi", "git", "fd", "uv")]
        assert found == [str(home / ".local/bin/rg"), str(home / "bin/vi"), None, None, None]
        assert paths.path_outside([outside]) == ":".join(entries[2:])
    assert paths.find_program("rg", outside=[home / ".local"]) is None


def test_a_link_that_cannot_be_read_stays_and_the_others_are_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `/proc/PID/root` of another user cannot be."""
    (tmp_path / "closed").symlink_to("secret")
    (tmp_path / "first").symlink_to(tmp_path / "closed")
    (tmp_path / "turn").symlink_to("turn")
    readlink = os.readlink

    def refused(path: str) -> str:
        if str(path).endswith("/closed"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return readlink(path)

    monkeypatch.setattr(os, "readlink", refused)
    assert real_path(tmp_path / "first") == tmp_path / "closed"
    assert real_path(f"{tmp_path}/./first/a/../b") == tmp_path / "closed/b"
    assert real_path(tmp_path / "first/../turn/a") == tmp_path / "turn/a"


def test_a_folder_that_takes_the_place_of_a_link_meanwhile_is_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to("elsewhere")
    readlink, swapped = os.readlink, iter((errno.EINVAL, errno.ENOENT))

    def raced(path: str) -> str:
        if (number := next(swapped, None)) is not None:
            raise OSError(number, "as it is if the link is none now")
        return readlink(path)

    monkeypatch.setattr(os, "readlink", raced)
    assert real_path(tmp_path / "link") == tmp_path / "elsewhere"


def test_what_a_link_with_too_long_a_target_leads_to_is_neither_a_file_nor_a_folder(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("a" * 300)
    assert not paths.path_exists(link)
    assert not paths.is_file(link / "a")
    assert not paths.is_folder(link)
    assert not paths.is_folder("a\0b")
    assert paths.path_exists(tmp_path)
    assert paths.is_folder(str(tmp_path))
    assert paths.is_file(__file__)


ASK_PATHLIB = {
    # our home, sessions, and folders that we make
    *("paths.py", "jsonl.py", "context/context.py", "wire/recorder.py", "soul/assemble.py", "config/loader.py"),
    *("session/atomic_folder.py", "session/exporter.py", "session/file_checkpoints.py", "session/importer.py"),
    *("session/session.py", "session/session_index.py", "cli/session_lookup.py", "cli/commands/session.py"),
    *("ui/tui/composer/draft_store.py", "ui/tui/themes/theme.py", "cli/modes/demo.py"),
    *("tools/shell_support/bwrap_args.py", "tools/shell_support/bwrap_mounts.py"),
    *("tools/shell_support/remove_tree.py", "tools/shell_support/sandbox_probe.py"),
    "tools/shell_support/undone_settings.py",
    *("config/yaml_editor.py", "soul/agent_spec.py", "soul/services.py", "tools/shell_support/sandbox.py"),
    # the files of Kimi CLI, and a file of the system
    *("config/kimi_import.py", "config/model_selection.py", "cli/engine_options.py", "cli/commands/doctor_checks.py"),
    # what the user names on the command line, where an error is said
    *("cli/commands/migrate.py", "cli/work_dir.py", "mcp/config_editor.py", "skill/sharing/source.py"),
    "ui/acp/agent.py",
}


def test_only_files_that_say_why_ask_pathlib_where_a_path_leads() -> None:
    """Elsewhere a command may have made it; `path_exists`, `is_file`, `is_folder` and `real_path` take any."""

    def asks(file: Path) -> bool:
        calls = (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))
        asked = [call.func for call in calls if not call.args and not call.keywords]
        return any(
            isinstance(one, ast.Attribute)
            and one.attr in ("exists", "is_file", "is_dir", "resolve")
            and not ast.unparse(one.value).startswith(("entry", "_Groups("))  # of `os.scandir`; no path
            for one in asked
        )

    package = Path(paths.__file__).parent
    assert {file.relative_to(package).as_posix() for file in package.rglob("*.py") if asks(file)} == ASK_PATHLIB
