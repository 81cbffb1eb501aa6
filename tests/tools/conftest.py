from pathlib import Path

import pytest

from tests.tools.harness import ToolHarness


@pytest.fixture
def harness(tmp_path: Path) -> ToolHarness:
    folder = tmp_path / "work"
    folder.mkdir()
    return ToolHarness(folder)
