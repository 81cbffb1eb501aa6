"""The browser that shows a page is the user's."""

from pathlib import Path

import pytest

from kimi_tui.browser import open_in_browser


def test_a_browser_that_commands_could_have_put_on_path_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("work/bin", "system"):
        (tmp_path / folder).mkdir(parents=True)
        browser = tmp_path / folder / "shows-pages"
        browser.write_text(f'#!/bin/sh\necho "$1" >{tmp_path}/{folder}/shown\n')
        browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", "shows-pages %s")
    monkeypatch.setenv("PATH", f"{tmp_path}/work/bin:.:{tmp_path}/system")
    monkeypatch.chdir(tmp_path / "work/bin")
    open_in_browser("http://127.0.0.1:1/", [tmp_path / "work"]).join()
    assert (tmp_path / "system/shown").read_text() == "http://127.0.0.1:1/\n"
    assert not (tmp_path / "work/bin/shown").exists()


def test_a_browser_that_stays_in_the_foreground_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "stays"
    browser.write_text(f"#!/bin/sh\nfor i in $(seq 100); do [ -e {tmp_path}/closed ] && exit; sleep 0.05; done\n")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    waiting = open_in_browser("http://127.0.0.1:1/", [])
    assert waiting.is_alive()
    (tmp_path / "closed").touch()
    waiting.join()
