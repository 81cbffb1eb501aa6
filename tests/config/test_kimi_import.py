import json

import pytest

from kimi_tui import paths
from kimi_tui.cli.main import main
from kimi_tui.config.kimi_import import find_kimi_cli_import
from kimi_tui.config.loader import load_config
from kimi_tui.config.model_selection import choose_model
from kimi_tui.errors import ModelNotSetError
from kimi_tui.mcp.config import load as load_mcp

KIMI = """\
default_model = "k2"
default_thinking = true
default_yolo = false
telemetry = true
theme = "light"

[providers.moon]
type = "kimi"
base_url = "https://example.invalid/v1"
api_key = "sk-x"

[providers."managed:kimi-code"]
type = "kimi"
base_url = "https://example.invalid/coding/v1"
api_key = ""
oauth = {storage = "file", key = "oauth/kimi-code"}

[models.k2]
provider = "moon"
model = "kimi-k2"
max_context_size = 1000

[models.code]
provider = "managed:kimi-code"
model = "kimi-for-coding"
max_context_size = 1000

[loop_control]
max_steps_per_run = 50

[services.moonshot_search]
base_url = "https://example.invalid/search"
api_key = ""
oauth = {storage = "file", key = "oauth/kimi-code"}

[services.moonshot_fetch]
base_url = "https://example.invalid/fetch"
api_key = "sk-f"

[[hooks]]
event = "Stop"
command = "true"
"""


@pytest.fixture
def kimi_home():
    folder = paths.kimi_home()
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(KIMI)
    servers = {"good": {"command": "x"}, "bad": {"url": 5}, "ours": {"command": "theirs"}}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    return folder


@pytest.mark.usefixtures("kimi_home")
def test_all_that_means_something_here_is_taken_over_but_logins(capsys, tmp_path):
    paths.home().mkdir(parents=True)
    (paths.home() / "mcp.json").write_text(json.dumps({"mcpServers": {"ours": {"command": "y"}}}))
    assert main(["migrate"]) == 0
    told = capsys.readouterr().out
    assert "not imported (OAuth logins): managed:kimi-code, moonshot_search" in told
    assert "MCP servers: good" in told
    loaded = load_config()
    config = loaded.config
    assert (loaded.warnings, config.default_model, config.default_thinking, config.theme) == (
        (),
        "k2",
        True,
        "kimi-dark",
    )
    assert list(config.models) == ["k2"]
    assert list(config.providers) == ["moon"]
    assert config.loop_control.max_steps_per_turn == 50
    assert config.hooks[0].command == "true"
    assert config.services.moonshot_search is None
    assert config.services.moonshot_fetch is not None
    assert choose_model(config).provider.api_key.get_secret_value() == "sk-x"
    assert {one.name: one.config.command for one in load_mcp(tmp_path).servers} == {"ours": "y", "good": "x"}


@pytest.mark.usefixtures("kimi_home")
def test_what_is_set_here_already_stays(capsys):
    paths.home().mkdir(parents=True)
    (paths.home() / "config.yaml").write_text("default_thinking: false\nloop_control: {max_steps_per_turn: 7}\n")
    assert main(["migrate"]) == 0
    config = load_config().config
    assert (config.default_thinking, config.default_model) == (False, "k2")
    assert main(["migrate"]) == 0
    assert "nothing new" in capsys.readouterr().out


@pytest.mark.usefixtures("kimi_home")
def test_without_a_model_it_is_said_how_to_take_over():
    with pytest.raises(ModelNotSetError, match=r"~/\.kimi/config\.toml: kimi-tui migrate takes them over"):
        choose_model(load_config().config, environ={})


def test_a_login_of_kimi_cli_is_told_and_not_sent_as_a_key(kimi_home):
    config = load_config(kimi_home / "config.toml").config
    with pytest.raises(ModelNotSetError, match="managed:kimi-code uses an OAuth login of Kimi CLI"):
        choose_model(config, "code", environ={})
    assert choose_model(config, "code", environ={"KIMI_API_KEY": "k"}).provider.api_key.get_secret_value() == "k"


def test_with_logins_alone_there_is_nothing_to_take_over(kimi_home):
    text = KIMI.replace('api_key = "sk-x"', 'oauth = {key = "x"}')
    (kimi_home / "config.toml").write_text(text)
    found = find_kimi_cli_import()
    assert found is not None
    assert "moon, managed:kimi-code, moonshot_search: the OAuth login" in found.trouble
    assert main(["migrate"]) == 2


def test_there_may_be_nothing_of_kimi_cli(capsys):
    assert main(["migrate"]) == 2
    assert "no Kimi CLI settings to import" in capsys.readouterr().err
