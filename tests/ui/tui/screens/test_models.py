"""The model picker and the first start."""

from pathlib import Path
from typing import Any

import pytest
from textual.color import Color
from textual.widgets import Input, Static

from kimi_tui.config.kimi_import import find_kimi_cli_import
from kimi_tui.config.loader import load_config
from kimi_tui.config.model_selection import choose_model
from kimi_tui.config.yaml_editor import edit
from kimi_tui.llm.key_check import KeyCheck, check_key
from kimi_tui.llm.local_servers import LocalServer
from kimi_tui.ui.tui.screens.custom_server import OTHER, bases, custom_server_changes
from kimi_tui.ui.tui.screens.first_start import SERVICES, SetupResult, SetupWizard, provider_settings_changes
from kimi_tui.ui.tui.screens.models import ModelChoice, ModelPicker, local_choice
from kimi_tui.ui.tui.widgets.pick_list import ItemList
from kimi_tui.ui.tui.widgets.pick_prompt import PickPrompt
from tests.llm.servers import Server, status
from tests.ui.tui.screen_text import app_text
from tests.ui.tui.screens import screen_cases
from tests.ui.tui.screens.conftest import Shown, ShowScreen


def labels(shown: Shown) -> list[str]:
    return [pick.label for pick in shown.app.screen.query_one(ItemList).picks if pick.key]


async def test_the_model_in_use_is_under_the_cursor_and_enter_takes_another(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.models(work_dir, tmp_path)) as shown:
        assert shown.app.screen.query_one(ItemList).key == "moon"
        await shown.press("down", "enter")
        assert shown.results == [ModelChoice("small", {})]


async def test_ctrl_s_takes_it_for_good(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.models(work_dir, tmp_path)) as shown:
        await shown.press(*"small", "ctrl+s")
        assert shown.results == [ModelChoice("small", {}, keep=True)]


async def test_the_context_size_that_a_server_reports_is_kept(tmp_path: Path) -> None:
    server = LocalServer("vllm", "http://127.0.0.1:8000/v1", ("large", "small"), {"large": 262144})
    changes = {**local_choice(server, "large").changes, **local_choice(server, "small").changes}
    changes |= custom_server_changes("http://box:8000/v1", "", "mine", 8192)
    models = edit(changes, tmp_path / "config.yaml").config.models
    assert [models[name].max_context_size for name in ("large", "small", "mine")] == [262144, 100_000, 8192]


async def test_a_model_whose_key_is_rejected_is_not_used_unless_it_is_chosen_again(
    show: ShowScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    async with Server() as server:
        server.add(status(401, {"error": {"message": "no"}}))
        config = load_config(
            text="default_model: moon\nproviders:\n"
            "  here: {type: openai_legacy, base_url: http://127.0.0.1:9/v1}\n"
            f"  there: {{type: openai_legacy, base_url: {server.url}, api_key: sk-bad}}\n"
            "models:\n  moon: {provider: here, model: moon-2}\n  other: {provider: there, model: other}\n"
        ).config

        def picker() -> ModelPicker:
            return ModelPicker(config, "moon", find=screen_cases.no_server, try_key=check_key)

        async with show(picker) as shown:
            await shown.press("down", "enter")
            assert shown.results == []
            words = "there rejected the key (HTTP 401: no); press Enter to use it anyway"
            assert words in app_text(shown.app)
            await shown.press("enter")
            assert shown.results == [ModelChoice("other", {})]
        assert [one.headers["authorization"] for one in server.requests] == ["Bearer sk-bad"]


async def test_servers_of_this_machine_are_looked_for_when_asked(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.models(work_dir, tmp_path)) as shown:
        assert "qwen3:8b" not in labels(shown)
        await shown.press("ctrl+o")
        assert "qwen3:8b" in labels(shown)
        await shown.press(*"qwen", "enter")
        (choice,) = shown.results
        assert isinstance(choice, ModelChoice)
        config = edit(choice.changes, tmp_path / "config.yaml").config
        assert config.providers[config.models["qwen3:8b"].provider].base_url == screen_cases.OLLAMA.base_url


async def test_where_no_server_answers_that_is_said(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.models(work_dir, tmp_path, find=screen_cases.no_server)) as shown:
        await shown.press("ctrl+o")
        assert "No server found; search again" in labels(shown)


async def test_a_theme_is_seen_as_the_cursor_moves_and_the_one_of_before_comes_back(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    seen: list[str] = []
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path, use_theme=seen.append)) as shown:
        await shown.press("down")
        assert seen[-1] == "kimi-light"
        await shown.press("escape")
        assert seen[-1] == "kimi-dark"


async def choose(shown: Shown, label: str) -> None:
    """Take the theme as it is, then that way to a model."""
    await shown.press("enter")
    picks = shown.app.screen.query_one(ItemList)
    picks.select(next(pick.key for pick in picks.picks if pick.label == label))
    await shown.press("enter")


async def test_a_key_makes_a_model_of_a_service(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path)) as shown:
        await choose(shown, "OpenAI")
        line = shown.app.screen.query_one(Input)
        assert line.password
        line.value = " sk-mine "
        await shown.press("enter")
        await shown.press("enter")
        (choice,) = shown.results
        assert isinstance(choice, SetupResult)
        config = edit(choice.changes, tmp_path / "config.yaml").config
        model = choose_model(config, environ={})
        assert (model.model.model, model.provider.type) == (choice.model, "openai_responses")
        assert model.provider.api_key.get_secret_value() == "sk-mine"


async def test_a_key_that_the_service_refuses_is_asked_for_again_and_then_a_model_of_its_list(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with Server() as server:
        server.add(status(401, {"error": {"message": "no"}}), status(200, {"data": [{"id": "one"}, {"id": "two"}]}))

        async def here(service_type: str, _base_url: str, key: str) -> KeyCheck:
            return await check_key(service_type, server.url, key)

        async with show(lambda: screen_cases.first_start(work_dir, tmp_path, try_it=here)) as shown:
            await choose(shown, "Kimi")
            await shown.press(*"sk-bad", "enter")
            trouble = shown.app.screen.query_one("#trouble", Static)
            assert "Kimi rejected this key (HTTP 401: no)" in str(trouble.content)
            assert shown.app.screen.query_one(Input).value == "sk-bad"
            await shown.press("end", *"good", "enter")
            assert isinstance(shown.app.screen, PickPrompt)
            await shown.press("down", "enter")
            (choice,) = shown.results
            assert isinstance(choice, SetupResult)
            assert choice.model == "two"
        assert [one.headers["authorization"] for one in server.requests] == ["Bearer sk-bad", "Bearer sk-badgood"]


async def test_a_key_that_cannot_be_tried_is_taken_with_a_word(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path)) as shown:
        await choose(shown, "Kimi")
        await shown.press(*"sk-x", "enter")
        assert "could not be checked: no network" in str(shown.app.screen.query_one("#trouble", Static).content)


async def test_leaving_the_key_goes_back_to_the_ways(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path)) as shown:
        await choose(shown, "Kimi")
        await shown.press("escape")
        assert isinstance(shown.app.screen, SetupWizard)
        assert shown.results == []


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("http://box:8000", ("http://box:8000/v1", "http://box:8000")),
        ("https://box/api/openai/", ("https://box/api/openai",)),
        ("http://box/v1/chat/completions", ("http://box/v1",)),
        ("localhost:8000/v1", ("http://localhost:8000/v1",)),
        ("10.0.0.7:8000/v1", ("http://10.0.0.7:8000/v1",)),
        ("models.example.com/v1", ("https://models.example.com/v1",)),
        ("ftp://box", ()),
        ("http://", ()),
        ("two words", ()),
        ("http://box:x", ()),
    ],
)
def test_an_address_is_understood_as_people_write_it(written: str, found: tuple[str, ...]) -> None:
    assert bases(written) == found


@pytest.mark.parametrize("screen_case", [screen_cases.first_start, screen_cases.models], ids=["first start", "models"])
async def test_another_server_is_named_by_its_address_and_asked_for_its_models(
    show: ShowScreen, work_dir: Path, tmp_path: Path, screen_case: Any
) -> None:
    async with Server() as server:
        server.add(
            status(401, {}), status(401, {}), status(404, {}), status(200, {"data": [{"id": "one"}, {"id": "two"}]})
        )
        async with show(lambda: screen_case(work_dir, tmp_path, try_it=check_key)) as shown:
            if screen_case is screen_cases.first_start:
                await shown.press("enter")
            shown.app.screen.query_one(ItemList).select(OTHER)
            await shown.press("enter")
            shown.app.screen.query_one(Input).value = "no address"
            await shown.press("enter")
            assert "no address is not an http(s) address" in str(shown.app.screen.query_one("#trouble", Static).content)
            trouble = shown.app.screen.query_one("#trouble", Static)
            assert trouble.styles.color == Color.parse(shown.app.theme_variables["error"])
            assert "for example http" in str(shown.app.screen.query_one("#about", Static).content)
            shown.app.screen.query_one(Input).value = server.url
            await shown.press("enter", "enter")
            assert "rejected this key (HTTP 401)" in str(shown.app.screen.query_one("#trouble", Static).content)
            await shown.press(*"sk-y", "enter")
            assert isinstance(shown.app.screen, PickPrompt)
            await shown.press("down", "enter")
            (choice,) = shown.results
            assert isinstance(choice, SetupResult | ModelChoice)
            model = choose_model(edit(choice.changes, tmp_path / "new.yaml").config, environ={})
            assert (model.model.model, model.provider.base_url) == ("two", server.url)
            assert model.provider.api_key.get_secret_value() == "sk-y"
        asked = [(one.path, one.headers.get("authorization")) for one in server.requests]
        assert asked[0] == ("/v1/models", None)
        assert asked[1:] == [("/v1/models", None), ("/v1/models", "Bearer sk-y"), ("/models", "Bearer sk-y")]


async def test_an_address_at_which_nothing_answers_is_told_at_once_and_kept_for_correction(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async def nothing(service_type: str, base_url: str, key: str) -> KeyCheck:
        return KeyCheck("unknown", f"{base_url} does not answer (ConnectError)", reached=False)

    async with show(lambda: screen_cases.first_start(work_dir, tmp_path, try_it=nothing)) as shown:
        await choose(shown, "Another server (address)")
        shown.app.screen.query_one(Input).value = "http://bxo:8000"
        await shown.press("enter")
        assert "does not answer (ConnectError)" in str(shown.app.screen.query_one("#trouble", Static).content)
        assert shown.app.screen.query_one(Input).value == "http://bxo:8000"
        assert not shown.app.screen.query_one(Input).password
        await shown.press("enter")
        assert shown.app.screen.query_one(Input).password


async def test_a_server_that_does_not_answer_is_kept_with_a_word_and_the_model_that_one_names(
    show: ShowScreen, work_dir: Path, tmp_path: Path
) -> None:
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path)) as shown:
        await choose(shown, "Another server (address)")
        shown.app.screen.query_one(Input).value = "http://box:8000"
        await shown.press("enter", "enter")
        assert "Connection test failed: no network" in str(shown.app.screen.query_one("#trouble", Static).content)
        await shown.press(*"mine", "enter")
        expected = custom_server_changes("http://box:8000/v1", "", "mine") | {("default_model",): "mine"}
        assert shown.results == [SetupResult("kimi-dark", expected, "mine")]


async def test_the_settings_of_kimi_cli_are_taken_over(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path)) as shown:
        await choose(shown, "Import ~/.kimi/config.toml")
        (choice,) = shown.results
        assert isinstance(choice, SetupResult)
        model = choose_model(edit(choice.changes, tmp_path / "config.yaml").config, environ={})
        assert (model.name, model.model.model, model.provider.api_key.get_secret_value()) == ("k2", "kimi-k2", "sk-x")


def test_settings_of_kimi_cli_that_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    (tmp_path / ".kimi").mkdir()
    (tmp_path / ".kimi" / "config.toml").write_text("default_model = 'gone'", "utf-8")
    found = find_kimi_cli_import(tmp_path / ".kimi")
    assert found is not None
    assert found.trouble == "no model named 'gone'"


async def test_the_demo_needs_no_model(show: ShowScreen, work_dir: Path, tmp_path: Path) -> None:
    async with show(lambda: screen_cases.first_start(work_dir, tmp_path)) as shown:
        await choose(shown, "Watch the demo")
        assert shown.results == [SetupResult("kimi-dark", demo=True)]


def test_what_is_written_of_every_service_can_be_loaded(tmp_path: Path) -> None:
    for service in SERVICES:
        file = tmp_path / f"{service.name}.yaml"
        config = edit(provider_settings_changes(service, "sk-x", service.model), file).config
        assert choose_model(config, environ={}).model.max_context_size == service.size
