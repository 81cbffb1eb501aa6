"""A headless Chromium, driven by its own protocol over a websocket."""

import asyncio
import base64
import contextlib
import itertools
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pyte

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
)  # fmt: skip


class Browser:
    """One page. What it asks the network for and what its websockets receive is kept.

    `screen` is what a terminal would show of the latter: the page itself paints it on a canvas.
    """

    def __init__(self, *, columns: int = 200, rows: int = 100) -> None:
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._heard = asyncio.Event()

    async def __aenter__(self) -> "Browser":
        self._exit = contextlib.AsyncExitStack()
        async with contextlib.AsyncExitStack() as stack:
            profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            await self._start(stack, Path(profile))
            self._exit = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._exit.aclose()

    async def _start(self, stack: contextlib.AsyncExitStack, profile: Path) -> None:
        assert CHROMIUM is not None
        process = await asyncio.create_subprocess_exec(
            CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "--window-size=1200,800", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        stack.push_async_callback(_end, process)
        file = profile / "DevToolsActivePort"
        while not (file.is_file() and file.read_text().count("\n")):
            assert process.returncode is None, "chromium does not start"
            await asyncio.sleep(0.02)
        port, path = file.read_text().splitlines()[:2]
        session = await stack.enter_async_context(aiohttp.ClientSession())
        self._socket = await session.ws_connect(f"ws://127.0.0.1:{port}{path}", max_msg_size=0)
        hearing = asyncio.create_task(self._hear())
        stack.push_async_callback(_cancel, hearing)
        target = await self._ask("Target.createTarget", url="about:blank")
        attached = await self._ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.ask(f"{domain}.enable")

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the protocol to the page."""
        return await self._ask(method, self._session, **params)

    async def _ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "method": method, "params": params}
        await self._socket.send_json(message | ({"sessionId": session} if session else {}))
        return await self._answers[number]

    async def _hear(self) -> None:
        async for frame in self._socket:
            message = json.loads(frame.data)
            if "id" in message:
                answer = self._answers.pop(message["id"])
                if "error" in message:
                    answer.set_exception(AssertionError(message["error"]["message"]))
                else:
                    answer.set_result(message["result"])
            else:
                self._take(message["method"], message["params"])
            self._heard.set()

    def _take(self, event: str, params: dict[str, Any]) -> None:
        match event:
            case "Network.requestWillBeSent":
                self.asked.append(params["request"]["url"])
            case "Network.webSocketCreated":
                self.asked.append(params["url"])
                self.screen.reset()
            case "Network.webSocketFrameReceived" if params["response"]["opcode"] == 2:
                self._stream.feed(base64.b64decode(params["response"]["payloadData"]))
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Page.javascriptDialogOpening":
                self._dialog = asyncio.create_task(self.ask("Page.handleJavaScriptDialog", accept=True))
            case _:
                pass

    async def go(self, url: str) -> None:
        await self.ask("Page.navigate", url=url)

    async def type(self, text: str) -> None:
        for char in text:
            await self.ask("Input.dispatchKeyEvent", type="char", text=char)

    async def press(self, key: str, code: int, modifiers: int = 0) -> None:
        """`code` as in the windows of old; `modifiers`: 1 alt, 2 ctrl, 4 meta, 8 shift."""
        for kind in ("keyDown", "keyUp"):
            await self.ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers,
                text="\r" if key == "Enter" and kind == "keyDown" else "",
            )  # fmt: skip

    async def of_page(self, expression: str) -> Any:
        answer = await self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    async def until(self, expression: str, *, seconds: float = 15) -> None:
        """Wait for the page to hold it true."""
        async with asyncio.timeout(seconds):
            while not await self.of_page(expression):
                await asyncio.sleep(0.05)

    async def picture(self) -> bytes:
        return base64.b64decode((await self.ask("Page.captureScreenshot"))["data"])

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    async def wait(self, condition: Callable[[], object], *, seconds: float = 30) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._heard.clear()
                    await self._heard.wait()
        except TimeoutError:
            raise AssertionError(f"it did not happen; on the page:\n{self.text}\n{self.complaints}") from None

    async def wait_for(self, text: str, *, seconds: float = 30) -> None:
        await self.wait(lambda: text in self.text, seconds=seconds)


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
