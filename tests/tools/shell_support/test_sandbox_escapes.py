"""The table of escapes, and that it holds as each tier says."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from kimi_tui.tools.shell_support.bwrap_args import Tier
from tests.tools.shell_support.sandbox_escapes import CANNOT, escapes, tried


def test_the_table_has_at_least_120_escapes_each_with_its_own_name() -> None:
    names = [escape.name for escape in escapes()]
    assert len(names) == len(set(names)) >= 120
    assert all(names_of_tier <= set(names) for names_of_tier in CANNOT.values())


@pytest.mark.parametrize("tier", ["full", "files"])
async def test_a_tier_holds_all_but_what_it_says_that_it_cannot(tier: Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(tempfile.mkdtemp(dir=os.environ.get("KIMI_TUI_TEST_FOLDER", Path(__file__).parent)))
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("KIMI_TUI_HOME", str(folder / "home/.kimi-tui"))
    try:
        found = await tried(tier, folder)
    finally:
        shutil.rmtree(folder)
    if not found:
        pytest.skip(f"there is no sandbox of tier {tier} here")
    assert {name for name, state in found.items() if state == "NOT HELD"} <= CANNOT[tier]
    assert list(found.values()).count("held") > 100
