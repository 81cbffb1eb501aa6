"""Large pages are read in a process with limits."""

import asyncio

import pytest

from kimi_tui.tools.web_support.fetcher import FetchError, Page
from kimi_tui.tools.web_support.page_process import read_page_text
from tests.tools.harness import processes_with, until

PROCESS = "kimi_tui.tools.web_support.page_process"
FILLER = "<p>" + "filler " * 10_000 + "</p>"
ENDLESS = "</x>" * 400_000 + "<div>" * 400_000 + "the end"
"""Elements that look closed to a first look, and are nested 400,000 deep."""


def page(html: str, mime: str = "text/html") -> Page:
    return Page("https://example.org/docs/", mime, "utf-8", html.encode("utf-8", "surrogatepass"))


async def test_a_large_page_has_the_same_text_as_a_small_one() -> None:
    text = await read_page_text(page(f"<h1>Größe</h1><p>see <a href='more'>more</a></p>{FILLER}"))
    assert text.startswith("# Größe\n\nsee [more](https://example.org/docs/more)\n\nfiller")


@pytest.mark.parametrize("mime", ["", "text/plain", "application/json"])
async def test_other_large_text_comes_as_it_is(mime: str) -> None:
    assert await read_page_text(page("{}" * 50_000, mime)) == "{}" * 50_000


async def test_a_large_page_that_is_no_text_is_refused_with_its_type() -> None:
    with pytest.raises(FetchError, match="image/png, not text"):
        await read_page_text(page("a" * 100_000, "image/png"))


async def test_a_page_that_would_take_minutes_is_read_without_its_structure() -> None:
    # The limit of processor time ends it, also on a busy machine.
    assert await read_page_text(page(ENDLESS), seconds=120) == "the end"
    assert processes_with(PROCESS) == []


async def test_a_page_that_is_not_wanted_any_longer_ends_its_process() -> None:
    reading = asyncio.ensure_future(read_page_text(page(ENDLESS)))
    await until(lambda: processes_with(PROCESS) != [])
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert processes_with(PROCESS) == []
