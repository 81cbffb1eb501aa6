"""What the layers below say to the person, in the language of the screen.

It comes in English, over the Wire or as errors, made by `kimi_tui.i18n`; the catalogue holds those forms, and here they
are found again in what came. What has no known form (a path, the words of a model, a server or a system call) stays as
it came. Other faces show it as it comes.

`told` is for a text that is one thing said, and for lists of such. `answered` is for what is the program's own from its
first to its last word (the answer to a slash command, a notice, the cause of an error): there each line and each part
of a line is said by itself, so one that is somebody else's spoils none of the others.
"""

import re
from functools import cache, lru_cache
from string import Formatter

from kimi_tui.ui.tui.i18n.catalog import ENGINE_CONTEXT, N_, _, language, msgids, p_

CLOSED_WORDS: tuple[str, ...] = (
    # What a server, a task, a call or a run is, and how bad a problem is: words of closed sets, which are data below
    *(N_("connected"), N_("connecting"), N_("pending"), N_("unauthorized"), N_("untrusted"), N_("disabled")),
    *(N_("running"), N_("done"), N_("failed"), N_("timed out"), N_("stopped"), N_("cancelled")),
    *(N_("error"), N_("warning")),
    # The themes that come along
    *(N_("ANSI 16"), N_("Colour-blind safe"), N_("High contrast"), N_("Kimi dark"), N_("Kimi light"), N_("Kimi")),
)
_WORDS = frozenset(CLOSED_WORDS)
_NESTED_ARGUMENTS = frozenset({"why", "cause", "state", "facts"})
"""The values that are texts of ours themselves."""
_FIGURES = frozenset({"count", "number", "code", "line", "column", "most"})
_FIGURE, _HEX = r"[-+]?\d[\d.,e+]*%?", "[0-9A-F]+"
_MARKS_OF_LISTS = ("; ", " or ", ", ")
_BULLET = re.compile(r"(\s*(?:[-*]|\d+\.) )?(.*)", re.DOTALL)


def translate(text: str) -> str:
    """`text` as the screen says it."""
    return text if language() == "en" or not text else _translate_text(text)


def translate_lines(text: str) -> str:
    """What the program itself says, line by line, as the screen says it."""
    return text if language() == "en" else "\n".join(_line(line) for line in text.split("\n"))


@lru_cache(1024)
def _line(line: str) -> str:
    found = _BULLET.fullmatch(line)
    assert found is not None
    return (found[1] or "") + _by_parts(found[2])


def _by_parts(text: str) -> str:
    for mark in (" · ", "; "):
        parts = text.split(mark)
        if len(parts) > 1 and (mark == " · " or _translate_text(text) == text):
            says = [_by_parts(part) for part in parts]
            if says != parts:
                return _joint(mark).join(says)
    said = _translate_text(text)
    head, colon, rest = text.partition(": ")
    if said != text or not colon:
        return said
    says = (_translate_text(head), _by_parts(rest))
    if says[0] == head and (says[1] == rest or rest in _WORDS):  # one word after what is not ours need not be ours
        return text
    return _joint(colon).join(says)


@lru_cache(1024)
def _translate_text(text: str) -> str:
    if text in _plain():
        return p_(ENGINE_CONTEXT, text)
    if text in _WORDS:
        return _(text)
    for mark in _MARKS_OF_LISTS:
        if mark not in text:
            continue
        parts = text.split(mark)
        says = [_translate_text(part) for part in parts]
        if all(part != say for part, say in zip(parts, says, strict=True)):
            return _joint(mark).join(says)
    for pattern, form in _patterns():
        if found := pattern.fullmatch(text):
            values = found.groupdict()
            said = {name: _by_parts(value) if name in _NESTED_ARGUMENTS else value for name, value in values.items()}
            return p_(ENGINE_CONTEXT, form).format_map(said)
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
    """The forms that hold values, as patterns of what comes; those that say the most of their own come first."""
    with_values = sorted((form for form in msgids(ENGINE_CONTEXT) if "{" in form), key=literal_length, reverse=True)
    return tuple((_pattern(form), form) for form in with_values)


def literal_length(form: str) -> int:
    """How many characters of a form are not values."""
    return sum(len(text) for text, *_rest in Formatter().parse(form))


def _pattern(form: str) -> re.Pattern[str]:
    seen: set[str] = set()
    pattern = ""
    for text, name, spec, conversion in Formatter().parse(form):
        pattern += re.escape(text)
        if name is not None:
            quote = "['\"]" if conversion == "r" else ""  # in Chinese a value has the quotes of Chinese
            value = _HEX if spec == "04X" else _FIGURE if spec or name in _FIGURES else ".+?"
            pattern += quote + (f"(?P={name})" if name in seen else f"(?P<{name}>{value})") + quote
            seen.add(name)
    return re.compile(pattern, re.DOTALL)
