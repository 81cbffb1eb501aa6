"""The list of mounts: what is covered goes, and what is closed is one bind of a prepared folder."""

from pathlib import Path

from kimi_tui.tools.shell_support.bwrap_mounts import with_prepared_folders, without_covered


def test_a_mount_that_a_later_one_covers_goes_and_a_remount_covers_nothing() -> None:
    mounts = [
        ("--ro-bind", "/", "/"),
        ("--ro-bind", "/w/.git", "/w/.git"),
        ("--tmpfs", "/h"),
        ("--bind", "/w", "/w"),
        ("--ro-bind", "/w/.git", "/w/.git"),
        ("--remount-ro", "/h"),
    ]
    assert without_covered(mounts) == [mounts[0], *mounts[2:]]


def test_a_closed_folder_is_a_prepared_one_with_mount_points_and_copies(tmp_path: Path) -> None:
    home, own = tmp_path / "home", tmp_path / "own"
    (home / "tools").mkdir(parents=True)
    own.mkdir()
    for name in ("settings", "secret"):
        (home / name).write_text(f"{name}\n")
    settings, tools, secret = (str(home / name) for name in ("settings", "tools", "secret"))
    mounts = [
        ("--ro-bind", "/", "/"),
        ("--tmpfs", str(home)),
        ("--ro-bind", settings, settings),
        ("--ro-bind", secret, secret),
        ("--ro-bind", tools, tools),
        ("--tmpfs", f"{home}/deep/closed"),
        ("--remount-ro", f"{home}/deep/closed"),
        ("--remount-ro", str(home)),
    ]
    changed = with_prepared_folders(mounts, own, copied=[settings])
    [prepared] = own.iterdir()
    assert changed == [
        mounts[0],
        ("--ro-bind", str(prepared), str(home)),
        ("--ro-bind", secret, secret),
        ("--ro-bind", tools, tools),
    ]
    contents = {str(path.relative_to(prepared)): path.is_file() and path.read_text() for path in prepared.rglob("*")}
    assert contents == {
        "settings": "settings\n",
        "secret": "",
        "tools": False,
        "deep": False,
        "deep/closed": False,
    }
    assert with_prepared_folders(mounts, own, copied=[settings]) == changed
    (home / "settings").write_text("changed\n")
    assert with_prepared_folders(mounts, own, copied=[settings]) != changed
    assert (prepared / "settings").read_text() == "settings\n"
