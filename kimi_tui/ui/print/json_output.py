"""`--output-format stream-json`: prints the conversation as one JSON message per line."""

from kimi_tui.flow.run.run_ending import how_to_raise
from kimi_tui.flow.run.turn_protocol import OpenQuestion, OverBudget
from kimi_tui.llm.message import Message
from kimi_tui.text_safety import dump_json
from kimi_tui.tools.core.result_message import result_message
from kimi_tui.ui.print.output_stream import OutputStream
from kimi_tui.wire.codec import FlowEvent, WireMessage, encode
from kimi_tui.wire.events import BtwEnd, Notification, PlanDisplay, StepBegin, StepRetry, TurnEnd
from kimi_tui.wire.merge import Merger
from kimi_tui.wire.parts import (
    AudioURLPart,
    ContentPart,
    ImageURLPart,
    JsonObject,
    TextPart,
    ThinkPart,
    ToolCall,
    ToolCallPart,
    ToolResult,
    VideoURLPart,
)


class JsonOutput:
    """A raw listener of the Wire.

    It prints an assistant message when the step's text is complete, before the tool results.
    """

    def __init__(self, stream: OutputStream, *, final_only: bool, flow_events: bool) -> None:
        self._stream = stream
        self._final_only = final_only
        self._flow_events = flow_events
        self._merger = Merger[ContentPart | ToolCall | ToolCallPart]()
        self._parts: list[ContentPart | ToolCall | ToolCallPart] = []
        self._final = ""

    def __call__(self, message: WireMessage) -> None:
        match message:
            case (
                TextPart()
                | ThinkPart()
                | ImageURLPart()
                | AudioURLPart()
                | VideoURLPart()
                | ToolCall()
                | ToolCallPart()
            ):
                self._parts.extend(self._merger.add(message))
            case StepRetry():
                self._merger.flush()
                self._parts.clear()
            case StepBegin() | TurnEnd():
                self._end_message()
            case ToolResult():
                self._end_message()
                self._print(_dumped(result_message(message)))
            case BtwEnd():
                self._print(encode(message))
            case Notification() | PlanDisplay():
                self._end_message()
                self._print(message.model_dump(mode="json", exclude_none=True))
            case _ if self._flow_events and isinstance(message, FlowEvent):
                self._end_message()
                self._print(encode(message))
            case _:
                pass

    def waiting(self, question: OpenQuestion) -> None:
        """Print the question that a run waits for, as the last line."""
        fields: JsonObject = {
            "run": question.run_id,
            "node": question.node_id,
            "question": question.question,
            "choices": list(question.choices),
        }
        self._write({"type": "waiting", "questions": [fields]})

    def over_budget(self, over: OverBudget) -> None:
        """Print that a run waits for a higher budget, as the last line."""
        budget: JsonObject = {
            "run": over.run_id,
            "node": over.node_id,
            "budget": over.budget,
            "spent": over.spent,
            "resume": how_to_raise(over.run_id, over),
        }
        self._write({"type": "waiting", "questions": [], "budget": budget})

    def finish(self) -> None:
        """Finish the turn's output."""
        self._end_message()
        if self._final_only and self._final:
            self._write({"role": "assistant", "content": self._final})
        self._final = ""

    def _end_message(self) -> None:
        self._parts.extend(self._merger.flush())
        parts, self._parts = self._parts, []
        if not parts:
            return
        content = tuple(part for part in parts if not isinstance(part, ToolCall | ToolCallPart))
        calls = tuple(part for part in parts if isinstance(part, ToolCall))
        message = Message(role="assistant", content=content, tool_calls=calls or None)
        self._final = message.text or self._final
        self._print(_dumped(message))

    def _print(self, value: JsonObject) -> None:
        if not self._final_only:
            self._write(value)

    def _write(self, value: JsonObject) -> None:
        self._stream.write(dump_json(value) + "\n", flush=True)


def _dumped(message: Message) -> JsonObject:
    value = message.model_dump(mode="json", exclude_none=True)
    match message.content:
        case (TextPart(text=text),):
            value["content"] = text
        case ():
            value["content"] = ""
        case _:
            pass
    return value
