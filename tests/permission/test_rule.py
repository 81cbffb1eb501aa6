"""Rules: what they cover of commands, files and other tools, and which of several counts."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.permission.command_risk import DESCRIPTIONS, CommandRisk, RiskKind, Severity
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, Match, parse_rule
from kimi_tui.permission.subject import CommandSubject, FileSubject, PageSubject
from kimi_tui.tools.core.permission_subject import command_subject, parse_subject
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.command_parser import parse_command_line

WORK = Path("/work/project")


def line(text: str):
    return command_subject(parse_command_line(text))


def file(path: str, *, edit: bool = True) -> FileSubject:
    real = Path(path) if path.startswith("/") else WORK / path
    return FileSubject(real, WORK if real.is_relative_to(WORK) else None, edit)


def policy(*rules: str, accept_edits: bool = False) -> Policy:
    """From texts such as `deny Shell(rm *)`."""
    parsed = [parse_rule(text.split(" ", 1)[1], Effect(text.split(" ", 1)[0]), "c.yaml") for text in rules]
    return Policy(parsed, accept_edits=accept_edits)


@pytest.mark.parametrize(
    ("rule", "command", "fits"),
    [
        ("git status *", "git status", True),
        ("git status *", "git status -s", True),
        ("git status *", "git statusx", False),
        ("git status *", "/tmp/git status", False),
        ("git status", "git status -s", False),
        ("git log --*", "git log --oneline", True),
        ("git log --*", "git log --oneline -1", False),
        ("npm run test*", "npm run test:unit", True),
        ("* --version", "python --version", True),
        ("echo 'a b' *", "echo 'a b' c", True),
        ("echo 'a b' *", "echo a b c", False),
        ("*", "ls | wc", True),
        ("ls *", "ls; ls -l && ls a", True),
        ("ls *", "ls; rm a", False),
        ("ls *", "ls > a", False),
        ("ls *", "ls $(rm a)", False),
        ("ls *", "ls $HOME", False),
        ("ls *", "timeout 5 ls", True),
        ("ls *", "timeout 5 rm a", False),
        ("ls *", "bash -c 'ls; rm a'", False),
        ("ls *", "", False),
        ("xargs *", "xargs rm", False),
    ],
)
def test_a_rule_that_allows_covers_what_it_surely_means(rule: str, command: str, fits: bool) -> None:
    assert (parse_rule(f"Shell({rule})", Effect.ALLOW).matches(line(command)) is Match.YES) is fits


@pytest.mark.parametrize(
    ("rule", "command", "fit"),
    [
        ("git push *", "git push", Match.YES),
        ("git push *", "git -C x --no-pager push", Match.YES),
        ("git push *", "/usr/bin/git push", Match.YES),
        ("git push *", "ls && (git push)", Match.YES),
        ("git push *", "for i in 1; do git push; done", Match.YES),
        ("git push *", "echo $(git push)", Match.YES),
        ("git push *", "env A=1 sudo git push", Match.YES),
        ("git push *", "bash -c 'git push'", Match.YES),
        ("git push *", "$X push", Match.MAYBE),
        ("git push *", "git $X", Match.MAYBE),
        ("git push *", "eval $X", Match.MAYBE),
        ("git push *", "echo git push | sh", Match.MAYBE),
        ("git push *", "ls 'unclosed", Match.MAYBE),
        ("git push *", "git pull", Match.NO),
        ("git push", "git $x push 0>&1>x", Match.MAYBE),
        ("git push *", "cat <<E\nfoo $x\nE\nls", Match.NO),
        ("git push *", "cat > a <<'E' && ls\n$(git push) `x`\ngit push\nE\nls", Match.NO),
        ("git push *", "cat <<-'E'\n\tfoo\n\tE\ngit push", Match.YES),
        ("git push *", "cat <<E | git push\nfoo\nE", Match.YES),
        ("git push *", "cat <<E\n$(git push)\nE", Match.YES),
        ("git push *", "cat <<E\n`git push`\nE", Match.MAYBE),
        ("git push *", "cat <<E\n$((x[y]))\nE", Match.MAYBE),
        ("git push *", "git <<E push\nE", Match.MAYBE),
        ("git push *", "cat <<E; git push\nE", Match.MAYBE),
        ("git push *", "cat <<E'F'\nEF\ngit push\nE'F'", Match.MAYBE),
        ("git push *", "cat <<\\\nE\nE\ngit push", Match.MAYBE),
        ("git push *", "git pus[h]", Match.MAYBE),
        ("git push *", "git p*", Match.MAYBE),
        ("git push *", "git a*", Match.NO),
        ("git push *", "git add src/*.py", Match.NO),
        ("git push origin", "git push o*", Match.MAYBE),
        ("git push origin", "git push a* o", Match.NO),
        ("git push *", "git push a*", Match.MAYBE),
        ("git push *", "git -C a* push", Match.YES),
        ("git push *", "env --split-string='git push'", Match.MAYBE),
        ("git push *", "sudo -s", Match.MAYBE),
        ("git push *", "sudo A=1 git push", Match.YES),
        ("git push *", "exec -a x git push", Match.YES),
        ("git push *", "git" + " -P" * 20 + " push", Match.YES),
        ("git push *", "git" + " -c a=b" * 12 + " push", Match.YES),
        ("git push *", "git" + " -P" * 200 + " push", Match.MAYBE),
        ("jq . keys", "jq" + " --arg a b" * 20 + " . keys", Match.MAYBE),
        ("git push *", "git -c alias.x=push x", Match.MAYBE),
        ("git push *", "git -c alias.x='push -f' x", Match.MAYBE),
        ("git push *", "git -c core.pager=cat log", Match.NO),
        ("git push *", "ls" + " -a" * 200, Match.NO),
        ("git push *", "ls $X", Match.NO),
        ("git push *", "X=1 make > out", Match.NO),
    ],
)
def test_a_rule_that_denies_covers_what_it_may_mean(rule: str, command: str, fit: Match) -> None:
    assert parse_rule(f"Shell({rule})", Effect.DENY).matches(line(command)) is fit


@pytest.mark.parametrize(
    ("rule", "command", "fits"),
    [
        ("rm -rf build/*", "rm -rf build/x/y", True),
        ("rm -rf build/*", "rm -rf build/../src", False),
        ("rm -rf build/*", "rm -rf build/x/../../src", False),
        ("rm -rf build*", "rm -rf build/../src", False),
        ("rm -rf build/.*", "rm -rf build/..", False),
        ("node scripts/*", "node scripts/../src/x.js", False),
        ("make --file=mk/*", "make --file=mk/../x", False),
        ("cp * dist/", "cp ../a dist/", True),
        ("ls ../*", "ls ../a", True),
        ("ls ../*", "ls ../a/../..", False),
        ("git log *..main", "git log a..main", True),
        ("git push origin feature/*", "git push origin feature/x", True),
        ("git push origin feature/*", "git push origin feature/x:main", False),
        ("git push origin HEAD:feature/*", "git push origin HEAD:feature/x", True),
    ],
)
def test_a_wildcard_of_a_rule_that_allows_leads_out_of_no_folder_and_to_no_other_branch(
    rule: str, command: str, fits: bool
) -> None:
    assert (parse_rule(f"Shell({rule})", Effect.ALLOW).matches(line(command)) is Match.YES) is fits


@pytest.mark.parametrize(
    ("rule", "command", "fits"),
    [
        ("python *.py", "python src/a.py", True),
        ("python *.py", "python -cexec.py", False),
        ("python *.py", "python /tmp/a.py", False),
        ("python *.py", "python ~/a.py", False),
        ("ls *.py -l", "ls a.py -l", True),
        ("rm [a-z]*", "rm a", True),
        ("rm ?*", "rm -r", False),
        ("curl https://*.example.org/*", "curl https://a.example.org/x", True),
        ("curl https://*.example.org/*", "curl https://other.net/.example.org/x", False),
        ("curl https://*.example.org/*", "curl https://other.net?.example.org/x", False),
        ("curl http://localhost:*", "curl http://localhost:8000/x", True),
        ("git clone *://example.org/*", "git clone https://example.org/x", True),
        ("git clone *://example.org/*", "git clone https://other.net/x://example.org/", False),
        ("curl https://*", "curl https://example.org/x", True),
        ("npm install @us/*", "npm install @us/x@1.2.3", True),
        ("npm install @us/*", "npm install @us/x@npm:other", False),
        ("npm install us-*", "npm install us-x", True),
        ("npm install us-*", "npm install us-x/other", False),
        ("npm install *", "npm install @us/x ./y", True),
        ("npm install *", "npm install github:us/x", False),
        ("npm install github:us/x", "npm install github:us/x", True),
        ("pnpm add *", "pnpm add x@workspace:*", True),
        ("yarn add us-*", "yarn add us-x@npm:other", False),
        ("pip install us-*", "pip install us-x==1.2", True),
        ("pip install us-*", "pip install us-x@file:other", False),
    ],
)
def test_a_wildcard_of_a_rule_that_allows_is_no_option_no_other_host_and_no_other_source(
    rule: str, command: str, fits: bool
) -> None:
    assert (parse_rule(f"Shell({rule})", Effect.ALLOW).matches(line(command)) is Match.YES) is fits


@pytest.mark.parametrize(
    ("rule", "command", "fits"),
    [
        ("aws --profile dev *", "aws --profile dev s3 ls", True),
        ("aws --profile dev *", "aws --profile dev s3 rm x --profile prod", False),
        ("aws --profile dev *", "aws --profile dev s3 rm x --prof=prod", False),
        ("npm publish --dry-run *", "npm publish --dry-run --tag beta", True),
        ("npm publish --dry-run *", "npm publish --dry-run --no-dry-run", False),
        ("npm publish --dry-run *", "npm publish --dry-run --dry-run false", False),
        ("eslint --no-fix *", "eslint --no-fix src", True),
        ("eslint --no-fix *", "eslint --no-fix --fix src", False),
        ("docker --context dev *", "docker --context dev -c prod ps", False),
        ("docker -c dev *", "docker -c dev --context prod ps", False),
        ("docker compose -f dev.yml *", "docker compose -f dev.yml up --force-recreate", True),
        ("docker compose -f dev.yml *", "docker compose -f dev.yml -f other.yml up", False),
        ("psql -d dev *", "psql -d dev -dprod", False),
        ("pytest -x *", "pytest -x -x tests", True),
        ("npm run build *", "npm run build -- --prefix x", True),
        ("ls -l *", "ls -l -la", True),
    ],
)
def test_an_option_that_a_rule_that_allows_names_is_not_taken_back(rule: str, command: str, fits: bool) -> None:
    assert (parse_rule(f"Shell({rule})", Effect.ALLOW).matches(line(command)) is Match.YES) is fits


@pytest.mark.parametrize(
    ("allowed", "denied", "command"),
    [
        ("npm publish *", "npm publish", "npm publish --tag beta"),
        ("npm run *", "npm run deploy", "npm run -w app deploy"),
        ("cargo run *", "cargo run", "cargo run -- prod"),
        ("make *", "make deploy *", "make test deploy"),
        ("npm install *", "npm install left", "npm install right left"),
    ],
)
def test_a_denied_command_is_asked_about_with_words_of_options_and_with_others(
    allowed: str, denied: str, command: str
) -> None:
    rules = policy(f"allow Shell({allowed})", f"deny Shell({denied})")
    assert rules.decide("Shell", line(allowed.replace("*", "test"))).effect is Effect.ALLOW
    assert rules.decide("Shell", line(command)).effect is Effect.ASK


@pytest.mark.parametrize("command", ["git push -f", "git push origin main --force", "git push origin +main"])
def test_a_denied_option_is_asked_about_wherever_it_is_and_however_it_is_spelled(command: str) -> None:
    rules = policy("allow Shell(git push *)", "deny Shell(git push --force *)")
    assert rules.decide("Shell", line("git push origin main")).effect is Effect.ALLOW
    assert rules.decide("Shell", line(command)).effect is Effect.ASK
    assert rules.decide("Shell", line(f"unknown-runner {command}")).effect is Effect.ASK


@pytest.mark.parametrize(
    ("pattern", "path", "allows", "denies"),
    [
        ("src/**", "src/a/b.py", True, True),
        ("src/**", "src/a", True, True),
        ("src/**", "srcs/a", False, False),
        ("src/", "src/a/b", True, True),
        ("src/*", "src/a/b", False, False),
        ("**/a.py", "a.py", True, True),
        ("**/a.py", "x/y/a.py", True, True),
        ("*.lock", "x/y.lock", True, True),
        ("*.lock", "/etc/y.lock", False, True),
        ("*.lock", "x/y.LOCK", False, True),
        ("Src/**", "src/a", False, True),
        ("/etc/**", "/etc/hosts", True, True),
        ("/etc/**", "/etcx/hosts", False, False),
        ("a.[ch]", "a.c", False, False),
        ("./a", "a", True, True),
        ("src/**/t/?.py", "src/x/y/t/a.py", True, True),
        ("src/**", "/elsewhere/src/a", False, False),
    ],
)
def test_files_are_meant_by_their_real_paths(pattern: str, path: str, allows: bool, denies: bool) -> None:
    for effect, fits in ((Effect.ALLOW, allows), (Effect.DENY, denies)):
        assert (parse_rule(f"WriteFile({pattern})", effect).matches(file(path)) is Match.YES) is fits


def test_a_home_is_the_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/person")
    assert parse_rule("ReadFile(~/notes/**)", Effect.ALLOW).matches(file("/home/person/notes/a")) is Match.YES


def test_tools_are_named_with_stars_and_in_groups() -> None:
    assert parse_rule("mcp__x__*", Effect.DENY).is_about("mcp__x__y")
    assert not parse_rule("mcp__x__*", Effect.DENY).is_about("mcp__xy__y")
    assert all(parse_rule("Edit(a)", Effect.DENY).is_about(tool) for tool in ("WriteFile", "StrReplaceFile"))
    assert all(parse_rule("Read", Effect.DENY).is_about(tool) for tool in ("ReadFile", "Grep", "Glob", "ReadMediaFile"))
    assert not parse_rule("Read", Effect.DENY).is_about("WriteFile")


@pytest.mark.parametrize("text", ["", " ", "(x)", "Shell(", "Shell()", "Shell(a", "Sh ell", "Shell('a)"])
def test_what_is_no_rule_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"rule|bracket|empty|quotation"):
        parse_rule(text, Effect.ALLOW)


def test_the_strictest_rule_counts_wherever_it_stands() -> None:
    rules = policy("allow Shell(git *)", "deny Shell(git push --force *)", "ask Shell(git push *)", "allow Shell")
    assert rules.decide("Shell", line("git push --force a")).effect is Effect.DENY
    asked = rules.decide("Shell", line("git status; git push"))
    assert (asked.effect, asked.why) == (Effect.ASK, "the rule `ask: Shell(git push *)` of c.yaml")
    assert rules.decide("Shell", line("git status > x")).effect is Effect.ALLOW
    assert rules.decide("WriteFile", file("a")).effect is None


def test_several_rules_may_allow_a_line_together() -> None:
    rules = policy("allow Shell(ls *)", "allow Shell(wc *)")
    assert rules.decide("Shell", line("ls | wc -l")).effect is Effect.ALLOW
    assert rules.decide("Shell", line("ls | wc -l | sh")).effect is None


def test_what_a_denying_rule_may_mean_is_asked_for() -> None:
    rules = policy("deny Shell(git push *)", "allow Shell")
    assert rules.decide("Shell", line("$X push")).effect is Effect.ASK


def test_accepted_edits_are_those_inside_the_work_dir() -> None:
    rules = policy("ask WriteFile(*.lock)", accept_edits=True)
    assert rules.decide("WriteFile", file("a")).effect is Effect.ALLOW
    assert rules.decide("WriteFile", file("a.lock")).effect is Effect.ASK
    assert rules.decide("WriteFile", file("/etc/a")).effect is None
    assert rules.decide("Shell", line("touch a")).effect is None


def test_patterns_of_other_tools_are_compared_with_their_text() -> None:
    rules = policy("deny FetchURL(https://example.org/*)", "deny Task")
    assert rules.decide("FetchURL", PageSubject("https://example.org/a", "example.org")).effect is Effect.DENY
    assert rules.decide("FetchURL", PageSubject("https://example.com/", "example.com")).effect is None
    assert rules.decide("Task", None).effect is Effect.DENY
    assert rules.decide("FetchURL", None).effect is None


@settings(max_examples=150, deadline=None)
@given(st.text("lsrm -|;&$()'\"`{}<>\n\\a*=!#", max_size=40))
def test_a_rule_never_allows_a_line_that_a_program_of_another_name_is_in(text: str) -> None:
    """The allowing rule is for `ls`; wherever `rm` can be seen to run, it does not allow."""
    subject = line(text)
    allowed = policy("allow Shell(ls *)").decide("Shell", subject).effect is Effect.ALLOW
    assert not allowed or all(words[0] == "ls" for words in subject.commands)
    assert not (allowed and subject.risks)


@pytest.mark.parametrize("command", [
    "source ./x.sh", ". ./x.sh", "trap x EXIT", "exec x", "alias ls=x; ls", "unalias ls", "set -x", "shopt -s extglob",
    "enable -f ./x.so x", "hash -p ./x ls", "export A", "declare A", "typeset A", "local A", "readonly A", "unset A",
    "coproc x", "bind -x '\"a\": x'", "complete -C x y", "mapfile -C x A", "readarray A", "read A", "let A",
    "PATH=. ls", "PATH+=:. ls", "BASH_ENV=x bash y", "IFS=x; ls", "env LD_PRELOAD=x ls", "a=(b) ls", "a[x]=1",
    "ls \"`ls \\`git push\\``\"",
    "getopts a b", "ls() { x; }; ls", "x='$(y)'; ls \"${x@P}\"", "ls $((x))", "ls ${a[x]}", "ls ${!x}", "[[ x -eq y ]]",
    "bash -l -c ls", "sort --compress-program=./x a", "timeout --unknown x ls", "ls | xargs x", "ls | sh", "ssh host x",
    "a" * 200_000, "(" * 10 + "ls" + ")" * 10 + "$(" * 90_000,
])  # fmt: skip
def test_a_rule_that_denies_is_asked_about_where_programs_may_run_that_are_not_listed(command: str) -> None:
    assert line(command).unread
    assert policy("deny Shell(git push *)", "allow Shell").decide("Shell", line(command)).effect is Effect.ASK


def test_every_kind_of_doubt_says_what_it_means_and_keeps_a_rule_from_allowing() -> None:
    assert set(DESCRIPTIONS) == set(RiskKind)
    ls = line("ls").commands
    for kind in RiskKind:
        subject = CommandSubject(ls, (CommandRisk(kind, "x"),))
        assert policy("allow Shell(ls *)").decide("Shell", subject).effect is None
        perhaps = policy("deny Shell(git push *)").decide("Shell", subject).effect is Effect.ASK
        assert perhaps is (DESCRIPTIONS[kind].severity in (Severity.UNREAD, Severity.LIMIT)), kind
        assert "{" not in str(CommandRisk(kind, "x"))


@pytest.mark.parametrize(
    ("rule", "url", "effect"),
    [
        ("allow FetchURL(docs.python.org)", "https://docs.python.org/3/", Effect.ALLOW),
        ("allow FetchURL(*.python.org)", "https://docs.python.org:8443/3/", Effect.ALLOW),
        ("allow FetchURL(python.org)", "https://docs.python.org/3/", None),
        ("allow FetchURL(https://*.python.org/*)", "https://docs.python.org/3/", Effect.ALLOW),
        ("allow FetchURL(https://*.python.org/*)", "https://evil.example/a.python.org/", None),
        ("allow FetchURL(https://docs.python.org/*)", "https://docs.python.org@evil.example/", None),
        ("deny FetchURL(https://evil.example/*)", "HTTPS://EVIL.example/x", Effect.DENY),
        ("deny FetchURL(evil.example)", "https://evil.example./x", Effect.DENY),
    ],
)
def test_a_rule_for_pages_goes_by_the_host_that_is_connected_to(rule: str, url: str, effect: Effect | None) -> None:
    assert policy(rule).decide("FetchURL", parse_subject("FetchURL", url, Workspace(Path("/w")))).effect is effect


@pytest.mark.parametrize("command", [
    "taskset 1 rm a", "chrt 1 rm a", "setpriv --nnp rm a", "prlimit rm a", "fakeroot rm a", "npx rm a", "npm exec rm a",
    "uv run rm a", "poetry run /bin/rm a", "mise exec -- rm a", "pkexec rm -f a", "sg x 'rm a'", "hyperfine 'rm a'",
    "nix-shell --run 'rm a'", "docker run x rm a", "git -c alias.x='!rm a' x", "make SHELL='rm a'", "sed '1e rm a' a",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm a", "no-such-wrapper rm a",
    "npx" + " x" * 200 + " rm a", "python -mrm a", "python -Imrm a",
])  # fmt: skip
def test_a_rule_that_denies_is_asked_about_where_another_program_may_run_what_it_names(command: str) -> None:
    policy = Policy([parse_rule("Shell(rm *)", Effect.DENY)])
    assert policy.decide("Shell", command_subject(parse_command_line(command))).effect is Effect.ASK


@pytest.mark.parametrize("command", [
    "git rm a", "docker rm x", "npm rm x", "echo rm a", "uv run pytest", "grep rm a", "npx eslint", "make test", "ls",
])  # fmt: skip
def test_a_rule_that_denies_says_nothing_of_a_word_that_is_no_program(command: str) -> None:
    policy = Policy([parse_rule("Shell(rm *)", Effect.DENY)])
    assert policy.decide("Shell", command_subject(parse_command_line(command))).effect is None


@pytest.mark.parametrize(
    ("rule", "command"),
    [("bash *", "bash -c 'ls'"), ("timeout *", "timeout 5 ls"), ("nohup *", "ls && nohup ls"), ("env *", "env ls")],
)
def test_a_rule_that_denies_or_asks_is_about_a_wrapper_too(rule: str, command: str) -> None:
    for effect in (Effect.DENY, Effect.ASK):
        decided = policy("allow Shell(ls *)", f"{effect} Shell({rule})").decide("Shell", line(command))
        assert decided.effect is effect
    assert policy("allow Shell(ls *)").decide("Shell", line(command)).effect is Effect.ALLOW
