import io
import json
import sys

import pytest

from kimi_tui.cli.output import print_json, print_out


def test_nothing_that_is_printed_acts_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_out("a\x1b]0;x\x07b\bc\u202ed\n中文\ttab")
    print_json({"a": "\x9b\u202e\x7f"})
    shown = capsys.readouterr().out
    assert not set(shown) & set("\x1b\x07\b\u202e\x9b\x7f")
    assert "中文\ttab" in shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_can_be_read_back_in_every_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    value = {"a": "é 中文 😀"}
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    print_json(value)
    out.flush()
    assert json.loads(out.buffer.getvalue().decode(encoding)) == value  # type: ignore[attr-defined]
