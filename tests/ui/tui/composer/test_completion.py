"""What is offered at the cursor."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from kimi_tui.ui.tui.composer.completion import Trigger, command_choices, file_choices, find_trigger
from tests.ui.tui.fake_engine import FakeEngine, make_app
from tests.ui.tui.test_screen import ready


@dataclass(frozen=True)
class Named:
    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("before", "trigger"),
    [
        ("see @", Trigger("file", "", 4)),
        ("see @src/a", Trigger("file", "src/a", 4)),
        ('see @"my no', Trigger("file", "my no", 4)),
        ('see @"', Trigger("file", "", 4)),
        ('see @"my notes.md"', None),
        ('see @"my notes.md" ', None),
        ("see @a b", None),
        ('say "hi @you', Trigger("file", "you", 8)),
        ("me@home", None),
    ],
)
def test_a_file_opens_after_an_at_sign_and_between_quotation_marks(before: str, trigger: Trigger | None) -> None:
    assert find_trigger(before) == trigger


def test_a_name_with_blanks_goes_in_between_quotation_marks() -> None:
    found = file_choices("", lambda _query, _most: ["a.md", "my notes.md", 'the "b" c.md'])
    assert [choice.insert for choice in found] == ["@a.md ", '@"my notes.md" ', '@the "b" c.md ']


async def test_a_name_with_blanks_is_completed_whole(tmp_path: Path) -> None:
    (tmp_path / "my notes.md").write_text("x")
    app, _ = make_app(FakeEngine(tmp_path))
    async with app.run_test() as pilot:
        await ready(pilot)
        composer = app.main_screen.composer
        for typed in ("see @my", 'see @"my no'):
            composer.prompt.set_text("")
            composer.prompt.insert(typed)
            while not composer.menu.is_open:
                await pilot.pause()
            await pilot.press("tab")
            assert composer.text == 'see @"my notes.md" '


def test_the_menu_begins_with_flows_and_skills_and_ends_with_clear() -> None:
    commands = [Named("clear"), Named("help"), Named("skill:a"), Named("flow:b"), Named("compact")]
    names = [choice.label for choice in command_choices("", commands)]
    assert names == ["/flow:b", "/skill:a", "/help", "/compact", "/clear"]
    assert command_choices("cl", commands)[0].label == "/clear"
