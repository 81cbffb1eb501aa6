import pytest

from kimi_tui.charsets import decode_text


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("GBK", "\u4f60".encode("gbk"), "\u4f60"),
        ("windows-1252", b"caf\xe9", "caf\xe9"),
        ("ISO-8859-1", b"caf\xe9", "caf\xe9"),
        ("shift_jis", "\u65e5".encode("shift_jis"), "\u65e5"),
        (None, b"\xef\xbb\xbfone\xff", "one\ufffd"),
        *((name, b"a-zz9", "a-zz9") for name in ("punycode", "idna", "undefined", "zip", "unicode_escape", "utf-7")),
        *((name, b"one", "one") for name in ("", "no such", "utf-8\0", "\xff", "x" * 100_000)),
    ],
)
def test_text_is_decoded_in_a_charset_of_web_pages_or_as_utf_8(charset: str | None, body: bytes, text: str) -> None:
    assert decode_text(body, charset) == text


def test_the_first_known_charset_counts() -> None:
    assert decode_text("\u4f60".encode("gbk"), "zip", "gbk", "utf-8") == "\u4f60"
