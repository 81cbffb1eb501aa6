"""The scope of "for this session" for a shell command: the same program with harmless options, or exactly the same
line.

A compound command is covered if each simple command in it is; a command of uncertain effect is never covered.
"""

import re
import shlex
from collections.abc import Set

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Scope
from kimi_tui.permission.programs.classifier import classify
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.subject import Spelled
from kimi_tui.tools.shell_support.command_parser import CommandLine

MAX_KEYS = 5
_MAX_SHOWN = 200
_PLAIN = re.compile(r"[A-Za-z0-9_.\[][A-Za-z0-9_.:@/+-]*")
_HAS_INPUT = re.compile(r"<|(?<!\|)\|(?!\|)")
_CHANGE_FOLDER = frozenset({"cd", "pushd", "popd"})


def approval_scope(line: CommandLine, text: str, *, exactly: Set[int] = frozenset()) -> Scope | None:
    """Return the scope of a command line, written as `text`; None if it can be approved only once.

    The commands at the indexes in `exactly` are covered only if unchanged. A program may read other settings in another
    folder, so a line with `cd` is covered only as a whole. The same applies to a line that may give input to a program
    not known to be harmless, which may run it as code: `cat x | python3`.
    """
    if line.risks or not line.commands:
        return None
    if any(command.program in _CHANGE_FOLDER for command in line.commands):  # defence: line-changes-folder
        return _whole_line(text.strip())
    keys: dict[str, str] = {}
    for index, command in enumerate(line.commands):
        known_words = tuple(word for word in command.words if word is not None)
        # defence: known-words-only
        if len(known_words) != len(command.words) or not known_words or not _PLAIN.fullmatch(known_words[0]):
            return None
        if _HAS_INPUT.search(text) and classify(known_words).level > Level.HARMLESS:  # defence: input-of-a-program
            return _whole_line(text.strip())
        key, words = _key(known_words, exactly=index in exactly)
        keys[key] = words
    words = " or ".join(keys.values())
    if len(keys) > MAX_KEYS or len(words) > _MAX_SHOWN * 2:
        return None
    return Scope(tuple(keys), words)


def _whole_line(text: str) -> Scope | None:
    label = tr("exactly `{words}`", words=text)
    return Scope((f"run exactly: {text}",), label) if len(text) <= _MAX_SHOWN * 2 else None


def _key(words: tuple[str, ...], *, exactly: bool) -> tuple[str, str]:
    classification = classify(words)
    if classification.level <= Level.HARMLESS and not exactly:  # defence: search-over-secrets-exactly
        text = shlex.join(classification.beginning)
        return f"run command: {text}", tr("`{words}` with safe options", words=text)
    # defence: quoted-pattern
    text = " ".join(word.spelled if isinstance(word, Spelled) else shlex.quote(word) for word in words)
    return f"run exactly: {text}", tr("exactly `{words}`", words=text)
