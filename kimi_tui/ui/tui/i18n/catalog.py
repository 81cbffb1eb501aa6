"""The TUI's texts in English or Chinese, from one gettext catalogue.

    _("Quit")                                        the translated text, now
    _("to {place}", place=place)                     values by name, never an f-string inside
    n_("{count} approval", "{count} approvals", 3)   `count` fills `{count}`, with commas
    p_("verb", "open")                               an ambiguous word: its context, the word
    N_("Quit")                                       marks a constant; `_(constant)` where it is shown

The English text is the key. Chinese goes into `kimi_tui/locale/zh_CN/LC_MESSAGES/kimi_tui.po` (glossary in the head of
that file): `make texts` adds new texts there and compiles it, and `tests/ui/tui/i18n/test_catalog.py` lists
untranslated ones. Texts written by the user, the model or a tool are never translated. Texts of the layers below
(`kimi_tui/i18n.py`) are in the same catalogue, in the context `below`; `translate.py` translates them.

For English, no catalogue is loaded and no text is looked up.
"""

import contextlib
import os
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from gettext import NullTranslations

Language = Literal["en", "zh"]
LOCALE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "locale")  # noqa: PTH118, PTH120 - nothing is imported for it
DOMAIN = "kimi_tui"
ENGINE_CONTEXT = "below"
"""The catalogue context of the texts of the layers below."""
_COMPILED = os.path.join(LOCALE, "zh_CN", "LC_MESSAGES", f"{DOMAIN}.mo")  # noqa: PTH118
_catalogue: "NullTranslations | None" = None


def resolve_language(setting: str, environ: "Mapping[str, str]" = os.environ) -> Language:
    """Return the language for the setting: `en`, `zh`, or, for anything else, the locale's."""
    if setting in ("en", "zh"):
        return "zh" if setting == "zh" else "en"
    locale = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def set_language(language: Language) -> None:
    """Set the language of future texts. Displayed texts do not change."""
    global _catalogue
    _catalogue = None
    if language == "zh":
        import gettext

        with contextlib.suppress(OSError), open(_COMPILED, "rb") as compiled:  # noqa: PTH123
            _catalogue = gettext.GNUTranslations(compiled)


def language() -> Language:
    """The current language."""
    return "en" if _catalogue is None else "zh"


def _(text: str, /, **values: object) -> str:
    text_shown = _catalogue.gettext(text) if _catalogue is not None and text else text
    return text_shown.format(**values) if values else text_shown


def n_(one: str, many: str, count: int, /, **values: object) -> str:
    if _catalogue is not None:
        text_shown = _catalogue.ngettext(one, many, count)
    else:
        text_shown = one if count == 1 else many
    return text_shown.format(count=f"{count:,}", **values)


def p_(meaning: str, text: str) -> str:
    return text if _catalogue is None else _catalogue.pgettext(meaning, text)


def N_(text: str) -> str:
    return text


def msgids(context: str) -> tuple[str, ...]:
    """The English texts of a catalogue context, in any language; `gettext` has no such function."""
    from struct import unpack_from

    with open(_COMPILED, "rb") as compiled:  # noqa: PTH123
        data = compiled.read()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, table = unpack_from(f"{order}II", data, 8)
    places = (unpack_from(f"{order}II", data, table + 8 * number) for number in range(count))
    keys = (data[start : start + length].decode("utf-8") for length, start in places)
    return tuple(key.removeprefix(f"{context}\x04") for key in keys if key.startswith(f"{context}\x04"))
