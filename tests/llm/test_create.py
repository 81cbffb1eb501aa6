"""Making a provider: what each type becomes, what is refused, and what is not loaded for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from kimi_tui.errors import ConfigError
from kimi_tui.llm.create import create_provider
from kimi_tui.llm.settings import ProviderSettings
from tests.llm.asking import ask


@pytest.mark.parametrize("kind", ["kimi", "openai_legacy", "openai_responses"])
def test_each_type_makes_a_provider_of_its_model(kind: str) -> None:
    assert create_provider(ProviderSettings(kind, "test-model")).model_name == "test-model"


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"type: there is no provider type 'opeanai'; the types are kimi, openai_legacy,"
    ):
        create_provider(ProviderSettings("opeanai", "test-model"))


@pytest.mark.parametrize("kind", ["scripted", "_scripted_echo"])
async def test_a_script_is_read_from_its_file(tmp_path: Path, kind: str) -> None:
    (tmp_path / "script.txt").write_text("text: Hello", encoding="utf-8")
    provider = create_provider(ProviderSettings(kind, "any", scripts=tmp_path / "script.txt"))
    assert (await ask(provider)).message.text == "Hello"
    with pytest.raises(ConfigError, match="scripts"):
        create_provider(ProviderSettings(kind, "any"))


def test_no_sdk_is_loaded_until_a_model_is_asked() -> None:
    code = (
        "import sys\n"
        "import kimi_tui.llm.retry, kimi_tui.llm.scripted, kimi_tui.llm.discover\n"
        "from kimi_tui.llm.create import create_provider\n"
        "from kimi_tui.llm.settings import ProviderSettings\n"
        "for kind in ('kimi', 'openai_responses', 'anthropic', 'google_genai'):\n"
        "    create_provider(ProviderSettings(kind, 'm', api_key='k'))\n"
        "heavy = {'openai', 'httpx', 'httpx2', 'anthropic', 'google.genai', 'textual', 'mcp'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
