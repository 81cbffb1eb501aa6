import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.context.context import Context, RepairReport, interrupted_result
from kimi_tui.jsonl import JsonlWriter
from kimi_tui.llm.message import Message, user_message
from kimi_tui.wire.parts import FunctionBody, ImageURLPart, MediaURL, TextPart, ThinkPart, ToolCall


def call(call_id):
    return ToolCall(id=call_id, function=FunctionBody(name="Shell", arguments="{}"))


def assistant(text="", *call_ids):
    content = (TextPart(text=text),) if text else ()
    return Message(role="assistant", content=content, tool_calls=tuple(map(call, call_ids)) or None)


def result(call_id, text="done"):
    return Message(role="tool", content=(TextPart(text=text),), tool_call_id=call_id)


def load(path):
    return Context.load(JsonlWriter(path))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "context.jsonl"


def test_a_context_is_the_same_after_loading(path):
    context, _ = load(path)
    context.set_system_prompt("be good")
    assert context.checkpoint() == 0
    picture = ImageURLPart(image_url=MediaURL(url="data:image/png;base64,AA=="))
    context.append(Message(role="user", content=(TextPart(text="看"), picture)))
    context.append(Message(role="assistant", content=(ThinkPart(think="hm", encrypted="x"), TextPart(text="ja"))))
    context.count_tokens(123)
    context.close()
    again, mended = load(path)
    assert not mended
    assert again.system_prompt == "be good"
    assert list(again.history) == list(context.history)
    assert again.token_count == 123
    assert again.checkpoints == 1


def test_a_load_that_is_abandoned_ends_at_once_and_changes_nothing(path):
    path.write_text('{"role":"user","content":"a"}\n{"role":"us\n{"role":"tool","tool_call_id":"1"}\n')
    before = path.read_bytes()
    abandoned = threading.Event()
    abandoned.set()
    with pytest.raises(OSError, match="ancel"):
        Context.load(JsonlWriter(path), abandoned=abandoned)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_message_of_one_text_is_kept_as_a_string(path):
    context, _ = load(path)
    context.append(user_message("hello"))
    assert json.loads(path.read_text()) == {"role": "user", "content": "hello"}


def test_reverting_forgets_what_came_after_the_checkpoint_and_keeps_the_old_file(path):
    context, _ = load(path)
    context.set_system_prompt("p")
    for text in ("one", "two", "three"):
        context.checkpoint()
        context.append(user_message(text))
    before = path.read_text()
    context.revert_to(1)
    assert [message.text for message in context.history] == ["one"]
    assert context.checkpoints == 1
    assert (path.parent / "context_1.jsonl").read_text() == before
    assert context.checkpoint() == 1
    context.append(user_message("again"))
    again, _ = load(path)
    assert [message.text for message in again.history] == ["one", "again"]
    assert again.system_prompt == "p"
    assert again.checkpoints == 2


def test_there_is_no_way_back_to_a_checkpoint_that_there_is_not(path):
    context, _ = load(path)
    context.checkpoint()
    for missing in (-1, 1):
        with pytest.raises(IndexError):
            context.revert_to(missing)


def test_replacing_the_history_keeps_the_system_prompt_and_one_checkpoint(path):
    context, _ = load(path)
    context.set_system_prompt("p")
    context.append(user_message("long"), assistant("talk"))
    context.replace([user_message("summary")])
    again, _ = load(path)
    assert [message.text for message in again.history] == ["summary"]
    assert again.checkpoints == 1
    again.clear()
    assert list(load(path)[0].history) == []
    assert load(path)[0].system_prompt == "p"


def test_tokens_since_the_last_count_are_estimated(path):
    context, _ = load(path)
    context.append(user_message("x" * 400))
    context.count_tokens(1000)
    assert context.token_count == 1000
    context.append(user_message("x" * 400))
    assert context.token_count == 1101
    context.append(user_message("汉字"))
    assert context.token_count == 1104


def test_kill9_mid_tool_a_call_without_a_result_gets_one_that_says_so(path):
    context, _ = load(path)
    context.append(user_message("go"), assistant("", "a", "b"), result("a"))
    again, mended = load(path)
    assert mended == RepairReport(results_added=1)
    assert list(again.history)[-1] == interrupted_result("b")
    assert load(path)[1] == RepairReport()


def test_orphan_tool_result_is_dropped(path):
    context, _ = load(path)
    context.append(user_message("go"), result("lost"), assistant("ok"))
    again, mended = load(path)
    assert mended == RepairReport(results_dropped=1)
    assert [message.role for message in again.history] == ["user", "assistant"]


def test_bad_lines_are_counted_and_the_rest_is_read(path):
    context, _ = load(path)
    context.append(user_message("a"))
    with path.open("a") as file:
        file.write('{"role": "emperor", "content": "x"}\n{half\n')
    again, mended = load(path)
    assert mended == RepairReport(bad_lines=2)
    assert [message.text for message in again.history] == ["a"]


def test_what_another_version_wrote_stays_in_the_old_file(path):
    future = '{"role":"user","content":[{"type":"hologram"}]}\n{"role":"_future","x":1}\n'
    with path.open("w") as file:
        file.write(future + '{"role":"user","content":"a"}\n')
    before = path.read_bytes()
    again, mended = load(path)
    assert (mended.bad_lines, [message.text for message in again.history]) == (1, ["a"])
    again.close()
    assert path.with_name("context_1.jsonl").read_bytes() == before
    load(path)[0].close()
    assert not path.with_name("context_2.jsonl").exists()


def is_valid(history):
    waiting = set()
    for message in history:
        if message.role == "tool":
            if message.tool_call_id not in waiting:
                return False
            waiting.discard(message.tool_call_id)
        else:
            if waiting:
                return False
            waiting = {made.id for made in message.tool_calls or ()}
    return not waiting


MESSAGES = st.lists(
    st.sampled_from(
        [user_message("u"), assistant("a"), assistant("", "x"), assistant("", "x", "y"), result("x"), result("y")]
    ),
    max_size=8,
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(messages=MESSAGES, marks=st.sets(st.integers(0, 8)))
def test_whatever_a_file_holds_the_loaded_history_is_one_that_a_service_takes(tmp_path_factory, messages, marks):
    path = tmp_path_factory.mktemp("context") / "context.jsonl"
    context, _ = load(path)
    for index, message in enumerate(messages):
        if index in marks:
            context.checkpoint()
        context.append(message)
    context.close()
    first, _ = load(path)
    assert is_valid(first.history)
    first.close()
    second, mended = load(path)
    assert not mended
    assert list(second.history) == list(first.history)
    assert second.checkpoints == first.checkpoints
