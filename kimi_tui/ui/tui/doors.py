"""The further screens: each can be opened by the palette, by its slash command and, some, by a key.

What a screen needs is made here, and what a person chose there is done here; the screens are imported when opened.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kimi_tui.errors import KimiTuiError
from kimi_tui.paths import home
from kimi_tui.ui.tui.engine import Command
from kimi_tui.ui.tui.language import _
from kimi_tui.ui.tui.screens.home import Home

if TYPE_CHECKING:
    from kimi_tui.config_edit import KeyPath, Value
    from kimi_tui.soul.engine import Engine as SoulEngine
    from kimi_tui.soul.figures import Figures
    from kimi_tui.ui.tui.app import KimiTui
    from kimi_tui.ui.tui.host import Host
    from kimi_tui.ui.tui.screens.inside import Inside
    from kimi_tui.ui.tui.screens.session_shelf import Kept


@dataclass(frozen=True, slots=True)
class Door:
    """A screen: the slash command that opens it when nothing follows it, and what it is for."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


DOORS: tuple[Door, ...] = (
    Door("sessions", "Go to another session: search, preview, rename, fork, archive", ("resume",)),
    Door("new", "Begin a new session"),
    Door("model", "Choose the model that answers"),
    Door("settings", "Change the configuration", ("config",)),
    Door("setup", "Set up a theme and a model, as at the first start", ("login",)),
    Door("theme", "Choose a theme"),
    Door("skills", "The skills there are, and what is wrong with them"),
    Door("usage", "Tokens and cost, by model", ("status",)),
    Door("rewind", "Go back to before an earlier turn", ("undo",)),
    Door("task", "What runs in the background", ("tasks",)),
    Door("mcp", "How the MCP servers are"),
    Door("trust", "Trust what this folder brings along, or not any more"),
    Door("log", "What kimi-tui wrote into its log"),
)


class Doors:
    """Opens screens for one app. A person is in one of them at a time."""

    def __init__(self, app: "KimiTui") -> None:
        self._app = app
        self._refused_trust = False
        self._open: dict[str, Callable[[], Awaitable[None]]] = {
            "sessions": self._sessions,
            "new": self._new,
            "model": self._model,
            "setup": self._setup,
            "theme": self._theme,
            "settings": self._settings,
            "log": self._log,
            "skills": self._skills,
            "usage": self._usage,
            "rewind": self._rewind,
            "task": self._tasks,
            "mcp": self._mcp,
            "trust": self._trust,
        }

    def doors(self) -> list[Door]:
        """Those that lead somewhere."""
        return [door for door in DOORS if door.name in self._open]

    def among(self, commands: Sequence[Command]) -> Sequence[Command]:
        """The slash commands of the engine, and those of ours that it lacks."""
        known = {command.name for command in commands}
        return [*commands, *(door for door in self.doors() if door.name not in known)]

    def begin(self, name: str) -> None:
        """The first engine is there. Without a model to ask, the first thing is to find one."""
        engine = self._engine
        if self._app.host is not None:
            self._app.run_worker(self._app.shelf.follow(self._tell_wrong), group="themes", exit_on_error=False)
        if name:
            self.open(name)
        elif engine is not None and not engine.models.key and not engine.models.info.model:
            self.open("setup")

    def _tell_wrong(self, text: str) -> None:
        self._app.tell(text, severity="warning")

    async def ask_trust(self) -> None:
        """Ask about a folder that brings something along, once, before any of it acts. Raises KimiTuiError."""
        if (host := self._app.host) is None:
            return
        await host.prepare()
        self._app.shelf.use(host.config.theme)
        self._app.use_keys(host.config.keys, host.config_file)
        brought = await asyncio.to_thread(host.untrusted)
        if not brought:
            return
        from kimi_tui.ui.tui.screens.trust import TrustQuestion

        answer = await self._app.push_screen_wait(TrustQuestion(host.work_dir, brought, clock=self._app.steady))
        self._refused_trust = answer is not True
        await self._trust_as(host, answer is True, keep=answer is not None)

    async def _trust_as(self, host: "Host", answer: bool, *, keep: bool) -> None:
        try:
            await asyncio.to_thread(host.trust, answer, keep=keep)
        except OSError as error:
            self._app.tell(
                _("the answer could not be kept: {cause}", cause=error.strerror or error), severity="warning"
            )

    def tell_left_out(self) -> None:
        """A session is there, after a no to the question of trust: what that means, and how to take it back."""
        from kimi_tui.ui.tui.transcript.items import NoticeItem

        if self._refused_trust and (host := self._app.host) is not None and (brought := host.left_out()):
            names = ", ".join(one.path.name for one in brought)
            words = _("This folder is not trusted, so this is left out: {names}. /trust asks again.", names=names)
            self._app.stage.say(NoticeItem(words, "warning"))
        self._refused_trust = False

    async def _trust(self) -> None:
        from kimi_tui.ui.tui.screens.trust import TrustQuestion

        app, host = self._app, self._app.host
        if host is None or not (brought := host.brought()):
            app.tell(_("this folder brings nothing along that one would have to trust"))
            return
        answer = await app.push_screen_wait(TrustQuestion(host.work_dir, brought, clock=app.steady))
        if answer is not None:
            self._refused_trust = not answer
            await self._trust_as(host, answer, keep=True)
            await self._start_again()

    def takes(self, text: str) -> bool:
        """Open the screen that a bare slash command means; False where the text is something else."""
        name = text.strip().removeprefix("/")
        if name == text.strip():
            return False
        door = next((door for door in self.doors() if name == door.name or name in door.aliases), None)
        if door is not None:
            self.open(door.name)
        return door is not None

    def open(self, name: str) -> None:
        if isinstance(self._app.screen, Home):
            self._app.run_worker(self._through(self._open[name]), group="doors", exclusive=True)

    async def _through(self, way: Callable[[], Awaitable[None]]) -> None:
        try:
            await way()
        except KimiTuiError as error:
            self._app.tell(str(error), severity="warning")

    @property
    def _engine(self) -> "SoulEngine | None":
        """The engine, where it is a real one and not a recording."""
        engine = self._app.engine
        return cast("SoulEngine", engine) if engine is not None and hasattr(engine, "services") else None

    def toggle_plan(self) -> None:
        """Plan mode on, or off again."""
        if (engine := self._engine) is None:
            return
        plan_mode = engine.services.plan_mode
        plan_mode.on = not plan_mode.on
        self._app.tell(
            _("plan mode: nothing is changed until you agree to a plan") if plan_mode.on else _("plan mode is off")
        )

    # Sessions

    async def _sessions(self) -> None:
        from kimi_tui.ui.tui.screens.session_shelf import SessionShelf
        from kimi_tui.ui.tui.screens.sessions import NEW, Sessions

        engine = self._app.engine
        folder = engine.work_dir if engine else self._app.host.work_dir if self._app.host else Path.cwd()
        shelf = SessionShelf(folder, engine.session_id if engine else "")
        screen = Sessions(shelf, now=time.time, rename_open=self._rename, busy=engine is not None and engine.busy)
        match await self._app.push_screen_wait(screen):
            case None:
                return
            case str(word) if word == NEW:
                await self._new()
            case kept:
                await self._go(cast("Kept", kept))

    def _rename(self, title: str) -> None:
        if (engine := self._engine) is not None:
            engine.rename(title)

    async def _go(self, kept: "Kept") -> None:
        if (host := self._app.host) is None:
            return
        here, folder = self._app.engine.session_id if self._app.engine else None, host.work_dir
        host.go_to(kept.id, kept.work_dir)
        if not await self._app.seat.change():
            host.go_to(here, folder)

    # Models

    async def _model(self) -> None:
        from kimi_tui.llm.discover import find_local_servers
        from kimi_tui.ui.tui.screens.models import ModelPicker

        host, engine = self._app.host, self._engine
        if host is None or engine is None:
            return
        choice = await self._app.push_screen_wait(ModelPicker(host.config, engine.models.key, find=find_local_servers))
        if choice is None:
            return
        changes = dict(choice.changes) | ({("default_model",): choice.name} if choice.keep else {})
        if changes:
            await host.change(changes)
        host.use_model(choice.name)
        if choice.changes:
            await self._start_again()
        else:
            await engine.switch_model(choice.name)
            self._app.stage.show_model()
        self._app.tell(
            _("{model} answers from now on, and by default", model=choice.name)
            if choice.keep
            else _("{model} answers from now on", model=choice.name)
        )

    async def _setup(self) -> None:
        from kimi_tui.llm.discover import find_local_servers
        from kimi_tui.ui.tui.screens.first_start import FirstStart, find_takeover

        app, host = self._app, self._app.host
        if host is None:
            return
        choice = await app.push_screen_wait(
            FirstStart(
                app.shelf.titles(),
                app.shelf.current,
                use_theme=app.shelf.use,
                find=find_local_servers,
                takeover=await asyncio.to_thread(find_takeover, Path.home()),
            )
        )
        if choice is None:
            return
        if choice.demo:
            if (prompt := host.go_to_demo()) and await app.seat.change():
                app.submit(prompt)
            return
        await host.change({("theme",): choice.theme, **choice.changes})
        host.use_model(choice.model)
        await self._start_again()

    async def _start_again(self) -> None:
        """The same session, with the configuration as it is now."""
        engine, host = self._engine, self._app.host
        if host is None:
            return
        if engine is not None and engine.busy:
            self._app.tell(_("it counts from the next start on: a turn is running"))
            return
        host.go_to(engine.session_id if engine is not None and not engine.session.is_empty else None)
        await self._app.seat.change(leave_first=True)

    async def _new(self) -> None:
        if (host := self._app.host) is not None:
            here, folder = self._app.engine.session_id if self._app.engine else None, host.work_dir
            host.go_to(None)
            if not await self._app.seat.change():
                host.go_to(here, folder)

    # What is set

    async def _theme(self) -> None:
        from kimi_tui.ui.tui.screens.theme_picker import ThemePicker

        app = self._app
        picker = ThemePicker(app.shelf.titles(), app.shelf.current, use=app.shelf.use)
        if (theme := await app.push_screen_wait(picker)) is not None:
            await self._keep(theme)

    def keep(self, theme: str) -> None:
        """Have the theme in the configuration too, where there is a file of it."""
        self._app.run_worker(self._through(lambda: self._keep(theme)), group="keep", exclusive=True)

    async def _keep(self, theme: str) -> None:
        host = self._app.host
        if host is not None and host.config_file is not None and host.config.theme != theme:
            await host.change({("theme",): theme})

    async def _settings(self) -> None:
        from kimi_tui.ui.tui.screens.settings import Settings

        app, host = self._app, self._app.host
        if host is None:
            return

        async def change(changes: "Mapping[KeyPath, Value]") -> None:
            await host.change(changes)
            app.shelf.use(host.config.theme)

        screen = Settings(lambda: host.config, host.config_file, change=change, themes=tuple(app.shelf.titles()))
        await app.push_screen_wait(screen)

    # Subagents

    def look_into(self, item_id: int) -> None:
        """Open the whole conversation of the subagent whose card that is."""
        from kimi_tui.ui.tui.screens.inside import Inside, subagents_of

        app, engine = self._app, self._engine
        shown = app.stage.shown
        subagents, key = subagents_of(shown), app.stage.feed.key_of(item_id)
        clicked = shown.conversation[key] if key is not None else None
        index = next((at for at, item in enumerate(subagents) if item is clicked), None)
        if index is None or not isinstance(app.screen, Home):
            return
        stop = engine.roster.stop if engine is not None and shown is app.stage.state else None
        app.push_screen(
            Inside(lambda: subagents_of(shown), index, clock=app.moment, motion=not app.manners.still, stop=stop)
        )

    def follow(self) -> None:
        """Whoever looks into a subagent sees what it says meanwhile."""
        for view in self._views():
            view.follow()

    def tail(self, call_id: str, text: str) -> None:
        """A tool has printed something, a subagent's perhaps."""
        for view in self._views():
            view.tail(call_id, text)

    def _views(self) -> "list[Inside]":
        if isinstance(self._app.screen, Home):
            return []
        from kimi_tui.ui.tui.screens.inside import Inside

        return [screen for screen in self._app.screen_stack if isinstance(screen, Inside)]

    # What is told

    async def _log(self) -> None:
        from kimi_tui.ui.tui.screens.log import LogView

        await self._app.push_screen_wait(LogView(home() / "logs" / "kimi-tui.log"))

    async def _skills(self) -> None:
        from kimi_tui.ui.tui.screens.skills import Skills

        if (engine := self._engine) is not None:
            skills = engine.skills
            command = await self._app.push_screen_wait(Skills(lambda: skills.snapshot, listen=skills.listen))
            if command is not None:
                self._app.put_command(command)

    async def _usage(self) -> None:
        from kimi_tui.soul.figures import cost_of
        from kimi_tui.ui.tui.screens.usage import Spent, Usage, UsageFacts

        if (engine := self._engine) is None:
            return
        prices, now = engine.prices, engine.figures
        session = await asyncio.to_thread(_figures_of, engine.session.dir / "wire.jsonl")
        by_model = [
            Spent(f"  {name or '?'}", used.steps, used.usage, cost_of(used.usage, prices(name)))
            for name, used in session.by_model.items()
        ]
        facts = UsageFacts(
            engine.model_name,
            engine.model_note,
            engine.context.token_count,
            engine.soul.model.max_context_size,
            len(engine.context.history),
            (
                Spent(_("since this start"), now.steps, now.usage, now.cost(prices)),
                Spent(_("the whole session"), session.steps, session.usage, session.cost(prices)),
                *(by_model if len(by_model) > 1 else ()),
            ),
            priced=None not in prices("") or session.cost(prices) is not None,
        )
        await self._app.push_screen_wait(Usage(facts))

    async def _tasks(self) -> None:
        from kimi_tui.ui.tui.screens.tasks import Tasks

        if (engine := self._engine) is not None:
            background = engine.services.background
            await self._app.push_screen_wait(
                Tasks(lambda: background.tasks, stop=lambda task_id: background.stop(task_id, "stopped by the person"))
            )

    async def _mcp(self) -> None:
        from kimi_tui.ui.tui.screens.mcp import McpStatus

        if (engine := self._engine) is not None:
            await self._app.push_screen_wait(McpStatus(engine.mcp.states, restart=engine.mcp.restart))

    async def _rewind(self) -> None:
        from kimi_tui.ui.tui.screens.rewind import Rewind

        if (engine := self._engine) is None:
            return
        if engine.busy:
            self._app.tell(_("going back has to wait until the turn has ended"))
            return
        points = engine.rewind_points()
        back = await self._app.push_screen_wait(Rewind(points, work_dir=engine.work_dir, now=time.time))
        point = next((point for point in points if back is not None and point.index == back.index), None)
        if back is not None and point is not None:
            await engine.rewind(point, conversation=back.conversation, files=back.files)
            if back.conversation and not self._app.home.composer.text:
                self._app.home.composer.text = point.text


def _figures_of(recording: Path) -> "Figures":
    """What a whole session took."""
    from kimi_tui.soul.figures import Figures
    from kimi_tui.wire.recorder import read_recorded

    figures = Figures()
    for one in read_recorded(recording):
        figures(one.message)
    return figures
