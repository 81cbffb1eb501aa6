"""Translates engine messages for display.

They arrive in English, over the Wire or as errors, made by `kimi_tui.i18n`; the catalogue contains their forms, and
this module matches messages against them. Text without a known form (a path, the words of a model, a server or a system
call) stays unchanged. Other frontends show the English.

`translate` is for a single message, and for lists of messages. `translate_lines` is for text entirely from kimi-tui
(the answer to a slash command, a notice, the cause of an error): it translates each line and each part of a line
separately, so that external text in one part does not affect the others.
"""

import re
from functools import cache, lru_cache
from string import Formatter

from kimi_tui.ui.tui.i18n.catalog import ENGINE_CONTEXT, N_, _, language, msgids, p_

CLOSED_WORDS: tuple[str, ...] = (
    # States of servers, tasks, calls and runs, and severities: closed sets of words, which are data in the layers below
    *(N_("connected"), N_("connecting"), N_("pending"), N_("unauthorized"), N_("untrusted"), N_("disabled")),
    *(N_("running"), N_("done"), N_("failed"), N_("timed out"), N_("stopped"), N_("cancelled")),
    *(N_("error"), N_("warning")),
    # Built-in themes
    *(N_("ANSI 16"), N_("Colour-blind safe"), N_("High contrast"), N_("Kimi dark"), N_("Kimi light"), N_("Kimi")),
)
_WORDS = frozenset(CLOSED_WORDS)
_NESTED_ARGUMENTS = frozenset({"why", "cause", "state", "facts"})
"""Values that are translatable texts themselves."""
_FIGURES = frozenset({"count", "number", "code", "line", "column", "most"})
_FIGURE, _HEX = r"[-+]?\d[\d.,e+]*%?", "[0-9A-F]+"
_MARKS_OF_LISTS = ("; ", " or ", ", ")
_MAX_CHARACTERS, _MAX_PARTS = 2_000, 50
"""Beyond these, a text stays English: a value of it came from outside, and the forms take quadratic time."""
_BULLET = re.compile(r"(\s*(?:[-*]|\d+\.) )?(.*)", re.DOTALL)


def translate(text: str) -> str:
    """Return `text` in the UI language."""
    return text if language() == "en" or not text else _translate_text(text)


def translate_lines(text: str) -> str:
    """Translate text that is entirely from kimi-tui, line by line."""
    return text if language() == "en" else "\n".join(_line(line) for line in text.split("\n"))


@lru_cache(1024)
def _line(line: str) -> str:
    found = _BULLET.fullmatch(line)
    assert found is not None
    return (found[1] or "") + _by_parts(found[2])


def _by_parts(text: str) -> str:
    if text.count(": ") + text.count("; ") > _MAX_PARTS:  # defence: bound-parts-of-texts
        return text
    for mark in (" · ", "; "):
        parts = text.split(mark)
        if len(parts) > 1 and (mark == " · " or _translate_text(text) == text):
            translated = [_by_parts(part) for part in parts]
            if translated != parts:
                return _joint(mark).join(translated)
    whole = _translate_text(text)
    head, colon, rest = text.partition(": ")
    if whole != text or not colon:
        return whole
    name, value = _translate_text(head), _by_parts(rest)
    if name == head and (value == rest or rest in _WORDS):  # a single word after external text may be external too
        return text
    return f"{name}{_joint(colon)}{value}"


@lru_cache(1024)
def _translate_text(text: str) -> str:
    if len(text) > _MAX_CHARACTERS:  # defence: bound-translated-texts
        return text
    if text in _plain():
        return p_(ENGINE_CONTEXT, text)
    if text in _WORDS:
        return _(text)
    for mark in _MARKS_OF_LISTS:
        if mark not in text:
            continue
        parts = text.split(mark)
        translated = [_translate_text(part) for part in parts]
        if all(part != other for part, other in zip(parts, translated, strict=True)):
            return _joint(mark).join(translated)
    for pattern, form in _patterns():
        if found := pattern.fullmatch(text):
            values = found.groupdict()
            for name in values.keys() & _NESTED_ARGUMENTS:
                values[name] = _by_parts(values[name])
            return p_(ENGINE_CONTEXT, form).format_map(values)
    return text


def _joint(mark: str) -> str:
    match mark:
        case "; ":
            return p_("between reasons", "; ")
        case " or ":
            return p_("between choices", " or ")
        case ": ":
            return p_("before what it is", ": ")
        case ", ":
            return p_("between things", ", ")
        case _:
            return mark


@cache
def _plain() -> frozenset[str]:
    return frozenset(form for form in msgids(ENGINE_CONTEXT) if "{" not in form)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The forms with values, as regular expressions; those with the most literal text come first."""
    with_values = sorted((form for form in msgids(ENGINE_CONTEXT) if "{" in form), key=literal_length, reverse=True)
    return tuple((_pattern(form), form) for form in with_values)


def literal_length(form: str) -> int:
    """The number of literal characters in a form, without its values."""
    return sum(len(text) for text, *_rest in Formatter().parse(form))


def _pattern(form: str) -> re.Pattern[str]:
    seen: set[str] = set()
    pattern = ""
    for text, name, spec, conversion in Formatter().parse(form):
        pattern += re.escape(text)
        if name is not None:
            quote = "['\"]" if conversion == "r" else ""  # Chinese uses its own quotes around values
            value = _HEX if spec == "04X" else _FIGURE if spec or name in _FIGURES else ".+?"
            pattern += quote + (f"(?P={name})" if name in seen else f"(?P<{name}>{value})") + quote
            seen.add(name)
    return re.compile(pattern, re.DOTALL)
