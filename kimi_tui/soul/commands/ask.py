"""Slash commands that ask the model outside the conversation."""

from typing import TYPE_CHECKING

from kimi_tui.context.context import Context
from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr
from kimi_tui.jsonl import JsonlWriter
from kimi_tui.llm.message import user_message
from kimi_tui.paths import project_root
from kimi_tui.soul.commands.command import Command, CommandInfo
from kimi_tui.soul.system_prompt import read_instructions

if TYPE_CHECKING:
    from kimi_tui.soul.engine import Engine

_INIT = """\
Get to know this project and write `AGENTS.md` in the working directory: what an agent that has never seen it needs to
work here. Look at the code, the build and the tests before you write; improve the file where there is one already.

Say what the project is and how it is laid out; how it is built, run, tested and checked, with the exact commands; its
conventions of code, tests and commits, with examples of files that show them; and what must not be touched or done.
Leave out what anyone would know, and what cannot be seen in the project. Keep it under 200 lines, in the language of
the project's own documents."""


async def _init(engine: "Engine", args: str) -> None:
    soul = engine.soul
    folder = engine.session.dir / "init"
    side_context = Context(JsonlWriter(folder / "context.jsonl"))
    try:
        with soul.on_context(side_context):
            result = await engine.take_turn(f"{_INIT}\n\n{args}".strip(), shown_as=f"/init {args}".strip())
    finally:
        side_context.clear()
        side_context.close()
        engine.send_status()
    written = read_instructions(engine.work_dir / "AGENTS.md", project_root(engine.work_dir))
    if result.stop == "finished" and written is not None:
        soul.context.append(
            user_message(f"<system>AGENTS.md was just written for this project. It says:\n\n{written.text}</system>")
        )


async def _btw(engine: "Engine", args: str) -> None:
    if not args:
        raise UsageError(tr("/btw needs a question: /btw QUESTION"))
    await engine.models.ready()
    soul = engine.soul
    if soul.provider is not None:
        await engine.asides.ask(args, soul.agent, soul.provider, soul.context.history)


COMMANDS: tuple["Command[Engine]", ...] = (
    Command(CommandInfo("init", "Analyze the project and write AGENTS.md"), _init, turn=False),
    Command(
        CommandInfo("btw", "Ask a side question (not added to the conversation)"), _btw, while_running=True, turn=False
    ),
)
