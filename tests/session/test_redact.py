"""What leaves this machine without secrets."""

import time

import pytest

from kimi_tui.session.redact import Redactor


@pytest.mark.parametrize("text", ["a-" * 6_000, "eyJa-" * 20_000, "a_-api" * 4_000], ids=["words", "tokens", "names"])
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
