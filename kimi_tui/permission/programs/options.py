"""Parses the words after a program into options and operands, with a table of known options.

An abbreviated long option never counts as a known one, since another version of the program may have an option that the
table lacks; but a possible abbreviation of a dangerous option is dangerous.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache


class Level(IntEnum):
    """How much an approval of a command may cover; a command has the level of its worst word."""

    READS = 0
    """It only reads: no approval needed."""
    HARMLESS = 1
    """Approval for the session covers commands of this kind."""
    EXACT = 2
    """Approval covers exactly this command."""
    DANGER = 3
    """It runs another program, writes elsewhere or reads another configuration: a user's rule must name the word."""


_OPTION = re.compile(r"--?[A-Za-z][\w.-]*(?:=.*)?", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Option:
    """An option; `value` is None without a value. `at` is the word index; the program is word 0."""

    name: str
    value: str | None
    at: int


@dataclass(slots=True)
class Parsed:
    """The options and operands, with the level of the worst option and its name (`worst`).

    `dangers` are the indexes of words that hold a dangerous option, or may hold one; `unknown` those of options that
    the table lacks, which may take the next word as a value. `dashes` is the index of the word `--`, if there is one.
    """

    level: Level = Level.READS
    worst: str = ""
    options: list[Option] = field(default_factory=list[Option])
    operands: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    dangers: list[int] = field(default_factory=list[int])
    unknown: list[int] = field(default_factory=list[int])
    dashes: int | None = None

    def reach(self, level: Level, what: str) -> None:
        if level > self.level:
            self.level, self.worst = level, what

    def has(self, *names: str) -> bool:
        return any(option.name in names for option in self.options)

    def values(self, *names: str) -> list[str]:
        return [option.value for option in self.options if option.name in names and option.value is not None]


class _OptionValue(IntEnum):
    NOTHING = 0
    VALUE = 1
    ATTACHED = 2
    """A value only if it is attached to the option."""


@dataclass(frozen=True, slots=True)
class _Table:
    """`known` options by name with dashes: `-n`, `--name`, `-name`."""

    known: dict[str, tuple[_OptionValue, Level]]
    dangers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a program, each list a text of words: `-abc` (flags), `-n:` (with a value), `-i?` (with an
    attached value only), `-#` (a number), `--name`, `--name=`, `--name?`. With one of `exact`, approval covers exactly
    the command; another list has precedence over it.

    `single`: names are whole words after one dash, as in `find` and in Go programs. `stops`: options end at the first
    operand. `apart`: the program parses its words itself, so that only a number is surely a value in the same word.
    """

    reads: str = ""
    harmless: str = ""
    danger: str = ""
    single: bool = False
    stops: bool = False
    apart: bool = False
    exact: str = ""


NO_OPTIONS = Options()


@lru_cache(512)
def _table(options: Options) -> _Table:
    known: dict[str, tuple[_OptionValue, Level]] = {}
    lists = (
        (options.exact, Level.EXACT),
        (options.reads, Level.READS),
        (options.harmless, Level.HARMLESS),
        (options.danger, Level.DANGER),
    )
    for text, level in lists:
        for word in text.split():
            arity = {":": _OptionValue.VALUE, "=": _OptionValue.VALUE, "?": _OptionValue.ATTACHED}.get(
                word[-1], _OptionValue.NOTHING
            )
            name = word[:-1] if arity else word
            if name.startswith("--") or options.single:
                known[name] = (arity, level)
            else:
                known.update({f"-{letter}": (arity, level) for letter in name[1:]})
    return _Table(known, tuple(name for name, (_, level) in known.items() if level is Level.DANGER))


def parse(words: Sequence[str], options: Options, *, start: int = 1) -> Parsed:
    """Parse `words` from index `start` on."""
    table, parsed, at = _table(options), Parsed(), start
    while at < len(words):
        word = words[at]
        if word == "--":
            if parsed.operands:  # defence: options-behind-the-dashes
                _doubt_options(words, at + 1, table, parsed, single=options.single)
            parsed.operands.extend(enumerate(words[at + 1 :], at + 1))
            parsed.dashes = at
            break
        if not word.startswith("-") or word == "-":
            if options.stops:
                parsed.operands.extend(enumerate(words[at:], at))
                break
            parsed.operands.append((at, word))
            at += 1
            continue
        if options.single or word.startswith("--"):
            missing = _long(word, at, table, parsed, single=options.single)
        else:
            missing = _cluster(word, at, table, parsed, separate=options.apart)
        at += 1
        if missing is None:
            continue
        if at < len(words):
            value = words[at]
            parsed.options.append(Option(missing, value, at - 1))
            if value.startswith("-") and value != "-" and not value[1:].isdigit():
                parsed.reach(Level.EXACT, f"{missing} {value}")
                if _OPTION.fullmatch(value) and not _is_known(value, table, single=options.single):
                    parsed.unknown.append(at)  # defence: value-or-option
                if _may_be_dangerous(value, table, single=options.single):
                    _danger(parsed, at, value)
            at += 1
        else:
            parsed.reach(Level.EXACT, missing)
    return parsed


def _doubt_options(words: Sequence[str], start: int, table: _Table, parsed: Parsed, *, single: bool) -> None:
    """Doubt words behind `--` that look like options: for a program whose options end at its first operand, `--` is an
    operand too, and GNU's `sort` still takes a later `-o` for an option.
    """
    for at, word in enumerate(words[start:], start):
        if word.startswith("-") and word != "-":
            parsed.reach(Level.EXACT, word)
            if _may_be_dangerous(word, table, single=single):
                _danger(parsed, at, word)


def _long(word: str, at: int, table: _Table, parsed: Parsed, *, single: bool) -> str | None:
    """Process a long option; return its name if the next word is its value."""
    name, equals, value = word.partition("=")
    if single and name.startswith("--") and name not in table.known:
        name = name[1:]
    found = table.known.get(name)
    if found is None or (equals and found[0] is _OptionValue.NOTHING):
        parsed.reach(Level.EXACT, name)  # defence: unknown-option
        parsed.unknown.append(at)
        if _may_be_dangerous(name, table, single=single):
            _danger(parsed, at, name)
        return None
    arity, level = found
    if level is Level.DANGER:
        _danger(parsed, at, name)
    parsed.reach(level, name)
    if arity is _OptionValue.VALUE and not equals:
        return name
    parsed.options.append(Option(name, value if equals else None, at))
    return None


def _cluster(word: str, at: int, table: _Table, parsed: Parsed, *, separate: bool) -> str | None:
    """Process a word of short options; return the last one's name if the next word is its value."""
    if "-#" in table.known and word[1:].isdigit():
        parsed.options.append(Option("-#", word[1:], at))
        return None
    for offset, letter in enumerate(word[1:], 1):
        name = f"-{letter}"
        found = table.known.get(name)
        rest = word[offset + 1 :]
        # defence: value-in-the-option
        if separate and found and found[0] is not _OptionValue.NOTHING and rest and not rest.isdigit():
            found = None
        if found is None:
            parsed.reach(Level.EXACT, name)
            parsed.unknown.append(at)
            parsed.options.append(Option(name, rest or None, at))  # the rest may be its value, a file
            if any(f"-{later}" in table.dangers for later in word[offset:]):
                _danger(parsed, at, word)
            return None
        arity, level = found
        if level is Level.DANGER:
            _danger(parsed, at, name)
        parsed.reach(level, name)
        if arity is _OptionValue.NOTHING:
            parsed.options.append(Option(name, None, at))
        elif rest or arity is _OptionValue.ATTACHED:
            parsed.options.append(Option(name, rest or None, at))
            return None
        else:
            return name
    return None


def _may_be_dangerous(word: str, table: _Table, *, single: bool) -> bool:
    """Whether it is, abbreviates or bundles a dangerous option."""
    name = word.partition("=")[0]
    if name.startswith("--") or single:
        return name in table.dangers or (len(name) > 2 and any(danger.startswith(name) for danger in table.dangers))
    return any(f"-{letter}" in table.dangers for letter in word[1:])


def _is_known(word: str, table: _Table, *, single: bool) -> bool:
    """Whether it is a known option or a bundle of known ones."""
    name = word.partition("=")[0]
    if name.startswith("--") or single:
        return name in table.known
    return all(f"-{letter}" in table.known for letter in word[1:])


def _danger(parsed: Parsed, at: int, what: str) -> None:
    parsed.reach(Level.DANGER, what)
    if at not in parsed.dangers:
        parsed.dangers.append(at)
