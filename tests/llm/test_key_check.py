"""Trying a key, on servers that stand in for the services."""

import socket

import pytest

from kimi_tui.llm.key_check import KeyCheck, check_key
from tests.llm.servers import Server, status


@pytest.mark.parametrize(
    ("service", "header", "body", "models"),
    [
        ("kimi", "authorization", {"data": [{"id": "kimi-k2"}]}, ("kimi-k2",)),
        ("openai_responses", "authorization", {"data": [{"id": "gpt-5"}, {"id": "gpt-5"}]}, ("gpt-5",)),
        ("anthropic", "x-api-key", {"data": [{"id": "claude"}], "has_more": False}, ("claude",)),
        ("google_genai", "x-goog-api-key", {"models": [{"name": "models/gemini"}]}, ("gemini",)),
        ("kimi", "authorization", "<html>", ()),
    ],
)
async def test_a_service_that_takes_the_key_names_its_models(
    service: str, header: str, body: object, models: tuple[str, ...]
) -> None:
    async with Server() as server:
        server.add(status(200, body))
        assert await check_key(service, server.url, "sk-x") == KeyCheck("taken", models=models)
        assert server.requests[0].path == "/models"
        assert server.requests[0].headers[header].endswith("sk-x")


@pytest.mark.parametrize(
    ("fields", "sizes"),
    [
        ({"max_model_len": 32768}, {"one": 32768}),
        ({"context_length": 131072, "owned_by": "x"}, {"one": 131072}),
        ({"context_window": "large"}, {}),
        ({"max_model_len": True}, {}),
        ({"max_model_len": -1}, {}),
        ({}, {}),
    ],
)
async def test_the_context_size_that_a_server_reports_is_known(fields: dict[str, object], sizes: object) -> None:
    async with Server() as server:
        server.add(status(200, {"data": [{"id": "one", **fields}, {"id": "two"}]}))
        check = await check_key("openai_legacy", server.url, "")
        assert (check.models, check.sizes) == (("one", "two"), sizes)


@pytest.mark.parametrize(
    ("code", "body", "verdict"),
    [
        (401, {}, "refused"),
        (403, {}, "refused"),
        (400, {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, "refused"),
        (400, {}, "unknown"),
        (404, {}, "unknown"),
        (503, {}, "unknown"),
    ],
)
async def test_only_a_clear_no_is_one(code: int, body: object, verdict: str) -> None:
    async with Server() as server:
        server.add(status(code, body))
        assert (await check_key("google_genai", server.url, "sk-x")).verdict == verdict


async def test_where_nothing_answers_that_is_said() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        trial = await check_key("kimi", f"http://127.0.0.1:{free.getsockname()[1]}/v1", "sk-x")
    assert trial.verdict == "unknown"
    assert "does not answer" in trial.cause


@pytest.mark.parametrize("key", ["sk x", "sk-\u2026", "sk-\x1b"])
async def test_what_can_be_no_key_is_sent_nowhere(key: str) -> None:
    assert (await check_key("kimi", "http://127.0.0.1:1", key)).verdict == "refused"


@pytest.mark.parametrize(
    ("code", "words", "verdict"),
    [
        (400, "Incorrect API key provided: sk-secret-1", "refused"),
        (400, "Authentication failed", "refused"),
        (400, "The api_key is not valid", "refused"),
        (400, "this route is not known here", "unknown"),
        (401, "Your account is closed", "refused"),
        (503, "We are moving house", "unknown"),
    ],
)
async def test_the_services_own_words_are_told_without_the_key(code: int, words: str, verdict: str) -> None:
    async with Server() as server:
        server.add(status(code, {"error": {"message": words}}))
        trial = await check_key("openai_legacy", server.url, "sk-secret-1")
    assert trial.verdict == verdict
    assert words.replace("sk-secret-1", "***") in trial.cause
    assert "sk-secret-1" not in trial.cause
