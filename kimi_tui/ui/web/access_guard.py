"""Access control: only a user with the printed address, and only pages of this program.

A foreign page can make a browser send requests here, under any host name that it can resolve to this machine (DNS
rebinding). So the host must be one of this machine's names, other origins are rejected, and every page requires the
cookie, which only the printed address sets.
"""

import hmac
import secrets
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from aiohttp import web

_OWN_NAMES = frozenset({"127.0.0.1", "localhost"})
_OPENING_S = 60.0
_CLOSED = "Open the address that `kimi-tui web` has printed: it is the key to this page.\n"


class AccessGuard:
    """The guard of one server run; its tokens and cookies expire with it."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(32)
        self._cookie = f"kimi-tui-{secrets.token_hex(4)}"  # cookies are shared by all ports of a host
        self._worth = secrets.token_urlsafe(32)
        self._clock = clock
        self._opening: dict[str, float] = {}

    def opening_link(self) -> str:
        """Return a one-time, short-lived token for the browser that we start: other users can read its command line."""
        token = secrets.token_urlsafe(32)
        self._opening[token] = self._clock() + _OPENING_S
        return token

    def check_origin(self, request: web.BaseRequest) -> None:
        """Raises HTTPForbidden for a foreign host name or origin."""
        host = request.headers.getall("Host", [])
        if len(host) != 1 or not _is_own(host[0]):
            raise web.HTTPForbidden(text="Use 127.0.0.1 or localhost to reach this server.\n")
        origins = request.headers.getall("Origin", [])
        wants_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        if origins != [f"http://{host[0]}"] and (origins or wants_socket):
            raise web.HTTPForbidden(text="This request comes from another page.\n")
        fetched_for = request.headers.get("Sec-Fetch-Site", "none")
        if fetched_for not in ("none", "same-origin") and request.headers.get("Sec-Fetch-Mode") != "navigate":
            raise web.HTTPForbidden(text="This request comes from another page.\n")

    def check_cookie(self, request: web.BaseRequest) -> None:
        """Raises HTTPForbidden without the cookie."""
        if not _equal(request.cookies.get(self._cookie, ""), self._worth):
            raise web.HTTPForbidden(text=_CLOSED)

    def set_cookie(self, token: str, response: web.StreamResponse) -> None:
        """Set the cookie if the token is valid. Raises HTTPForbidden otherwise."""
        if not _equal(token, self.token) and not self._opens(token):
            raise web.HTTPForbidden(text=_CLOSED)
        response.set_cookie(self._cookie, self._worth, httponly=True, samesite="Strict", path="/")

    def _opens(self, token: str) -> bool:
        matching = [first for first in self._opening if _equal(token, first)]
        return any(self._opening.pop(first) > self._clock() for first in matching)


def _equal(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode())


def _is_own(host: str) -> bool:
    """Whether the host is a name of this machine; any port is accepted, since a tunnel may use another one."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname in _OWN_NAMES and parts.netloc == host and parts.port != 0 and "@" not in host
    except ValueError:
        return False


def page_headers(host: str) -> dict[str, str]:
    """Return the headers for all pages: load only from here, no framing, no referrer."""
    return {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
            f"img-src 'self' data:; connect-src 'self' ws://{host}; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), clipboard-read=(), geolocation=(), microphone=()",
        "Referrer-Policy": "no-referrer",
        "Server": "kimi-tui",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
