"""SearchWeb: queries the configured search service."""

import asyncio
import json
from dataclasses import replace
from typing import cast

from pydantic import Field

from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.tools.core.result_builder import MARKER, MAX_CHARS, ResultBuilder
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.fetch_url import read_page
from kimi_tui.tools.web_support.fetcher import MAX_BYTES, FetchError
from kimi_tui.tools.web_support.search_backends import Ask, Hit, ask_for, hits_of
from kimi_tui.tools.web_support.web_settings import NO_SERVICES, WebSettings
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue

SECONDS = 180.0
_LEAST_CONTENT_CHARS, _HEAD_CHARS = 1_000, 500


class SearchWebParams(Params):
    query: str = Field(description="What to search for.", min_length=1)
    limit: int = Field(default=5, ge=1, le=20, description="How many results.")
    include_content: bool = Field(default=False, description="Give the text of the pages too; it is much.")


class SearchWeb(Tool[SearchWebParams]):
    name = "SearchWeb"
    params = SearchWebParams
    read_only = True

    def __init__(self, web: WebSettings = NO_SERVICES) -> None:
        self._web = web

    async def call(self, params: SearchWebParams) -> ToolReturnValue:
        service, kind = self._web.search, self._web.search_kind
        if service is None:
            return failed("No search service is set up.")
        try:
            service = await service.with_key()
        except ConfigError as error:
            return failed(str(error))
        ask = ask_for(kind, service, params.query, params.limit, content=params.include_content)
        try:
            async with asyncio.timeout(SECONDS):
                hits = hits_of(kind, await _answer(ask))[: params.limit]
                if params.include_content:
                    hits = list(await asyncio.gather(*(self._with_content(hit) for hit in hits)))
        except TimeoutError:
            return failed(f"The search service did not answer within {SECONDS:.0f} s.")
        except FetchError as error:
            return failed(f"The search service failed: {error}.")
        if not hits:
            return ok(message="Nothing was found.", display=(BriefBlock(text=tr("Nothing found")),))
        output = ResultBuilder(max_line_chars=None)
        share = max(_LEAST_CONTENT_CHARS, MAX_CHARS // len(hits) - _HEAD_CHARS)
        output.write("\n\n".join(_hit_text(hit, share) for hit in hits) + "\n")
        message = output.note(f"{len(hits)} result{'s' if len(hits) != 1 else ''}.")
        brief = "\n".join(f"{hit.title or hit.url}" for hit in hits[:5])
        return ok(output.build(), message, display=(BriefBlock(text=brief),))

    async def _with_content(self, hit: Hit) -> Hit:
        if hit.content:
            return hit
        try:
            text, _, _ = await read_page(hit.url, self._web)
        except FetchError:
            return hit
        return replace(hit, content=text)


async def _answer(ask: Ask) -> object:
    """Send the request. Raises FetchError, with a message that contains no key."""
    import httpx2 as httpx

    from kimi_tui.bounded_http import answer_hooks, read_body

    method = "GET" if ask.body is None else "POST"
    query = ask.query if ask.body is None else None
    try:
        async with (
            httpx.AsyncClient(timeout=SECONDS, event_hooks=answer_hooks()) as client,
            client.stream(method, ask.url, json=ask.body, params=query, headers=ask.headers) as response,
        ):
            if response.status_code >= 300:  # also a redirect: the headers hold the key
                raise FetchError(f"it answered {response.status_code} {response.reason_phrase}".rstrip())
            body = await read_body(response, MAX_BYTES)
        return cast(object, json.loads(body))
    except httpx.TimeoutException:
        raise FetchError("it took too long to answer") from None
    except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
        raise FetchError(str(error) or type(error).__name__) from None
    except (ValueError, RecursionError):
        raise FetchError("its answer is not JSON") from None


def _hit_text(hit: Hit, content_chars: int) -> str:
    lines = [f"Title: {hit.title}", f"URL: {hit.url}"]
    if hit.date:
        lines.append(f"Date: {hit.date}")
    if hit.snippet:
        lines.append(f"Snippet: {hit.snippet}")
    if hit.content:
        marker = MARKER if len(hit.content) > content_chars else ""
        lines.append(f"Content:\n{hit.content[:content_chars]}{marker}")
    return "\n".join(lines)
