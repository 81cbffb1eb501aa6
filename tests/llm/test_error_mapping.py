"""What services say of their failures."""

import time

import pytest

from kimi_tui.llm.error_mapping import clean, event_error, response_error, retry_after_seconds, service_message

NOON = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "5"}, 5),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, now=NOON) == seconds


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("two\nlines\tand  tabs", "two lines and tabs"),
        ("\x1b[31mred\x1b[0m \x9b2J", "[31mred [0m 2J"),
        ("key sk-proj-abcdef123456 is wrong", "key *** is wrong"),
        ("header Authorization: Bearer abc.def", "header Authorization: Bearer ***"),
        ("AIzaSyA1234567890abcdefghij", "***"),
    ],
)
def test_a_message_of_a_service_is_cleaned(said: str, shown: str) -> None:
    assert clean(said) == shown


def test_a_long_message_is_cut() -> None:
    assert len(clean("x" * 100_000)) == 500


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"text"', b'{"error": {"message": {"a": 1}}}', b"\xff\xfe"]
)
def test_any_body_makes_an_error(body: bytes) -> None:
    assert str(response_error(500, {}, body)).startswith("the service answered 500 (Internal Server Error)")


@pytest.mark.parametrize("date", ["Mon, 01 Jan 99999999999 00:00:00 GMT", f"Mon, 01 Jan 2027 00:00:00 +{'9' * 20}"])
def test_a_date_that_no_clock_reaches_says_nothing_of_when(date: str) -> None:
    assert retry_after_seconds({"retry-after": date}) is None


@pytest.mark.parametrize(
    "data",
    [b'{"error": NaN}', b'{"error": {"message": "busy", "code": 1e999}}', b'{"error": "\xff"}', b'{"error":' * 3000],
)
def test_an_event_of_an_error_is_one_whatever_its_json_is(data: bytes) -> None:
    assert "the service reported an error" in str(event_error(data))


@pytest.mark.parametrize("page", ["<html><TITLE class=x>Bad\ngateway</TITLE>", "<html><title>Bad gateway</title>"])
def test_the_title_of_a_web_page_is_told(page: str) -> None:
    assert service_message(page.encode()) == "Bad gateway"


@pytest.mark.parametrize("page", ["<html>" + "<title" * 10_000, "<html>" + "<title>" * 9_000])
def test_a_page_of_unfinished_titles_has_none_and_is_read_in_one_pass(page: str) -> None:
    begin = time.process_time()
    assert service_message(page.encode()) == ""
    assert time.process_time() - begin < 0.2
