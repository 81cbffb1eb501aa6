"""`make release`: builds the wheel and the source archive into `dist`, unless a file names a placeholder or another
version. `make address URL=https://github.com/NAME/REPOSITORY` writes the public address into every file that names it.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "OWNER/kimi-tui"
_ADDRESS = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
"""GitHub only: the documentation names the repository as an Action."""
_PAGES = {
    "Homepage": "", "Documentation": "/blob/main/kimi_tui/docs/index.md", "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
}  # fmt: skip


def texts(root: Path) -> Iterator[Path]:
    """The files in which users meet the address: all but those that are about this step."""
    own = {"CONTRIBUTING.md", "Makefile"}
    top = (file for file in sorted(root.iterdir()) if file.name not in own)
    folders = (sorted((root / name).rglob("*")) for name in ("kimi_tui/docs", "acp-registry", "skills"))
    suffixes = {".md", ".yml", ".yaml", ".toml", ".json", ".txt", ".1", ""}
    yield from (file for group in (top, *folders) for file in group if file.is_file() and file.suffix in suffixes)


def set_address(root: Path, url: str) -> list[str]:
    """Write the address into each file that names it; returns these files. Raises ValueError for another address."""
    match = _ADDRESS.fullmatch(url)
    if match is None:
        raise ValueError(f"{url!r} is not the https address of a repository on GitHub")
    changed: list[str] = []
    for file in texts(root):
        text = old = file.read_text("utf-8")
        text = text.replace(PLACEHOLDER, match[1])
        if file == root / "pyproject.toml" and "[project.urls]" not in text:
            lines = "".join(f'{name} = "https://github.com/{match[1]}{path}"\n' for name, path in _PAGES.items())
            text = text.replace("[project.scripts]", f"[project.urls]\n{lines}\n[project.scripts]")
        if file.name == "agent.json" and "repository" not in json.loads(text):
            line = f'  "repository": "https://github.com/{match[1]}",\n'
            text = text.replace('  "license"', f'{line}  "license"', 1)
        if text != old:
            file.write_text(text, "utf-8")
            changed.append(str(file.relative_to(root)))
    return changed


def problems(root: Path) -> list[str]:
    """What has to be done before a release, each with its file."""
    found = [
        f"{file.relative_to(root)}: names {PLACEHOLDER}"
        for file in texts(root)
        if PLACEHOLDER in file.read_text("utf-8")
    ]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    if "urls" not in project:
        found.append("pyproject.toml: [project.urls] is missing")
    version = project["version"]
    for file in (root / "acp-registry").rglob("agent.json"):
        entry = json.loads(file.read_text("utf-8"))
        found += [f"{file.relative_to(root)}: repository is missing"] * ("repository" not in entry)
        found += [f"{file.relative_to(root)}: version is {entry['version']}"] * (entry["version"] != version)
    own = (root / "kimi_tui/__init__.py").read_text("utf-8")
    if f'"{version}"' not in own:
        found.append(f"kimi_tui/__init__.py: __version__ is not {version}")
    page = (root / "kimi_tui/docs/headless.md").read_text("utf-8")
    for named in re.findall(r"uses: \S+@v(\d+\.\d+\.\d+)|rev: v([\d.]+)", page):
        if version not in named:
            found.append(f"kimi_tui/docs/headless.md: names version {''.join(named)}")
    if not re.search(rf"^## \[?{re.escape(version)}\b", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        found.append(f"CHANGELOG.md: has no section {version}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", metavar="URL", help="write this address, and do nothing else")
    url = parser.parse_args().address
    if url is not None:
        print(*set_address(ROOT, url), sep="\n")
        return 0
    if found := problems(ROOT):
        print(*found, "make address URL=https://github.com/NAME/REPOSITORY writes the address", sep="\n")
        return 1
    return subprocess.run([sys.executable, "-m", "uv", "build", "--out-dir", "dist"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
