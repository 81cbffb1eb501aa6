"""FetchURL: fetches the text of a page."""

import asyncio
import logging
from collections.abc import Callable

from pydantic import Field

from kimi_tui.charsets import decode_text
from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.permission.subject import PageSubject
from kimi_tui.tools.core.ask_approval import ask_approval
from kimi_tui.tools.core.result_builder import ResultBuilder
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, failed, ok
from kimi_tui.tools.web_support.fetcher import (
    MAX_BYTES,
    MAX_REDIRECTS,
    SECONDS,
    FetchError,
    OtherHostError,
    fetch,
    host_of,
    origin_of,
)
from kimi_tui.tools.web_support.page_rules import origins_scope, same_decision
from kimi_tui.tools.web_support.web_settings import NO_SERVICES, WebService, WebSettings
from kimi_tui.wire.display import BriefBlock
from kimi_tui.wire.parts import ToolReturnValue

_log = logging.getLogger(__name__)


class FetchURLParams(Params):
    url: str = Field(description="The page's http or https URL.", min_length=1)


class FetchURL(Tool[FetchURLParams]):
    name = "FetchURL"
    params = FetchURLParams
    read_only = True
    asks = True

    def __init__(self, approvals: Approvals, web: WebSettings = NO_SERVICES) -> None:
        self._approvals = approvals
        self._web = web

    async def call(self, params: FetchURLParams) -> ToolReturnValue:
        try:
            fetched = await self._read(params.url)
            if isinstance(fetched, ToolReturnValue):
                return fetched
            text, where, cut = fetched
        except FetchError as error:
            return failed(f"`{params.url}`: {error}.", brief=str(error))
        if not text.strip():
            return failed("The page has no text; it may need a browser to be built.", brief="No text in the page")
        output = ResultBuilder(max_line_chars=None)  # a page of JSON is often one line
        output.write(text)
        header = f"The text of {where}" + (", whose end is missing: it is very long." if cut else ".")
        return ok(output.build(), output.note(header), display=(BriefBlock(text=f"{where}: {len(text)} characters"),))

    async def _read(self, url: str) -> ToolReturnValue | tuple[str, str, bool]:
        """Call `read_page`, or return the refusal; each host needs approval, redirect targets too, and so does each
        page for which the rules decide differently than for the previous one.
        """
        previous_url = ""
        for _ in range(MAX_REDIRECTS + 1):
            if (refused := await self._ask(url, previous_url)) is not None:
                return refused
            try:
                # defence: stay-with-host
                return await read_page(
                    url,
                    self._web,
                    call_id=current_tool_call.get().id,
                    follows=same_decision(self._approvals, url),
                )
            except OtherHostError as error:
                previous_url, url = url, error.url
        raise FetchError(f"it redirects more than {MAX_REDIRECTS} times")

    async def _ask(self, url: str, previous: str) -> ToolReturnValue | None:
        host, origin = host_of(url), origin_of(url)
        return await ask_approval(
            self._approvals,
            ProposedAction(
                sender=self.name,
                action=tr("fetch page"),
                description=tr("Fetch {url} (redirected from {before})", url=url, before=previous)
                if previous
                else tr("Fetch {url}", url=url),
                scope=origins_scope([origin]),
                subject=PageSubject(url, host),
                reasons=(tr("the address itself can send data to {host}", host=host),),
            ),
        )


async def read_page(
    url: str, web: WebSettings, *, call_id: str = "", follows: Callable[[str], bool] = lambda _: True
) -> tuple[str, str, bool]:
    """Return the text, its final URL, and whether it is truncated. Raises FetchError as `fetch` does."""
    if web.fetch is not None:
        try:
            return await _by_service(await web.fetch.with_key(), url, call_id), url, False
        except (FetchError, ConfigError) as error:
            _log.info("the fetch service failed (%s); fetching it ourselves", error)
    from kimi_tui.tools.web_support.page_process import read_page_text

    page = await fetch(url, allow_private=web.allow_private, follows=follows)
    return await read_page_text(page), page.url, page.cut


async def _by_service(service: WebService, url: str, call_id: str) -> str:
    import httpx2 as httpx

    from kimi_tui.bounded_http import read_body, response_hooks

    headers = {
        "Authorization": f"Bearer {service.api_key}",
        "Accept": "text/markdown",
        "X-Msh-Tool-Call-Id": call_id,
        **service.headers,
    }
    try:
        async with (
            asyncio.timeout(SECONDS),
            httpx.AsyncClient(timeout=SECONDS, event_hooks=response_hooks()) as client,
            client.stream("POST", service.base_url, json={"url": url}, headers=headers) as response,
        ):
            response.raise_for_status()
            body = await read_body(response, MAX_BYTES)
            return decode_text(body, response.charset_encoding)
    except (TimeoutError, httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, LookupError) as error:
        raise FetchError(str(error) or type(error).__name__) from None
