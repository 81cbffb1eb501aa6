"""Spans of real turns, kept in memory by OpenTelemetry's own library."""

import threading

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from kimi_tui.errors import ProviderError
from kimi_tui.soul import tracing
from tests.soul.engines import engine_on, plan, tool_call

CALL = tool_call("Shell", "c1", command="echo secret thought")
REPORT = "text: " + "I did it, and this is how I did it and how I checked that it was done. " * 4


async def spans_of(tmp_path, *replies, prompt="go") -> list[ReadableSpan]:
    exporter = InMemorySpanExporter()
    async with engine_on(plan(tmp_path, *replies, yolo=True)) as (engine, _):
        engine.on_close = tracing.start_tracing(engine, SimpleSpanProcessor(exporter)).close
        try:
            await engine.prompt(prompt)
        except ProviderError:
            assert "error:" in replies[-1]
    return list(exporter.get_finished_spans())


def parents(spans: list[ReadableSpan]) -> set[tuple[str, str | None]]:
    names = {span.context.span_id: span.name for span in spans}
    return {(span.name, names[span.parent.span_id] if span.parent else None) for span in spans}


async def test_a_turn_has_its_model_calls_and_tools_inside(tmp_path):
    spans = await spans_of(tmp_path, "usage: input_other=7 output=3\n" + CALL, "text: secret answer")
    turn, chat = "invoke_agent kimi-tui", "chat scripted"
    assert parents(spans) == {(turn, None), (chat, turn), ("execute_tool Shell", turn)}
    calls = [span for span in spans if span.name == chat]
    assert len(calls) == 2
    found = dict(calls[0].attributes)
    assert (found["gen_ai.operation.name"], found["gen_ai.request.model"]) == ("chat", "scripted")
    assert {"gen_ai.provider.name", "gen_ai.usage.input_tokens", "gen_ai.conversation.id"} <= set(found)
    assert all(span.status.status_code is not StatusCode.ERROR for span in spans)
    assert "secret" not in "".join(span.to_json() for span in spans)


async def test_content_is_there_only_if_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv(tracing.CONTENT_VARIABLE, "true")
    spans = await spans_of(tmp_path, tool_call("Shell", "c1", command="echo secret thought"), "text: ok")
    assert "secret thought" in "".join(span.to_json() for span in spans)


async def test_a_subagent_is_inside_its_tool_call(tmp_path):
    task = tool_call("Task", "t1", description="d", subagent_name="coder", prompt="find it")
    found = parents(await spans_of(tmp_path, task, REPORT, "text: done"))
    assert ("invoke_agent coder", "execute_tool Task") in found
    assert ("chat scripted", "invoke_agent coder") in found


async def test_a_failed_request_ends_its_spans_as_errors(tmp_path):
    spans = await spans_of(tmp_path, "error: 401 no")
    assert parents(spans) == {("invoke_agent kimi-tui", None), ("chat scripted", "invoke_agent kimi-tui")}
    assert {span.status.status_code for span in spans} == {StatusCode.ERROR}


class Hanging(SpanProcessor):
    def __init__(self) -> None:
        self.release = threading.Event()

    def shutdown(self) -> None:
        self.release.wait(30)


class Failing(SpanProcessor):
    def on_end(self, span: ReadableSpan) -> None:
        raise RuntimeError("broken")


async def test_an_exporter_that_fails_or_hangs_stops_no_turn(tmp_path, monkeypatch):
    monkeypatch.setattr(tracing, "CLOSE_SECONDS", 0.05)
    hanging = Hanging()
    for number, processor in enumerate((Failing(), hanging)):
        home = tmp_path / str(number)
        home.mkdir()
        async with engine_on(plan(home, "text: fine")) as (engine, received):
            engine.on_close = tracing.start_tracing(engine, processor).close
            await engine.prompt("go")
            assert "TurnEnd" in received.names
    hanging.release.set()


async def test_the_turns_of_a_flow_are_inside_its_nodes(tmp_path):
    folder = tmp_path / "work/.kimi-tui/skills/x"
    folder.mkdir(parents=True)
    chart = "flowchart TD\nA([BEGIN]) --> B[Say hi] --> C[Say more] --> D([END])\n"
    (folder / "SKILL.md").write_text(f"---\nname: x\ndescription: d\ntype: flow\n---\n```mermaid\n{chart}```\n")
    spans = await spans_of(tmp_path, "text: hi", "text: more", prompt="/flow:x")
    found = parents(spans)
    assert {
        ("invoke_workflow x", "invoke_agent kimi-tui"),
        ("flow_node B", "invoke_workflow x"),
        ("flow_node C", "invoke_workflow x"),
    } <= found
    assert {("chat scripted", "invoke_agent kimi-tui"), ("invoke_agent kimi-tui", "flow_node B")} <= found
    assert [span.name for span in spans if span.status.status_code is StatusCode.ERROR] == []
