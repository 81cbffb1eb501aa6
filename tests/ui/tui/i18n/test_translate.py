"""Texts of the layers below in the language of the screen: those that have a known form, and only those."""

import re

import pytest

from kimi_tui.i18n import tr, tr_n
from kimi_tui.tools.shell_support.approval_scope import approval_scope
from kimi_tui.tools.shell_support.command_parser import parse_command_line
from kimi_tui.tools.shell_support.hidden_text import hidden_text
from kimi_tui.ui.tui.i18n import catalog
from kimi_tui.ui.tui.i18n.catalog import ENGINE_CONTEXT, _, msgids, p_
from kimi_tui.ui.tui.i18n.translate import CLOSED_WORDS, literal_length, translate, translate_lines


def test_the_forms_of_the_layers_below_are_read_from_the_catalogue() -> None:
    assert {"no flow is running", "no turn {turn}; /rewind lists the turns"} <= set(msgids(ENGINE_CONTEXT))
    assert msgids("no such context") == ()


def test_every_form_has_words_of_its_own_by_which_it_is_found() -> None:
    """A form that is hardly more than its values would be found in what is none of ours."""
    assert [form for form in msgids(ENGINE_CONTEXT) if "{" in form and literal_length(form) < 3] == []


def test_in_english_texts_stay_as_they_came() -> None:
    for form in msgids(ENGINE_CONTEXT):
        assert translate(form) == form
        assert translate_lines(f"- {form} · {form}") == f"- {form} · {form}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run command", "运行命令"),
        ("edits of `src/a.py`", "对 `src/a.py` 的编辑"),
        ("Needs approval: it runs outside the sandbox; the rule `ask: Shell(git push:*)` of ~/c.yaml", None),
        ("Back to before “fix {it}”", "回退到“fix {it}”之前"),
        ("exactly `make -j 2` or `git push` with safe options", None),
        ("failed, exit code 3, after 12 s", "失败、退出码 3、历时 12 秒"),
        ("MCP server files: unauthorized", "MCP 服务器 files：未授权"),
        ("rules that allow, wider sandbox access", "放行规则、更宽松的沙箱"),
    ],
)
def test_in_chinese_known_forms_are_said_in_chinese(text: str, expected: str | None) -> None:
    catalog.set_language("zh")
    if expected is not None:
        assert translate(text) == expected
    assert not re.search(r"[A-Za-z]{2,} (of|or|that|is|to) ", translate(text))


@pytest.mark.parametrize(
    "text",
    ["", "git push origin v1.2", "there is no such thing: run", "running late, done", "=> {x}", "run out"],
)
def test_what_has_no_known_form_stays_as_it_came(text: str) -> None:
    catalog.set_language("zh")
    assert translate(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No skills found.", "没有技能。"),
        ("- a1b2 · running · exit code 2 · a title", "- a1b2 · 运行中 · 退出码 2 · a title"),
        ("Problems:\n- ~/x.md:3 · error · BEGIN is gone", "问题：\n- ~/x.md:3 · 错误 · BEGIN is gone"),
        ("~/config.yaml: models: expected a mapping", "~/config.yaml：models：不是键值表"),
        ("line 3, column 2: no path from BEGIN leaves its loop", None),
        ("the service answered 401 (Unauthorized): bad key: sk; check the API key", None),
        ("2. fix the error: done · 12:01 · 2 files changed", "2. fix the error: done · 12:01 · 改动 2 个文件"),
        ("This session is called “files only · done”.", "本会话的标题是“files only · done”。"),
        ("Permission denied", "Permission denied"),
        ("", ""),
        ("a line\n\nanother: one", "a line\n\nanother: one"),
    ],
)
def test_an_answer_is_said_line_by_line_and_part_by_part(text: str, expected: str | None) -> None:
    assert translate_lines(text) == text
    catalog.set_language("zh")
    if expected is None:
        assert not re.search(r"line|column|every|answered|right", translate_lines(text)), translate_lines(text)
    else:
        assert translate_lines(text) == expected


def test_numbers_in_a_form_are_numbers() -> None:
    catalog.set_language("zh")
    assert translate_lines(tr("{tokens:,} out", tokens=12_345)) == "输出 12,345"
    assert translate("run out") == "run out"
    assert translate(tr_n("{count} file changed", "{count} files changed", 1)) == "改动 1 个文件"
    assert translate(tr_n("{count} file changed", "{count} files changed", 1_200)) == "改动 1,200 个文件"


def test_what_a_text_holds_is_not_said_in_chinese_unless_it_is_a_text_of_ours() -> None:
    catalog.set_language("zh")
    assert translate(tr("Background task: {what}", what="done")) == "后台任务：done"
    assert "沙箱" in translate(tr("Careful: {why}", why="it runs outside the sandbox"))


@pytest.mark.parametrize(
    "command", ["git push origin main", "pytest -q | head -3", "rm -rf build", "python -m http.server"]
)
def test_the_scope_of_a_command_is_said_in_chinese(command: str) -> None:
    scope = approval_scope(parse_command_line(command), command)
    assert scope is not None
    english = scope.label
    catalog.set_language("zh")
    assert translate(english) != english
    assert not re.search(r"begin|exactly| or ", re.sub(r"`[^`]*`", "", translate(english)))


def test_what_hides_in_a_command_is_said_in_chinese() -> None:
    catalog.set_language("zh")
    for command in ("ls\u200b", "ls\u202e", "a" + " " * 80 + "b"):
        why = hidden_text(command)
        assert why is not None
        assert translate(f"Careful: {why}").startswith(p_(ENGINE_CONTEXT, "Careful: {why}").format(why=""))


def test_every_word_of_a_closed_set_has_chinese_of_its_own() -> None:
    catalog.set_language("zh")
    assert [word for word in CLOSED_WORDS if _(word) == word and word not in ("ANSI 16", "Kimi")] == []
