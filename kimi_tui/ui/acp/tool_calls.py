"""Tool calls for the client: start, complete arguments, end; each with its own id."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from acp.helpers import (
    ToolCallContentVariant,
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    tool_terminal_ref,
    update_tool_call,
)
from acp.schema import ToolCallLocation, ToolCallProgress, ToolCallStart, ToolCallUpdate, ToolKind

from kimi_tui import json_text
from kimi_tui.text_safety import for_terminal, one_line
from kimi_tui.ui.acp.content import blocks
from kimi_tui.wire.display import BriefBlock, DiffBlock, DisplayBlock, ShellBlock
from kimi_tui.wire.merge import StreamedCall
from kimi_tui.wire.parts import JsonObject, ToolCall, ToolCallPart, ToolReturnValue

KINDS: dict[str, ToolKind] = {
    "ReadFile": "read",
    "ReadMediaFile": "read",
    "Glob": "search",
    "Grep": "search",
    "WriteFile": "edit",
    "StrReplaceFile": "edit",
    "Shell": "execute",
    "FetchURL": "fetch",
    "SearchWeb": "fetch",
    "Think": "think",
    "SetTodoList": "think",
    "EnterPlanMode": "switch_mode",
    "ExitPlanMode": "switch_mode",
}
_TELLING = ("command", "path", "pattern", "url", "query", "description", "name")
_TITLE = 200
_PRINTS = frozenset({"read", "search", "execute"})
_TICKS = re.compile("`+")
_WORDS = re.compile(r"[^\W_](?:[^\W_]|[ ,;:.?'%()/-])*")


class ToolCalls:
    """The calls of one agent. `prefix` precedes their titles, `new_id` makes each id."""

    def __init__(self, work_dir: Path, new_id: Callable[[], str], *, prefix: str = "") -> None:
        self._work_dir = work_dir
        self._new_id = new_id
        self._prefix = prefix
        self._ids: dict[str, str] = {}
        self._open: dict[str, StreamedCall] = {}
        self._streaming: str | None = None
        self._terminals: dict[str, str] = {}

    def runs(self, call_id: str) -> bool:
        return call_id in self._open

    def begin(self, call: ToolCall) -> list[ToolCallStart | ToolCallProgress]:
        updates = self.whole()
        self._ids[call.id] = self._new_id()
        self._open[call.id] = StreamedCall(call)
        self._terminals.pop(call.id, None)
        self._streaming = call.id
        start = start_tool_call(
            self._ids[call.id], self._titled(call.function.name), kind=_kind(call), status="pending"
        )
        return [*updates, start]

    def more(self, part: ToolCallPart) -> None:
        if self._streaming is not None:
            self._open[self._streaming].add(part)

    def whole(self) -> list[ToolCallStart | ToolCallProgress]:
        """Report the complete arguments of the last call, if they were still streaming."""
        call_id, self._streaming = self._streaming, None
        if call_id is None:
            return []
        call = self._open[call_id].call
        arguments = _arguments(call)
        return [
            update_tool_call(
                self._ids[call_id],
                title=self._titled(_title(call, arguments)),
                status="in_progress",
                locations=self._locations(arguments),
                raw_input=arguments or None,
            )
        ]

    def in_terminal(self, call_id: str, terminal: str) -> list[ToolCallStart | ToolCallProgress]:
        """Report that the call runs in a terminal of the client, which will show its output."""
        self._terminals[call_id] = terminal
        return [*self.whole(), update_tool_call(self._ids[call_id], content=[tool_terminal_ref(terminal)])]

    def show_output(self, call_id: str, lines: Sequence[str]) -> list[ToolCallStart | ToolCallProgress]:
        """Report the output so far of a running call."""
        if call_id in self._terminals or not lines:
            return []
        return [*self.whole(), update_tool_call(self._ids[call_id], content=[_printed("\n".join(lines))])]

    def end(self, call_id: str, value: ToolReturnValue) -> list[ToolCallStart | ToolCallProgress]:
        acp_id = self._ids.get(call_id)
        if acp_id is None or call_id not in self._open:
            return []
        updates = self.whole()
        call = self._open.pop(call_id).call
        status = "failed" if value.is_error else "completed"
        terminal = self._terminals.pop(call_id, None)
        content = self._result(call, value) if terminal is None else _after(terminal, value)
        return [*updates, update_tool_call(acp_id, status=status, content=content)]

    def interrupt(self) -> list[ToolCallStart | ToolCallProgress]:
        """Report all running calls as interrupted."""
        self._streaming = None
        self._terminals.clear()
        calls, self._open = self._open, {}
        return [update_tool_call(self._ids[call_id], status="failed") for call_id in calls]

    def approval_call(self, call_id: str, title: str, display: Sequence[DisplayBlock]) -> ToolCallUpdate:
        """Format a call for an approval request."""
        streamed = self._open.get(call_id)
        call = streamed.call if streamed else None
        arguments = _arguments(call) if call else {}
        return ToolCallUpdate(
            tool_call_id=self._ids.get(call_id, call_id),
            title=self._titled(one_line(title)),
            kind=_kind(call) if call else "other",
            status="pending",
            content=self.shown(display) or None,
            locations=self._locations(arguments),
            raw_input=arguments or None,
        )

    def shown(self, display: Sequence[DisplayBlock]) -> list[ToolCallContentVariant]:
        content: list[ToolCallContentVariant] = []
        for block in display:
            match block:
                case DiffBlock(is_summary=False):
                    path = str(self._work_dir / block.path)
                    content.append(tool_diff_content(path, _lines(block.new_text), _lines(block.old_text) or None))
                case DiffBlock():
                    content.append(
                        _text(f"{block.path}: too long to show, {block.old_text} before and {block.new_text} after")
                    )
                case ShellBlock():
                    content.append(_printed(for_terminal(block.command), language=block.language))
                case BriefBlock(text=text) if text:
                    content.append(_remark(for_terminal(text)))
                case _:
                    pass
        return content

    def _result(self, call: ToolCall, value: ToolReturnValue) -> list[ToolCallContentVariant] | None:
        """Return the file diff, otherwise the output, otherwise the message."""
        diffs = self.shown([block for block in value.display if isinstance(block, DiffBlock)])
        if diffs:
            return diffs
        error_text = value.message if value.is_error else ""
        content: list[ToolCallContentVariant] = []
        if isinstance(value.output, str) and _kind(call) in _PRINTS and value.output.strip():
            content.append(_printed(value.output))
        else:
            content.extend(tool_content(block) for block in blocks(value.output))
        if error_text or not content:
            content.insert(0, _text(error_text or value.message))
        return content if value.output or value.message else None

    def _locations(self, arguments: JsonObject) -> list[ToolCallLocation] | None:
        path = arguments.get("path")
        if not isinstance(path, str) or not path or "\0" in path:
            return None
        line = arguments.get("line_offset")
        line_number = line if isinstance(line, int) and line > 0 else None
        return [ToolCallLocation(path=str(self._work_dir / Path(path)), line=line_number)]

    def _titled(self, title: str) -> str:
        return f"{self._prefix}{title}"[:_TITLE]


def _lines(text: str) -> str:
    """End the last line of a diff too: without it, clients draw a removed and an added last line as one."""
    return f"{text}\n" if text else ""


def _text(text: str) -> ToolCallContentVariant:
    return tool_content(text_block(text))


def _printed(text: str, *, language: str = "") -> ToolCallContentVariant:
    """Format text as a code block, because clients render text as Markdown."""
    # defence: fence-longer-than-any
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    return _text(f"{fence}{language}\n{text.rstrip()}\n{fence}")


def _remark(text: str) -> ToolCallContentVariant:
    """Format a remark: as text if Markdown shows all of it, otherwise (a quoted name, an address) as a code block."""
    return _text(text) if _WORDS.fullmatch(text) else _printed(text)  # defence: remark-shown-whole


def _after(terminal: str, value: ToolReturnValue) -> list[ToolCallContentVariant]:
    """Return the terminal, which keeps showing its output, and the message of an error."""
    content: list[ToolCallContentVariant] = [tool_terminal_ref(terminal)]
    return [*content, _text(value.message)] if value.is_error and value.message else content


def _kind(call: ToolCall) -> ToolKind:
    return KINDS.get(call.function.name, "other")


def _arguments(call: ToolCall) -> JsonObject:
    try:
        value: Any = json_text.loads(call.function.arguments or "{}", strict=False)
    except (ValueError, RecursionError):
        return {}
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def _title(call: ToolCall, arguments: JsonObject) -> str:
    for key in _TELLING:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return f"{call.function.name}: {' '.join(value.split())}"
    return call.function.name
