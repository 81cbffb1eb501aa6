"""Who may come in: the person who has seen the address that this program printed, from a page of this program's own.

A page from elsewhere can make a browser send requests here, by any name that it can make mean this machine (DNS
rebinding). So the name must be one of this machine's own, what names another origin is refused, and without the
cookie that only the printed address gives nothing is served at all.
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
    """One for each start of the server; what it gives out is worth nothing after it."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(32)
        self._cookie = f"kimi-tui-{secrets.token_hex(4)}"  # cookies are shared by all ports of a host
        self._worth = secrets.token_urlsafe(32)
        self._clock = clock
        self._opening: dict[str, float] = {}

    def opening_link(self) -> str:
        """A token for the browser we start ourselves, good for once and soon: others can read its command line."""
        token = secrets.token_urlsafe(32)
        self._opening[token] = self._clock() + _OPENING_S
        return token

    def check_origin(self, request: web.BaseRequest) -> None:
        """Raises HTTPForbidden for what comes by another name or from another page."""
        host = request.headers.getall("Host", [])
        if len(host) != 1 or not _is_own(host[0]):
            raise web.HTTPForbidden(text="This server is known as 127.0.0.1 and localhost only.\n")
        origin = request.headers.get("Origin")
        wants_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        if origin != f"http://{host[0]}" and (origin is not None or wants_socket):
            raise web.HTTPForbidden(text="This request comes from another page.\n")
        fetched_for = request.headers.get("Sec-Fetch-Site", "none")
        if fetched_for not in ("none", "same-origin") and request.headers.get("Sec-Fetch-Mode") != "navigate":
            raise web.HTTPForbidden(text="This request comes from another page.\n")

    def check_cookie(self, request: web.BaseRequest) -> None:
        """Raises HTTPForbidden without the cookie."""
        if not _equal(request.cookies.get(self._cookie, ""), self._worth):
            raise web.HTTPForbidden(text=_CLOSED)

    def let_in(self, token: str, response: web.StreamResponse) -> None:
        """Give the cookie to who has the token. Raises HTTPForbidden for a wrong one."""
        if not _equal(token, self.token) and not self._opens(token):
            raise web.HTTPForbidden(text=_CLOSED)
        response.set_cookie(self._cookie, self._worth, httponly=True, samesite="Strict", path="/")

    def _opens(self, token: str) -> bool:
        good = [one for one in self._opening if _equal(token, one)]
        return any(self._opening.pop(one) > self._clock() for one in good)


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


def _is_own(host: str) -> bool:
    """Any port: a tunnel may end at another one than ours."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname in _OWN_NAMES and parts.netloc == host and parts.port != 0 and "@" not in host
    except ValueError:
        return False


def page_headers(host: str) -> dict[str, str]:
    """For all that is served: a page that loads from here only, stands in no frame and tells nobody of itself."""
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
