"""Themes: what is read, and how what is wrong is refused."""

from pathlib import Path

import pytest

from kimi_tui.errors import ConfigError
from kimi_tui.paths import bundled
from kimi_tui.ui.tui.themes.theme import REQUIRED, find_theme, find_themes
from kimi_tui.ui.tui.themes.theme_loader import load_theme

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
        (GOOD.replace('primary: "#123456"', "primary: blueish"), r"mine\.yaml:8: primary: 'blueish' is not a colour"),
        (GOOD.replace('  muted: "#123456"\n', ""), r"mine\.yaml:2: colours: muted is missing"),
        (GOOD.replace("  muted", "  mutd"), r"mine\.yaml:5: mutd: unknown colour"),
        ("name: [\n", r"mine\.yaml:2: "),
        ("name: Mine!\ncolours: {}\n", r"mine\.yaml:1: name: a name must contain only lower-case letters"),
        ("- x\n", "a theme is a mapping"),
        (GOOD + "variables:\n  scrollbar: pale\n", r"mine\.yaml:13: scrollbar: 'pale' is not a colour"),
        (GOOD + "variables:\n  link-style: blinking\n", r"mine\.yaml:13: link-style: 'blinking' is not a style"),
        (GOOD + "variables:\n  scrolbar: red\n", r"mine\.yaml:13: scrolbar: unknown variable"),
        ("extends: nothing\n", r"mine\.yaml:1: extends: no other theme named nothing"),
        ("extends: mine\n", r"mine\.yaml:1: extends: no other theme named mine"),
        ("extends: kimi-light\ncolours: {primry: red}\n", r"mine\.yaml:2: primry: unknown colour"),
    ],
)
def test_a_wrong_theme_is_refused_with_line_and_key(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_theme(file)


def test_a_theme_says_what_is_different_from_the_one_it_extends(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("extends: kimi-light\ncolours:\n  primary: '#aa0000'\nvariables:\n  scrollbar: red 50%\n")
    mine, light = load_theme(file).theme, load_theme(bundled("themes") / "kimi-light.yaml").theme
    assert (mine.name, mine.primary, mine.variables["scrollbar"]) == ("mine", "#aa0000", "red 50%")
    assert (mine.dark, mine.background, mine.success) == (False, light.background, light.success)


def test_a_theme_extends_the_one_of_its_own_name_and_one_that_extends_another(tmp_path: Path) -> None:
    (tmp_path / "kimi.yaml").write_text("extends: kimi\ncolours: {accent: '#aa0000'}\n")
    (tmp_path / "mine.yaml").write_text("extends: kimi\ncolours: {primary: '#00aa00'}\n")
    mine = load_theme(tmp_path / "mine.yaml").theme
    assert (mine.primary, mine.accent) == ("#00aa00", "#aa0000")
    assert mine.background == load_theme(bundled("themes") / "kimi.yaml").theme.background
