"""Checks an API key with its service before it is saved: requests the list of models, which costs nothing."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ValidationError

from kimi_tui.i18n import tr
from kimi_tui.llm.context_size import SizedModel
from kimi_tui.llm.error_mapping import service_message

_URLS = {
    "anthropic": "https://api.anthropic.com/v1",
    "google_genai": "https://generativelanguage.googleapis.com/v1beta",
}
_MAX_BYTES = 4 << 20
# Gateways answer 400 for a wrong key, with texts of their own.
_WRONG_KEY = re.compile(
    r"(?:invalid|incorrect|wrong|expired|unknown|missing|malformed|no)\b.{0,40}\b(?:api[ _-]?key|token|credential)"
    r"|\b(?:api[ _-]?key|token|credentials?)\b.{0,40}\b(?:invalid|incorrect|wrong|expired|not valid|not found|missing)"
    r"|authenticat|unauthorized",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """The service's verdict on the key; `unknown` if it gave none. `models` are the listed ones, `sizes` their reported
    context sizes in tokens; `reached` is false if nothing answered at the address.
    """

    verdict: Literal["taken", "refused", "unknown"]
    cause: str = ""
    models: tuple[str, ...] = ()
    reached: bool = True
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])


class _Named(SizedModel):
    id: str = ""
    name: str = ""


class _Listing(BaseModel):
    data: list[_Named] = []
    models: list[_Named] = []


async def check_key(service_type: str, base_url: str, key: str, *, timeout_s: float = 8.0) -> KeyCheck:
    """Request the model list of the service at `base_url` ("": the default address) with that key."""
    import httpx2

    from kimi_tui.bounded_http import read_body, response_hooks

    if not key.isascii() or not key.isprintable() or " " in key:
        return KeyCheck("refused", tr("an API key can contain only ASCII letters, digits and symbols, without spaces"))
    match service_type:
        case "anthropic":
            headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
        case "google_genai":
            headers = {"x-goog-api-key": key}
        case _ if not key:
            headers = {}
        case _:
            headers = {"Authorization": f"Bearer {key}"}
    url = (base_url or _URLS.get(service_type, "")).rstrip("/")
    try:
        async with (
            asyncio.timeout(timeout_s * 2),
            httpx2.AsyncClient(
                timeout=timeout_s, headers=headers, event_hooks=response_hooks(error_seconds=timeout_s)
            ) as client,
            client.stream("GET", f"{url}/models") as answer,
        ):
            body = await read_body(answer, _MAX_BYTES)
    except (TimeoutError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, ValueError) as error:
        return KeyCheck("unknown", f"{url} does not answer ({type(error).__name__})", reached=False)
    status = answer.status_code
    if status != 200:
        message = service_message(body, secrets=(key,))
        if status in (401, 403) or (status == 400 and (b"API_KEY_INVALID" in body or _WRONG_KEY.search(message))):
            return KeyCheck("refused", ": ".join(filter(None, (f"HTTP {status}", message))))
        return KeyCheck("unknown", ": ".join(filter(None, (f"{url} answers with HTTP {status}", message))))
    sizes = _listed(body)
    return KeyCheck("taken", models=tuple(sizes), sizes={name: size for name, size in sizes.items() if size})


def _listed(body: bytes) -> dict[str, int | None]:
    """The names of the listed models, each with its context size."""
    try:
        listing = _Listing.model_validate_json(body)
    except ValidationError:
        return {}
    listed = (*listing.data, *listing.models)
    sizes = {model.id or model.name.removeprefix("models/"): model.context_size for model in listed}
    return {name: size for name, size in sizes.items() if name and name.isprintable()}
