import json

import pytest

from kimi_tui import __version__
from kimi_tui.cli.main import main


def test_info_as_json_has_the_reference_peers_keys(capsys):
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kimi_cli_version"] == facts["kimi_tui_version"] == __version__
    assert facts["agent_spec_versions"] == ["1"]
    assert facts["wire_protocol_version"] == "1.10"
    assert facts["python_version"].startswith("3.")


@pytest.mark.parametrize("word", [__version__, "Wire", "Python"])
def test_info_can_be_read(capsys, word):
    main(["info"])
    assert word in capsys.readouterr().out
