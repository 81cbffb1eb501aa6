"""The proxy that the user's environment names: connections to allowed hosts go through it where it is set."""

import asyncio
import base64
import contextlib
import urllib.request
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

MAX_HEAD_BYTES = 16_384
"""Limit for the head of a request to a proxy, and of its answer."""


class UpstreamError(Exception):
    """The proxy is of a kind that is not supported, or does not connect."""


@dataclass(frozen=True, slots=True)
class UpstreamProxy:
    """A proxy that connects for us.

    `credentials` are those of its URL, as `Proxy-Authorization` takes them; empty without any.
    """

    host: str
    port: int
    credentials: str = field(default="", repr=False)

    async def connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a connection to the host. Raises OSError, and UpstreamError if the proxy refuses it."""
        shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        lines = [f"CONNECT {shown} HTTP/1.1", f"Host: {shown}"]
        if self.credentials:
            lines.append(f"Proxy-Authorization: Basic {self.credentials}")
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=MAX_HEAD_BYTES)
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode("ascii"))
            status = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")[0].decode("ascii", "replace")
            if status.split(" ", 2)[1:2] not in (["200"], ["201"], ["202"], ["204"]):
                raise UpstreamError(f"the proxy {self.host}:{self.port} of this machine answered {status[:100]}")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            writer.close()
            raise UpstreamError(f"the proxy {self.host}:{self.port} of this machine gave no answer") from error
        except BaseException:
            writer.close()
            raise
        return reader, writer


def upstream_proxy(host: str) -> UpstreamProxy | None:
    """Return the proxy for https to this host; None for a direct connection. Raises UpstreamError for an unsupported
    kind of proxy.
    """
    proxies = urllib.request.getproxies()
    url = proxies.get("https") or proxies.get("all")
    if not url or urllib.request.proxy_bypass(host):
        return None
    with contextlib.suppress(ValueError):
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme == "http" and parts.hostname:
            user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
            credentials = "" if user == ":" else base64.b64encode(user.encode()).decode("ascii")
            return UpstreamProxy(parts.hostname, parts.port or 80, credentials)
    raise UpstreamError("HTTPS_PROXY must name an http:// proxy; other kinds are not supported")
