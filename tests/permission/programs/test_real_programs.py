"""The tables beside the real programs, where those are installed: an option that is listed is one of theirs.

An abbreviation is never taken for the option; what the real program makes of it shows why a dangerous one is.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kimi_tui.permission.programs.classifier import classify, programs
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.programs.program import Kind

GNU = (
    *("ls", "cat", "tac", "sort", "uniq", "head", "tail", "wc", "cut", "tr", "nl", "paste"),
    *("comm", "od", "md5sum", "sha256sum"),
    *("date", "stat", "du", "df", "pwd", "readlink", "realpath", "basename", "dirname", "uname", "id", "nproc"),
    *("grep", "sed", "diff", "cmp", "touch", "mkdir"),
)
_LONG = re.compile(r"(--[a-z0-9][a-z0-9-]*)(\[?=| [A-Z])?")


def _help(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10, check=False)
    if "GNU" not in done.stdout and "coreutils" not in done.stdout:
        pytest.skip(f"{name} is not GNU's")
    return done.stdout


@pytest.mark.parametrize("name", GNU)
def test_every_long_option_of_a_table_is_one_of_the_program(name: str) -> None:
    """An option that the program lacks could be an abbreviation of another one there."""
    known = {found[1] for found in _LONG.finditer(_help(name))}
    options = programs()[name].options
    listed = {word.rstrip("=?") for word in f"{options.reads} {options.harmless}".split() if word.startswith("--")}
    assert {name for name in listed - known if any(other.startswith(name) for other in known)} == set()


@pytest.mark.parametrize("name", GNU)
def test_an_option_that_needs_a_value_is_listed_with_one(name: str) -> None:
    needs = {found[1]: found[2][:1] for found in _LONG.finditer(_help(name)) if found[2] is not None}
    plain: set[str] = set()
    for found in _LONG.finditer(_help(name)):
        if found[2] is None:
            plain.add(found[1])
    options = programs()[name].options
    wrong: list[str] = []
    for word in f"{options.reads} {options.harmless}".split():
        if not word.startswith("--"):
            continue
        bare = word.rstrip("=?")
        if word.endswith("=") and bare in plain and bare not in needs:
            wrong.append(word)
        if not word.endswith(("=", "?")) and needs.get(bare) in ("=", " "):
            wrong.append(word)
    assert wrong == []


@pytest.mark.parametrize(
    "words",
    [
        ("sort", "--outp=f", "a"), ("sort", "-rof", "a"), ("sort", "-uo", "f", "a"), ("uniq", "a", "f"),
        ("sed", "-n", "w f", "a"), ("sed", "s/x/y/w f", "a"), ("sed", "$!d;w f", "a"), ("find", ".", "-fprint", "f"),
        ("awk", 'BEGIN{print "x" > "f"}'), ("awk", 'BEGIN{system("touch f")}'), ("xxd", "a", "f"),
        ("split", "--filt=touch f; cat", "a"), ("tar", "cfI", "f", "cat", "a"), ("iconv", "--out=f", "a"),
        ("tar", "-cf", "x.tar", "--checkpoint-a=exec=touch f", "--checkpoint=1", "a"),
        ("git", "-c", "alias.x=!touch f", "x"), ("git", "-calias.x=!touch f", "x"),
        ("git", "diff", "--no-index", "--outp=f", "a", "b"), ("make", "--ev=x:;touch f", "x"), ("make", "-fmk"),
        ("dd", "if=a", "of=f"),
    ],
)  # fmt: skip
def test_what_really_writes_is_dangerous(words: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    (tmp_path / "a").write_text("x\n" * 30)
    (tmp_path / "b").write_text("y\n")
    (tmp_path / "mk").write_text("x:\n\ttouch f\n")
    subprocess.run(words, cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL, timeout=20, check=False)
    if (tmp_path / "f").exists():
        assert classify(words).level is Level.DANGER
    else:
        assert words[0] in ("git", "make", "xxd", "tar", "awk"), "the test shows nothing"


@pytest.mark.parametrize(
    "words",
    [
        ("sed", "-n", "1,3p;$=;/x/{s/x/w f/;p}", "a"), ("sed", "y/xw/wx/;a w f", "a"),
        ("sed", "-e", "s,x,\\,w f,", "a"),
        ("sed", "s/[x/]/w/;s|x|y|2p", "a"), ("sed", "s/x/a\\/w f/", "a"), ("sed", ":a;N;$!ba;s/\\n/ /g", "a"),
        ("awk", "NR>1{n++}END{n}", "a"), ("awk", "$1==\"x\"||NR>f", "a"), ("awk", "length($0)>f{n=1}", "a"),
        ("find", ".", "-name", "-fprint", "-o", "-name", "f"), ("sort", "-k1,1", "-t", ",", "a"), ("uniq", "-c", "a"),
        ("date", "+f"), ("tail", "-n", "+2", "a"), ("head", "-n", "-2", "a"), ("grep", "-e", "w f", "-m1", "a"),
        ("cut", "-d", " ", "-f", "1", "a"), ("git", "diff", "--no-index", "--stat", "a", "b"), ("xxd", "-l", "4", "a"),
    ],
)  # fmt: skip
def test_what_is_taken_for_reading_writes_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n" * 30)
    (tmp_path / "b").write_text("y\n")
    if classify(words).level is Level.READS and shutil.which(words[0]) is not None:
        subprocess.run(words, cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL, timeout=20, check=False)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "b"]


_OF_GIT = re.compile(
    r"^ +(?:(-\w), |(-\w)(?= ))?(?:--(\[no-\])?([a-z0-9][a-z0-9-]*))?(\[=|\[<)?(?:=| )?(\S)?", re.MULTILINE
)


@pytest.mark.parametrize(
    "command", sorted(name for name, sub in programs()["git"].subs.items() if sub.kind is Kind.PLAIN)
)
def test_an_option_of_git_that_takes_no_word_behind_it_is_not_listed_with_one(command: str) -> None:
    """It would hide that word, which Git takes for an option or a path."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    done = subprocess.run(["git", command, "-h"], capture_output=True, text=True, timeout=10, check=False)
    options = programs()["git"].subs[command].options
    known: dict[str, str] = {}
    for word in f"{options.exact} {options.reads} {options.harmless}".split():
        bare = word.rstrip("=:?")
        of_word = [bare] if bare.startswith("--") else [f"-{letter}" for letter in bare[1:]]
        known.update(dict.fromkeys(of_word, word[-1].replace("=", ":") if word[-1] in "=:?" else ""))
    wrong: list[str] = []
    for found in _OF_GIT.finditer(done.stdout + done.stderr):
        short, alone, _, long, optional, value = found.groups()
        if optional or value not in ("<", "(", "{", "["):
            wrong += [name for name in (short, alone, f"--{long}") if name and known.get(name) == ":"]
    assert wrong == []
