"""Themes: what is read, and how what is wrong is refused."""

from pathlib import Path

import pytest

from kimi_tui.errors import ConfigError
from kimi_tui.paths import bundled
from kimi_tui.ui.tui.themes import REQUIRED, find_theme, find_themes, load_theme

GOOD = "name: mine\ncolours:\n" + "".join(f'  {role}: "#123456"\n' for role in REQUIRED)


def test_every_theme_that_ships_is_read_and_named_like_its_file() -> None:
    files = list(find_themes((bundled("themes"),)))
    assert len(files) >= 6
    assert [load_theme(file).theme.name for file in files] == [file.stem for file in files]


def test_a_theme_of_the_persons_own_replaces_one_that_ships(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
        (folder / "mine.yaml").write_text(GOOD)
    assert find_theme("mine", (ours, theirs)) == theirs / "mine.yaml"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "ground: x\n", r"mine\.yaml:12: ground: unknown key"),
        (GOOD.replace('primary: "#123456"', "primary: blueish"), r"mine\.yaml:8: primary: 'blueish' is no colour"),
        (GOOD.replace('  muted: "#123456"\n', ""), r"mine\.yaml:2: colours: muted is missing"),
        (GOOD.replace("  muted", "  mutd"), r"mine\.yaml:5: mutd: unknown colour"),
        ("name: [\n", r"mine\.yaml:2: "),
        ("name: Mine!\ncolours: {}\n", r"mine\.yaml:1: name: a name has small letters"),
        ("- x\n", "a theme is a mapping"),
    ],
)
def test_a_wrong_theme_is_refused_with_line_and_key(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_theme(file)
