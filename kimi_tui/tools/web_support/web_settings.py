"""The services of the web tools, from a session's settings or the defaults."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from kimi_tui.secret_store import is_reference, resolve

SearchKind = Literal["moonshot", "searxng", "brave", "tavily"]


@dataclass(frozen=True, slots=True)
class WebService:
    """The address and credentials of a service; `headers` go with each request. The key may be in the keyring."""

    base_url: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    async def with_key(self) -> "WebService":
        """Return a copy with the resolved key. Raises ConfigError if the keyring does not return it."""
        if not is_reference(self.api_key):
            return self
        return replace(self, api_key=await asyncio.to_thread(resolve, self.api_key))


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The services of the web tools.

    `search` and `fetch` are None without a service: SearchWeb is then not offered, and FetchURL fetches directly.

    `allow_private`: FetchURL may reach this machine and its local networks.
    """

    search: WebService | None = None
    search_kind: SearchKind = "moonshot"
    fetch: WebService | None = None
    allow_private: bool = False


NO_SERVICES = WebSettings()
