"""Texts that the layers below write for the person and that stand on the screen among its own.

They come over the Wire in English. `told` says them in the language of the screen where they are of a known form;
what is not known (a path, a model's or a server's own words) stays as it came.
"""

import re
from functools import cache

from kimi_tui.ui.tui.language import N_, _, language

FORMS: tuple[str, ...] = (
    # What a tool asks to do (`action`)
    N_("run command"),
    N_("run command in background"),
    N_("edit file"),
    # What became of a task in the background, and how bad a problem of a skill is
    *(N_("running"), N_("done"), N_("failed"), N_("timed out"), N_("stopped")),
    *(N_("error"), N_("warning")),
)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The forms that hold values, as patterns of what comes."""
    return tuple((_pattern(form), form) for form in FORMS if "{" in form)


def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(form)), re.DOTALL)


def told(text: str) -> str:
    """`text` as the screen says it."""
    if language() == "en" or not text:
        return text
    if (said := _(text)) != text:
        return said
    for pattern, form in _forms():
        if found := pattern.fullmatch(text):
            return _(form, **{name: told(value) for name, value in found.groupdict().items()})
    return text
