"""Text output: streams the model's text, and nothing else.

On a terminal, control characters are escaped.
"""

from typing import IO

from kimi_tui.flow.run.turn_protocol import OpenQuestion, OverBudget
from kimi_tui.text_safety import for_terminal, one_line
from kimi_tui.ui.print.call_summary import headline
from kimi_tui.ui.print.chart_drawing import ChartDrawing
from kimi_tui.ui.print.output_stream import OutputStream
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import BtwEnd, Notification, StepBegin, StepRetry
from kimi_tui.wire.flow_events import FlowBegin, FlowDecision, FlowEnd, FlowNodeBegin
from kimi_tui.wire.merge import StreamedCall
from kimi_tui.wire.parts import TextPart, ToolCall, ToolCallPart, ToolResult


class TextOutput:
    """A raw listener of the Wire.

    A step's text is printed as it arrives; one blank line separates the text of two steps.

    With `final_only` only the last step's text is printed, at the end. A retry discards the step's text: if that is on
    stdout already, a line reports it.
    """

    def __init__(self, stream: OutputStream, progress: IO[str] | None, *, final_only: bool) -> None:
        self._stream = stream
        self._progress = progress
        self._final_only = final_only
        self._step: list[str] = []
        self._charts = ChartDrawing()
        self._final = ""
        self._has_printed = False
        self._calls: dict[str, StreamedCall] = {}
        self._last_call = ""

    def __call__(self, message: WireMessage) -> None:
        match message:
            case TextPart():
                self._write_text(message.text)
            case StepBegin():
                self._end_step()
            case StepRetry():
                self._void(message)
            case ToolCall():
                self._calls[message.id] = StreamedCall(message)
                self._last_call = message.id
            case ToolCallPart() if self._last_call in self._calls:
                self._calls[self._last_call].add(message)
            case ToolResult():
                mark = "✗" if message.return_value.is_error else "✓"
                streamed = self._calls.pop(message.tool_call_id, None)
                self._note(f"{mark} {headline(streamed and streamed.call)}")
            case FlowBegin():
                self._note(f"flow {message.name}")
            case FlowNodeBegin():
                attempt_note = f" (attempt {message.attempt})" if message.attempt > 1 else ""
                self._note(f"◆ {message.node_id} · move {message.move}{attempt_note}")
            case FlowDecision():
                self._note(f"  {message.choice} → {message.dst}")
            case FlowEnd():
                self._note(f"flow {message.status} after {message.moves} move{'s' * (message.moves != 1)}")
            case BtwEnd():
                self._write_side_answer(message)
            case Notification() if message.severity not in ("error", "warning"):
                self._note(f"{message.title} {message.body}".strip())
            case _:
                pass

    def waiting(self, question: OpenQuestion) -> None:
        """Print the question to stderr, with instructions for answering it."""

    def over_budget(self, over: OverBudget) -> None:
        """Do nothing: the message is already on stderr."""

    def finish(self) -> None:
        """Finish the turn's output."""
        self._end_step()
        if self._final_only and self._final:
            self._write(self._final.rstrip("\n") + "\n")
            self._flush_chart()
        self._final = ""

    def _write_side_answer(self, message: BtwEnd) -> None:
        """Print the answer to a side question, if it is the only request."""
        if message.response is None:
            self._note(f"✗ {message.error or 'no answer came'}")
        elif self._step:
            self._note(message.response)
        else:
            self._write_text(message.response)
            self._end_step()

    def _write_text(self, text: str) -> None:
        first = not self._step
        self._step.append(text)
        if self._final_only:
            return
        if first and self._has_printed:
            self._write("\n")
        self._write(text, flush=True)

    def _end_step(self) -> None:
        text = "".join(self._step)
        self._step.clear()
        self._flush_chart()
        if text.strip():
            self._final = text
            self._has_printed = True
            if not self._final_only and not text.endswith("\n"):
                self._write("\n")

    def _void(self, retry: StepRetry) -> None:
        if self._step and not self._final_only:
            self._flush_chart()
            self._write("\n[the connection failed; the answer begins anew]\n")
        self._step.clear()
        self._note(f"{retry.error_type}: attempt {retry.next_attempt}/{retry.max_attempts} in {retry.wait_s:.1f} s")

    def _write(self, text: str, *, flush: bool = False) -> None:
        drawn = self._charts.feed(text) if self._stream.can_draw() else text
        # defence: answer-to-terminal
        shown = for_terminal(drawn) if self._stream.is_terminal() else drawn
        if shown:
            self._stream.write(shown, flush=flush)

    def _flush_chart(self) -> None:
        if rest := self._charts.flush():
            self._stream.write(for_terminal(rest), flush=True)

    def _note(self, text: str) -> None:
        if self._progress is not None:
            self._progress.write(f"\x1b[2m{one_line(text)[:200]}\x1b[0m\n")
