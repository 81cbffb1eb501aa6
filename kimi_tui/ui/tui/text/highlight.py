"""Syntax highlighting: source code to styled lines, by Pygments, in the palette's roles."""

import time
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import (  # pyright: ignore[reportUnknownVariableType]
    get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType]
    get_lexer_for_filename,  # pyright: ignore[reportUnknownVariableType]
)
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String
from pygments.token import _TokenType as TokenType  # pyright: ignore[reportPrivateUsage]
from pygments.util import ClassNotFound
from rich.style import Style

from kimi_tui.ui.tui.text.styled_line import Run
from kimi_tui.ui.tui.themes.palette import Palette

_LIMIT = 100_000  # characters; beyond it highlighting is not worth its cost
_SECONDS = 1.0  # of processor; some lexers take time that grows with the square of hostile code


def highlight(code: str, language: str, palette: Palette) -> list[list[Run]]:
    """The highlighted lines of `code`; plain if the language is unknown, or if it takes too long."""
    lexer = _lexer(language)
    if lexer is None or len(code) > _LIMIT:
        return _plain(code, palette)
    end = time.thread_time() + _SECONDS
    lines: list[list[Run]] = [[]]
    for number, (kind, text) in enumerate(lexer.get_tokens(code)):
        if number % 16 == 0 and time.thread_time() > end:  # defence: bound-highlighting
            return _plain(code, palette)
        style = _style_of(kind, palette)
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append([])
            if part:
                lines[-1].append((part, style))
    wanted = code.count("\n") + 1
    while len(lines) < wanted:
        lines.append([])
    return lines[:wanted]


def _plain(code: str, palette: Palette) -> list[list[Run]]:
    return [[(line, palette.base)] for line in code.split("\n")]


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    if not language:
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=256)
def language_of(path: str) -> str:
    """A file's language by its name; "" if unknown."""
    try:
        lexer: Lexer = get_lexer_for_filename(path)  # pyright: ignore[reportUnknownVariableType]
    except ClassNotFound:
        return ""
    return lexer.aliases[0] if lexer.aliases else ""


@lru_cache(maxsize=512)
def _role(kind: TokenType) -> str:
    """The palette field of a token type."""
    for family, role in _ROLES:
        if kind in family:
            return role
    return "base"


_ROLES: tuple[tuple[TokenType, str], ...] = (
    (Comment, "comment"),
    (Keyword.Type, "name_type"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (String, "string"),
    (Number, "number"),
    (Name.Function, "function"),
    (Name.Class, "name_type"),
    (Name.Builtin, "name_type"),
    (Name.Decorator, "function"),
    (Name.Tag, "keyword"),
    (Name.Attribute, "function"),
    (Generic.Heading, "heading"),
    (Generic.Subheading, "heading"),
    (Generic.Inserted, "success"),
    (Generic.Deleted, "error"),
    (Generic.Prompt, "muted"),
)


def _style_of(kind: TokenType, palette: Palette) -> Style:
    return getattr(palette, _role(kind))
