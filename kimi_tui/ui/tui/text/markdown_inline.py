"""Inline Markdown (emphasis, code, links, images) as styled runs."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from markdown_it.token import Token
from rich.style import Style

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.text.styled_line import Run, cells
from kimi_tui.ui.tui.themes.palette import Palette

_BOLD, _ITALIC, _STRIKE = Style(bold=True), Style(italic=True), Style(strike=True)
_MARKS = {"strong": _BOLD, "em": _ITALIC, "s": _STRIKE}


def safe_link(url: str) -> bool:
    """Whether `url` is safe as a terminal link: web or mail, without control or invisible characters."""
    if len(url) > 2000 or not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https", "mailto") and "@" not in parts.netloc


def _is_honest_link(text: str, url: str) -> bool:
    """Whether a link's text does not imitate a URL other than `url`."""
    if "." not in text or " " in text.strip():
        return True
    host = urlsplit(url).netloc or url.partition(":")[2].partition("@")[2]
    shown = text.partition("://")[2] or text
    return shown.startswith(host) or ("/" not in shown and not shown.lower().startswith("www."))


def _ends_wide(runs: Sequence[Run]) -> bool:
    return bool(runs) and cells(runs[-1][0][-1:]) == 2


def _begins_wide(tokens: Sequence[Token], index: int) -> bool:
    """Whether the text continues with a Chinese character, before which a line end is not a space."""
    return index < len(tokens) and cells(tokens[index].content[:1]) == 2


def inline_runs(tokens: Sequence[Token], palette: Palette, style: Style) -> list[Run]:
    """Return the runs of an inline token's children over `style`; "/" stands for a hard break."""
    runs: list[Run] = []
    marks = [style]
    links: list[tuple[str, int]] = []
    for index, token in enumerate(tokens):
        name, _, side = token.type.rpartition("_")
        if name == "link" and side == "open":
            url = str(token.attrGet("href") or "")
            links.append((url, len(runs)))
            link = Style(link=url, meta={"act": f"link:{url}"}) if safe_link(url) else Style()
            marks.append(marks[-1] + palette.link + link)
        elif name == "link":
            url, first = links.pop()
            marks.pop()
            text = "".join(part for part, _ in runs[first:])
            if url and text != url and not (safe_link(url) and _is_honest_link(text, url)):
                runs.append((f" ({url})", marks[-1] + palette.muted))
        elif name in _MARKS and side == "open":
            marks.append(marks[-1] + _MARKS[name])
        elif name in _MARKS:
            marks.pop()
        elif token.type == "softbreak":
            if not (_ends_wide(runs) and _begins_wide(tokens, index + 1)):
                runs.append((" ", marks[-1]))
        else:
            runs.extend(_leaf(token, palette, marks[-1]))
    return runs


def _leaf(token: Token, palette: Palette, style: Style) -> list[Run]:
    """The runs of a token without children."""
    match token.type:
        case "text":
            return [(token.content, style)] if token.content else []
        case "hardbreak":
            return [("\n", style)]
        case "code_inline":
            return [(token.content, style + palette.code)]
        case "image":
            source = f" ({sanitize(str(token.attrGet('src') or ''))})"
            name = token.content or _("image")
            return [(f"▣ {name}", style + palette.secondary), (source, style + palette.muted)]
        case _:  # HTML and unknown tokens: verbatim
            return [(token.content, style + palette.muted)] if token.content else []
