"""The lock file and the container: hashes for every version, no registry of a particular place, no root."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PINS = dict(re.findall(r"^([\w.-]+)==(\S+)", LOCK, re.MULTILINE))


def test_the_lock_has_a_version_that_is_allowed_of_all_that_is_needed():
    for line in PROJECT["dependencies"]:
        needed = Requirement(line)
        assert PINS[canonicalize_name(needed.name)] in needed.specifier, f"{line}: run `make lock`"


def test_every_locked_version_has_hashes_and_no_address():
    entries = re.split(r"\n(?=\w)", LOCK.strip())
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"://|find-links|index-url", LOCK)


def test_the_container_runs_as_a_user_and_installs_what_is_locked():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    last = text.split("\nFROM ")[-1]
    assert re.search(r"^USER (?!root|0)\d+$", last, re.MULTILINE)
    assert "--require-hashes -r requirements.lock" in text
    copied = set(re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE))
    for name in " ".join(copied).split():
        assert (ROOT / name).exists()
        assert f"!{name}" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()


def test_the_wheel_installs_the_manual_page():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert build["wheel"]["shared-data"] == {"kimi_tui/docs/kimi-tui.1": "share/man/man1/kimi-tui.1"}
