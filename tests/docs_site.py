"""`make docs`: builds the pages of `kimi_tui/docs` into the site `build/site`, and checks every link of it.

The pages are plain Markdown that reads well on GitHub. What the site needs beside them is made here: the navigation
from the headings of the index, and the pictures, which the pages take from `snapshots/`.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from kimi_tui.documentation import FOLDER, INDEX

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
_PICTURE = re.compile(r"(!\[[^\]]*\]\()(\.\./\.\./[^)\s]+)(\))")
_WEB_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_LINK = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)", re.MULTILINE)
_CONFIG = """\
[project]
site_name = "kimi-tui"
site_description = "A full-screen terminal home for AI coding agents that follow flows"
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
nav = [
{nav}
]

[project.theme]
font = false
features = ["content.code.copy", "navigation.footer", "navigation.sections", "navigation.top", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"

[project.markdown_extensions]
tables = {{}}
pymdownx.superfences = {{}}
pymdownx.highlight.pygments_lang_class = true

[project.markdown_extensions.toc]
permalink = true
"""


def stage(folder: Path) -> None:
    """Write the pages, their pictures and the generator's configuration into a folder."""
    pages = folder / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    (pages / "pictures").mkdir(parents=True)
    for page in FOLDER.glob("*.md"):
        (pages / page.name).write_text(_with_pictures(page.read_text("utf-8"), pages), "utf-8")
    shutil.copy(FOLDER / "llms.txt", pages)
    (folder / "zensical.toml").write_text(_CONFIG.format(nav=navigation()), "utf-8")


def navigation() -> str:
    """The index's sections and links, as entries of `nav`."""
    _head, *sections = (FOLDER / f"{INDEX}.md").read_text("utf-8").split("\n## ")
    entries = [{"Home": f"{INDEX}.md"}] + [
        {section.split("\n", 1)[0]: [{title: page} for title, page in _LINK.findall(section)]} for section in sections
    ]
    return ",\n".join(_toml(entry) for entry in entries)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


def _with_pictures(text: str, pages: Path) -> str:
    """Copy the pictures that a page takes from outside its folder, without the fonts that they would load."""

    def copy(match: re.Match[str]) -> str:
        source = (FOLDER / unquote(match[2])).resolve(strict=True)
        name = re.sub(r"[^\w.]+", "-", source.name.replace("].svg", ".svg"))
        (pages / "pictures" / name).write_text(_WEB_FONT.sub("", source.read_text("utf-8")), "utf-8")
        return f"{match[1]}pictures/{name}{match[3]}"

    return _PICTURE.sub(copy, text)


def broken_links(site: Path) -> list[str]:
    """Each link, picture, style and script of the site that leads nowhere, or to the network for the page itself."""
    parsed = {file: LexborHTMLParser(file.read_bytes()) for file in site.rglob("*.html") if file.name != "404.html"}
    anchors = {file: {node.attributes["id"] for node in html.css("[id]")} for file, html in parsed.items()}
    found: list[str] = []
    for file, html in parsed.items():
        for node in html.css("[href], [src]"):
            link = node.attributes.get("href") or node.attributes.get("src") or ""
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if node.tag != "a" and parts.scheme != "data":
                    found.append(f"{file.name}: <{node.tag}> loads {link}")
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                found.append(f"{file.name}: no file {link}")
            elif parts.fragment and unquote(parts.fragment) not in anchors.get(target, ()):
                found.append(f"{file.name}: no anchor {link}")
    return found


def main() -> int:
    """Build and check the site; the exit status."""
    stage(BUILD)
    done = subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=BUILD, check=False)
    if done.returncode:
        return done.returncode
    found = broken_links(BUILD / "site")
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{BUILD / 'site'}: {len(list((BUILD / 'site').rglob('*.html')))} pages, {len(found)} broken links")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
