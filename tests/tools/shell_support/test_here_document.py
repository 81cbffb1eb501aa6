"""What Bash runs of a line with a here-document is what was read in it."""

import random

import pytest

from kimi_tui.tools.shell_support.command_parser import parse_command_line
from tests.tools.shell_fuzz import difference, runnable, scratch_range

_PIECES = (
    *("cat", "ls x", "rm a", "<<a", "<<-a", "<<'a'", "<<-'a'", '<<"a"', "<<\\a", "<< a", "3<<a", "<<<a", "\n", "\n"),
    *("\na", "\na\n", "\na\n", "\n\ta\n", "\na \n", "\na#", "\nb\n", "# ", "#", "$(EVIL)", "`EVIL`", "${x:-$(EVIL)}"),
    *("'", '"', "\\", "\\\n", "b", "a", " ", "; ", "| ", "&& ", "<(EVIL)", ">x", "$x", "(", ")", "{ ", "; }", "'x'"),
    *("2>&1", "\t", "\r\n", "<<a;", "<<a)", "\v", " - ", " - <<a", "\t-\t<<a"),
)


@pytest.mark.parametrize("line", [
    "cat <<a\na# $(EVIL)", "cat <<a\na# $(EVIL)\nx\n", "cd <<a \na# 'x[`EVIL`]'<(EVIL) <&- 'a'\"b\"",
    "ls <<-a\n\ta \n$(EVIL)\n", "cat <<'a'# x\n\ta\n", "cat <<'a' <(EVIL)\na\n", "cat <<a x\na\n",
    "cat a <<a \n; }\n\ta\n#`EVIL`<<a", "cat <<a <<b\nx\na\ny\nb\n", "cat <<a # x\ny\na\n", "cat <<a\nx\n",
    "cat <<'a'b\nx\na\n",
])  # fmt: skip
def test_a_here_document_that_bash_ends_elsewhere_is_not_read(line: str) -> None:
    assert parse_command_line(line).unread


@pytest.mark.parametrize("line", [
    "cat <<EOF\nx $y\nEOF", "cat > f <<'EOF'\n# a $(x)\ncout << 1;\nEOF\nls a\n", "cat <<-a | wc -l && ls\n\tx\n\ta\n",
    "git commit -m \"$(cat <<'EOF'\nsubject\n\n# text\nEOF\n)\"", "python3 <<'E' >o\n1 << 2\nE",
    "git add a && git commit -F - <<'EOF'\nsubject\n\n- text\nEOF", "cat - a <<EOF\n - <<b\nEOF\nls a",
])  # fmt: skip
def test_an_ordinary_here_document_is_read(line: str) -> None:
    kinds = [risk.kind for risk in parse_command_line(line).risks]
    assert "unparsed" not in kinds, kinds


def test_a_dash_before_a_here_document_is_a_word() -> None:
    line = parse_command_line("git commit -F - <<'EOF' && tee - b\n - <<y\nEOF")
    assert [command.words for command in line.commands] == [("git", "commit", "-F", "-"), ("tee", "-", "b")]


def test_bash_runs_what_was_read_in_a_line_with_here_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    with scratch_range() as place:
        monkeypatch.setenv("HOME", str(place.home))
        rng = random.Random(5)
        ran = 0
        for _ in range(4_000):
            line = f"{rng.choice(('cat ', 'ls ', 'cd ', 'cat a '))}{''.join(rng.choices(_PIECES[3:12]))}"
            line += rng.choice(("", "\n", " x\n", "| ls\n", " #\n")) + "".join(
                rng.choices(_PIECES, k=rng.choice((3, 6, 9)))
            )
            read = parse_command_line(line)
            if runnable(line) and not read.unread:
                ran += 1
                assert difference(line, read, place) is None, line
    assert ran > 10
