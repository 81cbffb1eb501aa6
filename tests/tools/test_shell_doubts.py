"""What leaves a doubt about a command line: everything that Bash may read otherwise, evaluate or expand."""

import shutil
import subprocess

import pytest

from kimi_tui.permission.doubt import DoubtKind
from kimi_tui.permission.subject import Pattern
from kimi_tui.tools import shell_builtins
from kimi_tui.tools.shell_command import take_apart
from kimi_tui.tools.shell_lexer import read_plain


def kinds(command: str) -> set[DoubtKind]:
    return {doubt.kind for doubt in take_apart(command).doubts}


@pytest.mark.parametrize("command", [
    "git grep -e x </dev/null -Opython3>&1", "sort </dev/null -oFILE2>&1", "find . 2>/dev/null -delete2>&1",
    "kill 2>&-1", "kill 2>&-a", "ls 2>&-'x'", "ls >&-x", "ls <&-x", "ls 12>&1", "ls {a}>&1", "ls {a}>/dev/null",
    "ls {}>/dev/null", "ls a2>&1 -x3>&1", "ls 2>&1-", "ls 2>&1x", "ls >&1\\\n2", "ls 2>&\u00b2",
    "ls 2>&1-x", "ls <&0-", "ls >&x", "ls &>x", "ls &>>x", "ls >|x", "ls <>x", "ls >>x", "ls 2>x", "ls <<<x", "ls <<x",
    "ls <(x)", "ls >(x)", "ls > >(x)", "</dev/null ls", "2>&1 ls", ">x", "ls 2\\\n>&1", "ls 2>\\\n&1",
])  # fmt: skip
def test_a_redirection_with_an_odd_descriptor_or_target_is_asked_about(command: str) -> None:
    assert kinds(command)


@pytest.mark.parametrize("command", [
    "ls 2>&1", "ls 2>/dev/null", "ls >/dev/null 2>&1", "ls &>/dev/null", "ls < a", "ls <a 2>&1 | wc", "ls 2>&1|wc",
    "(ls) 2>&1", "{ ls; } 2>/dev/null", "ls >&2", "ls 2>&-", "ls <&-; ls", "ls -x2 2>&1",
    "ls x2>/dev/null",
    "time ls", "time -p ls", "! ls", "ls;", "ls &", "(ls; (ls))", "{ (ls); }", "ls && \\\n  ls", "ls |\nwc", "ls\n\nls",
    "ls a#b", "ls 'a\nb'", 'ls "\\$x"', "ls ]", "ls }", "ls if", "ls a=b", "ls a[1]", "ls ~/x", "echo !",
    "grep -n 'a b' src/*.py", "git log --oneline -5 -- src/", "printf '%s\\n' a", "test -f a && ls",
    "test 1 -eq 2", "cd a; pwd", "kill -9 12", "wait", "jobs -l", "command -v ls", "type ls", "echo a-b*", "ls café",
])  # fmt: skip
def test_ordinary_lines_leave_no_doubt(command: str) -> None:
    assert kinds(command) == set()


@pytest.mark.parametrize("command", [
    "printf -v 'a[$(x)]' y", "printf -va x", "printf '%n' a", "test -v 'a[$(x)]'", "[ -v a ]", "test -R a",
    "test 'a[$(x)]' -eq 1", "[ a -lt 1 ]", "jobs -x x", "jobs -lx x", "compgen -W '$(x)'", "compgen -C x", "wait -p a",
    "wait -np a", "fc -s", "history -s x", "let 'a[$(x)]'", "declare -a 'a=($(x))'", "typeset a", "local a",
    "readonly a",
    "export a", "read 'a[$(x)]'", "mapfile -C x a", "readarray a", "unset 'a[$(x)]'", "[[ a -eq b ]]", "[[ -v a ]]",
    "enable -f x y", "bind x", "trap x EXIT", "complete -F x y", "compopt x", "getopts a 'b[$(x)]'", "exec x",
    "command -p x", "builtin eval x", "builtin printf -v a x", "command printf -v a x", "hash -p x y", "alias a=x",
    "unalias a", "set -x", "shopt -s x", "source x", ". x", "eval x", "\\printf -v a x", "'test' -v a", "((a))",
    "echo $((a))", "echo $[a]", "echo 'a[$(x)]'", "ls 'a[`x`]'", "timeout 1 env printf -v a x", "coproc x",
    "function f { x; }", "f() { x; }", "time -f x ls", "time -p -p ls", "time ! ls", "zsh -c ls", "fish -c ls",
])  # fmt: skip
def test_a_builtin_that_evaluates_its_operands_is_asked_about(command: str) -> None:
    assert kinds(command)


def test_every_builtin_of_bash_is_known_to_be_plain_or_is_asked_about() -> None:
    ran = subprocess.run(
        [shutil.which("bash") or "bash", "-c", "compgen -b"], capture_output=True, text=True, check=True
    )
    known = shell_builtins.PLAIN | shell_builtins.WRAPPERS | shell_builtins.CHECKED
    assert not known & (shell_builtins.CHANGE_THE_SHELL | shell_builtins.EVALUATE)
    assert set(ran.stdout.split()) <= known | shell_builtins.CHANGE_THE_SHELL | shell_builtins.EVALUATE


@pytest.mark.parametrize("command", [
    "git log -*", "find . -[d]elete", "find . -?elete", "ls '-'*", 'ls "-"?', "ls \\-*", "ls --out*", "ls *", "ls ''*",
    'ls ""[-]x', "ls ?x", "ls [a-]x", "ls -{a,b}", "ls {-a,b}", "ls ''{-a,b}", "ls -$x", "ls -x=a*",
])  # fmt: skip
def test_a_pattern_that_may_become_an_option_is_asked_about(command: str) -> None:
    assert kinds(command)


@pytest.mark.parametrize("command", ["l*", "./x*", "timeout 5* ls", "nice -n 5? ls", "env l*", "find . -exec l* ;"])
def test_a_pattern_in_the_place_of_a_program_is_asked_about(command: str) -> None:
    assert kinds(command)


def test_a_word_with_a_pattern_is_told_from_one_in_quotes() -> None:
    (command,) = take_apart("ls a* 'a*' a\\* \"a*\" b").commands
    assert command.words == ("ls", "a*", "a*", "a*", "a*", "b")
    assert [isinstance(word, Pattern) for word in command.words] == [False, True, False, False, False, False]


@pytest.mark.parametrize("text", [
    "ls $x", "ls `x`", "x=1 ls", "a[1]=x ls", "if ls", "case", "[[ a ]]", "ls (", "ls )", "(ls", "{ ls", "{ ls }",
    "ls 'a",
    "ls ; ; ls", "ls ;; ls", "ls && ", "| ls", "ls # a", "# a", "((a))", "( )", "{ }", "(ls) a", "ls 12>&1",
    "ls a\\\nb",
    "ls <<a", "ls <<<a", "ls <(a)", "ls 1>&-2", "ls {a}>x", "time if ls", "time -x ls", "time 'x' ls", "ls \\", "ls\r",
    "é=1 ls", "coproc ls", "ls() { x; }", "function ls", "! | ls", ">x ls",
])  # fmt: skip
def test_what_is_not_plain_is_not_read(text: str) -> None:
    assert read_plain(text) is None
