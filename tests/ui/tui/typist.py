"""Sentences typed at random moments in every state of the screen: each is in one place whole, or was a pane's keys.

`python -m tests.ui.tui.typist SECONDS [SEED]` types for as long as that and says how many, where, and what was lost.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual import events
from textual.actions import ActionParseResult
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widgets import Input

from kimi_tui.errors import ProviderError
from kimi_tui.ui.tui.app import KimiTui
from kimi_tui.ui.tui.dialogs.approval import ApprovalDialog
from kimi_tui.ui.tui.dialogs.branch_choice import BranchDialog
from kimi_tui.ui.tui.dialogs.docked_dialog import DockedDialog
from kimi_tui.ui.tui.dialogs.question import QuestionDialog
from kimi_tui.ui.tui.keys.pane_letters import ACTS_AT_ONCE
from kimi_tui.ui.tui.main_screen.find_bar import FindBar
from kimi_tui.ui.tui.main_screen.footer import KeyFooter
from kimi_tui.ui.tui.main_screen.screen import MainScreen
from kimi_tui.ui.tui.terminal.key_sequences import unprintable_as_paste
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import ApprovalResponse, StepBegin, StepInterrupted, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from tests.ui.tui import wire_scenarios
from tests.ui.tui.fake_engine import Clock, FakeEngine, make_app
from tests.ui.tui.fuzz_driver import EDIT, QUESTION
from tests.ui.tui.test_screen import ready

SENTENCES = (
    "just say yes, kindly", "no, wait a moment", "yes please", "a test is missing here", "1 of them is enough",
    "for all of it: run", "edit [x] and jump", "oops, not that one", "12 and 3", "请先看看测试", "why? n/a", "d'accord",
    "stop. begin again", "look, hjkl!", "/mod is a path", "use @a b", "zoom me out", "Next: A, then N", "2 + 2 - 1",
    "全角\u3000空格\u3000好", "x\u00a0n\u00a0y", "b\u200cx 👩\u200d👧 yes",
)  # fmt: skip
SIZES = ((80, 24), (80, 24), (100, 30), (140, 42), (60, 18), (200, 60))
RUNNING: list[WireMessage] = [TurnBegin(user_input="one"), StepBegin(n=1), TextPart(text="Working.\n")]
STATES: dict[str, tuple[list[WireMessage], str]] = {
    "idle": ([], ""),
    "idle, flow list": ([], "f3"),
    "idle, chart": ([], "f3 v"),
    "idle, chart zoomed": ([], "f3 v f11"),
    "running": (RUNNING, ""),
    "running, conversation": (wire_scenarios.tool_running(), "f2"),
    "running, conversation zoomed": (wire_scenarios.tool_running(), "f2 f11"),
    "running, todo": (wire_scenarios.flow_at_decision(), "f4"),
    "flow running, chart": (wire_scenarios.flow_at_decision(), "f3"),
    "flow running, chart zoomed": (wire_scenarios.flow_at_decision(), "f3 f11"),
    "flow running, message": (wire_scenarios.flow_at_decision(), ""),
    "flow paused, chart": (wire_scenarios.flow_asks(), "escape f3"),
    "flow ended, chart": (wire_scenarios.flow_done(), "f3"),
    "branch waits": (wire_scenarios.flow_asks(), ""),
    "approval waits": (wire_scenarios.approval(), ""),
    "approval waits, conversation": (wire_scenarios.approval(), "f2"),
    "approval waits, approvals": (wire_scenarios.approval(), "f6 f6 f6"),
    "approval waits, chart": ([*wire_scenarios.flow_at_decision(), *wire_scenarios.approval()], "f3"),
    "edit waits": ([EDIT], ""),
    "question waits": ([QUESTION], ""),
    "find": (wire_scenarios.chinese(), "ctrl+f"),
    "earlier messages": (wire_scenarios.chinese(), "ctrl+r"),
    "past": (wire_scenarios.flow_done(), "f8"),
    "menu open": ([], "slash m"),
    "opened": (wire_scenarios.flow_at_decision(), "f7"),
    "subagent": (wire_scenarios.streaming(), "f2 k enter"),
}  # fmt: skip
MEANWHILE: tuple[tuple[WireMessage, ...], ...] = (
    tuple(wire_scenarios.approval()[-1:]),
    (EDIT,),
    (QUESTION,),
    (ApprovalResponse(request_id="ask", response="approve"),),
    (ApprovalResponse(request_id="edit", response="reject"),),
    (TurnEnd(),),
    (StepInterrupted(),),
    (TextPart(text="more\n"),),
    tuple(wire_scenarios.error()),
    tuple(wire_scenarios.flow_done()),
    tuple(wire_scenarios.flow_asks()),
    (wire_scenarios.result("q", "done"),),
    tuple(wire_scenarios.tool_running()),
)

_KEYS = {
    " ": "space", ",": "comma", ".": "full_stop", "/": "slash", "?": "question_mark", "!": "exclamation_mark",
    "'": "apostrophe", ":": "colon", "[": "left_square_bracket", "]": "right_square_bracket", "@": "at", "+": "plus",
    "-": "minus",
}  # fmt: skip


class TypingError(AssertionError):
    """A letter is not where it belongs."""


class Typist(KimiTui):
    """Counts what was answered; `ran` has the names of the actions that ran."""

    answers = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ran: list[str] = []

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        ran = await super().run_action(action, default_namespace, namespaces)
        if ran and isinstance(action, str):
            self.ran.append(action.partition("(")[0])
        return ran

    def on_approval_dialog_answered(self, event: ApprovalDialog.Answered) -> None:
        self.answers += 1

    def on_question_dialog_answered(self, event: QuestionDialog.Answered) -> None:
        self.answers += 1

    def on_branch_dialog_chosen(self, event: BranchDialog.Chosen) -> None:
        self.answers += 1


class Typing:
    """Types one sentence after the other; `counts` says where they went."""

    def __init__(self, seed: int, app: Typist, pilot: Pilot[int], engine: FakeEngine, clock: Clock) -> None:
        self.chance = random.Random(seed)
        self.app, self.pilot, self.engine, self.clock = app, pilot, engine, clock
        self.counts: Counter[str] = Counter()
        self.done: list[str] = []

    async def begin(self, state: str) -> None:
        messages, keys = STATES[state]
        self.app.main_screen.composer.text = ""
        self.app.answer_hold_s = 3600.0
        for dialog in self.app.main_screen.query(DockedDialog):
            dialog.ahead.hold_s = 3600.0  # by the clock below, not by that of this machine
        if messages is RUNNING:
            self.app.submit("one")
        await self.say(messages)
        for key in keys.split():
            await self.pilot.press(key)
        self.clock.now += self.chance.choice((0.0, 0.2, 5.0))
        self.done = [state, *map(str, self.app.size)]

    async def say(self, messages: list[WireMessage] | tuple[WireMessage, ...]) -> None:
        self.engine.say(*messages)
        for _ in range(3):
            await self.pilot.pause()

    async def sentence(self) -> None:
        """One sentence, faster than an answer is held, with anything else happening between its letters."""
        home, text = self.app.main_screen, self.chance.choice(SENTENCES)
        home.composer.text = ""
        home.query_one(FindBar).query_one(Input).value = ""
        await self.pilot.pause()
        self.clock.now += self.chance.choice((0.0, 1.0, 3.0))
        self.done += [repr(text)]
        in_pane, own = home.in_pane and not self.writes, self.own
        answers = self.app.answers
        if self.chance.randrange(8) == 0:
            self.app.post_message(events.Paste(text))
            await self.pilot.pause()
            in_pane = False
        else:
            for letter in text:
                await self.letter(letter)
                if in_pane and letter == "i":
                    break
        await self.pilot.pause()
        if not isinstance(self.app.screen, MainScreen):
            self.counts["keys of another screen"] += 1
        elif in_pane:
            self.counts["keys of a pane"] += 1
        elif own is not None:
            self.expect(text in own.value, f"{own.value!r} of {text!r}")
            self.counts["a field"] += 1
        else:
            self.expect(text in home.composer.text, f"{home.composer.text!r} of {text!r}")
            self.counts["the message"] += 1
        self.expect(self.app.answers == answers, "something was answered")
        if home.pane_letters.holds:
            await self.pilot.press("escape")

    @property
    def own(self) -> Input | None:
        """The field that has the focus, which is no message."""
        return self.app.focused if isinstance(self.app.focused, Input) else None

    @property
    def writes(self) -> bool:
        return self.own is not None

    async def letter(self, letter: str) -> None:
        app, home = self.app, self.app.main_screen
        if self.chance.randrange(12) == 0:
            await self.something()
        key = _KEYS.get(letter, letter)
        on_home = app.screen is home
        pane = on_home and home.in_pane and not self.writes
        before, ran = home.composer.text, len(app.ran)
        if self.chance.randrange(3) == 0:
            home.composer.prompt.burst_gap_s = float("inf")
        if letter.isprintable():
            await self.pilot.press(key)
        else:
            app.post_message(unprintable_as_paste(events.Key(key, letter)))
            await self.pilot.pause()
        home.composer.prompt.burst_gap_s = 0.0
        self.clock.now += self.chance.choice((0.0, 0.05, 0.1, 0.2, KimiTui.answer_hold_s - 0.02))
        if pane:
            note = home.query_one(KeyFooter).note
            self.expect(home.composer.text == before, f"{letter!r} of a pane is in the message")
            acted = app.ran[ran:]
            self.expect(ACTS_AT_ONCE.issuperset(acted), f"{letter!r} of a sentence did {acted}")
            pointing = "" if home.current_dialog is None else home.current_dialog.pointing
            shown = sanitize(letter).strip()
            # a joiner is shown within what it joins
            told = (
                bool(note) and (shown in note or not letter.isprintable() or note == pointing)
            ) or home.pane_letters.holds
            self.expect(bool(acted) or told, f"{letter!r} did nothing, and that was not said")
        self.counts["letters"] += 1

    async def something(self) -> None:
        """Something that the user did not do, or a click into the conversation."""
        match self.chance.randrange(6):
            case 0:
                size = self.chance.choice(SIZES)
                if self.app.main_screen.zoomed is None and not self.app.main_screen.in_pane:
                    self.done.append(f"resize {size}")
                    await self.pilot.resize_terminal(*size)
            case 1:
                if self.app.screen is self.app.main_screen and self.app.main_screen.composer.prompt.has_focus:
                    self.done.append("click")
                    await self.pilot.click(self.app.main_screen.query_one("#conversation"), offset=(20, 1))
            case 2:
                if self.engine.busy and self.engine.error is None:
                    self.done.append("fails")
                    self.engine.fail_turn(ProviderError("it is down"))
                    await self.pilot.pause()
            case _:
                messages = self.chance.choice(MEANWHILE)
                self.done.append("said " + ", ".join(type(one).__name__ for one in messages[-2:]))
                await self.say(messages)

    def expect(self, true: bool, what: str) -> None:
        if not true:
            raise TypingError(f"{what} after {' · '.join(self.done)}")


async def type_in(folder: Path, state: str, seed: int, sentences: int) -> Counter[str]:
    """Type some sentences, one after the other, from a state on. Raises LostError."""
    chance = random.Random(seed)
    engine = FakeEngine(folder)
    app, clock = make_app(engine, kind=Typist)
    assert isinstance(app, Typist)
    async with app.run_test(size=chance.choice(SIZES)) as pilot:
        await ready(pilot)
        typing = Typing(seed, app, pilot, engine, clock)
        await typing.begin(state)
        for _ in range(sentences):
            await typing.sentence()
        return typing.counts


def main(seconds: float, seed: int) -> None:
    counts: Counter[str] = Counter()
    lost: list[str] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for state in STATES:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    counts += asyncio.run(type_in(Path(folder), state, seed, 2))
                except Exception as error:  # noqa: BLE001 - each is told
                    lost.append(f"seed {seed}, {state}: {type(error).__name__}: {error}")
                    print(lost[-1], flush=True)
            counts[f"state: {state}"] += 1
            if time.monotonic() > end:
                break
        seed += 1
    for name, count in sorted(counts.items()):
        print(f"{count:7}  {name}")
    print(f"{len(lost):7}  lost")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
