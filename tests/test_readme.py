import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_help_in_the_readme_is_the_programs_own():
    """`python tests/test_readme.py` writes it anew."""
    shown = re.search(r"<summary><code>kimi-tui --help</code></summary>\n\n```\n(.*?)\n```", README, re.DOTALL)
    assert shown is not None
    assert shown[1] == help_text()


def test_the_readmes_picture_and_links_are_there():
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)\)", README):
        assert (ROOT / unquote(target)).exists(), target


def help_text() -> str:
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "kimi_tui", "--help"], capture_output=True, text=True, env=env, cwd=ROOT
    )
    return done.stdout.strip()


if __name__ == "__main__":
    mark = "kimi-tui --help</code></summary>\n\n```\n"
    start = README.index(mark) + len(mark)
    end = README.index("\n```", start)
    (ROOT / "README.md").write_text(README[:start] + help_text() + README[end:], "utf-8")
