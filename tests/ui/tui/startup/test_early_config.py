"""What the first frame takes from the configuration."""

from pathlib import Path

import pytest

from kimi_tui.ui.tui.accessibility import DisplayOptions
from kimi_tui.ui.tui.startup.early_config import EarlyConfig, read_early_config


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("theme: kimi-light  # by day\n", EarlyConfig("kimi-light")),
        ('theme: "light"\nascii: true\n', EarlyConfig("kimi-light", DisplayOptions(ascii=True))),
        ("plain: yes\nreduced_motion: on\n", EarlyConfig(display_options=DisplayOptions(motion=False, plain=True))),
        ("models:\n  theme: kimi\n", EarlyConfig()),
        ("# theme: kimi\n", EarlyConfig()),
        ("theme: [\n", EarlyConfig()),
    ],
)
def test_the_theme_and_the_manners_are_those_of_the_top_level(tmp_path: Path, text: str, look: EarlyConfig) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text, "utf-8")
    assert read_early_config(file) == look


def test_a_file_that_is_not_there_asks_for_nothing(tmp_path: Path) -> None:
    assert read_early_config(tmp_path / "none.yaml") == EarlyConfig()
