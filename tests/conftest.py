"""Every test has a home of its own, and an environment without the user's models and language."""

import os

import pytest

_MODEL_VARIABLES = (
    "KIMI_API_KEY", "KIMI_BASE_URL", "KIMI_MODEL_NAME", "MOONSHOT_API_KEY", "OPENAI_API_KEY",
    "OPENAI_BASE_URL", "OPENAI_MODEL", "KIMI_SHARE_DIR", "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
)  # fmt: skip


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more process than processors: many tests wait for a child process or a screen."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("KIMI_TUI_HOME", str(home / ".kimi-tui"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")  # never the user's own
    for variable in _MODEL_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
