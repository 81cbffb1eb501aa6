from kimi_tui import paths
from kimi_tui.cli.demo import demo_plan
from kimi_tui.cli.options import parse


def test_the_demo_keeps_the_persons_theme_and_language():
    paths.home().mkdir(parents=True)
    (paths.home() / "config.yaml").write_text("theme: kimi-light\nlanguage: zh\n", "utf-8")
    config = demo_plan(parse(["--demo"]), interactive=True).config
    assert (config.theme, config.language) == ("kimi-light", "zh")
    assert config.default_model == "demo-script"
