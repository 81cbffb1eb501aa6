from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.errors import UsageError
from kimi_tui.skill.sharing.source import SkillSource, read_source


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("acme/flows", SkillSource("https://github.com/acme/flows", "https")),
        ("acme/flows@v1.2", SkillSource("https://github.com/acme/flows", "https", "v1.2")),
        ("acme/flows/skills/a", SkillSource("https://github.com/acme/flows", "https", None, "skills/a")),
        ("acme/flows@main/skills/a/", SkillSource("https://github.com/acme/flows", "https", "main", "skills/a")),
        ("acme/flows.git/a/SKILL.md", SkillSource("https://github.com/acme/flows", "https", None, "a")),
        ("https://example.org/x/y.git", SkillSource("https://example.org/x/y.git", "https")),
        (
            "https://github.com/acme/flows/tree/main/skills/a",
            SkillSource("https://github.com/acme/flows", "https", "main", "skills/a"),
        ),
        ("ssh://git@example.org:2222/x.git", SkillSource("ssh://git@example.org:2222/x.git", "ssh")),
        ("git@github.com:acme/flows.git", SkillSource("git@github.com:acme/flows.git", "ssh")),
        ("file:///srv/flows.git", SkillSource("file:///srv/flows.git", "file")),
    ],
)
def test_a_source_is_a_repository_a_url_or_a_folder(text: str, source: SkillSource) -> None:
    assert read_source(text) == source


def test_a_folder_is_named_by_its_path(tmp_path: Path) -> None:
    assert read_source(str(tmp_path)) == SkillSource(str(tmp_path.resolve()), None)
    with pytest.raises(UsageError, match="--ref"):
        read_source(str(tmp_path), ref="main")


@pytest.mark.parametrize(
    "text",
    [
        "ext::sh -c touch% x", "fd::17", "git://x/y", "http://x/y", "transport::https://x/y", "::", "https::x",
        "-x", "--upload-pack=x", "ssh://-oProxyCommand=x/y", "git@-oProxyCommand=x:y", "-oX@host:y", "https://-x/y",
        "https://user:secret@host/x", "https://token@host/x", "ssh://a:b@host/x", "https://host", "https://ho st/x",
        "https://host/x?y", "https://host/x#y", "file://other/x", "acme/flows\n", "acme/flows\x1b[m", "", " ",
        "acme/flows@-x", "acme/flows@a..b", "acme/flows@a:b", "acme/flows@+a", "acme/flows@a^", "acme/flows/../x",
        "./nowhere-at-all", "nowhere-at-all",
    ],
)  # fmt: skip
def test_other_protocols_options_and_expressions_are_no_source(text: str) -> None:
    text = text if text.strip() != "acme/flows" else "acme/flows\x00"
    with pytest.raises(UsageError):
        read_source(text)


@pytest.mark.parametrize("ref", ["-x", "a:b", "a..b", "a b", "", "refs/*", "@{-1}", "a//b"])
def test_a_ref_is_a_name_and_nothing_else(ref: str) -> None:
    with pytest.raises(UsageError):
        read_source("acme/flows", ref=ref or " ")


@given(st.text(st.sampled_from("-@:/.~acgit htpsfile\\%?#[]\x00"), max_size=30))
def test_what_git_gets_is_never_an_option_or_another_protocol(text: str) -> None:
    try:
        source = read_source(text)
    except UsageError:
        return
    assert not source.location.startswith("-")
    assert source.protocol is None or source.location.startswith(("https://", "ssh://", "file://")) or "@" in text
    assert "::" not in source.location or source.protocol is None
    assert not (source.ref or "").startswith("-")
