import json

import pytest

from kimi_tui.cli.main import main
from kimi_tui.config.json_schema import config_schema
from kimi_tui.ui.print.json_schema import stream_json_schema
from kimi_tui.wire.json_schema import wire_schema


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        ([], config_schema()),
        (["config"], config_schema()),
        (["wire"], wire_schema()),
        (["stream-json"], stream_json_schema()),
    ],
)
def test_a_schema_is_printed(capsys: pytest.CaptureFixture[str], arguments: list[str], schema: object) -> None:
    assert main(["config", "schema", *arguments]) == 0
    assert json.loads(capsys.readouterr().out) == schema
