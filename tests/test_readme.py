"""The README: its picture and links are there, and it is short."""

import re
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_readmes_picture_and_links_are_there():
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)\)", README):
        assert (ROOT / unquote(target)).exists(), target


def test_the_readme_is_read_in_two_minutes():
    assert len(README.split()) < 900
