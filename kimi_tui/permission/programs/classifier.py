"""Classifies a command by the program tables: `classify(words)`, and the dangers that a user's rule must name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import import_module

from kimi_tui.i18n import tr
from kimi_tui.permission.programs.options import Level, Parsed, parse
from kimi_tui.permission.programs.program import (
    EVERYTHING,
    NOT_RECURSIVE,
    Classification,
    Kind,
    Program,
    RecursiveRead,
    Tracked,
)
from kimi_tui.permission.subject import Pattern

_FAMILIES = (
    "files", "text", "git", "interpreters", "build_tools", "code_checkers", "packages", "containers", "network",
    "system",
)  # fmt: skip
_VERSIONED = re.compile(r"(python|pypy|pip|node|ruby|perl|php|lua|bash|java|gcc|g\+\+|clang|clang\+\+)-?\d[\d.]*")
_WILD = re.compile(r"[*?\[]")
_MAX_DEEP = 8


@cache
def programs() -> Mapping[str, Program]:
    """All tables by program name."""
    found: dict[str, Program] = {}
    for family in _FAMILIES:
        found.update(import_module(f"kimi_tui.permission.programs.{family}").PROGRAMS)
    return found


def find_program_table(word: str) -> Program | None:
    """Return the table of a program by its name, without its folder and its version (`python3.11`)."""
    name = word.rpartition("/")[2]
    words_known = programs()
    if name in words_known:
        return words_known[name]
    versioned = _VERSIONED.fullmatch(name)
    return words_known.get(versioned[1]) if versioned else None


def classify(words: tuple[str, ...]) -> Classification:
    """Classify these words. Anyone may have written a program given by path, so approval covers at most exactly this
    command.

    A `Pattern` stands for any number of words, none of them an option. It is dangerous where the number or the text of
    the words matters.
    """
    return _classified(words, frozenset(index for index, word in enumerate(words) if isinstance(word, Pattern)))


@lru_cache(1024)
def _classified(words: tuple[str, ...], patterns: frozenset[int]) -> Classification:
    found = _classify(words, 0)
    if words and "/" in words[0] and found.level < Level.EXACT:
        found = replace(found, level=Level.EXACT, why=tr("`{word}` is not a known name", word=words[0]))
    if patterns and not found.loose:
        positions = tuple(sorted({*found.dangers, *patterns}))
        found = replace(found, level=Level.DANGER, dangers=positions, why=found.why or _dangerous(words[min(patterns)]))
    return found


def _classify(words: tuple[str, ...], depth: int) -> Classification:
    if not words or depth > _MAX_DEEP:
        return Classification(Level.EXACT)
    program = find_program_table(words[0])
    if program is None:
        why = tr("`{program}` is an unknown program", program=words[0])
        return Classification(Level.EXACT, why=why, paths=_paths(words[1:]), loose=True)  # defence: unknown-program
    found = _by_table(program, words, (words[0],), depth)
    again = _given_again(program, words)  # defence: options-given-again
    if not again:
        return found
    dangers = tuple(sorted({*found.dangers, *again}))
    return replace(found, level=Level.DANGER, dangers=dangers, why=_dangerous(words[again[0]]))


def _given_again(program: Program, words: tuple[str, ...]) -> list[int]:
    """Find the words that take back an earlier choice: `kubectl -n dev get pods -n prod`."""
    found: list[int] = []
    for choice in program.once:
        found += [at for at, word in enumerate(words) if at and choice.fullmatch(word)][1:]
    return found


def _by_table(program: Program, words: tuple[str, ...], name: tuple[str, ...], depth: int) -> Classification:
    """Classify by table. `words` start with the program or the subcommand; `name` is the full command prefix."""
    if len(words) == 2 and words[1] in program.version.split():
        return Classification(Level.READS, name)
    if program.look is not None:
        return replace(program.look(program, words), loose=program.loose)
    if len(words) > 2 and words[1] == "-m" and words[2] in program.modules:
        return _inner_command(words, 2, (*name, "-m"), {0}, depth)
    if program.kind in (Kind.ANYTHING, Kind.INTERPRETER, Kind.WRAPPER):
        return _runs_anything(program, words, name)
    parsed = parse(words, program.options)
    if program.kind is Kind.RUNNER:
        return _runner(program, parsed, words, name, depth)
    if program.subs or program.plugins:
        return _with_subcommand(program, parsed, words, name, depth)
    level, why = max(program.level, parsed.level), _why(parsed, name)
    unlisted = parsed.unknown if program.strict else []  # defence: unlisted-options
    dangers = [*parsed.dangers, *unlisted, *(program.dangerous(parsed) if program.dangerous else ())]
    if dangers:
        level, why = Level.DANGER, _dangerous(_name_of(words[min(dangers)]))
    if level < Level.EXACT:
        problem = program.check(parsed) if program.check else ""
        if program.most is not None and len(parsed.operands) > program.most:
            problem = parsed.operands[program.most][1]
        if problem:
            level, why = (
                Level.EXACT,
                tr("the effect of `{word}` on `{name}` is unknown", word=problem, name=_text(name)),
            )
    texts = _texts(program, parsed, words)
    return Classification(
        level,
        (*name, *(word for _, word in parsed.operands[: program.keyed])),
        tuple(sorted(set(dangers))),
        why,
        _paths(
            [word for at, word in enumerate(words) if at and at not in texts], parsed, program.texts if texts else ""
        ),
        tuple(word for _, word in parsed.operands),
        _recursive(program, parsed),
        program.configured,
        loose=program.loose
        or not (program.keyed or program.most is not None or program.strict or program.dangerous or program.check),
        tracked=_tracked(program, parsed),
        texts=_paths([words[at] for at in sorted(texts)], parsed) if texts else (),
    )


def _recursive(program: Program, parsed: Parsed) -> RecursiveRead:
    if program.deep is None:
        return NOT_RECURSIVE
    return EVERYTHING if parsed.unknown else program.deep(parsed)  # defence: unknown-option-reads-more


def _tracked(program: Program, parsed: Parsed) -> Tracked | None:
    if program.tracked is None:
        return None
    return Tracked() if parsed.unknown else program.tracked(parsed)  # defence: unknown-option-prints-more


def _with_subcommand(
    program: Program, parsed: Parsed, words: tuple[str, ...], name: tuple[str, ...], depth: int
) -> Classification:
    """Classify a subcommand. Options before it belong to the program; with any of them, approval covers exactly this
    command.

    A rule has to name an unknown option before it, which may also take the next word as its value.
    """
    if not parsed.operands:
        level = max(program.level, parsed.level)
        paths = _paths(words[1:], parsed)
        return Classification(
            level, name, tuple(parsed.dangers), _why(parsed, name), paths, configured=program.configured
        )
    index, word = parsed.operands[0]
    if parsed.unknown:  # defence: shifting-option
        parsed.dangers = sorted({*parsed.dangers, *parsed.unknown})
        parsed.reach(Level.DANGER, words[parsed.unknown[0]])
    sub = program.subs.get(word)
    if sub is None:
        why = tr("`{name}` is unknown", name=_text((*name, word)))
        dangers = (*parsed.dangers, index) if program.plugins else tuple(parsed.dangers)
        return Classification(Level.DANGER if dangers else Level.EXACT, (), dangers, why, _paths(words[1:]))
    inner = _by_table(sub, (word, *words[index + 1 :]), (*name, word), depth + 1)
    dangers = (*parsed.dangers, *(position + index for position in inner.dangers))
    return replace(
        inner,
        level=max(inner.level, parsed.level),
        dangers=dangers,
        why=_why(parsed, name) if parsed.level > inner.level else inner.why,
        paths=(*_paths(words[1:index], parsed), *inner.paths),
        configured=inner.configured or program.configured,
    )


def _runs_anything(program: Program, words: tuple[str, ...], name: tuple[str, ...]) -> Classification:
    dangers = tuple(range(len(words))) if program.kind is Kind.WRAPPER else (0,)
    why = tr("`{name}` runs any program it is given", name=_text(name))
    return Classification(Level.DANGER, name, dangers, why, _paths(words[1:]), anything=True)


def _runner(
    program: Program, parsed: Parsed, words: tuple[str, ...], name: tuple[str, ...], depth: int
) -> Classification:
    if not parsed.operands:
        return _runs_anything(program, words, name)
    if parsed.level > Level.HARMLESS:
        return Classification(Level.DANGER, name, tuple(range(len(words))), _why(parsed, name), _paths(words[1:]))
    return _inner_command(words, parsed.operands[0][0], name, {0, *parsed.dangers}, depth)


def _inner_command(
    words: tuple[str, ...], index: int, name: tuple[str, ...], dangers: set[int], depth: int
) -> Classification:
    """Classify the program at index `index`, run by the words before it on local files, so it is never read-only."""
    inner = _classify(words[index:], depth + 1)
    dangers = {*dangers, *(position + index for position in inner.dangers if position or inner.anything)}
    paths = (*_paths(words[1:index]), *inner.paths)
    level = max(inner.level, Level.HARMLESS)
    return Classification(
        level, (*name, *inner.beginning), tuple(sorted(dangers)), inner.why, paths, configured=True, loose=inner.loose
    )


def _why(parsed: Parsed, name: Sequence[str]) -> str:
    match parsed.level:
        case Level.EXACT:
            return tr("the effect of `{word}` on `{name}` is unknown", word=parsed.worst, name=_text(name))
        case Level.DANGER:
            return _dangerous(parsed.worst)
        case _:
            return ""


def _name_of(word: str) -> str:
    return word.partition("=")[0] if word.startswith("-") else word


def _dangerous(word: str) -> str:
    return tr("`{word}` may run a program, write a file or read another configuration", word=word)


def _texts(program: Program, parsed: Parsed, words: Sequence[str]) -> frozenset[int]:
    """Return the indexes of words that are no paths: patterns to search for, separators and numbers.

    There are none if an option is unknown, or is behind an operand, where some programs take it for a file.
    """
    first_operand = parsed.operands[0][0] if parsed.operands else len(words)
    if parsed.unknown or any(option.at > first_operand for option in parsed.options):  # defence: texts-for-sure
        return frozenset()
    count = program.text_operands(parsed) if program.text_operands else 0
    found = {at for at, _ in parsed.operands[:count]}
    for option in parsed.options:
        if option.value and option.name in program.texts.split():
            attached = words[option.at].endswith(option.value)
            found.add(option.at if attached else option.at + 1)
    return frozenset(found)


def _paths(words: Sequence[str], parsed: Parsed | None = None, texts: str = "") -> tuple[str, ...]:
    """Return words and parts of words that may name files; the values of the options in `texts` name none."""
    found = [part for word in words for part in (word, word.partition("=")[2]) if part]
    if parsed is not None:
        found += [option.value for option in parsed.options if option.value and option.name not in texts.split()]
    return tuple(dict.fromkeys(found))


def _text(words: Sequence[str]) -> str:
    return " ".join(words)


def unnamed_danger(pattern: Sequence[str], words: tuple[str | None, ...]) -> str | None:
    """Return the first dangerous word that a rule's pattern does not contain literally; None if it contains all.

    The program counts as the rule's word in any spelling. An unknown word is empty here.
    """
    words_known = tuple(word or "" for word in words)
    for index in classify(words_known).dangers:
        if index > 0 and (index >= len(pattern) or pattern[index] != words_known[index]):
            return words_known[index]
    return None


def may_run_another(words: Sequence[str | None]) -> bool:
    """Whether the program may run a command given in its arguments: it is unknown, or known to do so."""
    words_known = tuple(word or "" for word in words)
    return bool(words_known) and (find_program_table(words_known[0]) is None or bool(classify(words_known).dangers))


def allows_anything(pattern: Sequence[str]) -> bool:
    """Whether an allow rule with this pattern lets any program run."""
    beginning: list[str] = []
    for word in pattern:
        if _WILD.search(word):
            break
        beginning.append(word)
    if len(beginning) == len(pattern):
        return False
    if beginning:
        return _is_open(tuple(beginning))
    is_named = any(fnmatchcase(name, pattern[0]) and _is_open((name,)) for name in programs())
    return not pattern[0].strip("*") or (is_named and list(pattern[1:]) == ["*"])


def _is_open(words: tuple[str, ...]) -> bool:
    """Whether these words, with any words appended, can run any program."""
    program, index = find_program_table(words[0]), 0
    while program is not None and index + 1 < len(words) and words[index + 1] in program.subs:
        program, index = program.subs[words[index + 1]], index + 1
    if program is None:
        return False
    match program.kind:
        case Kind.ANYTHING:
            return True
        case Kind.INTERPRETER:
            return all(word.startswith("-") for word in words[index + 1 :])
        case Kind.RUNNER:
            parsed = parse(words, program.options, start=index + 1)
            return not parsed.operands or _is_open(words[parsed.operands[0][0] :])
        case Kind.WRAPPER:
            return False
        case Kind.PLAIN:
            return len(words) - 1 in classify((*words, "x")).dangers and len(words) > 1
