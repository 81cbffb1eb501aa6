"""Spans of real turns, kept in memory by OpenTelemetry's own library."""

import asyncio
import gzip
import threading

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from kimi_tui.errors import ProviderError
from kimi_tui.soul import tracing
from kimi_tui.wire.flow_events import FlowNodeBegin, FlowPaused
from tests.llm.servers import Server, status
from tests.soul.release_flow import CHOICES, write_skill
from tests.soul.scripted_engine import engine_on, plan, tool_call
from tests.soul.test_soul import until
from tests.tools.harness import processes_with

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
    assert {span.attributes["error.type"] for span in spans} == {"401"}


async def test_one_span_covers_all_tries_of_a_request(tmp_path):
    spans = await spans_of(tmp_path, "error: 429 slow down", "text: ok")
    [chat] = [span for span in spans if span.name == "chat scripted"]
    assert chat.status.status_code is not StatusCode.ERROR
    assert [(event.name, dict(event.attributes)) for event in chat.events] == [
        ("kimi_tui.retry", {"error.type": "429"})
    ]


async def test_esc_ends_what_runs_in_a_subagent_as_interrupted(tmp_path):
    task = tool_call("Task", "t1", description="d", subagent_name="coder", prompt="find it")
    exporter = InMemorySpanExporter()
    async with engine_on(plan(tmp_path, task, tool_call("Shell", command="sleep 1000.19"), yolo=True)) as (engine, _):
        engine.on_close = tracing.start_tracing(engine, SimpleSpanProcessor(exporter)).close
        turn = asyncio.create_task(engine.prompt("go"))
        await until(lambda: processes_with("sleep 1000.19"))
        engine.cancel()
        await turn
        spans = exporter.get_finished_spans()  # before the session is closed
    assert parents(spans) >= {
        ("execute_tool Task", "invoke_agent kimi-tui"),
        ("invoke_agent coder", "execute_tool Task"),
        ("execute_tool Shell", "invoke_agent coder"),
    }
    ended = {span.name: span.attributes.get("error.type") for span in spans if not span.name.startswith("chat")}
    assert set(ended.values()) == {"interrupted"}


async def test_a_message_to_a_paused_flow_is_a_trace_of_its_own_and_the_flow_goes_on_in_its_trace(tmp_path):
    write_skill(tmp_path / "work")
    exporter = InMemorySpanExporter()
    replies = ("text: wait\ndelay: 1000", "text: answer", *CHOICES)
    async with engine_on(plan(tmp_path, *replies)) as (engine, received):
        engine.on_close = tracing.start_tracing(engine, SimpleSpanProcessor(exporter)).close
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: "StepBegin" in received.names)
        engine.cancel()
        await until(lambda: received.of(FlowPaused))
        await engine.prompt("a question")
        await engine.prompt("/flow continue")
        await run
    spans = exporter.get_finished_spans()
    roots = [span for span in spans if span.parent is None]
    assert sorted(span.name for span in roots) == ["invoke_agent kimi-tui"] * 2
    nodes = [span for span in spans if span.name.startswith("flow_node")]
    assert len({span.context.trace_id for span in nodes}) == 1
    assert [span.attributes.get("error.type") for span in nodes] == ["cancelled", None, None, None, None]
    [flow] = [span for span in spans if span.name == "invoke_workflow release"]
    assert flow.attributes["gen_ai.agent.name"] == "release"
    assert len({span.context.trace_id for span in spans}) == 2


@pytest.mark.parametrize("stop", ["cut off", "stopped"])
async def test_all_spans_of_a_flow_that_ends_in_a_node_are_ended(tmp_path, stop):
    write_skill(tmp_path / "work")
    exporter = InMemorySpanExporter()
    async with engine_on(plan(tmp_path, CHOICES[0], "text: x\ndelay: 1000")) as (engine, received):
        engine.on_close = tracing.start_tracing(engine, SimpleSpanProcessor(exporter)).close
        run = asyncio.create_task(engine.prompt("/flow:release"))
        await until(lambda: len(received.of(FlowNodeBegin)) == 2 and received.names[-1] == "StepBegin")
        if stop == "cut off":
            run.cancel()
        else:
            engine.stop_flow("enough")
        await asyncio.gather(run, return_exceptions=True)
    found = parents(list(exporter.get_finished_spans()))
    assert ("flow_node Green", "invoke_workflow release") in found
    assert ("chat scripted", "invoke_agent kimi-tui") in found
    assert len([name for name, parent in found if parent is None]) == 1


async def test_a_server_that_speaks_otlp_receives_the_spans(tmp_path, monkeypatch):
    async with Server() as server:
        server.add(status(200, {}))
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.port}")
        async with engine_on(plan(tmp_path, "text: secret answer")) as (engine, _):
            engine.on_close = tracing.start_tracing(engine).close
            await engine.prompt("secret question")
        [request] = server.requests
    assert request.path == "/v1/traces"
    body = request.body if request.headers.get("content-encoding") != "gzip" else gzip.decompress(request.body)
    sent = ExportTraceServiceRequest.FromString(body)
    [resource] = sent.resource_spans
    assert ("service.name", "kimi-tui") in [
        (item.key, item.value.string_value) for item in resource.resource.attributes
    ]
    spans = {span.name: span for span in resource.scope_spans[0].spans}
    assert spans["chat scripted"].parent_span_id == spans["invoke_agent kimi-tui"].span_id
    assert b"secret" not in body


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
