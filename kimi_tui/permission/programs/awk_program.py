"""Reads awk programs by an allow-list of tokens: one that passes prints and computes, and opens or runs nothing."""

import re

_SPACE = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_REGEX = re.compile(r"/(?:[^\n\\/\[]|\\[^\n]|\[(?!\^?\])(?:[^\]\n/\\]|\\[\w.*+$^-])+\])*/", re.ASCII)
"""No slash is inside brackets, where one awk ends the expression and another does not."""
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OPERATOR = re.compile(r"\|\||&&|\*\*=?|[-+*%^/=!<>]=|\+\+|--|!~|[-+*%^/=!<>~?:,;$(){}\[\]\n]")
_VARIABLE = re.compile(
    r"[a-z]\w*|[A-Z]|NR|NF|FNR|O?FS|O?RS|RSTART|RLENGTH|RT|SUBSEP|FILENAME|CONVFMT|OFMT|FPAT|IGNORECASE", re.ASCII
)
_OF_AWK = frozenset({"NR", "NF", "FNR", "FS", "OFS", "ORS", "RS", "RSTART", "RLENGTH", "RT", "SUBSEP", "FILENAME"})
_CONDITIONS = frozenset({"if", "while", "for"})
_KEYWORDS = frozenset({"BEGIN", "END", "else", "do", "in", "break", "continue", "next", "exit", "delete"})
_PRINTS = frozenset({"print", "printf"})
_FUNCTIONS = frozenset(
    {
        *("length", "substr", "index", "split", "sub", "gsub", "gensub", "match", "sprintf", "tolower", "toupper"),
        *("int", "sqrt", "exp", "log", "sin", "cos", "atan2", "rand", "srand", "strftime", "systime", "strtonum"),
    }
)
_REFUSED = frozenset({"getline", "nextfile", "func", "function", "return", "switch", "case", "default", "system"})
"""Words of the language that are no names of variables, even of those that the program seems to set."""
_WORDS = _CONDITIONS | _KEYWORDS | _PRINTS | _FUNCTIONS | _REFUSED
_SETS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "^=", "++", "--", "["})
_BEFORE_REGEX = frozenset({"", "(", ",", "{", "}", ";", "\n", "!", "~", "!~", "&&", "||", "print"})
_GOES_ON = frozenset({",", "&&", "||"})
_BEFORE_BREAK = frozenset({"", "{", "}", ";", "\n", ")", "]", "++", "--", "if)"}) | _GOES_ON
_PAIRS = {")": "(", "]": "[", "}": "{"}
_VALUE = '"'


def only_prints(program: str, variables: frozenset[str] = frozenset()) -> bool:
    """Whether every token of an awk program is known to be harmless where it is.

    `variables` are those that the command line sets. Other variables must be set by the program. A `>` compares
    outside of `print` and in its parentheses. A text that awks may split in different ways is refused.
    """
    tokens = _tokens(program)
    return tokens is not None and _names_are_known(tokens, variables) and _only_compares(tokens)


def is_variable(name: str) -> bool:
    """Whether the command line may set this variable."""
    return _VARIABLE.fullmatch(name) is not None and name not in _WORDS


def _tokens(program: str) -> list[str] | None:
    """Split the program; a string, a number and a regular expression are `"`. None if a part is not known."""
    found: list[str] = []
    open_brackets: list[str] = []
    pos, last = 0, ""
    while pos < len(program):
        if space := _SPACE.match(program, pos):
            pos = space.end()
            continue
        token = ""
        if program[pos] == "/" and last in _BEFORE_REGEX:
            match, token = _REGEX.match(program, pos), _VALUE
        elif match := _STRING.match(program, pos) or _NUMBER.match(program, pos):
            token = _VALUE
        elif match := _NAME.match(program, pos) or _OPERATOR.match(program, pos):
            token = match[0]
        if match is None or (token in ("/", "/=") and not _ends_operand(last)):
            return None
        if token == "\n" and not _may_break(last, in_braces=not open_brackets or open_brackets[-1] == "{"):
            return None
        found.append(token)
        pos = match.end()
        if token in ("(", "[", "{"):
            open_brackets.append("if(" if token == "(" and last in _CONDITIONS else token)
        elif token in _PAIRS:
            opened = open_brackets.pop() if open_brackets else ""
            if opened[-1:] != _PAIRS[token]:
                return None
            token = "if)" if opened == "if(" else token
        last = last if token == "\n" and last == "if)" else token
    return None if open_brackets else found


def _ends_operand(last: str) -> bool:
    """Whether a slash after this token divides in every awk."""
    return last in (_VALUE, ")", "]") or (_NAME.fullmatch(last) is not None and last not in _WORDS)


def _may_break(last: str, *, in_braces: bool) -> bool:
    """Whether a line break may follow: between statements, and where every awk goes on in the next line."""
    return last in _GOES_ON or (in_braces and (last in _BEFORE_BREAK or last == _VALUE or bool(_NAME.fullmatch(last))))


def _names_are_known(tokens: list[str], variables: frozenset[str]) -> bool:
    around = list(zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False))
    known = _OF_AWK | variables
    known |= {
        name
        for before, name, after in around
        if after in _SETS or after == "in" or before in ("++", "--", "in", ",", "delete")
    }
    for _, name, after in around:
        if not _NAME.fullmatch(name):
            continue
        if name in _FUNCTIONS | _CONDITIONS:
            if after != "(" and name != "length":
                return False
        elif name not in _KEYWORDS | _PRINTS and (after == "(" or name not in known or not is_variable(name)):
            return False  # defence: awk-words
    return True


def _only_compares(tokens: list[str]) -> bool:
    """Whether no `>` is where it names the file that a `print` writes to."""
    printing, depth = False, 0
    for token in tokens:
        if token in _PRINTS:
            printing, depth = True, 0
        elif token in (";", "}"):  # a line break may be inside the statement
            printing = False
        elif token in ("(", ")"):
            depth += 1 if token == "(" else -1
        elif token == ">" and printing and depth == 0:  # defence: awk-writes
            return False
    return True
