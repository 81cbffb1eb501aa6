"""Bash builtins and their operands: harmless builtins, and all others.

Bash evaluates a variable name with a subscript in an operand: `test -v 'a[$(x)]'` runs x.
"""

import re
from collections.abc import Callable

from kimi_tui.permission.command_risk import CommandRisk, RiskKind

Words = tuple[str | None, ...]

CHANGE_THE_SHELL = frozenset(
    {
        *("source", ".", "exec", "trap", "alias", "unalias", "set", "shopt", "enable", "hash", "export", "declare"),
        *("typeset", "local", "readonly", "unset", "function", "coproc", "bind", "complete", "compopt", "mapfile"),
        *("readarray", "read", "let", "getopts"),
    }
)
EVALUATE = frozenset({"compgen", "fc", "history"})
_DECIDES = re.compile(
    r"(PATH|BASH_ENV|ENV|IFS|PS4|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|GLOBIGNORE|CDPATH|LD_.*|DYLD_.*)\+?="
)
"""Variables that determine which programs a shell or the system runs, or how a shell parses words."""
_SUBSCRIPT = re.compile(r"[^\[]*+\[.*(?:\$[({]|`)", re.DOTALL)  # defence: first-bracket-of-a-word
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_COMPARES = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_STORES = re.compile(r"%[^A-Za-z%]*[hjlLtz]*n")


def builtin_risks(name: str, words: Words) -> list[CommandRisk]:
    """List the risks about a program with the name of a builtin; empty for other programs."""
    if name in CHANGE_THE_SHELL:
        return [CommandRisk(RiskKind.CHANGES_SHELL, name)]
    known_words = [word for word in words[1:] if word is not None]
    evaluates = name in EVALUATE or any(_SUBSCRIPT.match(word) for word in known_words)
    if evaluates or (name in CHECKED and not CHECKED[name](known_words)):
        return [CommandRisk(RiskKind.EVALUATES, name)]
    return []


def assignment_risks(assignment: str) -> list[CommandRisk]:
    """List the risks of `NAME=VALUE` beyond the assignment itself."""
    match = _DECIDES.match(assignment)
    return [CommandRisk(RiskKind.CHANGES_SHELL, match[1])] if match else []


def _printf(words: list[str]) -> bool:
    if words[:1] == ["--"]:
        words = words[1:]
    elif words and words[0].startswith("-"):
        return False
    return not words or not _STORES.search(words[0])


def _test(words: list[str]) -> bool:
    """Check that numeric operands are literal numbers; only `[[` evaluates them, but both forms are checked."""
    for index, word in enumerate(words):
        if word in ("-v", "-R"):
            return False
        if word in _COMPARES:
            around = [*words[max(0, index - 1) : index], *words[index + 1 : index + 2]]
            if not all(_INTEGER.fullmatch(operand) for operand in around):
                return False
    return True


def _only(options: str) -> Callable[[list[str]], bool]:
    allowed = re.compile(rf"-[{options}]+|%?[A-Za-z0-9]+|%[%+-]", re.ASCII)
    return lambda words: all(allowed.fullmatch(word) for word in words)


CHECKED: dict[str, Callable[[list[str]], bool]] = {
    "printf": _printf,
    "test": _test,
    "[": _test,
    "jobs": _only("lnprs"),
    "wait": _only("nf"),
}
"""Whether these operands are evaluation-free, by builtin."""
