"""Rules for pages: one that denies is not passed by another spelling, and one that allows does not climb."""

import pytest

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.permission_subject import page_subject


def effect(rule: str, url: str, wanted: Effect) -> Effect | None:
    return Policy([parse_rule(f"FetchURL({rule})", wanted)]).decide("FetchURL", page_subject(url)).effect


@pytest.mark.parametrize("url", [
    "https://a.example", "https://a.example?x=1", "https://a.example#x", "https://A.example/x", "https://a.example./x",
    "https://u:p@a.example/x", "https://a.example:443/x", "https://a.example:8443?x", "HTTPS://a.example/x",
])  # fmt: skip
def test_a_rule_that_denies_a_site_denies_all_of_its_addresses(url: str) -> None:
    assert effect("https://a.example/*", url, Effect.DENY) is Effect.DENY


@pytest.mark.parametrize(
    "rule", ["93.184.216.34", "93.184.*", "http://93.184.216.34/*", "1572395042", "93.184.216.34:80"]
)
@pytest.mark.parametrize("host", [
    "93.184.216.34", "1572395042", "0x5d.184.216.34", "93.184.55330", "0x5DB8D822", "93.184.216.34.",
    "[::ffff:93.184.216.34]", "[::ffff:5db8:d822]", "[64:ff9b::5db8:d822]", "[::93.184.216.34]",
])  # fmt: skip
def test_a_rule_that_denies_an_address_denies_all_its_spellings(rule: str, host: str) -> None:
    for wanted in (Effect.DENY, Effect.ASK):
        assert effect(rule, f"http://{host}/x", wanted) is wanted
    assert effect(rule, "http://93.184.216.35/x", Effect.DENY) is not Effect.DENY or "*" in rule
    assert effect("[2606:2800:220::1]", "http://[2606:2800:220:0::1]/x", Effect.DENY) is Effect.DENY


@pytest.mark.parametrize("host", ["1572395042", "[::ffff:93.184.216.34]", "[2002:5db8:d822::1]"])
def test_a_rule_that_allows_an_address_allows_it_as_it_is_usually_written(host: str) -> None:
    assert effect("93.184.216.34", f"http://{host}/x", Effect.ALLOW) is None
    assert effect("93.184.216.34", "http://93.184.216.34/x", Effect.ALLOW) is Effect.ALLOW


@pytest.mark.parametrize("path", [
    "/private/x", "//private/x", "/./private/x", "/docs/../private/x", "/%70rivate/x", "/private%2fx",
    "/docs/%2e%2e/private/x",    "/%2570rivate/x", "/docs/..\\private/x", "/private?x", "/private",
])  # fmt: skip
def test_a_rule_that_denies_a_path_denies_its_other_spellings(path: str) -> None:
    assert effect("https://a.example/private/*", f"https://a.example{path}", Effect.DENY) is Effect.DENY
    assert effect("https://a.example/private/*", f"https://a.example:443{path}", Effect.ASK) is Effect.ASK


@pytest.mark.parametrize("query", ["q=secret+word", "q=%73ecret%20word", "%71=%2573ecret+word", "q=secret%2Bword"])
def test_a_rule_that_denies_a_query_denies_its_other_spellings(query: str) -> None:
    rule = "https://a.example/find[?]q=secret?word"
    assert effect(rule, f"https://a.example/find?{query}", Effect.DENY) is Effect.DENY
    assert effect(rule, "https://a.example/find?q=other+word", Effect.DENY) is None


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_a_rule_that_denies_the_usual_port_denies_an_address_without_one(scheme: str, port: int) -> None:
    assert effect(f"{scheme}://a.example:{port}/*", f"{scheme}://a.example/x", Effect.DENY) is Effect.DENY
    assert effect(f"{scheme}://a.example:{port}/*", f"{scheme}://a.example:8080/x", Effect.DENY) is None


@pytest.mark.parametrize(
    ("path", "covers"),
    [("/docs/x", True), ("/docs/a..b", True), ("/docs/x?..", True), ("/docs/../x", False), ("/docs/%2e%2e/x", False),
     ("/docs/.%2E/x", False), ("/docs/%252e%252e/x", False), ("/docs/..\\x", False), ("/docs/..", False)],
)  # fmt: skip
def test_a_rule_that_allows_a_path_covers_nothing_that_climbs_out_of_it(path: str, covers: bool) -> None:
    found = effect("https://a.example/docs/*", f"https://a.example{path}", Effect.ALLOW)
    assert (found is Effect.ALLOW) is covers


@pytest.mark.parametrize(("rule", "url"), [
    ("[2606:4700::1]", "https://[2606:4700:0:0::1]/x"), ("2606:4700::1", "https://[2606:4700::1]/x"),
    ("[2606:4700::1]:8443", "https://[2606:4700::1]:8443/x"), ("a.example.", "https://a.example/x"),
    ("bücher.example", "https://bücher.example/x"), ("*.BÜCHER.example", "https://a.bücher.example/x"),
    ("xn--bcher-kva.example", "https://bücher.example/x"), ("straße.example", "https://straße.example/x"),
    ("a.example:8443", "https://a.example:8443/x"), ("a.example:443", "https://a.example/x"),
    ("a.example:*", "http://a.example/x"), ("https://A.Example/*", "https://a.example/x"),
    ("https://bücher.example/*", "https://bücher.example/a/../x"),
])  # fmt: skip
def test_a_rule_that_denies_a_host_denies_it_in_any_spelling(rule: str, url: str) -> None:
    assert effect(rule, url, Effect.DENY) is Effect.DENY


@pytest.mark.parametrize(("rule", "url"), [
    ("a.example:8443", "https://a.example/x"), ("a.example:80", "https://a.example/x"), ("[::1]", "https://a.example"),
    ("[ab].example", "https://c.example"), ("bücher.example", "https://bucher.example"), ("1.1.1.1", "https://1.1.1.2"),
    ("a.example:8443", "https://a.example:84430/x"),
])  # fmt: skip
def test_a_rule_that_allows_a_host_covers_no_other_host_or_port(rule: str, url: str) -> None:
    assert effect(rule, url, Effect.ALLOW) is None
