"""The command line: said with options alone it is read without the parsers of the commands, and means the same."""

import subprocess
import sys

import pytest

from kimi_tui.cli.options import parse, parser
from kimi_tui.errors import UsageError

LOADED = """
import sys
import kimi_tui.cli.main
from kimi_tui.cli.options import parse
from kimi_tui.cli.modes import tui as screen
parse(["--demo", "-p", "x"])
late = ("asyncio", "inspect", "dataclasses", "json", "hashlib", "kimi_tui.cli.commands.flow",
        "kimi_tui.cli.commands.completion")
print(*(name for name in late if name in sys.modules))
"""


def test_the_first_word_on_the_screen_waits_for_nothing_but_the_options() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr


@pytest.mark.parametrize(
    "said",
    [
        [],
        ["--demo"],
        ["-p", "flow"],
        ["-S", "flow"],
        ["-S"],
        ["--print", "-p", "x", "--output-format", "stream-json"],
        ["--flow", "mcp", "--yolo", "--no-thinking"],
        ["--debug", "flow", "list"],
        ["mcp", "add", "a", "--", "npx", "-p", "-y"],
        ["session", "list", "--json"],
    ],
    ids=" ".join,
)
def test_options_are_what_the_whole_parser_reads(said: list[str]) -> None:
    assert vars(parse(said)) == vars(parser().parse_args(said))


@pytest.mark.parametrize("said", [["-p"], ["--nope"], ["flow", "--nope"], ["nope"], ["--max-steps-per-turn", "0"]])
def test_a_mistake_is_told_as_the_whole_parser_tells_it(said: list[str]) -> None:
    told: list[str] = []
    for read in (parse, parser().parse_args):
        with pytest.raises(UsageError) as caught:
            read(said)
        told.append(str(caught.value))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["--theme", "x"], "unknown option --theme (see kimi-tui --help)"),
        (["--print", "-p", "x", "--theme=x"], "unknown option --theme (see kimi-tui --help)"),
        (["--plain", "nope"], "argument COMMAND: invalid choice: 'nope' (choose"),
        (["flow", "list", "--nope"], "unrecognized arguments: --nope"),
    ],
    ids=str,
)
def test_an_unknown_option_is_told_by_its_name_and_not_by_what_follows_it(said: list[str], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(said)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    "said",
    [
        ["export", "-o", "x.zip"],
        ["login", "--json"],
        ["logout"],
        ["plugin", "install", "x"],
        ["term"],
        ["vis", "--port=1"],
    ],
    ids=lambda said: said[0],
)
def test_a_command_of_kimi_cli_that_is_not_here_says_what_to_use(said: list[str]) -> None:
    with pytest.raises(UsageError, match=f"^{said[0]} is a Kimi CLI command; .*(use|set|start)") as caught:
        parse(said)
    assert caught.value.exit_code == 2


def test_the_setup_for_editors_is_part_of_both_forms_of_acp() -> None:
    assert parse(["acp", "--setup"]).setup
    assert parse(["--acp", "--setup"]).setup
    assert not parse(["acp"]).setup
    for argv in (["--setup"], ["--print", "--setup"]):
        with pytest.raises(UsageError, match="--setup needs acp"):
            parse(argv)


def test_acp_goes_with_no_other_face() -> None:
    assert parse(["--acp"]).acp
    for other in ("--wire", "--print", "--quiet", "--replay=x"):
        with pytest.raises(UsageError):
            parse(["--acp", other])


@pytest.mark.parametrize("face", ["--wire", "--acp"])
def test_a_flow_is_not_silently_left_out_where_a_client_sends_the_prompts(face: str) -> None:
    with pytest.raises(UsageError, match="the client sends /flow:NAME"):
        parse([face, "--flow", "release"])


BUILT = """
import sys
import kimi_tui.cli.modes.print
from kimi_tui.config.schema import Config
from kimi_tui.flow.run.journal_records import RunStarted
from kimi_tui.wire import codec
print(*(cls.__name__ for cls in (Config, RunStarted, *codec.MESSAGE_CLASSES) if cls.__pydantic_complete__))
print(*(name for name in ("openai", "mcp", "textual", "rich", "watchfiles") if name in sys.modules))
"""


def test_what_an_answer_does_not_need_is_neither_loaded_nor_built() -> None:
    done = subprocess.run([sys.executable, "-c", BUILT], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "\n\n"), done.stdout + done.stderr
