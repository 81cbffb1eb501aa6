"""What several tests of the sandbox need."""

import pytest


@pytest.fixture
def as_in_a_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a line write in `.git` as what a hook of the user's runs can."""
    monkeypatch.setattr("kimi_tui.tools.shell.runs_git_alone", lambda *_, **__: True)
