"""The environment of the agent's commands."""

import pytest

from kimi_tui.tools.shell_support.child_env import ChildEnv


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STRIPE_SK", "x"),
        ("DSN", "host=a"),
        ("MYSQL_PWD", "x"),
        ("GH_PAT", "x"),
        ("RAILS_MASTER_KEY", "x"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=x"),
        ("GOOGLE_CREDENTIAL", "x"),
        ("AWS_CREDS", "x"),
        ("DBPASS", "x"),
        ("ADMIN_PW", "x"),
        ("DEPLOY_WEBHOOK_URL", "https://example.org/x"),
        ("NOTIFY", "https://hooks.slack.com/services/T0/B0/abc"),
        ("ERRORS", "https://0123456789abcdef0123456789abcdef@errors.example/1"),
        ("REDIS", "redis://:hunter2@cache:6379/0"),
        ("BROKER", "amqp://user:hunter2@mq/"),
        ("ANY", "sk-proj-abcdefghijklmnop"),
        ("ANY", "ghp_0123456789abcdefghij"),
        ("ANY", "AKIAABCDEFGHIJKLMNOP"),
        ("ANY", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"),
        ("ANY", "-----BEGIN OPENSSH PRIVATE KEY-----\nx"),
        ("ANY", "Server=db;User=sa;Password=hunter2;"),
    ],
)
def test_a_variable_with_a_secret_by_name_or_by_value_is_left_out(name: str, value: str) -> None:
    assert not ChildEnv().passes(name, value)
    assert ChildEnv(allowed=[name]).passes(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PWD", "/home/u/sk-project"),
        ("OLDPWD", "/"),
        ("PATH", "/usr/bin:/home/u/.local/bin"),
        ("HTTPS_PROXY", "http://user:hunter2@proxy:8080"),
        ("GOPROXY", "https://proxy.golang.org,direct"),
        ("PIP_INDEX_URL", "https://pypi.org/simple"),
        ("LS_COLORS", "rs=0:di=01;34:ln=01;36"),
        ("CI_COMMIT_SHA", "0123456789abcdef0123456789abcdef01234567"),
        ("EMAIL", "ada@example.org"),
        ("GIT_ASKPASS", "/usr/lib/git-core/git-gui--askpass"),
        ("GIT_REMOTE", "git@github.com:a/b.git"),
    ],
)
def test_an_ordinary_variable_stays(name: str, value: str) -> None:
    assert ChildEnv().passes(name, value)


@pytest.mark.parametrize("name", ["CDPATH", "BASHOPTS", "SHELLOPTS", "GLOBIGNORE", "POSIXLY_CORRECT"])
def test_a_variable_by_which_bash_reads_a_line_in_another_way_is_left_out(name: str) -> None:
    assert name not in ChildEnv().build({name: "x", "A": "1"})
