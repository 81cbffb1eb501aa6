"""Request and response formats of the search services."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from kimi_tui.tools.web_support.web_settings import SearchKind, WebService
from kimi_tui.wire.parts import JsonObject


@dataclass(frozen=True, slots=True)
class Hit:
    """One result; `content` is the page's text if the service provides it."""

    title: str
    url: str
    snippet: str = ""
    date: str = ""
    content: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: POST with a body, else GET."""

    url: str
    headers: dict[str, str]
    query: dict[str, str | int] | None = None
    body: JsonObject | None = None


def ask_for(kind: SearchKind, service: WebService, query: str, limit: int, *, content: bool) -> Ask:
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
            return Ask(base, bearer, body=body)
        case "tavily":
            body = {"query": query, "max_results": limit, "include_raw_content": content}
            return Ask(base if base.endswith("/search") else f"{base}/search", bearer, body=body)
        case "searxng":
            url = base if base.endswith("/search") else f"{base}/search"
            return Ask(url, dict(service.headers), query={"q": query, "format": "json"})
        case "brave":
            url = base if base.endswith("/search") else f"{base}/res/v1/web/search"
            headers = {"X-Subscription-Token": service.api_key, "Accept": "application/json", **service.headers}
            return Ask(url, headers, query={"q": query, "count": limit})


def hits_of(kind: SearchKind, answer: object) -> list[Hit]:
    """Parse the results of a response; malformed ones are left out."""
    rows = _at(answer, *_ROWS[kind])
    if not isinstance(rows, list):
        return []
    read = _READ[kind]
    hits = (read(cast(dict[str, object], row)) for row in cast(list[object], rows) if isinstance(row, dict))
    return [hit for hit in hits if hit.url]


_ROWS: dict[SearchKind, tuple[str, ...]] = {
    "moonshot": ("search_results",),
    "searxng": ("results",),
    "brave": ("web", "results"),
    "tavily": ("results",),
}
_READ: dict[SearchKind, Callable[[dict[str, object]], Hit]] = {
    "moonshot": lambda row: _hit(row, "snippet", "date", "content"),
    "searxng": lambda row: _hit(row, "content", "publishedDate"),
    "brave": lambda row: _hit(row, "description", "age"),
    "tavily": lambda row: _hit(row, "content", "published_date", "raw_content"),
}


def _hit(row: dict[str, object], snippet: str, date: str, content: str = "") -> Hit:
    def text(key: str) -> str:
        value = row.get(key)
        return value.strip() if isinstance(value, str) else ""

    return Hit(text("title"), text("url"), text(snippet), text(date), text(content))


def _at(value: object, *keys: str) -> object:
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = cast(dict[str, object], value).get(key)
    return value
