"""Extracts text: the readable text of a web page as Markdown, other text unchanged."""

import logging
import re
from collections.abc import Set
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from kimi_tui.charsets import decode_text
from kimi_tui.tools.web_support.fetcher import FetchError, Page

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_log = logging.getLogger(__name__)
_TEXT = re.compile(r"text/.*|application/(?:.*\+)?(?:json|xml|yaml|x-yaml|javascript|x-ndjson|toml|x-sh|rtf)")
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
_ENDS_ITSELF = frozenset({
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
    "param", "path", "source", "td", "th", "tr", "track", "wbr",
})  # fmt: skip
_MAX_OPEN = 10_000
_MAX_ATTRIBUTES = 5_000
"""Beyond these, an HTML parser takes time that is quadratic in them."""
_MAX_CHARS = 1_000_000
_MAX_DEPTH = 150
"""Beyond these, the text is not converted to Markdown: that takes a second a million characters, and recursion."""
_UNSEEN = (
    "script, style, noscript, template, svg, head, title, textarea, xmp, plaintext, noembed, noframes, iframe, "
    "object, embed, canvas, audio, video, [hidden], [aria-hidden=true]"
)
_CONTROLS = "nav, aside, form, button, input, select, dialog, menu, " + ", ".join(
    f"[role={role}]" for role in ("banner", "complementary", "contentinfo", "dialog", "menu", "navigation", "search")
)
_FRAME = "header, footer"
_FRAME_OF_CONTENT = "main header, main footer, article header, article footer"
_MAIN = ("main", "[role=main]", "article")
_LEAST_SHARE = 0.3
"""The share of a page's text that its main part must have."""


def page_text(page: Page) -> str:
    """Extract the text. Slow for large pages: run it in a thread. Raises FetchError for binary content."""
    if page.mime and page.mime not in _HTML and not _TEXT.fullmatch(page.mime):
        raise FetchError(f"it is {page.mime}, not text")
    if not page.mime and b"\0" in page.body[:4096]:
        raise FetchError("it is not text")
    text = _decoded(page)
    return _main_text(text, page.url) if is_html(page) else text


def is_html(page: Page) -> bool:
    """Whether the page is HTML by its type, or by its start if it has none."""
    if page.mime:
        return page.mime in _HTML
    return _decoded(page).lstrip()[:200].lower().startswith(("<!doctype html", "<html"))


def text_without_tags(page: Page) -> str:
    """The text of an HTML page without its structure, in linear time."""
    return _without_tags(_decoded(page))


def _without_tags(html: str) -> str:
    end = html.rfind(">") + 1
    return _tidy(_TAG.sub(" ", html[:end]) + html[end:])


def _decoded(page: Page) -> str:
    declared = re.search(rb"charset=[\"']?([\w-]+)", page.body[:2048], re.IGNORECASE)
    return decode_text(page.body, page.charset, declared[1].decode("ascii") if declared else None)


def _main_text(html: str, url: str) -> str:
    from selectolax.lexbor import LexborHTMLParser

    if _is_hostile(html):
        return _without_tags(html)
    page = LexborHTMLParser(html)
    _remove(page, _UNSEEN)
    content = {node.mem_id for node in page.css(_FRAME_OF_CONTENT)}
    _remove(page, f"{_CONTROLS}, {_FRAME}", content)
    main = _main_part(page)
    if main is None:
        return ""
    if len(html) > _MAX_CHARS or _depth(main) > _MAX_DEPTH:
        return _tidy(main.text(separator="\n"))
    for link in main.css("a[href]"):
        link.attrs["href"] = _absolute(url, link.attributes["href"] or "")
    try:
        return _tidy(_markdown(main.html or ""))
    except Exception:  # noqa: BLE001 - a page may break a converter in any way; its text is still there
        _log.debug("%s could not be converted", url, exc_info=True)
        return _tidy(main.text(separator="\n"))


def _is_hostile(html: str) -> bool:
    """Whether more elements are open at a time, or one has more attributes, than any page has; a rough first look."""
    still_open = 0
    for tag in _TAG.finditer(html, 0, html.rfind(">") + 1):
        if tag[2].lower() not in _ENDS_ITSELF:
            still_open += -1 if tag[1] else 1
        if still_open > _MAX_OPEN or tag[0].count("=") > _MAX_ATTRIBUTES:
            return True
    return False


def _remove(page: "LexborHTMLParser", selector: str, keep: Set[int] = frozenset()) -> None:
    """Remove the elements that fit the selector, with what is in them, except those with these ids."""
    chosen = {node.mem_id for node in page.css(selector)} - keep
    outermost: list[LexborNode] = []
    gone: set[int] = set()
    for node in page.root.traverse() if page.root is not None else ():
        above = node.parent
        if above is not None and above.mem_id in gone:
            gone.add(node.mem_id)
        elif node.mem_id in chosen:
            gone.add(node.mem_id)
            outermost.append(node)
    for node in outermost:
        node.decompose()


def _main_part(page: "LexborHTMLParser") -> "LexborNode | None":
    body = page.body
    if body is None:
        return None
    least = _LEAST_SHARE * len(body.text())
    for selector in _MAIN:
        part = page.css_first(selector)
        if part is not None and len(part.text()) >= least:
            return part
    return body


def _depth(top: "LexborNode") -> int:
    """Return how deeply elements are nested."""
    depths = {top.mem_id: 0}
    for node in top.traverse():
        above = node.parent
        depths[node.mem_id] = depths.get(above.mem_id, 0) + 1 if above is not None else 0
    return max(depths.values())


def _absolute(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:
        return link


def _markdown(html: str) -> str:
    from markdownify import ATX, MarkdownConverter

    return MarkdownConverter(heading_style=ATX, bullets="-").convert(html)


def _tidy(text: str) -> str:
    lines = (line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
