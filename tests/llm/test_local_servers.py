"""Finding servers for local models, on ports that stand in for the usual ones."""

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from kimi_tui.llm.local_servers import USUAL_PORTS, LocalServer, ServerKind, find_local_servers
from tests.llm.servers import Answer, Hold, Server, status


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
