"""FetchURL and SearchWeb against a real HTTP server on this machine."""

import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.fetch_url import FetchURL
from kimi_tui.tools.search_web import SearchWeb
from kimi_tui.tools.web_support.fetcher import FetchError, fetch, host_of, is_public, origin_of
from kimi_tui.tools.web_support.search_backends import MAX_ROWS, search_results
from kimi_tui.tools.web_support.web_settings import WebService, WebSettings
from tests.tools.harness import ToolHarness

ARTICLE = (
    "<html><head><title>T</title><script>bad()</script></head><body><nav>menu</nav><article><h1>Flows</h1>"
    + "<p>"
    + "A flow is a chart that an agent follows. " * 20
    + '</p><p>See <a href="/more">more of it</a>.</p></article></body></html>'
)


class Server:
    """Answers by path; keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append((self.command, self.path, headers, body))
                status, more, content = outer.answers.get(self.path.partition("?")[0], (404, {}, b""))
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = _answer

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def says(self, path: str, content: str | bytes, mime: str = "text/html", status: int = 200, **headers: str) -> str:
        body = content.encode() if isinstance(content, str) else content
        self.answers[path] = (status, {"content-type": mime, **headers}, body)
        return self.url + path

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


OPEN = WebSettings(allow_private=True)


async def test_the_text_of_a_page_is_fetched_without_its_trimmings(harness: ToolHarness, server: Server) -> None:
    value = await harness.use(FetchURL(harness.approvals, OPEN), url=server.says("/a", ARTICLE))
    text = str(value.output)
    assert "A flow is a chart" in text
    assert "[more of it]" in text
    assert "bad()" not in text


@pytest.mark.parametrize(
    ("mime", "body", "expected"),
    [
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("text/plain; charset=gbk", "\u4f60\u597d".encode("gbk"), "\u4f60\u597d"),
        ("text/html", "<meta charset='gbk'><p>\u4f60</p>".encode("gbk"), "\u4f60"),
        ("", b"plain", "plain"),
        ("text/html", b"<p>tiny</p>", "tiny"),
        ("text/plain; charset=punycode", b"a-" + b"zzzz9" * 9000, "a-" + "zzzz9" * 9000),
        ("text/plain; charset=undefined", b"plain", "plain"),
        ("text/html", b"<meta charset=idna><p>a..b</p>", "a..b"),
    ],
)
async def test_other_text_comes_as_it_is(
    harness: ToolHarness, server: Server, mime: str, body: bytes, expected: str
) -> None:
    value = await harness.use(FetchURL(harness.approvals, OPEN), url=server.says("/a", body, mime))
    assert str(value.output).strip() == expected


async def test_a_page_of_one_long_line_comes_whole(harness: ToolHarness, server: Server) -> None:
    items = json.dumps([{"id": number, "name": f"item {number}"} for number in range(500)])
    value = await harness.use(FetchURL(harness.approvals, OPEN), url=server.says("/items", items, "application/json"))
    assert str(value.output) == items
    longer = await harness.use(FetchURL(harness.approvals, OPEN), url=server.says("/long", "a" * 60_000, "text/plain"))
    assert (str(longer.output).count("a"), "truncated" in longer.message) == (50_000 + len("a"), True)


async def test_redirects_are_followed_within_bounds(harness: ToolHarness, server: Server) -> None:
    server.says("/end", "the end", "text/plain")
    url = server.says("/a", "", status=302, location="/end")
    value = await harness.use(FetchURL(harness.approvals, OPEN), url=url)
    assert (value.output, value.message) == ("the end", f"The text of {server.url}/end.")
    loop = server.says("/loop", "", status=301, location="/loop")
    assert "more than 5 times" in (await harness.use(FetchURL(harness.approvals, OPEN), url=loop)).message
    long = server.says("/long", "", status=302, location="/" + "a" * 8_000)
    assert "address of 8001 characters" in (await harness.use(FetchURL(harness.approvals, OPEN), url=long)).message
    away = server.says("/away", "", status=302, location="file:///etc/passwd")
    assert "only http and https" in (await harness.use(FetchURL(harness.approvals, OPEN), url=away)).message


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda server: server.url + "/none", "404"),
        (lambda server: server.says("/p", b"\x89PNG", "image/png"), "image/png, not text"),
        (lambda server: server.says("/l", b"", "a" * 20_000), "aaa, not text"),
        (lambda server: server.says("/e", "<html></html>"), "no text"),
        (lambda server: "file:///etc/passwd", "only http and https"),
        (lambda server: "http://", "only http and https"),
        (lambda server: "http://[::1", "could not be fetched"),
        (lambda server: "http://127.0.0.1:1/", "could not be fetched"),
        (lambda server: "http://no-such-host.invalid/", "could not be fetched"),
    ],
)
async def test_what_cannot_be_fetched_is_said(
    harness: ToolHarness, server: Server, make: Callable[[Server], str], said: str
) -> None:
    value = await harness.use(FetchURL(harness.approvals, OPEN), url=make(server))
    assert value.is_error
    assert said in value.message
    assert len(value.message) < 1_000


async def test_a_page_is_cut_at_its_bound_even_when_it_is_packed(server: Server) -> None:
    url = server.says("/bomb", gzip.compress(b"a" * (30 << 20)), "text/plain", **{"content-encoding": "gzip"})
    page = await fetch(url, allow_private=True)
    assert page.cut
    assert len(page.body) == 10 << 20


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "169.254.169.254", "10.0.0.1", "[::ffff:127.0.0.1]", "2130706433",
     "0x7f.1", "user:word@127.0.0.1"],
)  # fmt: skip
async def test_private_addresses_are_refused(server: Server, host: str) -> None:
    port = server.url.rpartition(":")[2]
    with pytest.raises(FetchError, match=r"private address|no host"):
        await fetch(f"http://{host}:{port}/")
    assert server.asked == []


async def test_a_name_with_one_private_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("8.8.8.8", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(FetchError, match="private address"):
        await fetch("http://rebind.example/")


@pytest.mark.parametrize(
    ("address", "public"),
    [("8.8.8.8", True), ("2606:4700::1111", True), ("64:ff9b::7f00:1", False), ("2002:7f00:1::", False),
     ("100.64.0.1", False), ("224.0.0.1", False), ("fec0::1", False), ("fe80::1", False), ("::127.0.0.1", False),
     ("192.0.0.8", False), ("192.88.99.1", False), ("3fff::1", False), ("64:ff9b:1::7f00:1", False), ("5f00::1", False),
     ("::ffff:0:7f00:1", False), ("100::1", False), ("2001:db8::1", False), ("2001:2::1", False), ("fd00::1", False),
     ("2001:4860:4860::8888", True), ("64:ff9b::808:808", True), ("2002:808:808::", True), ("2a00:1450::1", True)],
)  # fmt: skip
def test_addresses_are_judged_by_where_they_lead(address: str, public: bool) -> None:
    assert is_public(address) is public


async def test_a_fetch_service_is_asked_first_and_replaced_when_it_fails(harness: ToolHarness, server: Server) -> None:
    service = WebService(server.says("/service", "# By service", "text/markdown"), "key-1", {"X-A": "b"})
    page = server.says("/page", "itself", "text/plain")
    tool = FetchURL(harness.approvals, WebSettings(fetch=service, allow_private=True))
    assert (await harness.use(tool, url=page)).output == "# By service"
    _, _, headers, body = server.asked[0]
    assert (headers["authorization"], headers["x-a"], json.loads(body)) == ("Bearer key-1", "b", {"url": page})
    server.says("/service", "", status=500)
    assert (await harness.use(tool, url=page)).output == "itself"


ROW = {"title": "Flows", "url": "http://x/1"}


@pytest.mark.parametrize(
    ("kind", "path", "answer", "asked"),
    [
        ("moonshot", "", {"search_results": [{**ROW, "snippet": "how", "date": "2026"}]}, '"text_query": "a b"'),
        ("tavily", "/search", {"results": [{**ROW, "content": "how", "published_date": "2026"}]}, '"max_results": 2'),
        ("searxng", "/search", {"results": [{**ROW, "content": "how", "publishedDate": "2026"}]}, "q=a+b&format=json"),
        (
            "brave",
            "/res/v1/web/search",
            {"web": {"results": [{**ROW, "description": "how", "age": "2026"}]}},
            "count=2",
        ),
    ],
)
async def test_each_search_service_is_asked_in_its_way(
    harness: ToolHarness, server: Server, kind: str, path: str, answer: object, asked: str
) -> None:
    server.says(f"/s{path}", json.dumps(answer), "application/json")
    service = WebService(f"{server.url}/s", "key-1")
    value = await harness.use(
        SearchWeb(harness.approvals, WebSettings(search=service, search_kind=kind)), query="a b", limit=2
    )  # type: ignore[arg-type]
    assert value.output == "Title: Flows\nURL: http://x/1\nDate: 2026\nSnippet: how\n"
    (_, url, headers, body) = server.asked[0]
    said = (url + body.decode()).replace('":"', '": "').replace('":2', '": 2').replace("%20", "+")
    assert asked in said
    assert ("key-1" in str(headers)) == (kind != "searxng")


async def test_pages_of_results_are_fetched_where_the_service_gives_none(harness: ToolHarness, server: Server) -> None:
    page = server.says("/p", "the whole text", "text/plain")
    server.says("/s/search", json.dumps({"results": [{"title": "A", "url": page}, {"url": 3}, 4]}), "application/json")
    web = WebSettings(search=WebService(f"{server.url}/s"), search_kind="searxng", allow_private=True)
    value = await harness.use(SearchWeb(harness.approvals, web), query="a", include_content=True)
    assert value.output == f"Title: A\nURL: {page}\nContent:\nthe whole text\n"


def found(server: Server, *urls: str) -> WebSettings:
    """A search service that names these pages."""
    server.says("/s/search", json.dumps({"results": [{"url": url} for url in urls]}), "application/json")
    return WebSettings(search=WebService(f"{server.url}/s"), search_kind="searxng", allow_private=True)


def fetched(server: Server) -> list[str]:
    return [path for _, path, _, _ in server.asked if not path.startswith("/s/")]


async def test_the_hosts_of_results_are_asked_for_in_one_question(harness: ToolHarness, server: Server) -> None:
    page = server.says("/p", "one", "text/plain")
    other = server.says("/q", "two", "text/plain").replace("127.0.0.1", "localhost")
    tool = SearchWeb(harness.approvals, found(server, page, other))
    harness.answer = "reject"
    assert (await harness.use(tool, query="a", include_content=True)).is_error
    assert fetched(server) == []
    harness.answer = "approve_for_session"
    for _ in range(2):
        value = await harness.use(tool, query="a", include_content=True)
        assert ["Content:\none" in value.output, "Content:\ntwo" in value.output] == [True, True]
    refused, asked = harness.asked
    assert asked.description == refused.description
    hosts = [url.split("/")[2] for url in (page, other)]
    assert asked.scope == f"pages of {hosts[0]}, {hosts[1]}"
    assert (await harness.use(FetchURL(harness.approvals, OPEN), url=page)).output == "one"
    assert len(harness.asked) == 2
    assert not (await harness.use(tool, query="a")).is_error


async def test_a_page_of_a_result_obeys_the_rules_for_pages(harness: ToolHarness, server: Server) -> None:
    page, denied = (server.says(path, "text", "text/plain") for path in ("/p", "/denied"))
    moved = server.says("/moved", "", status=302, location=denied)
    elsewhere = server.says("/e", "", status=302, location=denied.replace("127.0.0.1", "localhost"))
    rules = (
        parse_rule("FetchURL(127.0.0.1)", Effect.ALLOW), parse_rule("FetchURL(http://127.0.0.1:*/denied)", Effect.DENY),
    )  # fmt: skip
    harness.approvals.policy = Policy(rules)
    tool = SearchWeb(harness.approvals, found(server, page, denied, moved, elsewhere))
    value = await harness.use(tool, query="a", include_content=True)
    assert (harness.asked, sorted(fetched(server))) == ([], ["/e", "/moved", "/p"])
    assert value.output.count("Content:") == 1
    assert "1 of the pages are not shown" in value.message


async def test_pages_of_results_that_nobody_can_approve_are_left_out(harness: ToolHarness, server: Server) -> None:
    harness.approvals.attended = False
    tool = SearchWeb(harness.approvals, found(server, server.says("/p", "text", "text/plain")))
    value = await harness.use(tool, query="a", include_content=True)
    assert (value.is_error, fetched(server)) == (False, [])
    assert "1 of the pages were not read" in value.message


async def test_what_a_service_read_of_a_page_that_a_rule_denies_is_left_out(
    harness: ToolHarness, server: Server
) -> None:
    answer = {"results": [{"url": "https://x.example/1", "raw_content": "text"}]}
    server.says("/s/search", json.dumps(answer), "application/json")
    web = WebSettings(search=WebService(f"{server.url}/s", "key-1"), search_kind="tavily")
    harness.approvals.policy = Policy((parse_rule("FetchURL(x.example)", Effect.DENY),))
    value = await harness.use(SearchWeb(harness.approvals, web), query="a", include_content=True)
    assert value.output == "Title: \nURL: https://x.example/1\n"
    harness.approvals.policy = Policy()
    value = await harness.use(SearchWeb(harness.approvals, web), query="a", include_content=True)
    assert value.output.endswith("Content:\ntext\n")


async def test_a_search_that_fails_says_why_without_the_key(harness: ToolHarness, server: Server) -> None:
    web = WebSettings(search=WebService(f"{server.url}/s", "key-1"))
    for status, content, said in [(401, "no key-1", "401"), (200, "<html>", "not JSON"), (200, '{"a": 1}', "Nothing")]:
        server.says("/s", content, "application/json", status=status)
        value = await harness.use(SearchWeb(harness.approvals, web), query="a")
        assert said in value.message
        assert "key-1" not in value.model_dump_json()
    assert "No search service" in (await harness.use(SearchWeb(harness.approvals), query="a")).message


async def test_the_words_beside_the_status_of_a_search_are_bounded(harness: ToolHarness) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answer = b"HTTP/1.1 503 " + b"p" * 60_000 + b"\r\ncontent-length: 0\r\n\r\n"

        def reply() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        thread = threading.Thread(target=reply)
        thread.start()
        web = WebSettings(search=WebService(f"http://127.0.0.1:{listener.getsockname()[1]}/s", "key-1"))
        value = await harness.use(SearchWeb(harness.approvals, web), query="a")
        thread.join()
    assert "it answered 503 ppp" in value.message
    assert len(value.model_dump_json()) < 1_000


def test_no_more_results_are_read_than_can_be_requested() -> None:
    assert len(search_results("searxng", {"results": [ROW] * 100_000})) == MAX_ROWS


async def test_a_result_without_end_leaves_room_for_the_others(harness: ToolHarness, server: Server) -> None:
    long = "a " * 500_000
    rows = [
        {"title": long, "url": "http://x.example/1", "content": long, "publishedDate": long},
        {"title": "far", "url": "http://x.example/" + "a" * 2_000},
        {"title": "B\nURL: http://forged.example", "url": "http://x.example/2", "content": "how\nTitle: forged"},
    ]
    server.says("/s/search", json.dumps({"results": rows}), "application/json")
    web = WebSettings(search=WebService(f"{server.url}/s"), search_kind="searxng")
    value = await harness.use(SearchWeb(harness.approvals, web), query="a")
    output = str(value.output)
    assert len(output) < 6_000
    assert len(value.display[0].model_dump_json()) < 1_000
    assert [line for line in output.splitlines() if line.startswith("URL:")] == [
        "URL: http://x.example/1", "URL: http://x.example/2",
    ]  # fmt: skip
    assert "Title: B URL: http://forged.example\n" in output


async def test_the_key_of_a_search_service_follows_no_redirect(harness: ToolHarness, server: Server) -> None:
    other = Server()
    try:
        target = other.says("/s", '{"results": []}', "application/json")
        server.says("/s", "", status=307, Location=target)
        web = WebSettings(search=WebService(f"{server.url}/s", "key-1"))
        value = await harness.use(SearchWeb(harness.approvals, web), query="a")
        assert "it answered 307" in value.message
        assert not other.asked
    finally:
        other.close()


async def test_each_host_is_asked_for_and_a_yes_for_the_session_covers_its_pages_alone(
    harness: ToolHarness, server: Server
) -> None:
    harness.answer = "approve_for_session"
    server.says("/a", "one", "text/plain")
    server.says("/b", "two", "text/plain")
    tool = FetchURL(harness.approvals, OPEN)
    assert (await harness.use(tool, url=f"{server.url}/a?k=1")).output == "one"
    assert (await harness.use(tool, url=f"{server.url}/b")).output == "two"
    (asked,) = harness.asked
    origin = server.url.removeprefix("http://")
    assert (asked.description, asked.scope) == (f"Fetch {server.url}/a?k=1", f"pages of {origin}")
    harness.answer = "reject"
    other = server.url.replace("127.0.0.1", "localhost")
    assert (await harness.use(tool, url=f"{other}/a")).is_error
    assert [path for _, path, _, _ in server.asked] == ["/a?k=1", "/b"]


async def test_a_redirect_to_another_host_is_asked_for(harness: ToolHarness, server: Server) -> None:
    other = server.url.replace("127.0.0.1", "localhost")
    url = server.says("/a", "", status=302, location=f"{other}/end")
    server.says("/end", "the end", "text/plain")
    tool = FetchURL(harness.approvals, OPEN)
    assert (await harness.use(tool, url=url)).output == "the end"
    assert [one.description for one in harness.asked] == [f"Fetch {url}", f"Fetch {other}/end (redirected from {url})"]
    harness.before_answer = lambda: setattr(harness, "answer", "reject" if len(harness.asked) == 4 else "approve")
    assert (await harness.use(tool, url=url)).is_error
    assert [path for _, path, _, _ in server.asked] == ["/a", "/end", "/a"]


async def test_the_port_of_an_ipv6_address_is_not_taken_for_its_end() -> None:
    assert [origin_of(url) for url in ("http://[::1:8080]/", "http://[::1]:8080/")] == ["::1:8080", "[::1]:8080"]


async def test_another_port_of_a_host_is_asked_for(harness: ToolHarness, server: Server) -> None:
    harness.answer = "approve_for_session"
    other = Server()
    server.says("/a", "one", "text/plain")
    leads = server.says("/b", "", status=302, location=f"{other.url}/end")
    other.says("/end", "the end", "text/plain")
    tool = FetchURL(harness.approvals, OPEN)
    assert (await harness.use(tool, url=f"{server.url}/a")).output == "one"
    harness.answer = "reject"
    assert (await harness.use(tool, url=leads)).is_error
    assert (await harness.use(tool, url=f"{other.url}/end")).is_error
    assert [len(harness.asked), other.asked] == [3, []]


async def test_the_name_that_is_resolved_is_the_one_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[object] = []

    def resolve(host: object, *_: object, **__: object) -> list[object]:
        names.append(host)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    for url in ("http://faß.example/", "http://βόλος.example/", "http://bücher.example/"):
        with pytest.raises(FetchError):
            await fetch(url)
        assert names.pop() == host_of(url)


async def test_a_redirect_within_a_host_is_asked_about_where_the_rules_differ(
    harness: ToolHarness, server: Server
) -> None:
    url = server.says("/docs/a", "", status=302, location="/private/b")
    server.says("/private/b", "the end", "text/plain")
    tool = FetchURL(harness.approvals, OPEN)
    harness.approvals.policy = Policy([parse_rule(f"FetchURL({server.url}/docs/*)", Effect.ALLOW)])
    assert (await harness.use(tool, url=url)).output == "the end"
    assert [one.description for one in harness.asked] == [f"Fetch {server.url}/private/b (redirected from {url})"]
    harness.approvals.policy = Policy([parse_rule(f"FetchURL({server.url}/private/*)", Effect.DENY)])
    assert "not allowed" in (await harness.use(tool, url=url)).message
    assert [path for _, path, _, _ in server.asked] == ["/docs/a", "/private/b", "/docs/a"]


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example\\@b.example/", "http://a.example\\.b.example/", "http://a%2eexample/", "http://[::1%25x]/",
        "http://*/", "http://../", "http://a..example/", "http://a.example;b.example/", "http://localhost../",
    ],
)  # fmt: skip
async def test_an_address_that_others_may_read_as_another_host_is_refused(harness: ToolHarness, url: str) -> None:
    value = await harness.use(FetchURL(harness.approvals, OPEN), url=url)
    assert value.is_error
    assert harness.asked == []
