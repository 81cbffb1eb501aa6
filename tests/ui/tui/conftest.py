"""Snapshots of the screen lie in the top-level `snapshots/`; the environment is a plain terminal's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension

from kimi_tui.ui.tui.i18n import catalog
from tests.ui.tui.app_harness import open_app
from tests.ui.tui.pilot_driver import start

__all__ = ["open_app", "start"]

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def snapshots_on_top(monkeypatch: pytest.MonkeyPatch) -> None:
    def dirname(cls: type, *, test_location: Any) -> str:
        return str(ROOT / "snapshots" / Path(test_location.filepath).stem)

    monkeypatch.setattr(SVGImageExtension, "dirname", classmethod(dirname))


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TMUX", "STY", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A test that wants another language says so; the next one is English again."""
    catalog.set_language("en")
    yield
    catalog.set_language("en")
