"""Reads the text of a large web page in a process of its own.

HTML parsers take time and memory that grow with the square of some pages, and cannot be interrupted. A child process
with limits can.
"""

import asyncio
import base64
import contextlib
import json
import resource
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import asdict

from kimi_tui import json_text
from kimi_tui.tools.web_support.fetcher import FetchError, Page
from kimi_tui.tools.web_support.html_text import is_html, page_text, text_without_tags

_MAX_BYTES = 50_000
"""A page up to this size is harmless whatever is in it."""
_CPU_SECONDS, SECONDS = 6, 30.0
_MAX_MEMORY = 2 << 30
_REFUSED = 3


async def read_page_text(page: Page, *, seconds: float = SECONDS) -> str:
    """Return the text of the page; plain text without structure if it exceeds the limits. Raises FetchError as
    `page_text` does.
    """
    if len(page.body) <= _MAX_BYTES or not is_html(page):  # defence: page-in-a-process
        return await asyncio.to_thread(page_text, page)
    request = asdict(page) | {"body": base64.b64encode(page.body).decode()}
    # -P: import no modules from the current folder
    command = (sys.executable, "-P", "-m", __name__)
    try:
        child = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    except OSError:
        return await asyncio.to_thread(text_without_tags, page)
    try:
        async with asyncio.timeout(seconds):
            out, _ = await child.communicate(json.dumps(request).encode())
    except TimeoutError:
        out = b""
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()
    if child.returncode == _REFUSED:
        raise FetchError(out.decode("utf-8", "replace"))
    if child.returncode != 0:
        return await asyncio.to_thread(text_without_tags, page)
    return out.decode("utf-8", "replace")


def main() -> int:
    """Read a page from stdin and write its text to stdout; exit status 3 with the cause if it has none."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    request = json_text.loads(sys.stdin.buffer.read())
    page = Page(**request | {"body": base64.b64decode(request["body"])})
    try:
        status, text = 0, page_text(page)
    except FetchError as error:
        status, text = _REFUSED, str(error)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    return status


if __name__ == "__main__":
    sys.exit(main())
