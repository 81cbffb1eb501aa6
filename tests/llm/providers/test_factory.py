"""Making a provider: what each type becomes, what is refused, and what is not loaded for it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from kimi_tui.errors import ConfigError
from kimi_tui.llm.provider_settings import ProviderSettings
from kimi_tui.llm.providers.factory import create_provider
from tests.llm.provider_calls import ask
from tests.llm.servers import OpenAIServer, chat_reply, openai_server

__all__ = ["openai_server"]


@pytest.mark.parametrize("kind", ["kimi", "openai_legacy", "openai_responses"])
def test_each_type_makes_a_provider_of_its_model(kind: str) -> None:
    assert create_provider(ProviderSettings(kind, "test-model")).model_name == "test-model"


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"type: unknown provider type 'opeanai'. Available: kimi, openai_legacy,"):
        create_provider(ProviderSettings("opeanai", "test-model"))


@pytest.mark.parametrize("kind", ["scripted", "_scripted_echo"])
async def test_a_script_is_read_from_its_file(tmp_path: Path, kind: str) -> None:
    (tmp_path / "script.txt").write_text("text: Hello", encoding="utf-8")
    provider = create_provider(ProviderSettings(kind, "any", scripts=tmp_path / "script.txt"))
    assert (await ask(provider)).message.text == "Hello"
    with pytest.raises(ConfigError, match="scripts"):
        create_provider(ProviderSettings(kind, "any"))


async def test_the_parts_of_a_scripted_answer_come_with_their_delay(tmp_path: Path) -> None:
    (tmp_path / "script.txt").write_text("text: one two three", encoding="utf-8")
    begun = time.monotonic()
    await ask(create_provider(ProviderSettings("scripted", "any", scripts=tmp_path / "script.txt", delay_s=0.05)))
    assert time.monotonic() - begun >= 0.15


def test_no_sdk_is_loaded_until_a_model_is_asked() -> None:
    code = (
        "import sys\n"
        "import kimi_tui.llm.retry, kimi_tui.llm.providers.scripted, kimi_tui.llm.local_servers\n"
        "from kimi_tui.llm.providers.factory import create_provider\n"
        "from kimi_tui.llm.provider_settings import ProviderSettings\n"
        "for kind in ('kimi', 'openai_responses', 'anthropic', 'google_genai'):\n"
        "    create_provider(ProviderSettings(kind, 'm', api_key='k'))\n"
        "heavy = {'openai', 'httpx', 'httpx2', 'anthropic', 'google.genai', 'textual', 'mcp'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
        "import asyncio\n"
        "asyncio.run(create_provider(ProviderSettings('kimi', 'm', api_key='k')).prepare())\n"
        "print('openai' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "True"]


@pytest.mark.parametrize("url", ["nonsense", "ftp://host/v1", "http://[::1", "http://host:port/v1", "https:///v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"base_url: not an http\(s\) address: "):
        create_provider(ProviderSettings("kimi", "m", base_url=url))


@pytest.mark.parametrize("key", ["kéy", "two\nlines", "zero\u200bwidth"])
def test_a_key_that_cannot_be_one_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        create_provider(ProviderSettings("kimi", "m", api_key=key))
    assert str(caught.value) == "api_key: the key contains invalid characters; was something else pasted?"


async def test_a_key_may_have_a_line_end_from_its_file(openai_server: OpenAIServer) -> None:
    openai_server.add(chat_reply("ok"))
    provider = create_provider(ProviderSettings("kimi", "m", base_url=openai_server.base_url, api_key="test-key\n"))
    await ask(provider, system="a file name with half a character: \udc80")
    await provider.aclose()
    assert openai_server.requests[0].headers["authorization"] == "Bearer test-key"
    assert openai_server.requests[0].json["messages"][0]["content"].endswith("character: \ufffd")


@pytest.mark.parametrize("headers", [{"X Team": "a"}, {"X-Team": "a\nb"}, {"": "a"}])
def test_a_header_that_cannot_be_sent_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="custom_headers: not a valid header"):
        create_provider(ProviderSettings("kimi", "m", custom_headers=headers))


def test_settings_with_an_address_that_is_none_are_left_to_the_factory() -> None:
    """Whether the address needs a key cannot be known then, so the address is what the user is told of."""
    assert ProviderSettings("openai_legacy", "m", base_url="http://[x").is_complete
