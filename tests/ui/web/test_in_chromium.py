"""The page in a real browser: typed into, an approval given, the flow seen to move; and a stranger's page beside it."""

import asyncio
import contextlib
import io
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from PIL import Image

from tests.faults.terminal import scripted
from tests.soul.scripted_engine import tool_call
from tests.ui.web.browser import CHROMIUM, Browser

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium; install it with: apt-get install chromium"),
    pytest.mark.timeout(180),
]

CHART = """---
name: paint
type: flow
description: Paints.
---
```mermaid
flowchart TD
  B([BEGIN]) --> A[Mix the colours] --> C[Paint the wall] --> E([END])
```
"""


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    """`kimi-tui web` on a model that asks to run a command, in a folder that has a flow."""
    command = tool_call("Shell", command="touch painted")
    options = scripted(tmp_path, command, "text: The colours are mixed.", "text: The wall is red.", "text: More?")
    skill = tmp_path / "skills" / "paint"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(CHART)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "kimi_tui", "web", *options, f"--skills-dir={tmp_path / 'skills'}", "--no-open",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    yield (await process.stdout.readline()).decode().split()[-1]
    process.terminate()
    await process.communicate()
    assert process.returncode == 143


async def test_a_flow_is_started_approved_and_seen_to_move(address: str, tmp_path: Path) -> None:
    async with Browser() as browser:
        await browser.go(address)
        await browser.wait_for("F1 help")
        await browser.type("/flow:paint")
        await browser.wait_for("/flow:paint")
        await browser.press("Enter", 13)
        await browser.wait_for("1 approval")
        assert "▶ Paint" not in browser.text
        await browser.wait_for("Yes, this once")
        while "Yes, this once" in browser.text:
            await browser.type("y")
            with contextlib.suppress(AssertionError):  # a key in the dialog's first moment does not count
                await browser.wait(lambda: "Yes, this once" not in browser.text, seconds=2)
        await browser.wait_for("The wall is red.")
        await browser.wait_for("finished")
        assert (tmp_path / "work" / "painted").exists()

        assert await browser.of_page("document.title") == "kimi-tui · work"
        assert "token" not in await browser.of_page("location.href")
        assert await browser.of_page("document.cookie") == ""
        origin = address.partition("/?")[0]
        assert {url.partition("//")[2].partition("/")[0] for url in browser.asked} == {origin.partition("//")[2]}
        assert not [text for text in browser.complaints if "WebGL" not in text]
        picture = Image.open(io.BytesIO(await browser.picture())).convert("RGB")
        assert len(picture.getcolors(1 << 20) or []) > 50

        await browser.ask("Page.reload")
        await browser.wait_for("starting", seconds=5)
        await browser.wait_for("The wall is red.")
        await browser.press("q", 81, modifiers=2)
        await browser.until('getComputedStyle(document.getElementById("ended")).display == "grid"')
        edge = Image.open(io.BytesIO(await browser.picture())).convert("RGB")
        assert edge.getpixel((edge.width - 1, 300)) == edge.getpixel((edge.width - 40, 300)), "a scroll bar"


async def test_a_page_of_another_server_gets_nothing_not_even_with_the_cookie(address: str) -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<!doctype html><title>stranger</title>", content_type="text/html")

    app = web.Application()
    app.add_routes([web.get("/", page)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with Browser() as browser:
        await browser.go(address)
        await browser.wait_for("F1 help")
        own = str(await browser.of_page("location.href"))
        await browser.go(f"http://127.0.0.1:{runner.addresses[0][1]}/")
        await browser.until('document.title == "stranger"')
        socket = json.dumps(own.replace("http:", "ws:") + "/ws?width=80&height=24")
        opened = f"""new Promise(done => {{
            const socket = new WebSocket({socket});
            socket.onopen = () => done("open");
            socket.onerror = () => done("refused");
        }})"""
        assert await browser.of_page(opened) == "refused"
        read = f'fetch({json.dumps(own)}, {{credentials: "include"}}).then(one => one.text(), () => "refused")'
        assert await browser.of_page(read) == "refused"
        framed = f"""new Promise(done => {{
            const frame = document.createElement("iframe");
            frame.onload = () => done(frame.contentDocument ? "blank" : "refused");
            frame.src = {json.dumps(own)};
            document.body.append(frame);
        }})"""
        assert await browser.of_page(framed) == "refused"
        assert await browser.of_page("frames[0].length") == 0
    await runner.cleanup()
