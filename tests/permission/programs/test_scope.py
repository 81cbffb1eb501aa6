"""What a yes for the session covers: a kind of command with harmless options, and nothing that does more."""

import pytest

from kimi_tui.tools.shell_support.approval_scope import approval_scope
from kimi_tui.tools.shell_support.command_parser import parse_command_line

HARMLESS = (
    "ls", "cat a", "sort a", "uniq a", "sed -n 1p a", "awk '{print $1}' a", "find . -name a", "git status", "git log",
    "git diff", "git show", "git branch", "git grep x", "git fetch origin", "git pull origin", "git push origin",
    "git commit -m a", "git add a", "grep x a", "rg x", "fd x", "tree", "file a", "date", "hostname", "pytest",
    "python -m pytest", "uv run pytest", "npm test", "npm run build",
    "go test ./...", "go vet ./...", "go build ./...",
    "cargo test", "cargo build",
    "ruff check", "mypy a", "eslint a",
    "prettier --check x", "ruff format --check x", "black --check x", "isort -c x", "tsc --noEmit", "cargo fmt --check",
    "uv run ruff check",
    "tail a", "head a", "wc a", "jq . a", "pip list", "bundle exec pytest", "ps", "diff a b",
)  # fmt: skip


def keys(command: str) -> tuple[str, ...]:
    scope = approval_scope(parse_command_line(command), command)
    return scope.keys if scope else ()


GRANTED = frozenset(key for command in HARMLESS for key in keys(command))


def test_a_harmless_command_is_covered_by_its_kind() -> None:
    assert [command for command in HARMLESS if not all(key.startswith("run command: ") for key in keys(command))] == []


@pytest.mark.parametrize(
    "command",
    [
        "git status -s", "git log --oneline -5", "git push -u origin main", "pytest -q -x tests", "npm test",
        "uv run pytest -k a", "ls -la src | head -5", "sort -rn a | uniq -c", "go test -run X ./a", "cargo test -p a",
        "cargo test -- --nocapture",
        "sed -n 5,9p b", "git commit -am x && git push origin",
    ],
)  # fmt: skip
def test_a_yes_covers_the_same_kind_with_other_harmless_options(command: str) -> None:
    found = keys(command)
    assert found
    assert set(found) <= GRANTED


@pytest.mark.parametrize(
    "command",
    [
        "no-such-program x", "python x.py y", "setpriv ls", "chrt 1 ls", "taskset 1 ls", "perf record ls",
        "uv run python x.py", "uv run python -c x", "poetry run python x", "./pytest", "git foo",
        "git checkout a", "make",
        "npm install x", "ls --no-such-option", "git log --no-such-option", "git log --onel", "npm test -- --x",
        "npm run test -- a", "git push ./evil main", "git push origin +main", "pytest /elsewhere",
        "pytest ../elsewhere",
        "docker ps", "docker compose up", "kubectl get pods", "gh pr list", "sed -i s/a/b/ a", "zcat a.gz", "bat a",
        "strings a", "pip freeze", "npm view a", "journalctl -n 5", "apt list", "cargo doc", "ps e", "base64 a",
        "cargo test -- --logfile=../x", "cargo test a -- --format=json", "cargo test -- --nocapture ./x",
        "pytest @file", "pytest -k @file", "ruff check --select @file", "mypy --python-version @file",
        "cd x && git status", "cd x && npm test", "prettier --write x", "prettier -cw x", "ruff check --fix x",
        "ruff format x", "black x", "isort x", "eslint --fix x", "tsc", "cargo fmt", "python -m black x",
        "tsc --noEmit false a.ts", "cargo test --no-run", "go build -n",
        "uv run ruff check --fix", "git push -n origin", "git push --dry-run origin", "git add -n a",
        "git commit --dry-run -m a", "git fetch --dry-run origin",
    ],
)  # fmt: skip
def test_what_is_not_known_to_be_harmless_is_covered_word_by_word(command: str) -> None:
    assert keys(command) == (f"run exactly: {command}",)


def test_another_remote_is_another_kind_of_push() -> None:
    assert keys("git push evil main") == ("run command: git push evil",)
    assert keys("/bin/ls") == ()
