"""Copies of the user's Git settings without secrets."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kimi_tui.tools.shell_support.redacted_settings import redacted_mounts, without_secrets
from kimi_tui.tools.shell_support.sandbox_home import holds_a_secret

NAME = "[user]\n\tname = seen\n\temail = a@b.c\n"
SECRETS = (
    '[url "https://oauth2:s3cret@git.example/"]\n\tinsteadOf = https://git.example/\n',
    "[http]\n\textraHeader = AUTHORIZATION: basic s3cret\n",
    '[http "https://git.example"]\n\tproxy = http://proxy.example\n\tcookieFile = s3cret\n',
    '[credential]\n\thelper = "!f() { echo \\\npassword=s3cret; }; f"\n',
    "[credential]\n\thelper = vault --token s3cret\n\thelper = mine -p s3cret\n\thelper=!mine --apikey=s3cret\n",
    '[credential "https://user:s3cret@example.org"]\n\tusername = s3cret\n',
    "[sendemail]\n\tsmtpPass = s3cret\n",
    "[alias] x = !curl -H token:s3cret\n",
    "[never.heard]\n\tof = s3cret\n",
)


@pytest.mark.parametrize("secret", SECRETS)
def test_what_holds_no_secret_stays_as_it_was(secret: str, tmp_path: Path) -> None:
    rest = "[core]\n\thooksPath = ~/.hooks\n[alias]\n\tst = status \\\n-sb ; short\n"
    redacted = without_secrets((NAME + secret + rest).encode())
    assert b"s3cret" not in redacted
    (tmp_path / "config").write_bytes(redacted)
    shown = subprocess.run(["git", "config", "-f", tmp_path / "config", "-l"], capture_output=True, check=True)
    names = ("user.name=seen", "user.email=a@b.c", "core.hookspath=~/.hooks", "alias.st=status -sb")
    assert shown.stdout.decode().splitlines() == list(names)


PARTS = (
    "[user]",
    "[http]",
    '[url "https://a:s3cret@b/"]',
    "\tname = a",
    "password=x",
    "\\",
    "\n",
    " ; c",
    '"',
    "[core] a",
)


@given(
    st.lists(st.sampled_from(PARTS)).map("".join) | st.text(), st.sampled_from(["token = abc", "://u:p@h", "k" * 32])
)
def test_no_part_that_seems_to_hold_a_secret_is_left(text: str, secret: str) -> None:
    middle = len(text) // 2
    redacted = without_secrets(f"{text[:middle]}{secret}{text[middle:]}".encode())
    assert not holds_a_secret(redacted)
    assert secret.encode() not in redacted


def test_a_file_that_is_shown_as_a_whole_gets_no_copy(tmp_path: Path) -> None:
    home = Path.home()
    (home / ".gitconfig").write_text(NAME + SECRETS[1])
    (mount,) = redacted_mounts(home, (tmp_path / "project",), tmp_path, readable=())
    assert mount[2] == str(home / ".gitconfig")
    assert Path(mount[1]).read_text() == NAME
    assert list(redacted_mounts(home, (), tmp_path, readable=(home / ".gitconfig",))) == []
    assert list(redacted_mounts(home, (home,), tmp_path, readable=())) == []  # a command can write them
