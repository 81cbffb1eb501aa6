"""The readable text of web pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.tools.web_support.fetcher import Page
from kimi_tui.tools.web_support.html_text import page_text

PAGE = """<!doctype html><html><head><title>T</title><style>p {}</style></head><body>
<header>Site</header><nav><a href="/">Home</a></nav>
<main><article><header><h1>Flows</h1></header>
<p>A <b>flow</b> is a chart: <a href="more?a=1">more</a>.</p>
<pre><code>kimi-tui flow list
kimi-tui flow show x</code></pre>
<ul><li>one</li><li>two</li></ul>
<table><tr><th>key</th><th>value</th></tr><tr><td>run</td><td>a command</td></tr></table>
<form>Sign up <input></form><p hidden>unseen</p></article></main>
<aside>Related</aside><footer>Imprint</footer><script>bad()</script></body></html>"""

PIECES = [
    "<p>", "</p>", "<ul><li>", "</ul>", "<table><tr><td>", "</table>", "<pre>", "<a href='//['>", "</a>", "<b>", "<!--",
    "-->", "<![CDATA[", "<?x", "<svg>", "<header>", "<main>", "</main>", "<template>", "&#0;", "&", "<", "text ", "\0",
    "<img src=x alt=", "<br>", "<script>", "</script>", "<h1>", "<ol start=x>",
]  # fmt: skip


def text_of(html: str) -> str:
    return page_text(Page(url="https://example.org/docs/flows", mime="text/html", charset="utf-8", body=html.encode()))


def test_the_main_part_of_a_page_is_markdown() -> None:
    assert text_of(PAGE).splitlines() == [
        "# Flows",
        "",
        "A **flow** is a chart: [more](https://example.org/docs/more?a=1).",
        "",
        "```",
        "kimi-tui flow list",
        "kimi-tui flow show x",
        "```",
        "",
        "- one",
        "- two",
        "",
        "| key | value |",
        "| --- | --- |",
        "| run | a command |",
    ]


def test_a_main_part_that_holds_little_of_the_page_is_not_all_that_is_read() -> None:
    assert "the text itself" in text_of(f"<main>Loading</main><div>{'<p>the text itself</p>' * 9}</div>")


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "the end",
        "<a " + " ".join(f"a{number}=1" for number in range(50_000)) + ">the end",
        "<ul><li>" * 5_000 + "the end",
        "<!-- x -->" * 20_000 + "the end",
    ],
    ids=["open elements", "attributes", "depth", "comments"],
)
def test_a_page_that_would_cost_a_parser_too_much_is_still_read(html: str) -> None:
    assert text_of(html).endswith("the end")


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_mixture_of_tags_gives_a_text(pieces: list[str]) -> None:
    assert isinstance(text_of("".join(pieces)), str)
