"""What the first frame takes from the configuration."""

from pathlib import Path

import pytest

from kimi_tui.ui.tui.accessibility import Manners
from kimi_tui.ui.tui.startup.early_config import FirstLook, first_look


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("theme: kimi-light  # by day\n", FirstLook("kimi-light")),
        ('theme: "light"\nascii: true\n', FirstLook("kimi-light", Manners(ascii=True))),
        ("plain: yes\nreduced_motion: on\n", FirstLook(manners=Manners(motion=False, plain=True))),
        ("models:\n  theme: kimi\n", FirstLook()),
        ("# theme: kimi\n", FirstLook()),
        ("theme: [\n", FirstLook()),
    ],
)
def test_the_theme_and_the_manners_are_those_of_the_top_level(tmp_path: Path, text: str, look: FirstLook) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text, "utf-8")
    assert first_look(file) == look


def test_a_file_that_is_not_there_asks_for_nothing(tmp_path: Path) -> None:
    assert first_look(tmp_path / "none.yaml") == FirstLook()
