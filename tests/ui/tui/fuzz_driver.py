"""A walk through the screen by chance: everything that a user, a terminal and an engine can do, in whatever order.

After each step the screen has to be well: see `Walk.check`.
"""

import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual import events
from textual.pilot import Pilot
from textual.widget import Widget

from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.keys.bindings import KEYS
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.widgets.key_guard import QUIET_S
from kimi_tui.wire.codec import WireMessage, decode
from kimi_tui.wire.display import DiffBlock
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.requests import ApprovalRequest, Question, QuestionOption, QuestionRequest
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import Clock, FakeEngine
from tests.ui.tui.screen_text import app_strips

_BOUND = [key for one in KEYS for key in one.keys.split(",") if key and "…" not in key]
_ALSO = (  # noqa: SIM905 - a list of words reads better
    "d h k l s t 2 3 4 5 9 tab delete ctrl+k ctrl+u ctrl+x ctrl+y ctrl+z alt+up ctrl+home ctrl+end shift+left f12 "
    "ctrl+w ctrl+a escape escape escape enter enter down up"
).split()
STAYS = frozenset({"ctrl+q", "ctrl+d", "ctrl+c"})
"""Keys that lead out: pressed seldom, for a walk that has ended sees nothing more."""
PRESSED = [key for key in (*_BOUND, *_ALSO) if key not in STAYS]
CLOSED_WORDS = (
    *("hi", "/", "/mo", "@", "!ls", "look at /etc/passwd", "x" * 1200, "中文，和 English", "\x1b[31m\u202e", "a\nb\n"),
    *("\ud83d", "👩\u200d👩\u200d👧", "\x00", "/help", "'/tmp/a b.png'", "y", "1\n"),
)
WIDTHS = (1, 3, 20, 39, 40, 59, 60, 79, 80, 81, 100, 119, 120, 121, 140, 200)
HEIGHTS = (1, 2, 6, 12, 18, 19, 20, 21, 23, 24, 28, 30, 42, 60)
EDIT = ApprovalRequest(
    id="edit",
    tool_call_id="e",
    sender="WriteFile",
    action="edit file",
    description="Edit",
    display=tuple(DiffBlock(path="a.py", old_text="old", new_text="new", old_start=at) for at in (1, 20, 40)),
    scope="edits of a.py",
    hunks=3,
)
OPTIONS = (QuestionOption(label="one"), QuestionOption(label="two"))
QUESTION = QuestionRequest(
    id="q",
    tool_call_id="q",
    questions=tuple(
        Question(question=f"Which {what}?", options=OPTIONS, multi_select=many)
        for what, many in (("way", False), ("ways", True))
    ),
)
GOLDEN = tuple(decode(one) for one in json.loads((Path(__file__).parents[2] / "wire/golden.json").read_text("utf-8")))
MESSAGES: tuple[WireMessage, ...] = (
    *wire_scenarios.streaming(),
    *wire_scenarios.tool_running(),
    *wire_scenarios.approval(),
    *wire_scenarios.flow_at_decision(),
    *wire_scenarios.flow_asks(),
    *wire_scenarios.flow_done(),
    *wire_scenarios.error(),
    *wire_scenarios.chinese(),
    EDIT,
    QUESTION,
    TextPart(text="\x1b[2J\x1b]52;c;AAAA\x07[bold]\u202e\ud83d"),
    *GOLDEN,
)
"""Of every kind, in an order that makes sense; a walk does not keep to it."""


class AnswerRecordingApp(KimiTui):
    """Remembers when approvals were answered, and how."""

    def on_mount(self) -> None:
        self.answered: list[tuple[str, str]] = []

    def on_approval_dialog_answered(self, event: ApprovalDialog.Answered) -> None:
        self.answered.append((event.request_id, event.response))


class FuzzDriver:
    """`clock` is the one of the app's guards. `leads_out` says that the user has left."""

    def __init__(
        self, seed: int, app: KimiTui, pilot: Pilot[int], clock: Clock | None, engine: FakeEngine | None
    ) -> None:
        self.chance = random.Random(seed)
        self.app, self.pilot, self.clock, self.engine = app, pilot, clock, engine
        self.done: list[str] = []
        self._asked_since: dict[str, float] = {}

    async def go(self, steps: int) -> None:
        """So many steps, or until a way out was found. What was done is told with what went wrong."""
        if isinstance(self.app, AnswerRecordingApp) and self.clock is not None:
            self.check_guard(self.app, len(self.app.answered))
        try:
            for _ in range(steps):
                if not await self.step():
                    break
        except BaseException as error:
            error.add_note("after " + " · ".join(self.done[-12:]))
            raise

    async def step(self) -> bool:
        app, before = self.app, self.app.main_screen.composer.text
        if self.clock is not None:
            self.clock.now += self.chance.choice((0.0, 0.0, 0.1, 0.3, 1.0))
        kind = self.chance.choices(("say", "key", "mouse", "paste", "else"), (3, 8, 3, 1, 2))[0]
        answered = len(app.answered) if isinstance(app, AnswerRecordingApp) else 0
        await {"say": self.say, "key": self.key, "mouse": self.mouse, "paste": self.paste, "else": self.other}[kind]()
        await self.pilot.pause()
        if app.return_value == 0 or not app.is_running:
            assert app.return_value == 0
            return False
        if kind in ("say", "else") and before:
            assert app.main_screen.composer.text == before, "what was written is gone"
        await self.check(answered)
        return True

    async def check(self, answered: int) -> None:
        """It goes on, shows something, has the focus on what is seen, and answered nothing by accident."""
        app = self.app
        assert app.is_running
        items = app.presenter.state.conversation.items if app.panes_mounted else ()
        assert not any("Something went wrong" in str(item) for item in items[-3:])
        assert app.fault is None
        if app.size.width >= 20 and app.size.height >= 6:
            shown = "".join(segment.text for strip in app_strips(app) for segment in strip)
            assert shown.strip(), "nothing is on the screen"
        for _ in range(3):  # what is hidden gives the focus up when it is laid out
            if app.focused is None:
                await self.pilot.pause()
        if app.panes_mounted and isinstance(app.screen, MainScreen) and app.size.width >= 40 and app.size.height >= 12:
            self.check_focus(app.focused)
        if isinstance(app, AnswerRecordingApp) and self.clock is not None:
            self.check_guard(app, answered)

    def check_focus(self, focused: Widget | None) -> None:
        assert focused is not None, "nothing has the focus"
        assert focused.is_attached
        hidden = [node for node in focused.ancestors_with_self if isinstance(node, Widget) and not node.display]
        assert hidden == [], f"{focused} has the focus and is not seen"

    def check_guard(self, app: AnswerRecordingApp, answered: int) -> None:
        """What was answered with a yes had been on the screen, unchanged, for its time."""
        assert self.clock is not None
        for request_id, response in app.answered[answered:]:
            if response != "reject":
                since = self._asked_since.get(request_id)
                assert since is not None, f"{request_id} was approved before it was seen"
                assert self.clock.now - since >= QUIET_S, f"{request_id} was approved {self.clock.now - since} s after"
        current = app.main_screen.query_one(ApprovalDialog).current if app.panes_mounted else None
        if current is None:
            self._asked_since.clear()
        elif current.id not in self._asked_since:
            self._asked_since = {current.id: self.clock.now}

    # Steps

    async def say(self) -> None:
        messages = self.chance.choices(MESSAGES, k=self.chance.randrange(1, 6))
        self.done.append("said " + ", ".join(type(message).__name__ for message in messages))
        if self.engine is not None:
            self.engine.say(*messages)

    async def key(self) -> None:
        key = self.chance.choice(PRESSED)
        if self.chance.randrange(60) == 0:
            key = self.chance.choice(sorted(STAYS))
        self.done.append(key)
        await self.pilot.press(key)

    async def paste(self) -> None:
        words = self.chance.choice(CLOSED_WORDS)
        self.done.append(f"paste {words[:12]!r}")
        self.app.post_message(events.Paste(words))

    async def mouse(self) -> None:
        app, chance = self.app, self.chance
        x, y = chance.randrange(app.size.width), chance.randrange(app.size.height)
        what = chance.choice(("click", "click", "double", "right", "drag", "wheel"))
        self.done.append(f"{what} at {x},{y}")
        match what:
            case "click" | "double":
                await self.pilot.click(offset=(x, y), times=2 if what == "double" else 1)
            case "right":
                await self.pilot.click(offset=(x, y), button=3)
            case "drag":
                await self.pilot.mouse_down(offset=(x, y))
                for _ in range(chance.randrange(3)):
                    await self.pilot.hover(offset=(chance.randrange(app.size.width), chance.randrange(app.size.height)))
                await self.pilot.mouse_up(offset=(chance.randrange(app.size.width), chance.randrange(app.size.height)))
            case _:
                turned = chance.choice((events.MouseScrollUp, events.MouseScrollDown))
                for _ in range(chance.randrange(1, 4)):
                    app.post_message(turned(None, x, y, 0, 0, 0, False, False, False, x, y))

    async def other(self) -> None:
        app = self.app
        ways: tuple[Callable[[], Awaitable[object] | object], ...] = (
            self._resize, self._resize, self._resize, self._blur, self._themes, self._speak, self._time_goes_on,
            self._skills,
        )  # fmt: skip
        way = self.chance.choice(ways)
        self.done.append(way.__name__.strip("_"))
        done = way()
        if isinstance(done, Awaitable):
            await done
        assert app is self.app

    async def _resize(self) -> None:
        size = self.chance.choice(WIDTHS), self.chance.choice(HEIGHTS)
        self.done[-1] += f" {size}"
        await self.pilot.resize_terminal(*size)

    def _blur(self) -> None:
        for event in (events.AppBlur(), events.AppFocus()):
            self.app.post_message(event)

    def _themes(self) -> None:
        self.app.theme_registry.activate(self.chance.choice(sorted(self.app.theme_registry.titles())))

    def _speak(self) -> None:
        catalog.set_language(self.chance.choice(("en", "zh")))

    def _time_goes_on(self) -> None:
        if self.clock is not None:
            self.clock.now += 100
        if self.app.panes_mounted:
            self.app.presenter.tick()

    def _skills(self) -> None:
        if self.engine is not None and self.app.panes_mounted:
            self.engine.skills.change()
