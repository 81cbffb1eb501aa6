"""Extracts text: the readable text of a web page, other text unchanged."""

import logging
import re
from html.parser import HTMLParser

from kimi_tui.tools.web_support.fetcher import FetchError, Page

_log = logging.getLogger(__name__)
_TEXT = re.compile(r"text/.*|application/(?:.*\+)?(?:json|xml|yaml|x-yaml|javascript|x-ndjson|toml|x-sh|rtf)")
_HTML = frozenset({"text/html", "application/xhtml+xml"})


def page_text(page: Page) -> str:
    """Extract the text. Slow for large pages: run it in a thread. Raises FetchError for binary content."""
    if page.mime and page.mime not in _HTML and not _TEXT.fullmatch(page.mime):
        raise FetchError(f"it is {page.mime}, not text")
    if not page.mime and b"\0" in page.body[:4096]:
        raise FetchError("it is not text")
    text = _decoded(page)
    if page.mime in _HTML or (not page.mime and text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))):
        return _main_text(text, page.url)
    return text


def _decoded(page: Page) -> str:
    declared = re.search(rb"charset=[\"']?([\w-]+)", page.body[:2048], re.IGNORECASE)
    for charset in (page.charset, declared[1].decode("ascii") if declared else None):
        if charset:
            try:
                return page.body.decode(charset, "replace")
            except LookupError:
                continue
    return page.body.decode("utf-8-sig", "replace")


def _main_text(html: str, url: str) -> str:
    try:
        import trafilatura
    except ImportError:
        return _plain(html)
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        extracted = trafilatura.extract(
            html, url=url, output_format="markdown", include_links=True, include_tables=True, with_metadata=False
        )
    except Exception:  # noqa: BLE001 - a page may break a parser in any way; its plain text is still there
        _log.debug("the text of %s could not be extracted", url, exc_info=True)
        extracted = None
    return extracted or _plain(html)


def _plain(html: str) -> str:
    reader = _Plain()
    reader.feed(html)
    reader.close()
    lines = (re.sub(r"[ \t\r\f\v]+", " ", line).strip() for line in "".join(reader.pieces).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Plain(HTMLParser):
    """Collects all text except scripts and the like; block elements start a new line."""

    _SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head"})
    _BLOCKS = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "pre"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._SILENT:
            self._silent += 1
        elif tag in self._BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT:
            self._silent = max(0, self._silent - 1)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces.append(data)
