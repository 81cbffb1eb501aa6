"""The site of the documentation: what is staged for its generator, and the check of its links."""

from pathlib import Path

import pytest

from kimi_tui.documentation import FOLDER
from tests.docs_site import broken_links, navigation, stage


def test_every_page_and_picture_is_staged_without_what_it_would_load(tmp_path: Path):
    stage(tmp_path)
    pages = {file.name for file in FOLDER.glob("*.md")}
    assert {file.name for file in (tmp_path / "pages").glob("*.md")} == pages
    pictures = list((tmp_path / "pages/pictures").glob("*.svg"))
    assert len(pictures) > 4
    assert not any("url(" in file.read_text("utf-8").replace("url(#", "") for file in pictures)
    assert "../../" not in (tmp_path / "pages/screen.md").read_text("utf-8")


def test_the_navigation_has_every_page_once():
    assert sorted(navigation().split('"')[1::2]).count("flows.md") == 1
    assert {name for name in navigation().split('"') if name.endswith(".md")} == {
        file.name for file in FOLDER.glob("*.md")
    }


@pytest.mark.parametrize(
    ("html", "finding"),
    [
        ('<a href="b.html#there">', ""),
        ('<a href="https://example.com">', ""),
        ('<a href="c.html">', "no file c.html"),
        ('<a href="b.html#here">', "no anchor b.html#here"),
        ('<a href="#here">', "no anchor #here"),
        ('<img src="no.svg">', "no file no.svg"),
        ('<script src="https://example.com/x.js">', "<script> loads https://example.com/x.js"),
        ('<link href="//example.com/x.css">', "<link> loads //example.com/x.css"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, html: str, finding: str):
    (tmp_path / "a.html").write_text(html)
    (tmp_path / "b.html").write_text('<h2 id="there">There</h2>')
    assert broken_links(tmp_path) == ([f"a.html: {finding}"] if finding else [])
