"""Command lines taken apart, and what a yes for the session covers (FAULTS 27, 28, 31)."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kimi_tui.permission.command_risk import RiskKind
from kimi_tui.tools.shell_support.approval_scope import approval_scope
from kimi_tui.tools.shell_support.command_parser import MAX_BYTES, parse_command_line

ALLOWED = frozenset({"run command: git status", "run command: ls", "run command: echo"})


def keys(command: str) -> tuple[str, ...]:
    scope = approval_scope(parse_command_line(command), command)
    return scope.keys if scope else ()


def covered(command: str) -> bool:
    scope = approval_scope(parse_command_line(command), command)
    return scope is not None and scope.covered_by(ALLOWED)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git push origin main", ["run command: git push origin"]),
        ("cd a && git status | head -5", ["run exactly: cd a && git status | head -5"]),
        ("(ls; { cat x; }) & ! grep -n a b", ["run command: ls", "run command: cat", "run command: grep"]),
        ("timeout -k 1 5 nice -n 3 git push", ["run command: git push"]),
        ("bash -c 'git push && ls'", ["run command: git push", "run command: ls"]),
        ("npm run test", ["run command: npm run test"]),
        ("npm run test -- -x", ["run exactly: npm run test -- -x"]),
        ("docker compose up -d", ["run exactly: docker compose up -d"]),
        ("python -m pytest -q", ["run command: python -m pytest"]),
        ("uv run pytest -q tests/a.py", ["run command: uv run pytest"]),
        ("uv run python a.py", ["run exactly: uv run python a.py"]),
        ("python3.11 a.py x", ["run exactly: python3.11 a.py x"]),
        ("no-such-program x", ["run exactly: no-such-program x"]),
        ("python -c 'print(1)'", ["run exactly: python -c 'print(1)'"]),
        ("rm -rf build", ["run exactly: rm -rf build"]),
        ("make test", ["run exactly: make test"]),
        ("git", ["run command: git"]),
        ("ls -la 2>/dev/null >&2", ["run command: ls"]),
        (r"gi\t pu'sh' x", ["run command: git push x"]),
        ("ls \\\n -a", ["run command: ls"]),
        ("git commit -m 'fix (all) of {it}; *now*'", ["run command: git commit"]),
    ],
)  # fmt: skip
def test_each_simple_command_has_its_key(command: str, expected: list[str]) -> None:
    assert list(keys(command)) == expected


def test_the_words_say_what_the_keys_cover() -> None:
    scope = approval_scope(parse_command_line("git push && rm -f x"), "git push && rm -f x")
    assert scope is not None
    assert scope.label == "`git push` with safe options or exactly `rm -f x`"


@pytest.mark.parametrize(
    "command",
    [
        "ls && rm x", "ls; rm x", "ls | rm x", "ls |& rm x", "ls & rm x", "ls\nrm x", "ls || rm x",
        "ls <<E\n$(rm x)\nE", "cat <<E\nE\nrm x", "ls \\\n; rm x", "echo $(rm x)", "echo `rm x`", "ls <(rm x)",
        "ls >(rm x)", "echo ${x:-$(rm x)}", 'echo "$(rm x)"', "echo $((`rm x`))", "eval ls", "eval 'rm x'",
        "env X=1 ls", "X=1 ls", "PATH=. ls", "timeout 5 rm x", "nice rm x", "ls | xargs rm", "xargs ls", "sudo ls",
        "bash -c 'rm x'", "bash -c \"$X\"", "bash", "ls | sh", "bash -s ls", "find . -exec ls ;",
        "find . -delete", "git -c core.pager=x status", "git status --output=x", r"git status \--output=x",
        "git status --outp=x", "git status '--output=x'", "echo a > x", "echo a >> x", "echo a &> x", "ls *", "ls ?x",
        "ls [a]", "echo {1..9}{1..9}{1..9}", "ls {--output=x,b}", "ls $X", 'ls "$X"', "$X ls", "ls # hello\nrm x",
        "# ls\nrm x", "#ls\nls", "exec ls", ". ./x", "source x", "alias ls=rm; ls", "ls() { rm x; }; ls",
        "function ls { rm x; }; ls", "if ls; then rm x; fi", "for f in a; do ls; done", "while ls; do ls; done",
        "[[ a =~ $(rm x) ]]", "case a in a) rm x;; esac", "coproc ls", "trap ls EXIT", "ls $'\\x2d-output'",
        'ls $"x"', "a[$(rm x)]=1 ls", "ls 'a", "ls (", "ls &&", "command -p rm x",
        "builtin eval ls", "git log ext::sh",
        "\u2800ls", "/bin/ls", "./ls", "~/ls", "git stash", "git status\u200b", "ls \u202e", "ls \u2066",
        "ls \U000e0041", "ls \x1b[2K", "ls \r", "ls \x00", "ls “a”", "ls ； rm", "ls" + " " * 60 + ";echo",
        "ls\n\n\n\n\necho",
        "time -f x ls", "nohup --foo rm", "watch ls", "ssh host ls", "parallel ls", "setsid rm x", "\\rm x",
        # what the parser reads otherwise than Bash
        "ls\n\\rm x", "ls \\ ; ls", "ls a\\\nb", "ls ]\\ls", "ls <x\n\\rm x", "{} && ls", "{ls;}", "ls a\\\n 2>&1",
    ],
)  # fmt: skip
def test_cmd_split(command: str) -> None:
    """A yes for harmless commands never covers these."""
    assert not covered(command)


@pytest.mark.parametrize("command", [r"find . \-delete", r"git status \-\-output=x", r"find . -ex\ec touch x +"])
def test_flags_behind_a_backslash_are_flags(command: str) -> None:
    assert parse_command_line(command) == parse_command_line(command.replace("\\", ""))
    assert parse_command_line(command).risks


@pytest.mark.parametrize(
    "command", ["ls\u200b", "ls\u202e", "ls \U000e0041", "ls\u3164", "ls \x1b[8m", "echo ‘a’", "l\u00a0s"]
)
def test_bidi_zw(command: str) -> None:
    line = parse_command_line(command)
    assert any(risk.kind is RiskKind.INVISIBLE or risk.kind is RiskKind.LOOKALIKE for risk in line.risks)
    assert approval_scope(parse_command_line(command), command) is None


@pytest.mark.parametrize("command", ["ls" + " " * 4000 + "; rm -rf x", "# list\n# files\nls", "ls\t" + "\t" * 60 + "x"])
def test_hidden_tail(command: str) -> None:
    assert approval_scope(parse_command_line(command), command) is None


def test_commands_within_others_are_listed_too() -> None:
    line = parse_command_line(
        "sudo timeout 5 sh -c 'a | b' && echo $(c) `d` <(e) | xargs -n 1 f; "
        "find . -exec g {} +; eval h; if i; then j; fi"
    )
    assert {command.program for command in line.commands} >= set("abcdefghij")


@pytest.mark.parametrize(
    "text",
    ["a " * 500_000, "$(" * 500_000, "{1..9}" * 160_000, "'" * 1_000_000, "<<a " * (MAX_BYTES // 4),
     "bash -c '" * 900, "$(" * (MAX_BYTES // 2), "timeout 1 " * 900 + "ls", "eval " * 1900, "\u200b" * 3000, "\ud800"],
    ids=range(11),
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    """The bound is generous: what this guards against takes minutes."""
    started = time.process_time()
    parse_command_line(text)
    assert time.process_time() - started < 2


# What Bash really runs, as the judge of what is said to be covered.

CLOSED_WORDS = st.sampled_from(
    ["ls", "a", "-x", "'", '"', "'a b'", '"a b"', "\\", "\\\n", "$", "{", "}", "{a,b}", "#", "`", "!", "=", "*", "x=1",
     "~", ",", "$(", "${", "rm", ";", "&", "|", "<", ">", "(", ")", "\n", "[", "]", "?", "^", "-", "'\\''",
     "\\\\", "\\'",
     "$'", "%", "1"]
)  # fmt: skip
ARGUMENT = st.one_of(st.just(" "), st.lists(CLOSED_WORDS, min_size=1, max_size=3).map("".join))
COMMAND = st.tuples(
    st.sampled_from(["ls", "ls", "git status", "echo", "rm", "\\ls", "l's'",
                     "time ls", "command ls", "bash -c 'ls'", "! ls"]),
    st.lists(ARGUMENT, max_size=3).map(lambda words: "".join(f" {word}" for word in words)),
).map("".join)  # fmt: skip
JOINT = st.sampled_from([" ; ", " && ", " | ", "\n", " & ", " || ", " |& ", " 2>&1 ; ", " >/dev/null\n", " ", "", "("])
LINE = st.lists(st.tuples(COMMAND, JOINT).map("".join), min_size=1, max_size=3).map("".join)


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of programs that only write down how they were called."""
    folder = tmp_path_factory.mktemp("programs")
    bash = shutil.which("bash") or "/bin/bash"
    for name in ("ls", "rm", "git", "a", "1", "x"):
        program = folder / name
        program.write_text(f'#!{bash}\nprintf "%s\\0" "{name}" "$@" >"$LOG/$$"\n')
        program.chmod(0o755)
    (folder / "bash").symlink_to(bash)
    return folder


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(LINE)
@example("ls $HOME")
@example("ls; ls a$LOG")
def test_bash_runs_nothing_but_what_was_covered(traced: Path, command: str) -> None:
    line = parse_command_line(command)
    if not covered(command):
        return
    expected = {command.words for command in line.commands}
    work = traced / "work"
    log = traced / "log"
    for folder in (work, log):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    subprocess.run(
        [str(traced / "bash"), "-c", command],
        cwd=work,
        env={"PATH": str(traced), "LOG": str(log), "HOME": "~"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
    )
    for ran in log.iterdir():
        assert tuple(ran.read_text().split("\0")[:-1]) in expected, command
    assert list(work.iterdir()) == [], command


@pytest.mark.parametrize("word", ["a*", "a?", "~/a", "a=~/b", "[ab]c"])
def test_a_yes_for_a_word_in_quotes_covers_none_that_bash_expands(word: str) -> None:
    assert keys(f"rm '{word}'")
    assert keys(f"rm {word}") != keys(f"rm '{word}'")


def test_words_keep_what_is_not_ascii() -> None:
    (command,) = parse_command_line("echo \u4f60'\u597d' \"\u00e9\" caf\u00e9=1 {\u4f60}").commands
    assert command.words == ("echo", "\u4f60\u597d", "\u00e9", "caf\u00e9=1", None)
    assert keys("git commit -m \u4f60\u597d") == ("run command: git commit",)
    assert keys("g\u00eft push") == ()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=200))
def test_any_text_is_answered(text: str) -> None:
    line = parse_command_line(text)
    assert line.commands or approval_scope(parse_command_line(text), text) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ls {src,tests}", ("ls", "src", "tests")),
        ("cat src/{a,b}.py c", ("cat", "src/a.py", "src/b.py", "c")),
        ("ls -{a,l} x", ("ls", "-a", "-l", "x")),
        ("ls *.{ts,tsx}", ("ls", "*.ts", "*.tsx")),
        ("grep -r --include=*.{ts,tsx} x", ("grep", "-r", "--include=*.ts", "--include=*.tsx", "x")),
        ("ls {.env,a}", ("ls", ".env", "a")),
    ],
)
def test_plain_braces_are_read_as_the_words_that_bash_makes_of_them(line: str, words: tuple[str, ...]) -> None:
    read = parse_command_line(line)
    assert [command.words for command in read.commands] == [words]
    assert {risk.kind for risk in read.risks} <= {RiskKind.PATTERN_AS_OPTION}
    made = subprocess.run(["bash", "-fc", line.replace(words[0], "printf '%s\\n'", 1)], capture_output=True, text=True)
    assert tuple(made.stdout.splitlines()) == words[1:]


@pytest.mark.parametrize(
    "line",
    [
        "ls {a,b}{c,d}", "ls {1..3}", "ls {a,{b,c}}", "ls {a,}", "ls {a,'b'}", "ls {a,$b}", "ls ~/{a,b}", "x {a=b,c}",
        "sh -c 'ls {a,b}'", "dash -c 'ls {a,b}'", "ls a\\{b,c}", "cat <{a,b}", "ls {é,b}", "{ls,a}", "ls {a,b}>x",
    ],
)  # fmt: skip
def test_other_braces_and_those_of_another_shell_are_asked_about(line: str) -> None:
    assert parse_command_line(line).risks, line


def test_a_pattern_that_names_a_program_is_no_test() -> None:
    for line in ("ls <<a\na\n [a]", "x=1\n[rm] x ]", "x=1; [a]"):
        assert parse_command_line(line).unread, line
    assert not parse_command_line("[ -f a ]").risks


def test_a_number_sign_that_ends_a_word_hides_nothing_behind_it() -> None:
    for line in ("[ -f a ]# b; rm x", "[ -f a ]#\nrm x", "a=(1)# b; rm x", "{ ls; }# b; rm x"):
        assert parse_command_line(line).unread, line
    for line in ("[ -f a ] # b; rm x", "ls;# b\nls", "# b\nls", "ls \\\n# b"):
        assert not parse_command_line(line).unread, line


def test_a_word_behind_assignments_that_is_known_only_at_run_time_may_be_the_program() -> None:
    for line in ("env a=b $'rm' x", "env a=b $X", "sudo a=b $X y", "env a=b r{m,} x"):
        assert parse_command_line(line).unread, line
    assert ("rm", "x") in [
        command.words for command in parse_command_line("env a=$X b=c rm x; env a=b c=$X rm x").commands
    ]


def test_a_variable_that_is_set_behind_time_leaves_the_program_unknown() -> None:
    for line in ("time -p x=1 rm$2 y", "time x=1 rm y $Z"):
        assert parse_command_line(line).unread, line


def test_a_keyword_behind_a_wrapper_leaves_the_program_unknown() -> None:
    for line in ("time -p ! {rm,-rf,x}", "time -p ! r{m,} x", "time -- ! $X", "time if $X; then ls; fi # a"):
        assert parse_command_line(line).unread, line


def test_a_test_ends_with_its_line() -> None:
    for line in ("ls $x\n[ -\n rm -rf x ]", "[ -f\nrm x ] # a", "[ a =\n\nrm ]"):
        assert parse_command_line(line).unread, line
    assert not parse_command_line("[ a = \\\n b ]").risks


def test_a_program_within_an_expansion_is_listed_or_unknown() -> None:
    for line in (
        'ls "${x:-`rm y`}"', "ls ${x:-`rm y`}", 'ls "${x:=$(rm y)}"', "y='a[$(rm z)]'; ls ${x:-$((y))}",
        'ls "${x/a/`rm y`}"', "y='$(rm z)'; ls $x${y@P}", 'ls $x"${y:-`rm`}"',
        "cat <<-a\n\t$(rm x)\n\ta\n", "cat <<-a\n\tx\n\t$(rm x | ls)\n\ta\n",
    ):  # fmt: skip
        read = parse_command_line(line)
        assert read.unread or "rm" in [command.program for command in read.commands], line
    for line in ('ls "${x:-a/b.c}"', 'ls "${x:-$y}"', 'ls "${x%.*}" "${#x}"', "cat <<a\n$(ls x)\n$y\na\n"):
        assert not parse_command_line(line).unread, line


def test_braces_of_a_git_revision_are_read_as_they_are() -> None:
    for word in ("stash@{0}", "HEAD@{2.days.ago}", "@{u}", "main@{-1}..HEAD^{commit}"):
        read = parse_command_line(f"git log {word}")
        assert (read.commands[0].words, read.risks) == (("git", "log", word), ()), word
    for word in ("a@{b..c}", "{a@{0},b}", "a@{b", "a@{b{c,d}}", "a@{$x}", "^{a,{b,c}}"):
        assert parse_command_line(f"git log {word}").risks, word
