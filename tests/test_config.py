import pytest

from kimi_tui import config
from kimi_tui.errors import ConfigError, ModelNotSetError

YAML = """
# mine
default_model: k2
providers:
  moon: {type: kimi, base_url: "https://example.invalid/v1", api_key: sk-secret}
models:
  k2: {provider: moon, model: kimi-k2, max_context_size: 1000}
loop_control: {max_steps_per_run: 7}
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KIMI_TUI_HOME", str(tmp_path / "home"))


def written(tmp_path, text, name="config.yaml"):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_yaml_toml_and_json_of_one_shape_give_one_configuration(tmp_path):
    toml = """
default_model = "k2"
[providers.moon]
type = "kimi"
base_url = "https://example.invalid/v1"
api_key = "sk-secret"
[models.k2]
provider = "moon"
model = "kimi-k2"
max_context_size = 1000
[loop_control]
max_steps_per_turn = 7
"""
    first = config.load(written(tmp_path, YAML)).config
    second = config.load(written(tmp_path, toml, "c.toml")).config
    third = config.load(text=first.model_dump_json().replace("**********", "sk-secret")).config
    assert first == second == third
    assert first.loop_control.max_steps_per_turn == 7


def test_no_file_is_the_defaults():
    assert config.load().config == config.Config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", r"config.yaml: line 1, column \d+"),
        ("models: 3", "config.yaml: models: "),
        ("loop_control: {max_steps_per_turn: 0}", "loop_control.max_steps_per_turn: "),
        ("providers: {x: {type: magic}}", "providers.x.type: "),
        ("models: {k: {provider: nobody, model: m}}", "models.k.provider: there is no provider 'nobody'"),
        ("default_model: k", "default_model: there is no model 'k'"),
        ("- 1", "a configuration is a table of keys"),
        (b"\xff\xfe", "not UTF-8"),
        ("a: &a [*a]\nb: !!python/object:os.system x", "config.yaml: "),
        ("a: " + "[" * 5000, "config.yaml: "),
    ],
)
def test_bad_config_is_an_error_with_file_key_and_cause(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message) as caught:
        config.load(written(tmp_path, text))
    assert caught.value.exit_code == 2


def test_an_empty_file_and_one_with_a_byte_order_mark_are_read(tmp_path):
    assert config.load(written(tmp_path, "")).config == config.Config()
    for name, text in (("c.yaml", "theme: light"), ("c.toml", 'theme = "light"'), ("c.json", '{"theme": "light"}')):
        assert config.load(written(tmp_path, f"\ufeff{text}", name)).config.theme == "kimi-light"


def test_a_device_is_no_configuration():
    from pathlib import Path

    with pytest.raises(ConfigError, match="not a regular file"):
        config.load(Path("/dev/zero"))


def test_a_key_that_nobody_knows_is_a_warning_and_a_key_of_the_peer_is_not(tmp_path):
    loaded = config.load(written(tmp_path, "teme: light\ntelemetry: false"))
    assert len(loaded.warnings) == 1
    assert "teme: no such key" in loaded.warnings[0]


def test_a_key_never_shows_in_an_error_or_a_repr(tmp_path):
    loaded = config.load(written(tmp_path, YAML))
    assert "sk-secret" not in repr(loaded)
    with pytest.raises(ConfigError) as caught:
        config.load(written(tmp_path, YAML.replace("kimi,", "magic,")))
    assert "sk-secret" not in str(caught.value)


def test_the_environment_goes_over_the_file(tmp_path):
    loaded = config.load(written(tmp_path, YAML)).config
    environ = {"KIMI_BASE_URL": "http://x/v1", "KIMI_API_KEY": "k", "KIMI_MODEL_MAX_CONTEXT_SIZE": "5"}
    chosen = config.choose_model(loaded, environ=environ)
    assert (chosen.provider.base_url, chosen.provider.api_key.get_secret_value()) == ("http://x/v1", "k")
    assert (chosen.model.model, chosen.model.max_context_size) == ("kimi-k2", 5)


def test_a_key_in_the_environment_is_enough_of_a_model():
    assert config.choose_model(config.Config(), environ={"KIMI_API_KEY": "k"}).provider.type == "kimi"
    openai = {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}
    assert config.choose_model(config.Config(), environ=openai).model.model == "m"


def test_without_a_model_the_error_says_what_to_do():
    with pytest.raises(ModelNotSetError, match="KIMI_API_KEY"):
        config.choose_model(config.Config(), environ={})


def test_a_model_that_is_not_configured_is_named_beside_those_that_are(tmp_path):
    loaded = config.load(written(tmp_path, YAML)).config
    with pytest.raises(ConfigError, match="no model 'gpt'; configured: k2"):
        config.choose_model(loaded, "gpt", environ={})


def test_several_models_of_which_none_is_the_default_are_named():
    text = "providers: {p: {type: vertexai}}\nmodels: {a: {provider: p, model: x}, b: {provider: p, model: y}}\n"
    with pytest.raises(ModelNotSetError, match="name one of a, b as default_model, or with --model"):
        config.choose_model(config.load(None, text=text).config, environ={})
