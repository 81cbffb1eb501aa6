"""The scripted model: what a script may say, and how it is played."""

import asyncio
from pathlib import Path

import pytest

from kimi_tui.errors import (
    ConfigError,
    ContextOverflowError,
    EmptyResponseError,
    ProviderAuthError,
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderTimeoutError,
)
from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.provider import SpokenPart
from kimi_tui.llm.providers.script_rules import MAX_EARLIER, MAX_ENTRY, MAX_NOW, matched_text
from kimi_tui.llm.providers.scripted import Request, Script, ScriptedProvider
from kimi_tui.llm.reply import Reply, request_reply
from kimi_tui.wire.parts import FunctionBody, ImageURLPart, MediaURL, TextPart, ThinkPart, TokenUsage, ToolCall


async def play(text: str) -> Reply:
    return await request_reply(ScriptedProvider(Script.parse(text)), "", (), (), on_part=lambda part: None)


async def test_a_block_holds_all_kinds_of_lines() -> None:
    reply = await play(
        """
        # what the model does first
        ```
        id: reply-1
        think: I look at the file.
        text: 'Reading '
        text: "it:\\nnow"
        image_url: {"url": "https://example.invalid/a.png", "id": "a"}
        tool_call: {"id": "c1", "name": "ReadFile", "arguments": null}
        tool_call_part: {"arguments_part": "{\\"path\\":"}
        tool_call_part: {"arguments_part": " \\"a\\"}"}
        tool_call: {"id": "c2", "name": "Glob", "arguments": {"pattern": "*"}}
        usage: {"input_other": 10, "output": 5, "input_cache_read": 2}
        ```
        """
    )
    assert reply.id == "reply-1"
    assert reply.usage == TokenUsage(input_other=10, output=5, input_cache_read=2)
    assert reply.message.content == (
        ThinkPart(think="I look at the file."),
        TextPart(text="Reading it:\nnow"),
        ImageURLPart(image_url=MediaURL(url="https://example.invalid/a.png", id="a")),
    )
    assert [(call.id, call.function.name, call.function.arguments) for call in reply.message.tool_calls or ()] == [
        ("c1", "ReadFile", '{"path": "a"}'),
        ("c2", "Glob", '{"pattern": "*"}'),
    ]


async def test_usage_is_also_read_from_pairs() -> None:
    assert (await play("text: x\nusage: input_other=3 output=4")).usage == TokenUsage(input_other=3, output=4)


@pytest.mark.parametrize(
    "text", ["text: one\n---\ntext: two\n", '["text: one", "text: two"]', "---\ntext: one\n---\n---\ntext: two\n---"]
)
async def test_each_call_gets_the_next_block(text: str) -> None:
    provider = ScriptedProvider(Script.parse(text, file="demo.txt"))
    said = [(await request_reply(provider, "", (), (), on_part=lambda part: None)).message.text for _ in range(2)]
    assert said == ["one", "two"]
    with pytest.raises(ProviderError, match=r"demo\.txt is used up: all of its 2 replies were given") as caught:
        await request_reply(provider, "", (), (), on_part=lambda part: None)
    assert not caught.value.retryable


async def test_agents_that_share_a_script_get_different_blocks() -> None:
    script = Script.parse("---\n".join(f"text: reply {n} of many words\n" for n in range(8)))

    async def ask() -> str:
        return (await request_reply(ScriptedProvider(script), "", (), (), on_part=lambda part: None)).message.text

    said = await asyncio.gather(*(ask() for _ in range(8)))
    assert sorted(said) == [f"reply {n} of many words" for n in range(8)]


async def test_text_streams_in_small_pieces_with_the_delay_between() -> None:
    waits: list[float] = []
    parts: list[SpokenPart] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    script = Script.parse("delay: 0.5\ntext: one two  three\ntext: 这是一个没有空格的很长的句子哦")
    provider = ScriptedProvider(script, delay_s=0.02, sleep=sleep)
    await request_reply(provider, "", (), (), on_part=parts.append)
    texts = [part.text for part in parts if isinstance(part, TextPart)]
    assert texts == ["one ", "two  ", "three", "这是一个没有空格的很长的", "句子哦"]
    assert waits == [0.5, 0.02, 0.02, 0.02, 0.02, 0.02]


async def test_what_was_asked_is_told() -> None:
    asked: list[Request] = []
    provider = ScriptedProvider(Script.parse("text: x"), on_request=asked.append)
    await request_reply(provider, "be brief", (), (user_message("hi"),), on_part=lambda part: None)
    assert asked == [Request("be brief", (), (user_message("hi"),))]


@pytest.mark.parametrize(
    ("line", "kind", "status"),
    [
        ("connection it hung up", ProviderConnectionError, None),
        ("timeout it was slow", ProviderTimeoutError, None),
        ("401 no such key", ProviderAuthError, 401),
        ("429 slow down", ProviderStatusError, 429),
        ("400 maximum context length is 10", ContextOverflowError, 400),
        ("503", ProviderStatusError, 503),
    ],
)
async def test_an_error_line_fails_like_a_service(line: str, kind: type[ProviderError], status: int | None) -> None:
    parts: list[SpokenPart] = []
    with pytest.raises(kind) as caught:
        await request_reply(
            ScriptedProvider(Script.parse(f"text: hal\nerror: {line}")), "", (), (), on_part=parts.append
        )
    assert getattr(caught.value, "status_code", None) == status
    assert parts == [TextPart(text="hal")]


async def test_a_reply_of_nothing_is_an_empty_response() -> None:
    with pytest.raises(EmptyResponseError):
        await play('text: ""\nthink: hm')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text: a\n---\n\ntool_call: {", "s.txt: block 2, line 4: tool_call: not JSON"),
        ('tool_call: {"id": "a"}', "s.txt: block 1, line 1: tool_call: name: Field required"),
        ("say: hi", "s.txt: block 1, line 1: a line must start with one of text"),
        ("usage: inputs=4", "s.txt: block 1, line 1: usage: expected input_other"),
        ("usage: output=many", "s.txt: block 1, line 1: usage: output: Input should be a valid integer"),
        ("error: 200 fine", "s.txt: block 1, line 1: error: must start with a status"),
        ("delay: -1", "s.txt: block 1, line 1: delay: must be 0"),
        ('["text: a", "text: b\\n oops"]', "s.txt: block 2, line 2: a line must start"),
        ("when: a\ntext: x\n---\ntext: y", "s.txt: block 2: a script has `when:` in every block or in none"),
        ("text: x\n---\nwhen: a\ntext: y", "s.txt: block 2: a script has `when:` in every block or in none"),
        ("when: a\ntext: x\nwhen: b", "s.txt: block 1, line 3: when: must be the"),
        (
            "when: a\n---\n\nwhen: (b\ntext: x",
            "s.txt: block 2, line 4: when: '(b' is not a regular expression: missing",
        ),
        ("when:\ntext: x", "s.txt: block 1, line 1: when: needs a pattern"),
        ('["text: a",]', "s.txt: line 1: not a JSON array"),
        ("[1]", "s.txt: a JSON script must be an array of strings"),
    ],
)
def test_a_wrong_script_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Script.parse(text, file="s.txt")
    assert str(caught.value).startswith(message)


def test_a_script_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.txt: cannot read the script: No such file"):
        Script.read(tmp_path / "none.txt")
    (tmp_path / "bad.txt").write_bytes(b"text: \xff")
    with pytest.raises(ConfigError, match=r"bad\.txt: cannot read the script"):
        Script.read(tmp_path / "bad.txt")


RULES = """
when: ^user: .*tests
when: not ^call: Shell
text: I run them.
tool_call: {"id": "run", "name": "Shell", "arguments": {"command": "make test"}}
---
when: ^user: .*^result: Shell .*FAILED
text: They fail.
---
when: ^user: .*tests
text: They pass.
"""


def ran(result: str, call_id: str = "run") -> tuple[Message, ...]:
    call = ToolCall(id=call_id, function=FunctionBody(name="Shell", arguments='{"command": "make test"}'))
    return (
        Message(role="assistant", content=(TextPart(text="I run them."),), tool_calls=(call,)),
        Message(role="tool", content=(TextPart(text=result),), tool_call_id=call_id),
    )


async def answer(script: Script, *history: Message) -> Message:
    return (await request_reply(ScriptedProvider(script), "", (), history, on_part=lambda part: None)).message


async def test_rules_answer_by_the_situation_as_often_as_they_are_asked() -> None:
    script, ask = Script.parse(RULES), user_message("Run\nthe tests")
    for _ in range(3):
        assert (await answer(script, ask)).text == "I run them."
        assert (await answer(script, ask, *ran("1 FAILED"))).text == "They fail."
        assert (await answer(script, ask, *ran("OK"))).text == "They pass."
    json_script = Script.parse('["when: a\\nwhen: not b\\ntext: a alone", "when: b\\ntext: b"]')
    assert (await answer(json_script, user_message("a"))).text == "a alone"
    assert (await answer(json_script, user_message("a b"))).text == "b"


async def test_what_came_before_the_last_user_message_is_earlier() -> None:
    before = (user_message("Run the tests"), *ran("1 FAILED"), user_message("tests, again"))
    assert matched_text(before) == (
        "earlier user: Run the tests\nearlier assistant: I run them.\n"
        'earlier call: Shell {"command": "make test"}\nearlier result: Shell 1 FAILED\nuser: tests, again'
    )
    again = await answer(Script.parse(RULES), *before)
    assert [call.id for call in again.tool_calls or ()] == ["run-2"]
    third = await answer(Script.parse(RULES), *before, *ran("OK", "run-2"), user_message("tests"))
    assert [call.id for call in third.tool_calls or ()] == ["run-3"]


async def test_agents_that_share_rules_do_not_take_replies_from_each_other() -> None:
    script = Script.parse(RULES)
    said = await asyncio.gather(*(answer(script, user_message("tests"), *ran("OK")) for _ in range(8)))
    assert {message.text for message in said} == {"They pass."}


async def test_a_situation_that_no_rule_fits_is_told() -> None:
    for history in ((), (user_message("hello"),)):
        with pytest.raises(ProviderError, match="has no matching rule: none of its 3 fits") as caught:
            await answer(Script.parse(RULES, file="demo.txt"), *history)
        assert not caught.value.retryable


def test_the_situation_of_a_long_conversation_is_bounded() -> None:
    long = "x" * 50_000 + "END"
    text = matched_text([user_message("first"), *ran(long) * 100, user_message("now " + long), *ran(long) * 100])
    assert len(text) < MAX_EARLIER + MAX_NOW + 2 * MAX_ENTRY
    assert "\nuser: now xxx" in text
    assert "earlier user: first" not in text
    assert text.endswith("END")


@pytest.mark.parametrize("script", ["[" * 100_000, "tool_call: " + "[" * 100_000])
def test_a_script_that_is_nested_too_deeply_is_an_error(script: str) -> None:
    with pytest.raises(ConfigError, match="nested too deeply"):
        Script.parse(script)
