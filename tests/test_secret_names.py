"""Which names are those of secrets."""

import pytest

from kimi_tui.secret_names import is_secret_name


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("AWS_SECRET_ACCESS_KEY", True),
        ("x-api-key", True),
        ("sessionToken", True),
        ("DB_PASS", True),
        ("n" * 1_000 + "_TOKEN", True),
        ("PATH", False),
        ("monkey", False),
        ("compass", False),
    ],
)
def test_a_secrets_name_is_known_in_any_spelling(name: str, *, is_secret: bool) -> None:
    assert is_secret_name(name) is is_secret
