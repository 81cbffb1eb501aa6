"""SearchWeb: queries the configured search service."""

import asyncio
import json
from dataclasses import replace
from typing import cast

from pydantic import Field

from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.permission.rule import Effect
from kimi_tui.tools.core.ask_approval import ask_approval
from kimi_tui.tools.core.result_builder import MARKER, MAX_CHARS, ResultBuilder
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.tools.fetch_url import read_page
from kimi_tui.tools.web_support.fetcher import MAX_BYTES, MAX_NAME, FetchError, origin_of
from kimi_tui.tools.web_support.page_rules import TOOL, effect_for, is_preapproved, origins_scope, same_decision
from kimi_tui.tools.web_support.search_backends import SearchRequest, SearchResult, search_request, search_results
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

    def __init__(self, approvals: Approvals, web: WebSettings = NO_SERVICES) -> None:
        self._approvals = approvals
        self._web = web

    async def call(self, params: SearchWebParams) -> ToolReturnValue:
        service, kind = self._web.search, self._web.search_kind
        if service is None:
            return failed("No search service is set up.")
        try:
            service = await service.with_key()
        except ConfigError as error:
            return failed(str(error))
        ask = search_request(kind, service, params.query, params.limit, content=params.include_content)
        try:
            async with asyncio.timeout(SECONDS):
                hits = search_results(kind, await _answer(ask))[: params.limit]
        except TimeoutError:
            return failed(f"The search service did not answer within {SECONDS:.0f} s.")
        except FetchError as error:
            return failed(f"The search service failed: {error}.")
        pages_note = ""
        if params.include_content:
            hits, approved, pages_note = await self._pages_to_read(hits)
            if isinstance(approved, ToolReturnValue):
                return approved
            try:
                async with asyncio.timeout(SECONDS):
                    hits = list(await asyncio.gather(*(self._with_content(hit, approved) for hit in hits)))
            except TimeoutError:
                pages_note = f"{pages_note} The pages did not arrive within {SECONDS:.0f} s."
        if not hits:
            return ok(message="Nothing was found.", display=(BriefBlock(text=tr("Nothing found")),))
        output = ResultBuilder(max_line_chars=None)
        share = max(_LEAST_CONTENT_CHARS, MAX_CHARS // len(hits) - _HEAD_CHARS)
        output.write("\n\n".join(_hit_text(hit, share) for hit in hits) + "\n")
        message = output.note(f"{len(hits)} result{'s' if len(hits) != 1 else ''}. {pages_note}".strip())
        brief = "\n".join(f"{hit.title or hit.url}" for hit in hits[:5])
        return ok(output.build(), message, display=(BriefBlock(text=brief),))

    async def _pages_to_read(
        self, hits: list[SearchResult]
    ) -> tuple[list[SearchResult], frozenset[str] | ToolReturnValue, str]:
        """Return the results without what the rules deny, the addresses that may be read or the user's refusal, and a
        note on what is left out. All hosts that need an approval are in one question.
        """
        kept: list[SearchResult] = []
        free: list[str] = []
        to_approve: list[str] = []
        denied = 0
        for hit in hits:
            try:
                # defence: rules-for-pages-of-results
                effect = effect_for(self._approvals, hit.url)
                is_free = is_preapproved(self._approvals, hit.url)
            except FetchError:
                kept.append(replace(hit, content=""))
                continue
            if effect is Effect.DENY or (effect is Effect.ASK and hit.content):
                denied += 1
                hit = replace(hit, content="")
            elif not hit.content:
                (free if is_free else to_approve).append(hit.url)
            kept.append(hit)
        notes = (
            [f"{denied} of the pages are not shown: the rules for FetchURL do not let them be read."] if denied else []
        )
        if to_approve and self._approvals.attended:
            # defence: ask-for-pages-of-results
            if (refused := await self._ask(to_approve)) is not None:
                return kept, refused, ""
            free += to_approve
        elif to_approve:
            notes.append(
                f"{len(to_approve)} of the pages were not read: the user, who is away, must approve their hosts."
            )
        return kept, frozenset(free), " ".join(notes)

    async def _ask(self, urls: list[str]) -> ToolReturnValue | None:
        origins = dict.fromkeys(origin_of(url) for url in urls)
        return await ask_approval(
            self._approvals,
            ProposedAction(
                sender=TOOL,  # the rules for pages apply
                action=tr("fetch pages"),
                description=tr("Read the pages found on {hosts}", hosts=", ".join(origins)),
                display=(BriefBlock(text="\n".join(urls)),),
                scope=origins_scope(origins),
                reasons=(tr("these addresses come from the search service; reading a page can send data to its host"),),
                force_ask=any(effect_for(self._approvals, url) is Effect.ASK for url in urls),
            ),
        )

    async def _with_content(self, hit: SearchResult, approved: frozenset[str]) -> SearchResult:
        if hit.content or hit.url not in approved:
            return hit
        as_for = same_decision(self._approvals, hit.url)
        try:
            # defence: redirects-of-results
            text, _, _ = await read_page(
                hit.url, self._web, follows=lambda url: as_for(url) or is_preapproved(self._approvals, url)
            )
        except FetchError:
            return hit
        return replace(hit, content=text)


async def _answer(ask: SearchRequest) -> object:
    """Send the request. Raises FetchError, with a message that contains no key."""
    import httpx2 as httpx

    from kimi_tui.bounded_http import read_body, response_hooks

    method = "GET" if ask.body is None else "POST"
    query = ask.query if ask.body is None else None
    try:
        async with (
            httpx.AsyncClient(timeout=SECONDS, event_hooks=response_hooks()) as client,
            client.stream(method, ask.url, json=ask.body, params=query, headers=ask.headers) as response,
        ):
            if response.status_code >= 300:  # also a redirect: the headers hold the key
                phrase = response.reason_phrase[:MAX_NAME]  # defence: bound-reason-phrase
                raise FetchError(f"it answered {response.status_code} {phrase}".rstrip())
            body = await read_body(response, MAX_BYTES)
        return cast(object, json.loads(body))
    except httpx.TimeoutException:
        raise FetchError("it took too long to answer") from None
    except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
        raise FetchError(str(error) or type(error).__name__) from None
    except (ValueError, RecursionError):
        raise FetchError("its answer is not JSON") from None


def _hit_text(hit: SearchResult, content_chars: int) -> str:
    lines = [f"Title: {hit.title}", f"URL: {hit.url}"]
    if hit.date:
        lines.append(f"Date: {hit.date}")
    if hit.snippet:
        lines.append(f"Snippet: {hit.snippet}")
    if hit.content:
        marker = MARKER if len(hit.content) > content_chars else ""
        lines.append(f"Content:\n{hit.content[:content_chars]}{marker}")
    return "\n".join(lines)
