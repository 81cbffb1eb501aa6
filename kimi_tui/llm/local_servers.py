"""Finds servers for local models on this machine, at the user's request."""

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from kimi_tui.llm.context_size import SizedModel

if TYPE_CHECKING:
    import httpx2

ServerKind = Literal["ollama", "lm_studio", "vllm", "llama_cpp"]
USUAL_PORTS: Mapping[ServerKind, int] = {"ollama": 11434, "lm_studio": 1234, "vllm": 8000, "llama_cpp": 8080}
_OWNERS: Mapping[str, ServerKind] = {"vllm": "vllm", "llamacpp": "llama_cpp"}
_MAX_BYTES = 1024 * 1024
_MAX_SHOWN = 32
_DEFAULT_SIZE = 100_000
_NUM_CTX = re.compile(r"^num_ctx[ \t]+(\d{1,8})[ \t]*$", re.MULTILINE)
_M = TypeVar("_M", bound=BaseModel)


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


class _Size(BaseModel):
    """A size in tokens, under the name that each of the servers has for it."""

    tokens: int = Field(ge=1, le=100_000_000, validation_alias=AliasChoices("n_ctx", "context_length"))


class _Props(BaseModel):
    """llama.cpp's `GET /props`: the size of one slot, which is what a request gets."""

    default_generation_settings: _Size


class _Loaded(_Size):
    name: str


class _LoadedModels(BaseModel):
    """Ollama's `GET /api/ps`: the loaded models, with the size that they are loaded with."""

    models: list[_Loaded]


class _ModelDetails(BaseModel):
    """Ollama's `POST /api/show`: `parameters` are lines such as `num_ctx 8192`; the key of the model's own limit in
    `model_info` begins with its architecture."""

    parameters: str = ""
    model_info: dict[str, object] = Field(default_factory=dict[str, object])

    @property
    def tokens(self) -> int | None:
        if (found := _NUM_CTX.search(self.parameters)) and int(found[1]):
            return int(found[1])
        limits = (value for name, value in self.model_info.items() if name.endswith(".context_length"))
        limit = next((value for value in limits if isinstance(value, int)), 0)
        # Ollama serves less than the limit unless it is told to, so that a large limit says nothing.
        return limit if 1 <= limit < _DEFAULT_SIZE else None


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
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            if kind == "ollama":
                await _size_ollama(client, base, names[:_MAX_SHOWN], sizes)
            elif kind == "llama_cpp" and len(names) == 1:  # several: its router, whose sizes are those of each model
                props = _read(_Props, await _try(client, f"{base}/props"))
                sizes.update({names[0]: props.default_generation_settings.tokens} if props else {})
    return LocalServer(kind, f"{base}/v1", tuple(names), sizes)


async def _size_ollama(client: "httpx2.AsyncClient", base: str, names: list[str], sizes: dict[str, int]) -> None:
    """Fill in `sizes`: as loaded, else as configured, else the model's limit."""
    running = _read(_LoadedModels, await _try(client, f"{base}/api/ps"))
    sizes.update({model.name: model.tokens for model in (running.models if running else ()) if model.name in names})

    async def show(name: str) -> None:
        shown = _read(_ModelDetails, await _try(client, f"{base}/api/show", {"model": name}))
        if shown is not None and shown.tokens is not None:
            sizes[name] = shown.tokens

    await asyncio.gather(*(show(name) for name in names if name not in sizes))


def _read(kind: type[_M], body: bytes) -> _M | None:
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        return None


async def _try(client: "httpx2.AsyncClient", url: str, payload: Mapping[str, str] | None = None) -> bytes:
    """The body; empty if the server has no such page."""
    import httpx2

    try:
        return await _get(client, url, payload)
    except httpx2.HTTPError:
        return b""


async def _get(client: "httpx2.AsyncClient", url: str, payload: Mapping[str, str] | None = None) -> bytes:
    """The body, of a POST if there is a `payload`."""
    body = b""
    async with client.stream("GET" if payload is None else "POST", url, json=payload) as response:
        response.raise_for_status()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > _MAX_BYTES:
                break
    return body
