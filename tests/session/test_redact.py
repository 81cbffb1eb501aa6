"""What leaves this machine without secrets."""

import time

import pytest

from kimi_tui.session.redact import Redactor


@pytest.mark.parametrize(
    "text",
    ["a-" * 6_000, "eyJa-" * 20_000, "a_-api" * 4_000, "a_key=" * 20_000, "secret" * 20_000, "a = " * 20_000],
    ids=["words", "tokens", "names", "values", "one name", "assignments"],
)
def test_no_text_of_a_session_is_redacted_in_quadratic_time(text: str) -> None:
    start = time.thread_time()
    Redactor().text(text)
    assert time.thread_time() - start < 3


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("x eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF y", "x eyJ[redacted] y"),
        ("v1.token-eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF.end", "v1.token-eyJ[redacted].end"),
        ("eyJa.b.c and a.b.c.d", "eyJa.b.c and a.b.c.d"),
        ("MY_API_KEY=abcdefgh x", "MY_API_KEY=[redacted] x"),
        ("éapi-key: abcdefgh", "éapi-key: [redacted]"),
        ("https://h.example/?my-secret=abcdefgh&x=1", "https://h.example/?my-secret=[redacted]&x=1"),
    ],
)
def test_keys_are_redacted_wherever_a_word_holds_them(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [redacted]"),
        ('{"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG"}', '{"SecretAccessKey": "[redacted]"}'),
        ('{\\"SessionToken\\": \\"FwoGZXIvYXdz1\\"}', '{\\"SessionToken\\": \\"[redacted]\\"}'),
        ("SECRET_KEY='django-insecure-09x!ab'", "SECRET_KEY='[redacted]'"),
        ("DB_PASS=hunter2hunter2; PORT=5432", "DB_PASS=[redacted]; PORT=5432"),
        ("Cookie: sid=4f8a2c91", "Cookie: [redacted]"),
        ("x sk_live_51H8abcdefghijkl y", "x sk_live_[redacted] y"),
        ("max_tokens=500000 input_tokens: 12345678", "max_tokens=500000 input_tokens: 12345678"),
        ("primary_key=True, sort_key = key_of(row)", "primary_key=True, sort_key = key_of(row)"),
    ],
)
def test_what_commands_do_not_get_in_their_environment_is_in_no_export(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted


def test_fields_named_like_a_secret_are_redacted() -> None:
    row = {"sessionToken": "FwoGZXIvYXdz1", "token_usage": {"output": 12}, "api_key": "k", "monkey": "abcdefgh1"}
    assert Redactor().value(row) == {**row, "sessionToken": "[redacted]", "api_key": "[redacted]"}


def test_a_secret_of_our_environment_is_in_no_export(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "without-the-look-of-a-key")
    monkeypatch.setenv("GITLAB_TOKEN", "4f8a2c91d0")
    monkeypatch.setenv("EDITOR_TOKENS", "terminal")
    assert (
        Redactor().text("a without-the-look-of-a-key b 4f8a2c91d0 c terminal") == "a [redacted] b [redacted] c terminal"
    )
