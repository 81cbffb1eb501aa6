"""The screen's words: which language, that the Chinese catalogue lacks nothing, and what it costs in English."""

import io
import subprocess
import sys
from collections.abc import Sequence
from gettext import GNUTranslations
from pathlib import Path
from string import Formatter
from typing import cast

import pytest
from babel.messages.catalog import Message
from babel.messages.mofile import write_mo
from pydantic import ValidationError

from kimi_tui.config.schema import Config
from kimi_tui.soul.commands.registry import COMMANDS
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.i18n.catalog import _, n_, resolve_language
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.startup.early_config import read_early_config
from tests import texts


@pytest.mark.parametrize(
    ("said", "environ", "expected"),
    [
        ("auto", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("auto", {"LANG": "zh_TW.UTF-8"}, "zh"),
        ("auto", {"LANG": "C.UTF-8"}, "en"),
        ("auto", {}, "en"),
        ("auto", {"LANG": "zh_CN.UTF-8", "LC_ALL": "", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ("auto", {"LANG": "en_US.UTF-8", "LC_MESSAGES": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh"),
        ("en", {"LC_ALL": "zh_CN.UTF-8"}, "en"),
        ("zh", {"LC_ALL": "en_US.UTF-8"}, "zh"),
    ],
)
def test_the_language_is_the_configured_one_else_the_locales(said: str, environ: dict[str, str], expected: str) -> None:
    assert resolve_language(said, environ) == expected


@pytest.mark.parametrize(("text", "said"), [("language: zh\n", "zh"), ('language = "en"\n', "en"), ("", "auto")])
def test_the_first_frame_finds_the_language_in_the_configuration(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text, "utf-8")
    assert read_early_config(file).language == said


def test_a_language_there_is_no_catalogue_for_is_refused_in_the_configuration() -> None:
    assert Config.model_validate({"language": ""}).language == "auto"
    with pytest.raises(ValidationError):
        Config.model_validate({"language": "tlh"})


def test_texts_follow_the_language_and_keep_their_values() -> None:
    assert _("Import {file}", file="{x}") == "Import {x}"
    assert _("") == ""
    assert n_("{count} thing", "{count} things", 1) == "1 thing"
    assert n_("{count} thing", "{count} things", 1200) == "1,200 things"
    catalog.set_language("zh")
    assert catalog.language() == "zh"
    assert _("Quit") == "退出"
    assert _("Import {file}", file="{x}") == "导入 {x}"
    assert _("") == ""
    assert _("a text that nobody knows") == "a text that nobody knows"


def test_in_english_nothing_is_loaded_for_it() -> None:
    seen = (
        "import sys; from kimi_tui.ui.tui.i18n import catalog as language; language.set_language('en'); "
        "print(language._('Quit'), *sys.modules.keys() & {'gettext', 'locale', 'textual'})"
    )
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Quit"]


def forms(said: object) -> tuple[str, ...]:
    """A text, or its plurals, as a tuple."""
    return (said,) if isinstance(said, str) else tuple(cast("Sequence[str]", said))


def name_of(message: Message) -> str:
    return " / ".join(filter(None, (message.context, *forms(message.id))))


def fields(text: str) -> set[str]:
    return {field for _text, field, _spec, _conversion in Formatter().parse(text) if field}


def test_every_text_of_the_screen_has_its_chinese_and_the_catalogue_holds_no_other() -> None:
    known = texts.catalogue()
    wanted = texts.texts_of(texts.updated(known))
    lacking = [name_of(one) for one in wanted if not one.string or not all(one.string) or one.fuzzy]
    assert lacking == [], "these texts have no Chinese: make texts, then write it into the .po"
    assert {name_of(one) for one in texts.texts_of(known)} == {name_of(one) for one in wanted}


def test_the_chinese_texts_take_the_same_values_as_the_english_ones() -> None:
    for message in texts.texts_of(texts.catalogue()):
        wanted = set[str]().union(*(fields(text) for text in forms(message.id)))
        for text in forms(message.string):
            assert fields(text) == wanted, name_of(message)


def test_the_compiled_catalogue_is_made_of_the_written_one() -> None:
    fresh = io.BytesIO()
    write_mo(fresh, texts.catalogue())
    fresh.seek(0)
    with texts.MO.open("rb") as file:
        compiled, made = (GNUTranslations(one)._catalog for one in (file, fresh))
    assert {key: said for key, said in compiled.items() if key} == {key: said for key, said in made.items() if key}, (
        "make texts compiles it"
    )


def test_every_slash_command_is_described_in_chinese() -> None:
    catalog.set_language("zh")
    for command in COMMANDS:
        assert translate(command.info.description) != command.info.description
