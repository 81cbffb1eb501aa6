"""Text from models, tools, files and servers takes time that is linear in its length, whatever it is."""

import io
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from rich.style import Style

from kimi_tui import json_text, text_safety
from kimi_tui.config.schema import SandboxConfig
from kimi_tui.config.source_position import with_line
from kimi_tui.errors import FlowParseError
from kimi_tui.flow import read_mermaid
from kimi_tui.permission import trust
from kimi_tui.skill.skill import Scope, parse_skill
from kimi_tui.tools.file_support.git_settings import holds_credential
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support import builtins, globs, sandbox_hints
from kimi_tui.ui.acp.tool_calls import ToolCalls
from kimi_tui.ui.print.chart_drawing import ChartDrawing
from kimi_tui.ui.print.output_stream import OutputStream
from kimi_tui.ui.print.text_output import TextOutput
from kimi_tui.ui.tui.composer.file_index import FileIndex
from kimi_tui.ui.tui.i18n import catalog, translate
from kimi_tui.ui.tui.state.flow_reducer import without_choice
from kimi_tui.ui.tui.text.highlight import highlight
from kimi_tui.ui.tui.text.wrap import wrap_runs
from kimi_tui.ui.tui.themes.palette import Palette
from kimi_tui.ui.tui.transcript.streaming_markdown import StreamingMarkdown
from kimi_tui.wire.parts import FunctionBody, ToolCall, ToolCallPart

SIZE = 100_000
SECONDS = 2.0
"""Of processor; a quadratic pattern takes five or more."""


def _json(_: Path) -> None:
    with suppress(ValueError):
        json_text.loads("[" * 300 + r"\"".join(['"', *[""] * SIZE]))


def _fences_of_a_skill(folder: Path) -> None:
    skill = folder / ".kimi-tui/skills/a/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("`" * SIZE, "utf-8")
    assert [item.what for item in trust.project_items(folder)] == [trust.SKILLS]


def _git_settings(folder: Path) -> None:
    (folder / "config").write_text("\n" * (SIZE // 2) + "token" * (SIZE // 11), "utf-8")
    assert not holds_credential(folder / "config")


def _config(folder: Path) -> None:
    (folder / "config.toml").write_text("a" + " " * SIZE, "utf-8")
    with_line(folder / "config.toml", ("a",))


def _heading_beside_a_chart(_: Path) -> None:
    _parse_flow("## B" + "*" * SIZE + "b\n\n```mermaid\nflowchart TD\nBEGIN --> B --> END\n```\n")


def _comment_in_a_chart(_: Path) -> None:
    _parse_flow("```mermaid\nflowchart TD\nBEGIN --> B --> END\n%%a" + " " * SIZE + "b\n```\n")


def _parse_flow(body: str) -> None:
    text = "---\nname: scout\ndescription: d\ntype: flow\n---\n" + body
    assert parse_skill(text, Path("skills/scout/SKILL.md"), Scope.USER).flow is not None


def _dotted_link(_: Path) -> None:
    with suppress(FlowParseError):
        read_mermaid("flowchart TD\na -. " + "." * 4 * SIZE)


def _patterns_of_an_ignore_file(folder: Path) -> None:
    (folder / ".gitignore").write_text("*a*a*a*a*b\n")
    (folder / ("a" * 250)).touch()
    index = FileIndex(folder)
    index.read()
    assert "a" * 250 in index.search("a", 9)


def _labels_that_may_lack_their_end(_: Path) -> None:
    read_mermaid("flowchart TD\na -- x" + '" ' * SIZE + "--> b[run() " + "-" * SIZE + "." * SIZE + "]")


def _pattern_in_a_command(folder: Path) -> None:
    assert globs.expand("{" * SIZE + "{a,b}" * 9, folder).cut


def _hint(folder: Path) -> None:
    sandbox_hints.hint("gpg: " * (SIZE // 5), SandboxConfig(), Workspace(folder))


def _printed_chart(_: Path) -> None:
    drawing = ChartDrawing()
    for _piece in range(SIZE // 4):
        drawing.feed("~~~~")
    drawing.flush()


def _streamed_blank_lines(_: Path) -> None:
    shown = StreamingMarkdown(80, Palette())
    shown.feed("a " * 2 * SIZE + "\n" * SIZE)
    for _piece in range(2):
        shown.feed("\n")


def _highlighted(_: Path) -> None:
    code = "s{" * (SIZE // 2)
    assert highlight(code, "perl", Palette()) == [[(code, Palette().base)]]


def _translated(_: Path) -> None:
    catalog.set_language("zh")
    try:
        translate.translate_lines("a: " * (SIZE // 3))
        translate.translate(" in a of (a) " * (SIZE // 13) + "\0")
    finally:
        catalog.set_language("en")


_PIECES = [ToolCallPart(arguments_part="a" * 300)] * 30_000


def _arguments_in_print(_: Path) -> None:
    output = TextOutput(OutputStream(io.StringIO()), None, final_only=False)
    for message in (ToolCall(id="1", function=FunctionBody(name="WriteFile")), *_PIECES):
        output(message)


def _arguments_for_an_editor(folder: Path) -> None:
    calls = ToolCalls(folder, lambda: "1")
    calls.begin(ToolCall(id="1", function=FunctionBody(name="WriteFile")))
    for piece in _PIECES:
        calls.more(piece)
    calls.whole()


def _paragraph_of_many_lines(_: Path) -> None:
    runs = [run for _line in range(SIZE // 5) for run in (("lorem ipsum dolor " * 8, Style()), (" ", Style()))]
    assert len(wrap_runs(runs, 100)) > SIZE // 5


@pytest.mark.parametrize(
    "read",
    [
        _arguments_in_print,
        _arguments_for_an_editor,
        _paragraph_of_many_lines,
        _json,
        _fences_of_a_skill,
        _git_settings,
        _config,
        _heading_beside_a_chart,
        _comment_in_a_chart,
        _dotted_link,
        _labels_that_may_lack_their_end,
        _pattern_in_a_command,
        _patterns_of_an_ignore_file,
        _hint,
        _printed_chart,
        _streamed_blank_lines,
        _translated,
        _highlighted,
        lambda _: text_safety.for_terminal("\r" * SIZE + "x"),
        lambda _: builtins.builtin_risks("echo", ("echo", "[" * SIZE)),
        lambda _: without_choice(" " * SIZE + "x"),
    ],
)
def test_a_hostile_text_takes_no_longer_than_another(read: Callable[[Path], object], tmp_path: Path) -> None:
    begin = time.process_time()
    read(tmp_path)
    assert time.process_time() - begin < SECONDS


def test_the_patterns_that_were_made_linear_find_the_same() -> None:
    assert text_safety.for_terminal("a\r\r\nb\r\rc\r") == "a\nb\\u000d\\u000dc"
    assert without_choice("done.  \n <choice>yes</choice> \n") == "done."
    assert builtins.builtin_risks("echo", ("echo", "a[b[$(ls)]"))
    assert not builtins.builtin_risks("echo", ("echo", "$(ls)[b]"))
    chart = read_mermaid("flowchart TD\nBEGIN -. yes... -.-> a\na -...- b\nb-. x .->c\nc -. y ....-> END")
    assert [edge.label for edge in chart.edges] == ["yes...", None, "x", "y"]


@pytest.mark.parametrize(
    ("line", "holds"),
    [("  extraheader = a", True), ("my_token_of_x\t=1", True), ("tokens", False), ("a token = 1", False)],
)
def test_keys_of_credentials_are_found_at_the_start_of_a_line(tmp_path: Path, line: str, *, holds: bool) -> None:
    (tmp_path / "config").write_text(f"[http]\n\n{line}\n", "utf-8")
    assert holds_credential(tmp_path / "config") is holds
