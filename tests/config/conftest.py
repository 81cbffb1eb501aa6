import pytest


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
