"""Finds servers for local models on this machine, at the user's request."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ValidationError

from kimi_tui.llm.context_size import SizedModel

if TYPE_CHECKING:
    import httpx2

ServerKind = Literal["ollama", "lm_studio", "vllm", "llama_cpp"]
USUAL_PORTS: Mapping[ServerKind, int] = {"ollama": 11434, "lm_studio": 1234, "vllm": 8000, "llama_cpp": 8080}
_OWNERS: Mapping[str, ServerKind] = {"vllm": "vllm", "llamacpp": "llama_cpp"}
_MOST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that responded; `base_url` is for a provider of type `openai_legacy`.

    `sizes` are the context sizes in tokens of the models for which it reports them.
    """

    kind: ServerKind
    base_url: str
    models: tuple[str, ...]
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])


async def find_local_servers(
    ports: Mapping[ServerKind, int] | None = None, *, timeout_s: float = 0.5
) -> list[LocalServer]:
    """Request the models at the usual ports, all at once; leaves out servers that do not respond in time."""
    import httpx2

    # Connections within this machine must not use the environment's proxy.
    async with httpx2.AsyncClient(trust_env=False, timeout=timeout_s) as client:
        candidates = (ports or USUAL_PORTS).items()
        replies = await asyncio.gather(*(_ask(client, kind, port, timeout_s) for kind, port in candidates))
    return [server for server in replies if server]


class _Model(SizedModel):
    id: str
    owned_by: str | None = None


class _Models(BaseModel):
    data: list[_Model]


class _Tag(BaseModel):
    name: str


class _Tags(BaseModel):
    """Ollama's response: all models that it can load, not only the loaded ones."""

    models: list[_Tag]


async def _ask(client: "httpx2.AsyncClient", kind: ServerKind, port: int, timeout_s: float) -> LocalServer | None:
    import httpx2

    sizes: dict[str, int] = {}
    base = f"http://127.0.0.1:{port}"
    try:
        async with asyncio.timeout(timeout_s):
            body = await _get(client, f"{base}/api/tags" if kind == "ollama" else f"{base}/v1/models")
        if kind == "ollama":
            names = [tag.name for tag in _Tags.model_validate_json(body).models]
        else:
            models = _Models.model_validate_json(body).data
            names = [model.id for model in models]
            sizes = {model.id: size for model in models if (size := model.context_size) is not None}
            owner = models[0].owned_by if models else None
            kind = _OWNERS.get(owner or "", kind)
    except (TimeoutError, httpx2.HTTPError, ValidationError):
        return None
    return LocalServer(kind, f"{base}/v1", tuple(names), sizes)


async def _get(client: "httpx2.AsyncClient", url: str) -> bytes:
    body = b""
    async with client.stream("GET", url) as response:
        response.raise_for_status()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > _MOST_BYTES:
                break
    return body
