"""The screen's own words in English or Chinese, from one catalogue.

    _("Quit")                                        what is shown, here and now
    _("to {place}", place=place)                     values by name, never an f-string inside
    n_("{count} approval", "{count} approvals", 3)   `count` fills `{count}`, with commas
    p_("verb", "open")                               a short word that means several things: what is meant, the word
    N_("Quit")                                       marks a text of a constant; `_(constant)` where it is shown

The English text is the key. Its Chinese is written into `kimi_tui/locale/zh_CN/LC_MESSAGES/kimi_tui.po` (terms are in
the head of that file): `make texts` puts new texts there and compiles it, and `tests/ui/tui/i18n/test_catalog.py` names
what has no Chinese. Texts that the person, the model or a tool wrote are never translated. What the layers below say
(`kimi_tui/i18n.py`) is in the same catalogue, in the context `below`, and is told by `from_below.py`.

In English nothing is loaded and nothing is looked up.
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
"""The context of the texts that the layers below the screen say."""
_COMPILED = os.path.join(LOCALE, "zh_CN", "LC_MESSAGES", f"{DOMAIN}.mo")  # noqa: PTH118
_catalogue: "NullTranslations | None" = None


def resolve_language(said: str, environ: "Mapping[str, str]" = os.environ) -> Language:
    """The language for what the configuration says: `en`, `zh`, or anything else for the locale's."""
    if said in ("en", "zh"):
        return "zh" if said == "zh" else "en"
    locale = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def set_language(language: Language) -> None:
    """From now on texts are in this language. What is on the screen already stays as it is."""
    global _catalogue
    _catalogue = None
    if language == "zh":
        import gettext

        with contextlib.suppress(OSError), open(_COMPILED, "rb") as compiled:  # noqa: PTH123
            _catalogue = gettext.GNUTranslations(compiled)


def language() -> Language:
    """The language in use."""
    return "en" if _catalogue is None else "zh"


def _(text: str, /, **values: object) -> str:
    said = _catalogue.gettext(text) if _catalogue is not None and text else text
    return said.format(**values) if values else said


def n_(one: str, many: str, count: int, /, **values: object) -> str:
    if _catalogue is not None:
        said = _catalogue.ngettext(one, many, count)
    else:
        said = one if count == 1 else many
    return said.format(count=f"{count:,}", **values)


def p_(meaning: str, text: str) -> str:
    return text if _catalogue is None else _catalogue.pgettext(meaning, text)


def N_(text: str) -> str:
    return text


def msgids(context: str) -> tuple[str, ...]:
    """The English texts of a context of the catalogue, whatever the language in use; `gettext` does not tell them."""
    from struct import unpack_from

    with open(_COMPILED, "rb") as compiled:  # noqa: PTH123
        data = compiled.read()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, table = unpack_from(f"{order}II", data, 8)
    places = (unpack_from(f"{order}II", data, table + 8 * number) for number in range(count))
    keys = (data[start : start + length].decode("utf-8") for length, start in places)
    return tuple(key.removeprefix(f"{context}\x04") for key in keys if key.startswith(f"{context}\x04"))
