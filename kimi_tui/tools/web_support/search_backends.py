"""Request and response formats of the search services."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from kimi_tui.tools.web_support.web_settings import SearchKind, WebService
from kimi_tui.wire.parts import JsonObject

MAX_URL = 2_000
"""Characters of an address that the user can review."""
MAX_ROWS = 200
"""More results than can be requested: a million of them would hold the program up."""
_MAX_TITLE, _MAX_SNIPPET = 300, 4_000


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result; `content` is the page's text if the service provides it. All but the latter have one line, and a
    bound.
    """

    title: str
    url: str
    snippet: str = ""
    date: str = ""
    content: str = ""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A request: POST with a body, else GET."""

    url: str
    headers: dict[str, str]
    query: dict[str, str | int] | None = None
    body: JsonObject | None = None


def search_request(kind: SearchKind, service: WebService, query: str, limit: int, *, content: bool) -> SearchRequest:
    base = service.base_url.rstrip("/")
    bearer = {"Authorization": f"Bearer {service.api_key}", **service.headers}
    match kind:
        case "moonshot":
            body: JsonObject = {
                "text_query": query,
                "limit": limit,
                "enable_page_crawling": content,
                "timeout_seconds": 30,
            }
            return SearchRequest(base, bearer, body=body)
        case "tavily":
            body = {"query": query, "max_results": limit, "include_raw_content": content}
            return SearchRequest(base if base.endswith("/search") else f"{base}/search", bearer, body=body)
        case "searxng":
            url = base if base.endswith("/search") else f"{base}/search"
            return SearchRequest(url, dict(service.headers), query={"q": query, "format": "json"})
        case "brave":
            url = base if base.endswith("/search") else f"{base}/res/v1/web/search"
            headers = {"X-Subscription-Token": service.api_key, "Accept": "application/json", **service.headers}
            return SearchRequest(url, headers, query={"q": query, "count": limit})


def search_results(kind: SearchKind, answer: object) -> list[SearchResult]:
    """Parse the first results of a response; malformed ones are left out, and those whose address exceeds MAX_URL."""
    rows = _at(answer, *_ROWS[kind])
    if not isinstance(rows, list):
        return []
    read = _READ[kind]
    first = cast(list[object], rows)[:MAX_ROWS]  # defence: bound-search-rows
    hits = (read(cast(dict[str, object], row)) for row in first if isinstance(row, dict))
    return [hit for hit in hits if 0 < len(hit.url) <= MAX_URL]


_ROWS: dict[SearchKind, tuple[str, ...]] = {
    "moonshot": ("search_results",),
    "searxng": ("results",),
    "brave": ("web", "results"),
    "tavily": ("results",),
}
_READ: dict[SearchKind, Callable[[dict[str, object]], SearchResult]] = {
    "moonshot": lambda row: _search_result(row, "snippet", "date", "content"),
    "searxng": lambda row: _search_result(row, "content", "publishedDate"),
    "brave": lambda row: _search_result(row, "description", "age"),
    "tavily": lambda row: _search_result(row, "content", "published_date", "raw_content"),
}


def _search_result(row: dict[str, object], snippet: str, date: str, content: str = "") -> SearchResult:
    def text(key: str) -> str:
        value = row.get(key)
        return value.strip() if isinstance(value, str) else ""

    def line(key: str, most: int) -> str:
        words = " ".join(text(key)[: most * 2].split())
        return words if len(words) <= most else f"{words[:most]}…"  # defence: bound-search-results

    return SearchResult(
        line("title", _MAX_TITLE),
        "".join(text("url")[: MAX_URL + 1].split()),
        line(snippet, _MAX_SNIPPET),
        line(date, _MAX_TITLE),
        text(content),
    )


def _at(value: object, *keys: str) -> object:
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = cast(dict[str, object], value).get(key)
    return value
