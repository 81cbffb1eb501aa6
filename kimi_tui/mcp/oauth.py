"""OAuth for servers that require it: stored tokens, and a provider that uses and renews them.

Invariant: a session never opens a browser: without a token that is valid or can be renewed, the server is
"unauthorized". `kimi-tui mcp auth` gets a token.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar, cast

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from kimi_tui import json_text
from kimi_tui.errors import KimiTuiError
from kimi_tui.file_lock import changing
from kimi_tui.i18n import tr
from kimi_tui.mcp.token_store import read_tokens, token_file, write_tokens

_M = TypeVar("_M", bound=BaseModel)
_EARLY = 30.0
"""Seconds before its expiry from which a token counts as expired."""
_RENEWAL_SECONDS = 30.0
"""Seconds to wait for another process that renews a token; then it is taken to hang."""


class NotAuthorizedError(KimiTuiError):
    """The server requires an authorization that only the user can give."""


class TokenFile:
    """The SDK's `TokenStorage`, which also stores the expiry and the address, so that another process can renew a
    token.

    Create it in a thread: it reads the keyring.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._saved: dict[str, Any] = {}
        self._stored = ""
        self._auth: OAuthClientProvider | None = None
        self._read()

    @property
    def has_tokens(self) -> bool:
        return "tokens" in self._saved

    @property
    def expires_at(self) -> float | None:
        timestamp = self._saved.get("expires_at")
        return float(timestamp) if isinstance(timestamp, int | float) else None

    @property
    def redirect_port(self) -> int | None:
        """The registered port of the redirect from the browser."""
        client = self._client()
        redirects = client.redirect_uris if client is not None else None
        return redirects[0].port if redirects else None

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens()

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store the tokens together with the service that issued them: only that service gets the refresh token."""
        self._saved["tokens"] = tokens.model_dump(mode="json", exclude_none=True)
        if self._auth is not None:  # defence: issuer-beside-tokens
            context = self._auth.context
            self._saved["authorization_server"] = _dumped(context.oauth_metadata)
            self._saved["resource"] = _dumped(context.protected_resource_metadata)
        self._saved.pop("expires_at", None)
        if tokens.expires_in is not None:
            self._saved["expires_at"] = time.time() + tokens.expires_in - _EARLY
        await asyncio.to_thread(self._save)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client()

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._saved["client"] = client_info.model_dump(mode="json", exclude_none=True)
        await asyncio.to_thread(self._save)

    def forget_client(self) -> None:
        self._saved.pop("client", None)

    async def take_renewed(self) -> None:
        """Take the tokens that another process has stored since: services accept a refresh token only once."""
        if self._auth is not None and await asyncio.to_thread(self._read):
            self.recall(self._auth)

    def recall(self, auth: OAuthClientProvider) -> None:
        """Restore the provider's tokens, and its values from the time of issue, which it keeps in memory only."""
        self._auth = auth
        auth.context.current_tokens = self._tokens()
        auth.context.client_info = self._client()
        auth.context.token_expiry_time = self.expires_at
        auth.context.oauth_metadata = _model(OAuthMetadata, self._saved.get("authorization_server"))
        auth.context.protected_resource_metadata = _model(ProtectedResourceMetadata, self._saved.get("resource"))

    def _is_issuer_known(self) -> bool:
        """Whether the service that issued the tokens is stored; None is the MCP server itself, as in old versions of
        the protocol.
        """
        issuer: object = self._saved.get("authorization_server", False)
        return issuer is None or _model(OAuthMetadata, issuer) is not None

    def _tokens(self) -> OAuthToken | None:
        tokens = _model(OAuthToken, self._saved.get("tokens"))
        if tokens is not None and not self._is_issuer_known():  # defence: renew-at-the-issuer
            tokens.refresh_token = None  # the SDK would send it to the MCP server
        return tokens

    def _client(self) -> OAuthClientInformationFull | None:
        return _model(OAuthClientInformationFull, self._saved.get("client"))

    def _read(self) -> bool:
        """Read the file; False if it holds what was read or written last, which may be older than the tokens in use."""
        try:
            text = read_tokens(self.file)
            value: object = json_text.loads(text)
        except (OSError, ValueError):
            return False
        if text == self._stored or not isinstance(value, dict):
            return False
        self._stored, self._saved = text, cast(dict[str, Any], value)
        return True

    def _save(self) -> None:
        text = json.dumps(self._saved, indent=2) + "\n"
        write_tokens(self.file, text)
        self._stored = text


class SessionAuth(httpx2.Auth):
    """Authorizes a session's requests concurrently; the SDK's provider handles one at a time until its headers arrive.

    Otherwise a call with a slow response would block all others, and its own cancellation. Only requests without a
    valid token, or rejected with it, go through the provider.
    """

    def __init__(self, provider: OAuthClientProvider, tokens: TokenFile) -> None:
        self._provider, self._tokens = provider, tokens

    def secrets(self) -> tuple[str, ...]:
        """The tokens in use."""
        tokens = self._provider.context.current_tokens
        return () if tokens is None else (tokens.access_token, tokens.refresh_token or "")

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        context = self._provider.context
        rejected = None
        with ExitStack() as lock:
            for is_renewal in (False, True):
                if is_renewal:
                    await self._start_renewal(lock)
                    await self._tokens.take_renewed()  # defence: tokens-of-another-process
                tokens = context.current_tokens
                # defence: calls-side-by-side
                if tokens is None or tokens is rejected or not context.is_token_valid():
                    continue
                lock.close()  # its answer may take minutes
                request.headers["Authorization"] = f"Bearer {tokens.access_token}"
                response = yield request
                if not _needs_authorization(response):
                    return
                rejected = tokens
                if response.status_code == 401 and context.current_tokens is tokens:
                    context.token_expiry_time = 1.0  # defence: renew-rejected-token
            flow = self._provider.async_auth_flow(request)
            try:
                outgoing = await anext(flow)
                while True:
                    if outgoing is request:
                        lock.close()
                    outgoing = await flow.asend((yield outgoing))
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()

    async def _start_renewal(self, lock: ExitStack) -> None:
        """Wait until no other process renews a token. Without a lock, or after a time, go on without it."""
        clock = asyncio.get_running_loop().time
        until = clock() + _RENEWAL_SECONDS
        while clock() < until:
            try:
                lock.enter_context(changing(self._tokens.file, patience_s=0))  # defence: one-renewal-at-a-time
            except BlockingIOError:
                await asyncio.sleep(0.05)
            except OSError:
                return
            else:
                return


def _needs_authorization(response: httpx2.Response) -> bool:
    is_scope_missing = "insufficient_scope" in response.headers.get("www-authenticate", "")
    return response.status_code == 401 or (response.status_code == 403 and is_scope_missing)


async def session_auth(name: str, url: str) -> SessionAuth:
    """The authorization of a session's requests. Raises NotAuthorizedError if there is no token."""
    tokens = await asyncio.to_thread(TokenFile, token_file(name, url))
    if not tokens.has_tokens:
        raise NotAuthorizedError(tr("no token stored"))

    async def no_redirect(_: str) -> None:
        raise NotAuthorizedError(tr("its token has expired"))

    async def never() -> AuthorizationCodeResult:
        raise NotAuthorizedError(tr("its token has expired"))

    port = tokens.redirect_port or 0
    provider = make_provider(url, tokens, redirect_port=port, redirect=no_redirect, callback=never)
    return SessionAuth(provider, tokens)


def make_provider(
    url: str,
    tokens: TokenFile,
    *,
    redirect_port: int,
    redirect: Callable[[str], Awaitable[None]],
    callback: Callable[[], Awaitable[AuthorizationCodeResult]],
) -> OAuthClientProvider:
    auth = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="kimi-tui",
            redirect_uris=[AnyUrl(f"http://127.0.0.1:{redirect_port}/callback")],
            grant_types=["authorization_code", "refresh_token"],
            token_endpoint_auth_method="none",
        ),
        storage=tokens,
        redirect_handler=redirect,
        callback_handler=callback,
    )
    tokens.recall(auth)
    return auth


def _dumped(model: BaseModel | None) -> object:
    return None if model is None else model.model_dump(mode="json", exclude_none=True)


def _model(model: type[_M], value: object) -> _M | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None
