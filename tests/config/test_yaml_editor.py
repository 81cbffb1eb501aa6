"""Edits of config.yaml on disk."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kimi_tui.config.json_schema import config_schema
from kimi_tui.config.loader import load_config
from kimi_tui.config.yaml_editor import edit, read_table
from kimi_tui.errors import ConfigError

WRITTEN = """\
# Mine, by hand.
theme: kimi-dark   # at night

providers:
  # the one at work
  box:
    type: openai_legacy
    base_url: "http://127.0.0.1:9/v1"
models:
  small:
    provider: box
    model: small-1
extra_skill_dirs:
    - one   # first
    - two
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(WRITTEN, "utf-8")
    return path


def test_comments_order_and_quotes_stay(file: Path) -> None:
    edit({("theme",): "kimi-light"}, file)
    assert file.read_text("utf-8") == WRITTEN.replace("kimi-dark  ", "kimi-light ")


def test_a_key_that_was_not_there_is_added_and_the_rest_is_as_it_was(file: Path) -> None:
    loaded = edit({("default_model",): "small"}, file)
    assert loaded.config.default_model == "small"
    assert file.read_text("utf-8") == WRITTEN + "default_model: small\n"


def test_tables_are_made_on_the_way_and_names_may_hold_dots(file: Path) -> None:
    edit({("models", "kimi-k2.5", "provider"): "box", ("models", "kimi-k2.5", "model"): "kimi-k2.5"}, file)
    assert load_config(file).config.models["kimi-k2.5"].model == "kimi-k2.5"
    assert "# the one at work" in file.read_text("utf-8")


def test_edits_at_the_same_time_are_all_kept(file: Path) -> None:
    names = [f"m{number}" for number in range(24)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda name: edit({("models", name): {"provider": "box", "model": name}}, file), names))
    assert {*names, "small"} == set(load_config(file).config.models)


def test_none_takes_a_key_out(file: Path) -> None:
    edit({("theme",): None, ("nothing", "there"): None}, file)
    assert "theme" not in read_table(file)
    assert "nothing" not in file.read_text("utf-8")


def test_comments_after_a_removed_key_stay(file: Path) -> None:
    file.write_text(
        "ascii: true  # for the console\n\n# Ask Anna first.\n# sandbox:\n#   writable: [~/data]\nkeys:\n"
        "  # The terminal takes F4.\n  todo: f6\n  # more keys\n\n# The editor of this machine.\n"
        "extra_skill_dirs:\n- one\n\n# the end\n",
        "utf-8",
    )
    edit({("ascii",): None, ("keys", "todo"): None, ("extra_skill_dirs",): ["two"]}, file)
    assert file.read_text("utf-8") == (
        "\n# Ask Anna first.\n# sandbox:\n#   writable: [~/data]\n"
        "  # The terminal takes F4.\n  # more keys\n\n# The editor of this machine.\n"
        "\n# the end\nextra_skill_dirs:\n- two\n"
    )


def test_the_only_key_is_removed_and_the_comments_stay(file: Path) -> None:
    file.write_text("---\n# Mine.\ntheme: kimi\n# models:\n", "utf-8")
    edit({("theme",): None}, file)
    assert file.read_text("utf-8") == "---\n# Mine.\n# models:\n"


def test_an_edit_that_would_lose_a_comment_is_refused(file: Path) -> None:
    text = "providers: {\n  box: {type: kimi, # at work\n        api_key: k},\n}\n"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="the comment # at work would be lost; change this file by hand"):
        edit({("theme",): "kimi"}, file)
    assert file.read_text("utf-8") == text


def test_an_edit_that_would_not_load_is_refused_and_nothing_is_changed(file: Path) -> None:
    with pytest.raises(ConfigError) as error:
        edit({("default_model",): "large"}, file)
    assert str(error.value) == f"{file}: default_model: no model named 'large'"
    assert file.read_text("utf-8") == WRITTEN
    assert [path.name for path in file.parent.iterdir()] == ["config.yaml"]


def test_a_file_that_is_broken_already_is_left_alone(file: Path) -> None:
    file.write_text("theme: [", "utf-8")
    with pytest.raises(ConfigError):
        edit({("theme",): "kimi"}, file)
    assert file.read_text("utf-8") == "theme: ["


def test_a_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.yaml"
    edit({("theme",): "kimi"}, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text("utf-8").endswith("# The configuration of kimi-tui.\ntheme: kimi\n")


def test_a_file_of_comments_keeps_them(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("# theme: kimi\n", "utf-8")
    edit({("theme",): "kimi"}, file)
    edit({("language",): "zh"}, file)
    assert file.read_text("utf-8") == "# theme: kimi\ntheme: kimi\nlanguage: zh\n"


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "linked.yaml"
    link.symlink_to(file)
    edit({("theme",): "kimi"}, link)
    assert link.is_symlink()
    assert read_table(file)["theme"] == "kimi"


def test_toml_is_not_edited(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="by hand"):
        edit({("theme",): "kimi"}, tmp_path / "config.toml")


def test_a_new_file_names_the_schema_that_is_written_beside_it(tmp_path: Path) -> None:
    edit({("theme",): "kimi-light"}, tmp_path / "config.yaml")
    first_line = (tmp_path / "config.yaml").read_text("utf-8").splitlines()[0]
    assert first_line == "# yaml-language-server: $schema=config.schema.json"
    assert json.loads((tmp_path / "config.schema.json").read_text("utf-8")) == config_schema()


def test_a_file_of_the_users_own_gets_no_schema(file: Path) -> None:
    edit({("theme",): "kimi-light"}, file)
    assert not (file.parent / "config.schema.json").exists()
