"""OpenTelemetry spans of turns, model calls, tools and flows, by its conventions for generative AI.

Off unless `KIMI_TUI_OTEL=1`; the library is an extra and only imported then. Spans are sent by a thread of the library
and dropped where its queue is full, so that a server that hangs delays nothing.
"""

import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kimi_tui import __version__
from kimi_tui.errors import UsageError
from kimi_tui.i18n import tr
from kimi_tui.text_safety import dump_json
from kimi_tui.wire import events, flow_events, parts
from kimi_tui.wire.codec import UnknownMessage, WireMessage, decode

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.trace import Span, Tracer

    from kimi_tui.soul.engine import Engine

CONTENT_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_CONTENT_VALUES = ("true", "span_only", "span_and_event")
CLOSE_SECONDS = 2.0
_MAX_CONTENT = 32_000
_PROVIDERS = {
    "kimi": "moonshot_ai",
    "openai_legacy": "openai",
    "openai_responses": "openai",
    "anthropic": "anthropic",
    "gemini": "gcp.gemini",
    "google_genai": "gcp.gemini",
    "vertexai": "gcp.vertex_ai",
}
"""The convention's names of services; others keep the name of their type in the configuration."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Scope:
    """The open spans of an agent, each with those inside it: its turn, its request to a model, its tool calls."""

    parent: "Span | None"
    agent: str
    turn: "Span | None" = None
    chat: "Span | None" = None
    tools: "dict[str, Span]" = field(default_factory=dict[str, "Span"])


class Tracing:
    """A listener of the Wire that turns events into spans."""

    def __init__(self, engine: "Engine", provider: "TracerProvider") -> None:
        self._engine, self._provider = engine, provider
        self._tracer: Tracer = provider.get_tracer("kimi_tui", __version__)
        self._content = os.environ.get(CONTENT_VARIABLE, "").strip().lower() in _CONTENT_VALUES
        self._main = _Scope(None, "kimi-tui")
        self._outer: Span | None = None
        self._subagents: dict[str, _Scope] = {}
        self._runs: dict[str, Span] = {}
        self._nodes: dict[str, Span] = {}
        self._stop_listening = engine.wire.listen(self.on_message, merged=True)

    def on_message(self, message: WireMessage) -> None:
        """Start or end the spans of the message."""
        match message:
            case flow_events.FlowBegin():
                if self._main.turn is not None:  # the turn of the command that started the run
                    self._outer, self._main.turn = self._main.turn, None
                run = self._start(f"invoke_workflow {message.name}", "invoke_workflow", self._outer)
                run.set_attributes({"gen_ai.agent.name": message.name, "kimi_tui.flow.run_id": message.run_id})
                self._end(self._runs.pop(message.run_id, None))
                self._runs[message.run_id] = run
            case flow_events.FlowNodeBegin():
                node = self._start(f"flow_node {message.node_id}", None, self._runs.get(message.run_id))
                node.set_attributes({"kimi_tui.flow.node.id": message.node_id, "kimi_tui.flow.move": message.move})
                self._end(self._nodes.pop(message.run_id, None))
                self._nodes[message.run_id] = self._main.parent = node
            case flow_events.FlowNodeEnd():
                self._end_turn(self._main, "interrupted")
                failed = "" if message.status == "done" else str(message.status)
                self._end(self._nodes.pop(message.run_id, None), failed)
                self._main.parent = None
            case flow_events.FlowEnd():
                self._end(self._nodes.pop(message.run_id, None), "interrupted")
                failed = "" if message.status in ("finished", "stopped") else str(message.status)
                self._end(self._runs.pop(message.run_id, None), failed)
                self._main.parent = None
            case events.TurnEnd() if self._main.turn is None:
                self._end(self._outer)
                self._outer = None
            case _:
                self._of_agent(message, self._main)

    def _of_agent(self, message: WireMessage | UnknownMessage, scope: _Scope) -> None:
        match message:
            case events.TurnBegin():
                self._end_turn(scope, "interrupted")
                scope.turn = self._start(f"invoke_agent {scope.agent}", "invoke_agent", scope.parent)
                scope.turn.set_attributes({"gen_ai.agent.name": scope.agent, **self._model_attributes()})
                self._set_content(scope.turn, "gen_ai.input.messages", _user_message(message.user_input))
            case events.StepBegin():
                self._end(scope.chat, "interrupted")
                scope.chat = self._start_chat(scope)
            case events.StepRetry() if scope.chat is not None:  # one span covers all tries
                scope.chat.add_event("kimi_tui.retry", {"error.type": str(message.status_code or message.error_type)})
            case events.StatusUpdate(context_tokens=int(), token_usage=usage):  # the one after each reply
                if scope.chat is not None and usage is not None:
                    scope.chat.set_attributes(_usage(usage))
                self._end(scope.chat)
                scope.chat = None
            case events.StepInterrupted(error_type=kind, status_code=status):
                self._end_turn(scope, str(status or kind or "interrupted"))
            case parts.ToolCall():
                name = message.function.name
                tool = self._start(f"execute_tool {name}", "execute_tool", scope.turn)
                attributes = {
                    "gen_ai.tool.name": name,
                    "gen_ai.tool.call.id": message.id,
                    "gen_ai.tool.type": "function",
                }
                tool.set_attributes(attributes)
                self._set_content(tool, "gen_ai.tool.call.arguments", message.function.arguments or "")
                self._end(scope.tools.pop(message.id, None))
                scope.tools[message.id] = tool
            case parts.ToolResult():
                self._end_tool(scope, message)
            case events.SubagentEvent():
                self._of_subagent(message, scope)
            case events.TurnEnd():
                self._end_turn(scope)
            case _:
                pass

    def _end_tool(self, scope: _Scope, result: parts.ToolResult) -> None:
        tool = scope.tools.pop(result.tool_call_id, None)
        if tool is not None:
            self._end_inside(tool)
            self._set_content(tool, "gen_ai.tool.call.result", result.return_value.model_dump(mode="json"))
        self._end(tool, "tool_error" if result.return_value.is_error else "")

    def _of_subagent(self, message: events.SubagentEvent, scope: _Scope) -> None:
        key = message.agent_id or message.parent_tool_call_id
        inner = self._subagents.get(key)
        if inner is None:
            parent = scope.tools.get(message.parent_tool_call_id, scope.turn)
            inner = self._subagents[key] = _Scope(parent, message.subagent_type or "subagent")
        self._of_agent(decode(message.event), inner)

    def _start_chat(self, scope: _Scope) -> "Span":
        from opentelemetry.trace import SpanKind

        model = self._model_attributes()
        chat = self._start(f"chat {model.get('gen_ai.request.model', '')}".strip(), "chat", scope.turn, SpanKind.CLIENT)
        chat.set_attributes(model)
        return chat

    def _model_attributes(self) -> dict[str, str]:
        config = self._engine.config
        model = config.models.get(self._engine.models.key)
        if model is None:
            return {}
        provider = config.providers.get(model.provider)
        kind = provider.type if provider is not None else model.provider
        return {"gen_ai.request.model": model.model, "gen_ai.provider.name": _PROVIDERS.get(kind, kind)}

    def _start(self, name: str, operation: str | None, parent: "Span | None", kind: object = None) -> "Span":
        from opentelemetry.context import Context
        from opentelemetry.trace import SpanKind, set_span_in_context

        context = set_span_in_context(parent, Context()) if parent is not None else Context()
        span_kind = kind if isinstance(kind, SpanKind) else SpanKind.INTERNAL
        span = self._tracer.start_span(name, context=context, kind=span_kind)
        span.set_attribute("gen_ai.conversation.id", self._engine.session.id)
        if operation is not None:
            span.set_attribute("gen_ai.operation.name", operation)
        return span

    def _end_turn(self, scope: _Scope, failure: str = "") -> None:
        """End the spans of an agent, the inner ones first; what is open inside the turn did not end by itself."""
        for tool in scope.tools.values():
            self._end_inside(tool)
            self._end(tool, "interrupted")
        self._end(scope.chat, failure or "interrupted")
        self._end(scope.turn, failure)
        scope.tools.clear()
        scope.chat = scope.turn = None

    def _end_inside(self, tool: "Span") -> None:
        """End what the subagents of a tool call left open."""
        for key in [key for key, inner in self._subagents.items() if inner.parent is tool]:
            self._end_turn(self._subagents.pop(key), "interrupted")

    def _end(self, span: "Span | None", failure: str = "") -> None:
        from opentelemetry.trace import StatusCode

        if span is None:
            return
        if failure:
            span.set_attribute("error.type", failure)
            span.set_status(StatusCode.ERROR)
        span.end()

    def _set_content(self, span: "Span", key: str, value: object) -> None:
        if self._content:
            text = value if isinstance(value, str) else dump_json(value)
            span.set_attribute(key, text[:_MAX_CONTENT])

    def close(self) -> None:
        """End all spans and send pending ones for at most two seconds; the rest is dropped."""
        self._stop_listening()
        for scope in (*self._subagents.values(), self._main):
            self._end_turn(scope, "interrupted")
        for span in (*self._nodes.values(), *self._runs.values()):
            self._end(span, "interrupted")
        self._end(self._outer, "interrupted")
        sender = threading.Thread(target=self._shut_down, daemon=True)
        sender.start()
        sender.join(CLOSE_SECONDS)
        if sender.is_alive():
            _log.warning("the last spans were not sent: the server takes too long")

    def _shut_down(self) -> None:
        try:
            self._provider.shutdown()
        except Exception:  # noqa: BLE001 - an exporter that fails must not break the end of a session
            _log.warning("the last spans could not be sent", exc_info=True)


def start_tracing(engine: "Engine", processor: "SpanProcessor | None" = None) -> Tracing:
    """Trace `engine`; `processor` sends the spans, by default to the server of the `OTEL_*` variables.

    Raises UsageError if the library is not installed.
    """
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        sender = processor or _sender()
    except ImportError:
        raise UsageError(tr("KIMI_TUI_OTEL=1 needs an extra: pip install 'kimi-tui[otel]'")) from None
    default = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "kimi-tui"}
    resource = Resource.create({**default, "service.version": __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(sender)
    return Tracing(engine, provider)


def _sender() -> "SpanProcessor":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    return BatchSpanProcessor(OTLPSpanExporter())


def _usage(usage: parts.TokenUsage) -> Mapping[str, int]:
    return {
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.input_cache_read,
        "gen_ai.usage.cache_creation.input_tokens": usage.input_cache_creation,
    }


def _user_message(content: parts.UserInput) -> object:
    text = content if isinstance(content, str) else "\n".join(p.text for p in content if isinstance(p, parts.TextPart))
    return [{"role": "user", "parts": [{"type": "text", "content": text}]}]
