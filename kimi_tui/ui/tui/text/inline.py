"""Markdown inside a paragraph: emphasis, code, links, pictures, as styled runs."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from markdown_it.token import Token
from rich.style import Style

from kimi_tui.ui.tui.text.line import Run
from kimi_tui.ui.tui.text.palette import Palette
from kimi_tui.ui.tui.text.sanitize import sanitize

_BOLD, _ITALIC, _STRIKE = Style(bold=True), Style(italic=True), Style(strike=True)
_MARKS = {"strong": _BOLD, "em": _ITALIC, "s": _STRIKE}


def safe_link(url: str) -> bool:
    """Whether a terminal may be given `url` as a link: the web or mail, and nothing in it that hides or acts."""
    if len(url) > 2000 or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https", "mailto") and "@" not in parts.netloc


def _says_where(text: str, url: str) -> bool:
    """Whether the text of a link does not pretend to be another place than `url`."""
    if "." not in text or " " in text.strip():
        return True
    host = urlsplit(url).netloc or url.partition(":")[2].partition("@")[2]
    shown = text.partition("://")[2] or text
    return shown.startswith(host) or ("/" not in shown and not shown.lower().startswith("www."))


def inline_runs(tokens: Sequence[Token], palette: Palette, style: Style) -> list[Run]:
    """The runs of an inline token's children over `style`; "\\n" stands for a hard break."""
    runs: list[Run] = []
    marks = [style]
    links: list[tuple[str, int]] = []
    for token in tokens:
        kind = token.type
        name, _, side = kind.rpartition("_")
        if kind == "text":
            if token.content:
                runs.append((token.content, marks[-1]))
        elif kind == "softbreak":
            runs.append((" ", marks[-1]))
        elif kind == "hardbreak":
            runs.append(("\n", marks[-1]))
        elif kind == "code_inline":
            runs.append((token.content, marks[-1] + palette.code))
        elif kind == "image":
            runs.append((f"▣ {token.content or 'image'}", marks[-1] + palette.secondary))
            runs.append((f" ({sanitize(str(token.attrGet('src') or ''))})", marks[-1] + palette.muted))
        elif name == "link" and side == "open":
            url = str(token.attrGet("href") or "")
            links.append((url, len(runs)))
            link = Style(link=url, meta={"act": f"link:{url}"}) if safe_link(url) else Style()
            marks.append(marks[-1] + palette.link + link)
        elif name == "link":
            url, first = links.pop()
            marks.pop()
            text = "".join(part for part, _ in runs[first:])
            if url and text != url and not (safe_link(url) and _says_where(text, url)):
                runs.append((f" ({url})", marks[-1] + palette.muted))
        elif name in _MARKS and side == "open":
            marks.append(marks[-1] + _MARKS[name])
        elif name in _MARKS:
            marks.pop()
        elif token.content:  # HTML and whatever a later parser brings: as written
            runs.append((token.content, marks[-1] + palette.muted))
    return runs
