"""Small files of our own home that are pipes, folders or hold what cannot be: each counts as none."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kimi_tui.config.yaml_editor import read_table
from kimi_tui.errors import ConfigError
from kimi_tui.llm.providers.scripted import Script
from kimi_tui.mcp.failure_notices import FailureNotices
from kimi_tui.mcp.token_store import read_tokens
from kimi_tui.ui.tui.composer.draft_store import Draft, DraftStore
from kimi_tui.ui.tui.composer.input_history import InputHistory
from kimi_tui.ui.tui.main_screen.column_width_store import ColumnWidthStore
from kimi_tui.ui.tui.screens.log import last_entries


def history(file: Path) -> object:
    kept = InputHistory(file)
    before = list(kept.entries)
    kept.add("typed")
    return before


def tokens(file: Path) -> object:
    with suppress(OSError):
        return read_tokens(file)
    return None


def settings(file: Path) -> object:
    with suppress(ConfigError):
        return read_table(file.rename(file.with_suffix(".yaml")))
    return None


def script(file: Path) -> object:
    with suppress(ConfigError):
        return Script.read(file)
    return None


READERS: dict[str, tuple[Callable[[Path], object], object]] = {
    "history": (history, []),
    "draft": (lambda file: DraftStore(file).load(), Draft()),
    "widths": (lambda file: ColumnWidthStore(file, "xterm").load(), None),
    "tokens": (tokens, None),
    "log": (last_entries, []),
    "settings": (settings, None),
    "script": (script, None),
    "notices": (lambda file: FailureNotices(file).should_report("server", "cause"), True),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_a_pipe_or_a_folder_in_place_of_a_file_of_ours_counts_as_none(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    read, nothing = READERS[name]
    make(tmp_path / "file")
    assert read(tmp_path / "file") == nothing
