"""Our home is closed to others."""

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
