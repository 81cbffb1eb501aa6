"""What the layers below say to a user can be said in another language: it is marked, and none of it is missed.

A guard by the source, for everything below the faces; and by what slash commands really answer.
"""

import ast
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kimi_tui.errors import KimiTuiError
from kimi_tui.soul.commands.registry import COMMANDS
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.i18n.translate import translate_lines
from kimi_tui.wire.events import Notification
from kimi_tui.wire.parts import TextPart
from tests import texts
from tests.soul.scripted_engine import engine_on, plan
from tests.user_texts import SEVERAL_WORDS, called, errors, taking_user_texts

SPOKEN = frozenset(taking_user_texts(texts.below())) | errors(texts.below(), "KimiTuiError")
"""Calls whose text a user reads; `said` is for each of their texts."""
NOT_ON_THE_SCREEN = {
    "llm/providers/scripted.py": "what is wrong with a model's script, which its author reads in a test's output",
    "soul/agent_spec.py": "a start that fails is told by the command line",
    "soul/tool_injection.py": "a start that fails is told by the command line",
    "soul/flows/prompt_flow.py": "a start that fails is told by the command line",
    "soul/provider_config.py": "a start that fails is told by the command line",
    "flow/run/dry_run.py": "`flow dry-run` alone",
    "context/dmail.py": "what the model is told",
    "soul/subagents/pool.py": "what the model is told",
    "mcp/elicitation_form.py": "what the server is told",
    "wire/codec.py": "what a client of the Wire is told",
    "mcp/config.py: Value error, ": "what pydantic writes before a cause",
    "soul/commands/session.py: the session “": "what the model is told",
}

PROMPTS = "soul/commands/ask.py"
"""It holds what the model is told."""


def is_log(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="_log"))):
            return True
        case _:
            return False


def unsaid(source: str, *, everywhere: bool = False) -> Iterator[tuple[int, str]]:
    """Texts of several words that a call of SPOKEN is given, or `everywhere` outside of docstrings, without `said`."""

    def walk(node: ast.AST, spoken: bool) -> Iterator[tuple[int, str]]:
        name = called(node)
        if name in ("tr", "tr_n", "CommandInfo", "compile") or is_log(node):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        spoken = spoken or name in SPOKEN
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if spoken and SEVERAL_WORDS.search(node.value) and " | " not in node.value:  # a grammar is what one types
                yield node.lineno, node.value
            return
        for child in ast.iter_child_nodes(node):
            within = spoken and not (isinstance(child, ast.keyword) and child.arg in ("key", "file", "kind", "payload"))
            yield from walk(child, within)

    yield from walk(ast.parse(source), everywhere)


def test_every_text_that_is_told_below_is_said() -> None:
    found: list[str] = []
    for file in texts.below():
        name = str(file.relative_to(texts.ROOT / "kimi_tui"))
        if name in NOT_ON_THE_SCREEN or name.startswith("cli/"):
            continue
        everywhere = name.startswith("soul/commands/") and name != PROMPTS
        for line, text in unsaid(file.read_text("utf-8"), everywhere=everywhere):
            if f"{name}: {text}" not in NOT_ON_THE_SCREEN:
                found.append(f"{name}:{line}: {text!r}")
    assert found == [], "say them as kimi_tui/i18n.py says"


@pytest.mark.parametrize(
    "line",
    [
        'engine.reply("There are no skills.")',
        'engine.reply(f"{task} was stopped.")',
        'raise UsageError(f"there is no command /{name}; /help lists them")',
        'send(notice("a title", "the cause of it"))',
        'engine.reply("\\n".join(lines) or "No hooks are configured.")',
    ],
)
def test_the_guard_finds(line: str) -> None:
    assert list(unsaid(line))


@pytest.mark.parametrize(
    "line",
    [
        'engine.reply(tr("There are no skills."))',
        'raise ConfigError(tr("this is no table"), key="one of them")',
        '_log.info("a turn ended: %s", error)',
        'title = "neither told nor shown"',
    ],
)
def test_the_guard_passes_over(line: str) -> None:
    assert not list(unsaid(line))


def test_the_exceptions_are_of_files_that_exist() -> None:
    for name in (*NOT_ON_THE_SCREEN, PROMPTS):
        assert (texts.ROOT / "kimi_tui" / name.partition(":")[0]).is_file(), name


def test_no_text_is_said_inside_an_f_string_where_it_is_not_found() -> None:
    for file in texts.below():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                within = [called(one) for one in ast.walk(node)]
                assert not {"tr", "tr_n"} & set(within), f"{file}:{node.lineno}"


GIVEN = ("", "nonsense nonsense", "stop nothing", "restart nothing", "on", "view", "clear", "1 files", "work.md")
LEFT = {
    "nonsense", "nothing", "work", "md", "tmp", "tui", "kimi", "home", "test", "init", "AGENTS", "MCP", "ID", "NAME",
    "json", "zip", "session", "id", "token", "tokens", "files", "both", "conversation", "on", "off", "view", "clear",
    "stop", "restart", "scripted", "yolo", "README", "D", "Mail", "N", "RUN", "NODE", "TEXT", "BRANCH", "CAPS",
    "budget", "at", "always",
    "never", "new", "Shell", "all", "list", "pause", "continue", "step", "break", "choose", "ask", "again", "edit",
    "jump", "skip", "s",
}  # fmt: skip
"""Words that stay: names, and what one types."""


def english_left(text: str, names: set[str]) -> set[str]:
    words = re.sub(r"`[^`]*`|/[\w./:-]+|[\w.-]*[\d_/][\w./-]*", " ", text)
    return set(re.findall(r"[A-Za-z]+", words)) - LEFT - names


@pytest.mark.parametrize("name", [one.info.name for one in COMMANDS if one.info.name not in ("init", "btw")])
async def test_what_a_slash_command_answers_is_said_in_chinese(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))
    names = {word for one in COMMANDS for each in (one.info.name, *one.info.aliases) for word in each.split("-")}
    made = plan(tmp_path, "text: ok", "text: ok", "text: ok")
    async with engine_on(made) as (engine, received):
        names |= {word for one in engine.commands() for word in re.findall(r"[A-Za-z]+", f"{one.name}")}
        bundled = {one.description for one in engine.skills.skills} | set(engine.soul.agent.subagents.names().values())
        names |= set(engine.soul.agent.subagents.names())
        await engine.prompt("你好")
        for given in GIVEN:
            del received[:]
            with contextlib.suppress(KimiTuiError):  # it is told on the Wire too
                await engine.prompt(f"/{name} {given}".strip())
            said = [message.text for message in received.of(TextPart)]
            said += [text for one in received.of(Notification) for text in (one.title, one.body)]
            catalog.set_language("zh")
            for text in said:
                for description in bundled:
                    text = text.replace(description, "")
                assert not english_left(translate_lines(text), names), (given, text, translate_lines(text))
            catalog.set_language("en")
