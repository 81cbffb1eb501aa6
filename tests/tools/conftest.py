from pathlib import Path

import pytest

from tests.tools.kit import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder = tmp_path / "work"
    folder.mkdir()
    return Desk(folder)
