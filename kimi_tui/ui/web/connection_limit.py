"""Limits connections without the cookie: any program and any user of this machine can open them."""

import asyncio

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

PATIENCE_S = 30.0
"""Seconds in which a connection has to send a request with the cookie."""
MAX_STRANGERS = 64
"""Connections without such a request, at most; the oldest ones give way, so that a flood keeps no user out."""


class ConnectionLimit:
    """Creates the protocol of each new connection. `admit` ends the limit for the connection of a request."""

    def __init__(self, server: web.Server, *, patience_s: float = PATIENCE_S) -> None:
        self._server, self._patience_s = server, patience_s
        self._strangers: dict[RequestHandler, asyncio.TimerHandle] = {}

    def __call__(self) -> RequestHandler:
        handler = self._server()
        loop = asyncio.get_running_loop()
        self._strangers[handler] = loop.call_later(self._patience_s, self._close, handler)  # defence: idle-connections
        if len(self._strangers) > MAX_STRANGERS:  # defence: bound-connections
            self._close(next(iter(self._strangers)))
        return handler

    def admit(self, request: web.Request) -> None:
        timer = self._strangers.pop(request.protocol, None)
        if timer is not None:
            timer.cancel()

    def _close(self, handler: RequestHandler) -> None:
        self._strangers.pop(handler).cancel()
        handler.force_close()
