"""Limits connections without the cookie, because any program and any user of this machine can open them."""

import asyncio

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

COOKIE_TIMEOUT_S = 30.0
"""Seconds in which a connection has to send a request with the cookie."""
MAX_UNAUTHENTICATED = 64
"""Connections without such a request, at most; the oldest ones give way, so that a flood keeps no user out."""


class ConnectionLimit:
    """Creates the protocol of each new connection. `admit` ends the limit for the connection of a request."""

    def __init__(self, server: web.Server, *, cookie_timeout_s: float = COOKIE_TIMEOUT_S) -> None:
        self._server, self._cookie_timeout_s = server, cookie_timeout_s
        self._unauthenticated: dict[RequestHandler, asyncio.TimerHandle] = {}

    def __call__(self) -> RequestHandler:
        handler = self._server()
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._cookie_timeout_s, self._close, handler)  # defence: idle-connections
        self._unauthenticated[handler] = timer
        if len(self._unauthenticated) > MAX_UNAUTHENTICATED:  # defence: bound-connections
            self._close(next(iter(self._unauthenticated)))
        return handler

    def admit(self, request: web.Request) -> None:
        timer = self._unauthenticated.pop(request.protocol, None)
        if timer is not None:
            timer.cancel()

    def _close(self, handler: RequestHandler) -> None:
        self._unauthenticated.pop(handler).cancel()
        handler.force_close()
