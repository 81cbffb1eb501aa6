import pytest

from kimi_tui.config.loader import load_config
from kimi_tui.config.model_selection import choose_model
from kimi_tui.config.schema import Config
from kimi_tui.errors import ConfigError, ModelNotSetError
from tests.config.config_files import YAML, written


def test_the_environment_goes_over_the_file(tmp_path):
    loaded = load_config(written(tmp_path, YAML)).config
    environ = {"KIMI_BASE_URL": "http://x/v1", "KIMI_API_KEY": "k", "KIMI_MODEL_MAX_CONTEXT_SIZE": "5"}
    chosen = choose_model(loaded, environ=environ)
    assert (chosen.provider.base_url, chosen.provider.api_key.get_secret_value()) == ("http://x/v1", "k")
    assert (chosen.model.model, chosen.model.max_context_size) == ("kimi-k2", 5)


def test_a_key_in_the_environment_is_enough_of_a_model():
    assert choose_model(Config(), environ={"KIMI_API_KEY": "k"}).provider.type == "kimi"
    openai = {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}
    assert choose_model(Config(), environ=openai).model.model == "m"


def test_without_a_model_the_error_says_what_to_do():
    with pytest.raises(ModelNotSetError, match="KIMI_API_KEY"):
        choose_model(Config(), environ={})


def test_a_model_that_is_not_configured_is_named_beside_those_that_are(tmp_path):
    loaded = load_config(written(tmp_path, YAML)).config
    with pytest.raises(ConfigError, match=r"no model named 'gpt'. Configured: k2"):
        choose_model(loaded, "gpt", environ={})


def test_several_models_of_which_none_is_the_default_are_named():
    text = "providers: {p: {type: vertexai}}\nmodels: {a: {provider: p, model: x}, b: {provider: p, model: y}}\n"
    with pytest.raises(ModelNotSetError, match="set default_model or --model to one of a, b"):
        choose_model(load_config(None, text=text).config, environ={})


OPENAI = "providers: {{p: {{type: openai_legacy, {place}api_key: mine}}}}\nmodels: {{a: {{provider: p, model: x}}}}\n"


@pytest.mark.parametrize(
    ("place", "environ", "key"),
    [
        ("", {"OPENAI_API_KEY": "theirs"}, "theirs"),
        ("base_url: 'https://api.openai.com/v1', ", {"OPENAI_API_KEY": "theirs"}, "theirs"),
        ("base_url: 'http://127.0.0.1:8080/v1', ", {"OPENAI_API_KEY": "theirs"}, "mine"),
        ("base_url: 'https://api.openai.com.evil.example/v1', ", {"OPENAI_API_KEY": "theirs"}, "mine"),
        ("base_url: 'http://[old', ", {"OPENAI_API_KEY": "theirs"}, "mine"),
        ("base_url: 'http://old/v1', ", {"OPENAI_API_KEY": "theirs", "OPENAI_BASE_URL": "http://new/v1"}, "theirs"),
    ],
)
def test_the_environments_key_for_openai_goes_to_no_other_server_of_the_file(
    place: str, environ: dict[str, str], key: str
) -> None:
    config = load_config(None, text=OPENAI.format(place=place)).config
    assert choose_model(config, environ=environ).provider.api_key.get_secret_value() == key
