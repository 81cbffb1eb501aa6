"""Finding servers for local models, on ports that stand in for the usual ones."""

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from kimi_tui.llm.local_servers import USUAL_PORTS, LocalServer, ServerKind, find_local_servers
from tests.llm.servers import Answer, Hold, SeenRequest, Server, status


@pytest.fixture
async def servers() -> AsyncIterator[list[Server]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Server()) for _ in range(4)]


def models(owner: str, *names: str) -> Answer:
    return status(
        200, {"object": "list", "data": [{"id": name, "object": "model", "owned_by": owner} for name in names]}
    )


async def test_servers_of_each_kind_are_found(servers: list[Server]) -> None:
    ollama, studio, vllm, llama = servers
    ollama.add(status(200, {"models": [{"name": "qwen3:8b", "size": 1}, {"name": "llama3:latest"}]}))
    studio.add(models("organization_owner", "qwen/qwen3-8b"))
    vllm.add(models("vllm", "moonshotai/Kimi-K2"))
    llama.add(models("llamacpp", "model.gguf"))
    ports: dict[ServerKind, int] = {kind: server.port for kind, server in zip(USUAL_PORTS, servers, strict=True)}
    assert await find_local_servers(ports) == [
        LocalServer("ollama", f"{ollama.url}/v1", ("qwen3:8b", "llama3:latest")),
        LocalServer("lm_studio", f"{studio.url}/v1", ("qwen/qwen3-8b",)),
        LocalServer("vllm", f"{vllm.url}/v1", ("moonshotai/Kimi-K2",)),
        LocalServer("llama_cpp", f"{llama.url}/v1", ("model.gguf",)),
    ]
    assert [server.requests[0].path for server in servers] == ["/api/tags", "/v1/models", "/v1/models", "/v1/models"]


async def test_the_context_sizes_that_a_server_reports_are_known(servers: list[Server]) -> None:
    listed = [{"id": "large", "owned_by": "vllm", "max_model_len": 262144}, {"id": "odd", "max_model_len": "?"}]
    servers[0].add(status(200, {"object": "list", "data": listed}))
    (server,) = await find_local_servers({"vllm": servers[0].port})
    assert (server.models, server.sizes) == (("large", "odd"), {"large": 262144})


class Routed(Server):
    """Answers by path, and `/api/show` by the model."""

    def __init__(self, pages: dict[str, object]) -> None:
        super().__init__()
        self.pages = pages

    def respond(self, request: SeenRequest) -> Answer:
        key = f"{request.path} {request.json['model']}" if request.method == "POST" else request.path
        return status(200, self.pages[key]) if key in self.pages else status(404, {"error": "not found"})


async def test_the_size_that_llama_cpp_serves_a_request_is_known() -> None:
    listed = {"id": "qwen.gguf", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 262144}}
    props = {"default_generation_settings": {"id": 0, "n_ctx": 16384, "params": {}}, "total_slots": 4}
    async with Routed({"/v1/models": {"object": "list", "data": [listed]}, "/props": props}) as server:
        (found,) = await find_local_servers({"llama_cpp": server.port})
    assert found.sizes == {"qwen.gguf": 16384}


async def test_the_size_of_an_ollama_model_is_that_in_use_or_configured_and_a_large_limit_says_nothing() -> None:
    names = ["loaded:8b", "set:8b", "small:1b", "large:70b", "odd:1b", "gone:1b"]
    pages: dict[str, object] = {
        "/api/tags": {"models": [{"name": name, "model": name, "size": 1} for name in names]},
        "/api/ps": {"models": [{"name": "loaded:8b", "model": "loaded:8b", "size_vram": 1, "context_length": 4096}]},
        "/api/show set:8b": {
            "parameters": 'stop "<|im_end|>"\nnum_ctx                        16384\ntemperature 0.7',
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
        },
        "/api/show small:1b": {"model_info": {"gemma3.context_length": 32768, "gemma3.block_count": 26}},
        "/api/show large:70b": {"parameters": "num_ctx 0", "model_info": {"llama.context_length": 131072}},
        "/api/show odd:1b": {"parameters": "num_ctx many", "model_info": {"odd.context_length": "?"}},
    }
    async with Routed(pages) as server:
        (found,) = await find_local_servers({"ollama": server.port})
        assert {request.json["model"] for request in server.requests if request.method == "POST"} == set(names[1:])
    assert found.models == tuple(names)
    assert found.sizes == {"loaded:8b": 4096, "set:8b": 16384, "small:1b": 32768}


async def test_a_server_is_named_after_its_answer_not_its_port(servers: list[Server]) -> None:
    servers[0].add(models("llamacpp", "model.gguf"))
    assert [server.kind for server in await find_local_servers({"vllm": servers[0].port})] == ["llama_cpp"]


async def test_what_is_no_model_server_is_passed_over(servers: list[Server]) -> None:
    servers[0].add(status(200, "<html>hello</html>"))
    servers[1].add(status(404, {"detail": "Not Found"}))
    servers[2].add(Answer([Hold()]))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        ports: dict[ServerKind, int] = {
            "ollama": servers[0].port,
            "lm_studio": servers[1].port,
            "vllm": servers[2].port,
            "llama_cpp": free.getsockname()[1],
        }
        assert await find_local_servers(ports, timeout_s=0.2) == []
