"""The output of a server in our log."""

import logging

import pytest

from kimi_tui.mcp.server_log import ServerLog


def test_a_line_of_output_keeps_its_indentation(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "kimi_tui")
    log = ServerLog("files")
    for text in ("Traceback:", '  File "x.py",   line 3', "\tboom", " " * 1000 + "far"):
        log.line(text)
    assert [record.getMessage().removeprefix("MCP server files: ") for record in caplog.records] == [
        "Traceback:", '  File "x.py", line 3', "        boom", " " * 40 + "far",
    ]  # fmt: skip
