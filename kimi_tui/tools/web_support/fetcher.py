"""Fetches one web page, within limits and never from a private address.

The check covers the resolved address, and the connection uses that same address, so DNS rebinding has no effect. Both
are repeated at each redirect.
"""

import asyncio
import contextlib
import ipaddress
import re
import socket
import ssl
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from kimi_tui.permission.host_address import embedded_ipv4

if TYPE_CHECKING:
    import httpx2 as httpx

MAX_BYTES = 10 << 20
MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
SECONDS = 180.0
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
"""What is a host's name: the system takes others too, `*` for this machine."""
_MAX_LOCATION = 8_000
MAX_NAME = 200
"""Characters of what a server names in an error message."""
_AGENT = "Mozilla/5.0 (compatible; kimi-tui)"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class FetchError(Exception):
    """A page that cannot be fetched; the message is for the model."""


class OtherHostError(FetchError):
    """The page redirects to `url`, which was not approved."""

    def __init__(self, url: str) -> None:
        super().__init__(f"it leads on to {url}")
        self.url = url


@dataclass(frozen=True, slots=True)
class Page:
    """The response: `url` after redirects, the MIME type in lower case, the decoded body, whether it was truncated."""

    url: str
    mime: str
    charset: str | None
    body: bytes
    cut: bool = False


def host_of(url: str) -> str:
    """Return the host that a fetch of `url` connects to, in ASCII and lower case. Raises FetchError.

    Addresses that other parsers read differently are rejected, and so is any scheme but http and https.
    """
    import httpx2 as httpx

    try:
        parts, target = urlsplit(url), httpx.URL(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FetchError("only http and https URLs can be fetched")
        if target.host.casefold() != parts.hostname.casefold() or any(char in "\\%" for char in parts.netloc):
            raise FetchError("it is not clear which host the address names")
        host = target.raw_host.decode("ascii").lower().removesuffix(".")
        if not _NAME.fullmatch(host) and ":" not in host:
            # defence: hosts-with-a-name
            raise FetchError("it is not clear which host the address names")
        return host
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"the page could not be fetched: {error}") from None


def origin_of(url: str) -> str:
    """Return the host, with the port if it is not that of http or https; an IPv6 address with a port in brackets.
    Raises FetchError.
    """
    host, parts = host_of(url), urlsplit(url)
    try:
        port = parts.port
    except ValueError as error:
        raise FetchError(f"the page could not be fetched: {error}") from None
    if port in (None, 80, 443):
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def fetch(url: str, *, allow_private: bool = False, follows: Callable[[str], bool] = lambda _: True) -> Page:
    """Fetch a page. Raises FetchError; that includes OtherHostError for a redirect that `follows` rejects."""
    import httpx2 as httpx

    from kimi_tui.bounded_http import response_hooks

    host_of(url)
    try:
        async with (
            asyncio.timeout(SECONDS),
            httpx.AsyncClient(
                follow_redirects=False,
                timeout=httpx.Timeout(30.0, connect=CONNECT_SECONDS),
                trust_env=False,
                verify=_certificates(),
                event_hooks=response_hooks(),
            ) as direct,
        ):
            for _ in range(MAX_REDIRECTS + 1):
                answer = await _get(direct, url, allow_private)
                if isinstance(answer, Page):
                    return answer
                url = answer
                if not follows(url):
                    raise OtherHostError(url)
    except TimeoutError:
        raise FetchError(f"the page did not arrive within {SECONDS:.0f} s") from None
    except httpx.TimeoutException:
        raise FetchError("the server took too long to answer") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"the page could not be fetched: {str(error) or type(error).__name__}") from None
    raise FetchError(f"it redirects more than {MAX_REDIRECTS} times")


def _certificates() -> ssl.SSLContext:
    """Load the system's certificates, or those of `SSL_CERT_FILE`, and certifi's if installed."""
    context = ssl.create_default_context()
    with contextlib.suppress(ImportError, OSError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context


async def _get(direct: "httpx.AsyncClient", url: str, allow_private: bool) -> Page | str:
    """Return the page, or the URL that it redirects to."""
    import httpx2 as httpx

    host_of(url)  # requires the two URL parsers below to agree
    parts, target = urlsplit(url), httpx.URL(url)
    host = target.raw_host.decode("ascii")  # defence: resolve-approved-name
    headers = {"User-Agent": _AGENT, "Accept": "text/html,text/markdown,text/plain,application/json,*/*;q=0.5"}
    target = target.copy_with(username=None, password=None, fragment=None)
    if not allow_private and (_proxied(parts.scheme, host)):
        await public_address(host, parts.port or 0, must_resolve=False)
        hooks = direct.event_hooks
        async with httpx.AsyncClient(follow_redirects=False, timeout=direct.timeout, event_hooks=hooks) as by_proxy:
            return await _read(by_proxy, by_proxy.build_request("GET", target, headers=headers), url)
    if allow_private:
        return await _read(direct, direct.build_request("GET", target, headers=headers), url)
    address = await public_address(host, parts.port or (443 if parts.scheme == "https" else 80), must_resolve=True)
    request = direct.build_request(
        "GET",
        target.copy_with(host=address),
        headers={**headers, "Host": target.netloc.decode("ascii")},
        extensions={"sni_hostname": target.raw_host.decode("ascii")},
    )
    return await _read(direct, request, url)


async def _read(client: "httpx.AsyncClient", request: "httpx.Request", url: str) -> Page | str:
    response = await client.send(request, stream=True)
    try:
        if response.status_code in _REDIRECTS and "location" in response.headers:
            location = response.headers["location"]
            if len(location) > _MAX_LOCATION:  # defence: bound-redirect-address
                raise FetchError(f"it redirects to an address of {len(location)} characters")
            return urljoin(url, location)
        if response.status_code >= 400:
            raise FetchError(f"the server answered {response.status_code} {response.reason_phrase[:MAX_NAME]}".rstrip())
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.aiter_bytes(1 << 16):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_BYTES:
                break
        mime = response.headers.get("content-type", "").partition(";")[0].strip().lower()[:MAX_NAME]
        return Page(url, mime, response.charset_encoding, b"".join(chunks)[:MAX_BYTES], size > MAX_BYTES)
    finally:
        await response.aclose()


async def public_address(host: str, port: int, *, must_resolve: bool) -> str:
    """Return an address of the host if all its addresses are public. With a proxy the name may be unknown here."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        if must_resolve:
            raise FetchError(f"host not found: {host}") from None
        return host
    addresses = [str(info[4][0]).partition("%")[0] for info in found]
    if not addresses or not all(is_public(address) for address in addresses):
        raise FetchError(f"{host} is a private address and may not be fetched")
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether an address is public; an address with an embedded IPv4 address is judged by that one."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if (embedded := embedded_ipv4(ip)) is not None:
            return is_public(str(embedded))
        if ip not in _UNICAST:  # defence: addresses-of-the-internet
            return False
    if any(ip in network for network in _SPECIAL if network.version == ip.version):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not ip.is_unspecified


_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All addresses assigned for the internet; the rest is local or special-purpose."""
_SPECIAL = tuple(
    map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2001:db8::/32", "3fff::/20"))
)
"""Addresses in IANA's special-purpose registries that not all Python versions include."""


def _proxied(scheme: str, host: str) -> bool:
    proxies = urllib.request.getproxies()
    return bool(proxies.get(scheme) or proxies.get("all")) and not urllib.request.proxy_bypass(host)
