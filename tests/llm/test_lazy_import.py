"""Packages of an SDK that are read when a name of them is first asked for."""

import importlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kimi_tui.llm.lazy_import import defer_imports


@pytest.fixture
def types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The types of an SDK, which imports them all and itself needs `plain`."""
    folder = tmp_path / "some_sdk" / "types"
    (folder / "heavy").mkdir(parents=True)
    (tmp_path / "some_sdk" / "__init__.py").write_text(
        "from . import types\nfrom .types.plain import Plain\n", encoding="utf-8"
    )
    (folder / "__init__.py").write_text("from .heavy import Heavy\nfrom .plain import Plain\n", "utf-8")
    (folder / "plain.py").write_text("class Plain: ...\n", "utf-8")
    (folder / "heavy" / "__init__.py").write_text("from .model import Heavy\n", "utf-8")
    (folder / "heavy" / "model.py").write_text("from some_sdk.types import plain\nclass Heavy: ...\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in loaded():
        del sys.modules[name]


def loaded() -> set[str]:
    return {name for name in sys.modules if name.partition(".")[0] == "some_sdk"}


def import_sdk() -> ModuleType:
    with defer_imports("some_sdk.types"):
        return importlib.import_module("some_sdk")


@pytest.mark.usefixtures("types")
def test_a_package_is_there_but_not_read_and_a_module_inside_it_is_read_when_imported() -> None:
    sdk = import_sdk()
    assert sdk.Plain.__module__ == "some_sdk.types.plain"
    assert loaded() == {"some_sdk", "some_sdk.types", "some_sdk.types.plain"}


@pytest.mark.usefixtures("types")
def test_a_name_reads_the_package_and_what_it_needs_once() -> None:
    sdk = import_sdk()
    heavy = sdk.types.Heavy
    assert heavy.__module__ == "some_sdk.types.heavy.model"
    assert sdk.types.Heavy is heavy
    assert importlib.import_module("some_sdk.types.heavy").Heavy is heavy
    assert sdk.types.Plain is sdk.Plain
    assert type(sdk.types) is ModuleType


@pytest.mark.usefixtures("types")
def test_a_name_that_the_package_has_not_is_an_attribute_error() -> None:
    sdk = import_sdk()
    for _ in range(2):
        with pytest.raises(AttributeError):
            _ = sdk.types.Nonsense


def test_a_package_that_cannot_be_read_says_so_each_time_it_is_asked_for_a_name(types: Path) -> None:
    (types / "heavy" / "model.py").write_text("raise ValueError('broken')\n", "utf-8")
    sdk = import_sdk()
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            _ = sdk.types.Heavy


@pytest.mark.usefixtures("types")
def test_threads_that_ask_at_once_get_the_same() -> None:
    sdk = import_sdk()
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.append(sdk.types.Heavy)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [sdk.types.Heavy] * 8


@pytest.mark.usefixtures("types")
def test_other_imports_are_as_ever() -> None:
    finders = list(sys.meta_path)
    with defer_imports("some_sdk.types"):
        assert importlib.import_module("json.tool").__name__ == "json.tool"
    assert sys.meta_path == finders
    assert importlib.import_module("some_sdk.types").Heavy


CHAT = """
import sys
from kimi_tui.llm.providers.openai_client import OpenAIConnection
from kimi_tui.llm.provider_settings import ProviderSettings
OpenAIConnection(ProviderSettings("openai_legacy", "m", api_key="k"), "http://localhost")
print(*sorted({name for name in sys.modules if name.startswith(("openai.types.responses.", "openai.types.eval"))}))
from openai.types.responses import Response
from openai.types import Batch
print(Response.__name__, Batch.__name__)
"""


def test_a_chat_reads_neither_the_types_of_responses_nor_of_evals_and_they_can_still_be_had() -> None:
    done = subprocess.run([sys.executable, "-c", CHAT], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "openai.types.responses.function_tool_param\nResponse Batch\n"), (
        done.stdout + done.stderr
    )
