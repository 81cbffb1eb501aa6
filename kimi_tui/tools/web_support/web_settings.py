"""Which services the web tools use; the settings of a session, or of none."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from kimi_tui.secret_store import is_reference, resolve

SearchKind = Literal["moonshot", "searxng", "brave", "tavily"]


@dataclass(frozen=True, slots=True)
class WebService:
    """Where a service is and how it knows us; `headers` go with each request. The key may be in the keyring."""

    base_url: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    async def with_key(self) -> "WebService":
        """The same with the key itself. Raises ConfigError where the keyring does not give it."""
        if not is_reference(self.api_key):
            return self
        return replace(self, api_key=await asyncio.to_thread(resolve, self.api_key))


@dataclass(frozen=True, slots=True)
class WebSettings:
    """`search` and `fetch` are None where there is no service: SearchWeb is not offered then, FetchURL fetches itself.

    `allow_private`: FetchURL may reach this machine and the networks around it.
    """

    search: WebService | None = None
    search_kind: SearchKind = "moonshot"
    fetch: WebService | None = None
    allow_private: bool = False


NO_SERVICES = WebSettings()
