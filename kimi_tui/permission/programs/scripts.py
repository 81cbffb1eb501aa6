"""Checks that scripts for `sed` and `awk` only transform their input."""

import re
import sys

from kimi_tui.i18n import tr
from kimi_tui.permission.programs.awk_program import is_variable, only_prints
from kimi_tui.permission.programs.files import leads_out
from kimi_tui.permission.programs.options import Level, Option, Options, Parsed, parse
from kimi_tui.permission.programs.program import Classification, Program
from kimi_tui.permission.subject import Pattern

_SED = Options(
    "-nErs -e: --quiet --silent --expression= --regexp-extended --separate --version",
    "-i? --in-place?",
    "-f: --file= --follow-symlinks",
)
_AWK = Options(
    "-v: -F: --assign= --field-separator= --version -V",
    "",
    "-f: -E: -i: -l: -o? -d? -D? -p? -L? --file= --exec= --include= --load= --pretty-print? "
    "--dump-variables? --profile? "
    "--debug? -W: --source= -e:",
    stops=True,
)
_REGEX = r"(?:[^\n\\/\[]|\\[^\n]|\[(?!\^?\])[^\]\n/\\]+\])*"
_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|/{_REGEX}/[IM]*)"
_SED_PREFIX = re.compile(rf"\s*(?:{_ADDRESS}\s*(?:,\s*(?:{_ADDRESS}|[+~]\d+)\s*)?)?!?\s*")
_SED_PLAIN = re.compile(r"[pPdDgGhHxnN=lz]|q\s*\d*|Q\s*\d*")
_SED_LABEL = re.compile(r"(?::[ \t]*[\w.-]+|[btT](?:[ \t]+[\w.-]+)?)[ \t]*(?=[;\n}]|$)")
_SED_TEXT = re.compile(r"[aic](?:\\\n|[ \t])[^\n\\]*(?:\n|$)")
_SED_CHANGE = re.compile(
    r"[sy]([/|,#:@!%])((?:(?!\1)[^\n\\\[]|\\[^\n]|\[(?!\^?\])(?:(?!\1)[^\]\n\\])+\])*)\1((?:(?!\1)[^\n\\]|\\[^\n])*)\1([gpiI0-9]*)"
)
_PLAIN_FILE = re.compile(r"[\w./][\w./+@-]*")
_SED_END = re.compile(r"[ \t]*(?:[;\n]\s*|(?=[}])|$)")


def harmless_sed(script: str) -> bool:
    """Whether a script has only known commands, none of which runs a program, or reads or writes a file."""
    pos, open_braces = 0, 0
    while pos < len(script):
        if script[pos] in " \t\n;":
            pos += 1
            continue
        if script[pos] == "}":
            open_braces -= 1
            pos += 1
            continue
        prefix = _SED_PREFIX.match(script, pos)
        pos = prefix.end() if prefix else pos
        if script[pos : pos + 1] == "{":
            open_braces += 1
            pos += 1
            continue
        text = _SED_TEXT.match(script, pos)
        if text:
            pos = text.end()
            continue
        match = _SED_CHANGE.match(script, pos) or _SED_LABEL.match(script, pos) or _SED_PLAIN.match(script, pos)
        if match is None:
            return False
        end = _SED_END.match(script, match.end())
        if end is None:
            return False
        pos = end.end()
    return open_braces == 0


def sed(program: Program, words: tuple[str, ...]) -> Classification:
    del program
    parsed = parse(words, _SED)
    scripts = [(option.at, option.value) for option in parsed.options if option.name in ("-e", "--expression")]
    operands = parsed.operands
    if not scripts and not parsed.has("-f", "--file"):
        scripts, operands = list(operands[:1]), operands[1:]
    elif scripts:  # BSD's `sed`, and GNU's by POSIXLY_CORRECT, take no option behind the first word
        scripts += [(at, word) for at, word in operands[:1] if at < scripts[0][0]]  # defence: sed-first-word
    dangers = [*parsed.unknown, *(index for index, script in scripts if not harmless_sed(script or ""))]
    dangers += [option.at for option in parsed.options if _is_elsewhere(option)]  # defence: sed-copies-elsewhere
    if parsed.has("-i", "--in-place"):
        dangers += [at for at, word in operands if leads_out(word)]  # defence: sed-writes-elsewhere
    dangers += _second_script(words, parsed)
    return _found("sed", words, parsed, [*parsed.dangers, *dangers], operands)


def _is_elsewhere(option: Option) -> bool:
    """Whether the option makes `sed -i` keep the old file in another folder."""
    return option.name in ("-i", "--in-place") and "/" in (option.value or "")


def _second_script(words: tuple[str, ...], parsed: Parsed) -> list[int]:
    """Find the script in `sed -i WORD SCRIPT FILE`, where BSD's `sed` takes the word for the suffix of `-i`."""
    suffixes = [option.at + 1 for option in parsed.options if option.name == "-i" and option.value is None]
    operands = parsed.operands
    if len(operands) < 2 or operands[0][0] not in suffixes:
        return []
    (_, first), (at, script) = operands[:2]
    may_be_file = bool(first) and sys.platform != "darwin" and _PLAIN_FILE.fullmatch(script) is not None
    return [] if may_be_file or harmless_sed(script) else [at]  # defence: sed-suffix-or-script


def awk(program: Program, words: tuple[str, ...]) -> Classification:
    del program
    parsed = parse(words, _AWK)
    operands = parsed.operands
    dangers: list[int] = [*parsed.dangers, *parsed.unknown]
    assigned = [option for option in parsed.options if option.name in ("-v", "--assign")]
    dangers += [option.at for option in assigned if not is_variable((option.value or "").partition("=")[0])]
    if not parsed.has("-f", "--file", "-E", "--exec"):
        names = [(option.value or "").partition("=")[0] for option in assigned]
        names += [word.partition("=")[0] for _, word in operands[1:]]
        variables = frozenset(filter(is_variable, names))
        dangers += [index for index, text in operands[:1] if not only_prints(text, variables)]
        operands = operands[1:]
    return _found("awk", words, parsed, dangers, operands)


def _found(
    name: str, words: tuple[str, ...], parsed: Parsed, dangers: list[int], files: list[tuple[int, str]]
) -> Classification:
    """Make the result. A pattern that is not a file may expand to any script, or to several words."""
    file_indexes = {index for index, _ in files}
    dangers = [
        *dangers,
        *(index for index, word in enumerate(words) if isinstance(word, Pattern) and index not in file_indexes),
    ]
    level, why = max(parsed.level, Level.EXACT) if parsed.level > Level.READS else Level.READS, ""
    if dangers:
        level = Level.DANGER
        first_danger = words[min(dangers)]
        why = tr("`{word}` may run a program, write a file or read another configuration", word=first_danger)
    elif level is Level.EXACT:
        why = tr("the effect of `{word}` on `{name}` is unknown", word=parsed.worst, name=name)
    paths = [part for _, file in files for part in (file, file.partition("=")[2]) if part]
    return Classification(level, (words[0],), tuple(sorted(set(dangers))), why, tuple(paths))
