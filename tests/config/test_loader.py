import time
from pathlib import Path

import pytest

from kimi_tui.config.loader import load_config, load_project_config
from kimi_tui.config.schema import Config
from kimi_tui.errors import ConfigError
from tests.config.config_files import YAML, written
from tests.test_yaml_text import BOMB


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
    first = load_config(written(tmp_path, YAML)).config
    second = load_config(written(tmp_path, toml, "c.toml")).config
    third = load_config(text=first.model_dump_json().replace("**********", "sk-secret")).config
    assert first == second == third
    assert first.loop_control.max_steps_per_turn == 7


def test_no_file_is_the_defaults():
    assert load_config().config == Config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", r"config.yaml: line 1, column \d+"),
        ("models: 3", "config.yaml:1: models: "),
        ("loop_control: {max_steps_per_turn: 0}", "loop_control.max_steps_per_turn: "),
        ("providers: {x: {type: magic}}", "providers.x.type: "),
        ("models: {k: {provider: nobody, model: m}}", "models.k.provider: no provider named 'nobody'"),
        ("default_model: k", "default_model: no model named 'k'"),
        ("\n- 1", "config.yaml:2: the configuration must be a mapping, not a list"),
        ("[]", "config.yaml:1: the configuration must be a mapping, not a list"),
        ("false", "config.yaml:1: the configuration must be a mapping, not a single value"),
        ("''", "config.yaml:1: the configuration must be a mapping, not a single value"),
        (b"\xff\xfe", "not UTF-8"),
        ("a: &a [*a]\nb: !!python/object:os.system x", "config.yaml: "),
        ("a: " + "[" * 5000, "config.yaml: "),
    ],
)
def test_bad_config_is_an_error_with_file_key_and_cause(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(written(tmp_path, text))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("theme: kimi\n# often\nloop_control:\n  max_steps_per_turn: many\n", 4, "loop_control.max_steps_per_turn: "),
        ("models:\n  k:\n    model: m\n    provider: nobody\n", 4, "models.k.provider: no provider named"),
        ("theme: kimi\n\ndefault_model: k\n", 3, "default_model: no model named"),
        ("providers:\n  p: {type: magic}\n", 2, "providers.p.type: "),
    ],
)
def test_a_wrong_value_is_told_with_its_line(tmp_path, text, line, message):
    file = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value).startswith(f"{file}:{line}: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models:\n  m:\n    provider: p\n    modle: x\n", "4: models.m.modle: no such key; did you mean model?"),
        ("hooks:\n  - {event: Stop, comand: x}\n", "2: hooks.0.comand: no such key; did you mean command?"),
        ("models:\n  m:\n    provider: p\n    colour: x\n", "2: models.m.model: Field required"),
    ],
)
def test_a_required_key_that_is_mistyped_is_told_by_the_name_that_was_written(tmp_path, text, message):
    file = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value) == f"{file}:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "proivders:\n  p: {type: kimi}\nmodels:\n  m: {provider: p, model: x}\n",
            "1: proivders: no such key; did you mean providers?",
        ),
        ("default_model: m\nmodles:\n  m: {provider: p, model: x}\n", "2: modles: no such key; did you mean models?"),
    ],
)
def test_a_mistyped_section_is_named_in_place_of_the_names_that_it_should_define(tmp_path, text, message):
    file = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value) == f"{file}:{message}"


def test_an_unknown_key_is_told_with_its_line(tmp_path):
    file = written(tmp_path, "theme: kimi\n\nteme: light\n")
    assert load_config(file).warnings == (f"{file}:3: teme: no such key; did you mean theme?",)


_MISTYPED_YAML = """\
providers:
  p:
    type: kimi
    api_kye: k
models:
  m:
    provider: p
    model: m
    max_context: 5
loop_control:
  max_step_per_turn: 7
  max_steps_per_run: 3
hooks:
  - event: Stop
    command: "true"
  - event: Stop
    command: "true"
    matcer: x
services:
  searxng: {base_ulr: x}
background: {max_runing_tasks: 2, read_max_bytes: 3}
permissions:
  allow: ["Shell(ls)", {rule: "Shell(pwd)", macth: [pwd]}]
sandbox: {networc: true}
"""
_MISTYPED_TOML = """\
[providers.p]
type = "kimi"
api_kye = "k"
env = {ANY_NAME = "x"}

[models."m.1"]
provider = "p"
model = "m"
max_context = 5

[[hooks]]
event = "Stop"
command = "true"

[[hooks]]
event = "Stop"
command = "true"
matcer = "x"
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "config.yaml",
            _MISTYPED_YAML,
            [
                "21: background.max_runing_tasks: no such key; did you mean max_running_tasks?",
                "18: hooks.1.matcer: no such key; did you mean matcher?",
                "11: loop_control.max_step_per_turn: no such key; did you mean max_steps_per_turn?",
                "9: models.m.max_context: no such key; did you mean max_context_size?",
                "23: permissions.allow.1.macth: no such key; did you mean match?",
                "4: providers.p.api_kye: no such key; did you mean api_key?",
                "24: sandbox.networc: no such key; did you mean network?",
                "20: services.searxng.base_ulr: no such key; did you mean base_url?",
            ],
        ),
        (
            "config.toml",
            _MISTYPED_TOML,
            [
                "18: hooks.1.matcer: no such key; did you mean matcher?",
                "9: models.m.1.max_context: no such key; did you mean max_context_size?",
                "3: providers.p.api_kye: no such key; did you mean api_key?",
            ],
        ),
        ("c.json", '{\n "theme": "kimi",\n "sandbox": {\n  "zzz": 1\n }\n}', ["4: sandbox.zzz: no such key"]),
    ],
)
def test_a_mistyped_key_of_any_depth_is_told_with_its_line_and_the_nearest_name(tmp_path, name, text, expected):
    file = written(tmp_path, text, name)
    assert load_config(file).warnings == tuple(f"{file}:{line}" for line in expected)


def test_an_empty_file_and_one_with_a_byte_order_mark_are_read(tmp_path):
    assert load_config(written(tmp_path, "")).config == Config()
    for name, text in (("c.yaml", "theme: light"), ("c.toml", 'theme = "light"'), ("c.json", '{"theme": "light"}')):
        assert load_config(written(tmp_path, f"\ufeff{text}", name)).config.theme == "kimi-light"


def test_a_device_is_no_configuration():
    with pytest.raises(ConfigError, match="not a regular file"):
        load_config(Path("/dev/zero"))


def test_a_key_that_nobody_knows_is_a_warning_and_a_key_of_the_peer_is_not(tmp_path):
    loaded = load_config(written(tmp_path, "teme: light\ntelemetry: false"))
    assert len(loaded.warnings) == 1
    assert "teme: no such key" in loaded.warnings[0]


def test_a_key_never_shows_in_an_error_or_a_repr(tmp_path):
    loaded = load_config(written(tmp_path, YAML))
    assert "sk-secret" not in repr(loaded)
    with pytest.raises(ConfigError) as caught:
        load_config(written(tmp_path, YAML.replace("kimi,", "magic,")))
    assert "sk-secret" not in str(caught.value)


def test_half_a_surrogate_pair_in_yaml_or_json_becomes_a_replacement(tmp_path):
    for name in ("config.yaml", "config.json"):
        file = tmp_path / name
        file.write_text(r'{"hooks": [{"event": "Stop", "command": "echo \ud800"}]}')
        assert load_config(file).config.hooks[0].command == "echo \ufffd"


@pytest.mark.parametrize("text", [BOMB, "a: " + "[" * 101 + "]" * 101])
def test_a_configuration_that_unfolds_or_nests_without_end_is_refused_at_once(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"config.yaml: (its aliases expand to too many values|nested too deeply)"):
        load_config(written(tmp_path, text))


def test_of_many_unknown_keys_the_first_are_told(tmp_path: Path) -> None:
    file = written(tmp_path, "".join(f"zz{number}: 1\n" for number in range(1000)))
    warnings = load_config(file).warnings
    assert len(warnings) == 21
    assert warnings[0] == f"{file}:1: zz0: no such key"
    assert warnings[-1] == f"{file}: more keys are unknown"


def test_a_file_larger_than_allowed_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="larger than 64 KiB"):
        load_project_config(written(tmp_path, "#" * ((1 << 16) + 1)))


def test_a_file_that_is_slow_to_read_is_read_once_and_what_was_read_is_not_shared(tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("a0: [b]", "utf-8")
    load_config(other)  # what a first read imports does not count
    file = tmp_path / "config.yaml"
    file.write_text("\n".join(f"a{number}: [b]" for number in range(3000)), "utf-8")
    before = time.thread_time()
    first = load_config(file)
    once = time.thread_time() - before
    before = time.thread_time()
    assert load_config(file) == first
    assert time.thread_time() - before < once / 10
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [", "utf-8")
    for _ in range(2):
        with pytest.raises(ConfigError, match="line 1"):
            load_config(broken)


def test_a_header_or_a_variable_named_like_a_secret_is_one() -> None:
    headers = {
        "Authorization": "Bearer of-a-proxy",
        "X-Api-Key": "of-a-search",
        "User-Agent": "kimi-tui",
        "X-Auth": " ",
    }
    env = {"OPENAI_API_KEY": "of-the-env", "OPENAI_BASE_URL": "http://x"}
    config = Config.model_validate(
        {
            "providers": {"a": {"type": "kimi", "api_key": "mine", "custom_headers": headers, "env": env}},
            "services": {"tavily": {"base_url": "http://x", "custom_headers": {"Cookie": "sid=1"}}},
        }
    )
    assert config.secrets == ("mine", "of-a-proxy", "of-a-search", "sid=1", "of-the-env")
