import json

import pytest

from kimi_tui.cli.launch import plan_of
from kimi_tui.cli.options import parse

PROVIDERS = {"p": {"type": "kimi", "api_key": "k"}}


def config(capabilities):
    models = {"m": {"provider": "p", "model": "model", "capabilities": capabilities}}
    return json.dumps({"providers": PROVIDERS, "models": models})


@pytest.mark.parametrize(
    ("capabilities", "option", "warned"),
    [([], "--thinking", True), (["thinking"], "--thinking", False), ([], "--no-thinking", False)],
)
def test_thinking_that_is_not_sent_is_said(tmp_path, capabilities, option, warned):
    plan = plan_of(parse(["-w", str(tmp_path), "--config", config(capabilities), option]), interactive=False)
    assert any("not asked to think" in warning for warning in plan.warnings) == warned
