"""Rules on the arguments of tools that are not ours."""

import pytest

from kimi_tui.permission.rule import Effect, Match, parse_rule
from kimi_tui.permission.subject import ArgumentsSubject
from kimi_tui.tools.core.permission_subject import parse_subject
from kimi_tui.tools.file_support.workspace import Workspace

ISSUE = {"repo": "acme/site", "title": "It is down", "labels": ["bug", "acme/urgent"], "draft": False, "count": 3}


def fits(effect: Effect, pattern: str, arguments: dict) -> bool:
    rule = parse_rule(f"mcp__hub__*({pattern})", effect)
    return rule.matches(ArgumentsSubject(arguments)) is Match.YES


@pytest.mark.parametrize(
    ("pattern", "arguments", "covered"),
    [
        ("repo=acme/*", ISSUE, True),
        ("repo=acme/* draft=false", ISSUE, True),
        ("repo=acme/* draft=true", ISSUE, False),
        ("title='It is *'", ISSUE, True),
        ("count=3", ISSUE, True),
        ("repo=other/*", ISSUE, False),
        ("owner=*", ISSUE, False),
        ("labels=*", {"meta": {"labels": "x"}}, False),
        ("path=/work/*", {"path": "/work/a/b.txt"}, True),
        ("path=/work/*", {"path": "/work/../etc/passwd"}, False),
        ("path=../*", {"path": "../a"}, False),
        ("*", {"path": "x"}, True),
        ("*", {}, False),
        ("a*", {"one": "ab", "two": "b"}, False),
        ("url=https://*.example.org/*", {"url": "https://a.example.org/x"}, True),
        ("url=https://*.example.org/*", {"url": "https://other.net/.example.org/x"}, False),
        ("url=https://*.example.org/*", {"url": "https://other.net\\.example.org/x"}, False),
        ("url=http://localhost:*", {"url": "http://localhost:3000/x?y=z"}, True),
        ("url=http://localhost:*", {"url": "http://localhost:3000@other.net/"}, False),
        ("url=ssh://*@example.org/*", {"url": "ssh://git@example.org/x"}, True),
    ],
)
def test_a_rule_that_allows_covers_what_the_arguments_surely_are(pattern, arguments, covered):
    assert fits(Effect.ALLOW, pattern, arguments) is covered


@pytest.mark.parametrize(
    ("pattern", "arguments", "met"),
    [
        ("repo=acme/*", ISSUE, True),
        ("labels=acme/*", ISSUE, True),
        ("repo=other/*", ISSUE, False),
        ("*urgent*", ISSUE, True),
        ("path=/etc/*", {"path": "/work/../etc/passwd"}, True),
        ("path=/etc/*", {"files": [{"path": "/etc//passwd"}]}, True),
        ("path=/etc/*", {"file": "/etc/passwd"}, False),
        ("repo=acme/* title=*up*", ISSUE, False),
    ],
)
def test_a_rule_that_denies_or_asks_meets_what_may_be_meant(pattern, arguments, met):
    assert fits(Effect.DENY, pattern, arguments) is met
    assert fits(Effect.ASK, pattern, arguments) is met


def test_a_person_writes_the_arguments_as_json(tmp_path):
    subject = parse_subject("mcp__hub__new", '{"repo": "acme/site"}', Workspace(tmp_path))
    assert subject == ArgumentsSubject({"repo": "acme/site"})
    for text in ("acme/site", "[1]", "{"):
        with pytest.raises(ValueError, match="a JSON object"):
            parse_subject("mcp__hub__new", text, Workspace(tmp_path))
