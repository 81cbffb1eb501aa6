"""Texts of the layers below in the language of the screen: those that have a known form, and only those."""

import ast
import re
from collections.abc import Iterator

import pytest

from kimi_tui.tools.shell_command import hidden_text
from kimi_tui.tools.shell_scope import shell_scope
from kimi_tui.ui.tui import language
from kimi_tui.ui.tui.from_below import FORMS, told
from kimi_tui.ui.tui.language import _
from tests import texts

# Put together of pieces where they are written, or written in `themes/`.
IN_PIECES = {
    "exit code {}", "after {} s",
    "Read `{}` and tell the model", "Read `{}`, which by its name holds secrets, and tell the model",
    "the rule `{}` of {}", "the rule `{}`", "Plan agreed to", "Plan agreed to in this way: {}", "use {}",
    "Run command `{}`", "Rejected: {}", "it ended with exit code {}",
    "ANSI 16", "Colour-blind safe", "High contrast", "Kimi dark", "Kimi light", "Kimi",
}  # fmt: skip


def written_below() -> Iterator[str]:
    """Every text in the source of the layers below, with `{}` for its values."""
    package = texts.ROOT / "kimi_tui"
    for file in sorted(package.rglob("*.py")):
        if "ui" in file.relative_to(package).parts[:1]:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Constant(value=str(text)):
                    yield text
                case ast.JoinedStr(values=parts):
                    yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
                case _:
                    pass


def test_every_known_form_is_written_somewhere_below() -> None:
    written = set(written_below())
    plain = {re.sub(r"\{\w+\}", "{}", form) for form in FORMS}
    assert plain - written - IN_PIECES == set()


def test_in_english_texts_stay_as_they_came() -> None:
    assert [told(form) for form in FORMS] == list(FORMS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run command", "运行命令"),
        ("edits of `src/a.py`", "对 `src/a.py` 的编辑"),
        ("Asked because: it is to run outside of the sandbox; the rule `ask: Shell(git push:*)` of ~/c.yaml", None),
        ("Back to before “fix {it}”", "回退到“fix {it}”之前"),
        ("commands that begin with `git push` or exactly `make -j 2`", None),
        ("failed, exit code 3, after 12 s", "失败、退出码 3、历时 12 秒"),
        ("MCP server files: unauthorized", "MCP 服务器 files：未授权"),
        ("rules that allow, a wider sandbox", "放行规则、更宽松的沙箱"),
    ],
)
def test_in_chinese_known_forms_are_said_in_chinese(text: str, said: str | None) -> None:
    language.use("zh")
    if said is not None:
        assert told(text) == said
    assert not re.search(r"[A-Za-z]{2,} (of|or|that|is|to) ", told(text))


@pytest.mark.parametrize(
    "text", ["", "git push origin v1.2", "there is no such file: run", "running late, done", "=> {x}"]
)
def test_what_has_no_known_form_stays_as_it_came(text: str) -> None:
    language.use("zh")
    assert told(text) == text


@pytest.mark.parametrize(
    "command", ["git push origin main", "pytest -q | head -3", "rm -rf build", "python -m http.server"]
)
def test_the_scope_of_a_command_is_said_in_chinese(command: str) -> None:
    scope = shell_scope(command)
    assert scope is not None
    english = scope.words
    language.use("zh")
    assert told(english) != english
    assert not re.search(r"begin|exactly| or ", re.sub(r"`[^`]*`", "", told(english)))


def test_what_hides_in_a_command_is_said_in_chinese() -> None:
    language.use("zh")
    for command in ("ls\u200b", "ls\u202e", "a" + " " * 80 + "b"):
        why = hidden_text(command)
        assert why is not None
        assert told(f"Careful: {why}").startswith(_("Careful: {why}", why=""))


def test_every_form_has_chinese_of_its_own() -> None:
    language.use("zh")
    assert [form for form in FORMS if _(form) == form and form not in ("ANSI 16", "Kimi")] == []
