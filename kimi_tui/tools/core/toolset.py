"""The tools of one agent: offered to the model as specs, called by name with JSON arguments.

Invariant: `handle` answers every call with a result; only cancellation escapes it.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import Generator, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from kimi_tui import json_text
from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.llm.provider import ToolSpec
from kimi_tui.permission.subject import ArgumentsSubject
from kimi_tui.surrogates import without_surrogates
from kimi_tui.tools.core.ask_approval import ask_approval, comments_of_call, with_comments
from kimi_tui.tools.core.plan_mode import PlanMode
from kimi_tui.tools.core.repeat_guard import RepeatGuard, with_reminder
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, failed
from kimi_tui.wire.display import ShellBlock
from kimi_tui.wire.parts import ToolCall, ToolResult, ToolReturnValue

_log = logging.getLogger(__name__)
allowed_tools: ContextVar[frozenset[str] | None] = ContextVar("allowed_tools", default=None)
"""The only tools that may run in this task and in those that it starts, subagents included; None: all."""


class Toolset:
    """Tools by name, in the order given; a later tool replaces an earlier one of the same name.

    In `plan_mode` only read-only calls run. The rules of `approvals` apply to every tool.
    """

    def __init__(
        self,
        tools: Iterable[Tool[Any]] = (),
        *,
        plan_mode: PlanMode | None = None,
        approvals: Approvals | None = None,
    ) -> None:
        self._plan_mode = plan_mode
        self._approvals = approvals
        self._tools = {tool.name: tool for tool in tools}
        self._also: Mapping[str, str] = {}
        self._repeats = RepeatGuard()
        self._answers: dict[str, asyncio.Future[ToolReturnValue]] = {}

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self._tools.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def get(self, name: str) -> Tool[Any] | None:
        return self._tools.get(name)

    def own_name(self, name: str) -> str | None:
        """The tool's own name for a name or an alias; None for an unknown one."""
        return name if name in self._tools else self._also.get(name)

    def add(self, tool: Tool[Any]) -> None:
        self._tools[tool.name] = tool

    def remove(self, name: str) -> None:
        self._tools.pop(name, None)

    @contextlib.contextmanager
    def with_tool(self, tool: Tool[Any] | None) -> Generator[None]:
        """Add a tool inside the `with` block; it replaces a tool of the same name."""
        if tool is None:
            yield
            return
        replaced = self._tools.pop(tool.name, None)
        self.add(tool)
        try:
            yield
        finally:
            self.remove(tool.name)
            if replaced is not None:
                self.add(replaced)

    def also_called(self, names: Mapping[str, str]) -> None:
        """Add aliases, each for a tool's own name; a tool with that name takes precedence."""
        self._also = dict(names)

    def begin_turn(self) -> None:
        """Reset the repeat counts at the start of a user turn."""
        self._repeats.begin_turn()
        self._answers.clear()

    def begin_step(self) -> None:
        """Start a step: equal calls share one result until the next step."""
        self._repeats.begin_step()
        self._answers.clear()

    async def handle(self, call: ToolCall) -> ToolResult:
        """Run the call, or wait for an identical call of this step."""
        key = _key(call)
        running = self._answers.get(key)
        if running is not None:
            return ToolResult(tool_call_id=call.id, return_value=await asyncio.shield(running))
        streak = self._repeats.count(key)
        answer: asyncio.Future[ToolReturnValue] = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        try:
            value = _sendable(with_reminder(await self._call(call), streak))
        except BaseException:
            answer.cancel()
            raise
        answer.set_result(value)
        return ToolResult(tool_call_id=call.id, return_value=value)

    async def _call(self, call: ToolCall) -> ToolReturnValue:
        name = call.function.name
        tool = self._tools.get(name) or self._tools.get(self._also.get(name, ""))
        if tool is None:
            names = ", ".join(self._tools) or "none"
            return failed(
                f"There is no tool `{call.function.name}`. Tools: {names}.", brief=f"No tool {call.function.name}"
            )
        allowed = allowed_tools.get()
        if allowed is not None and tool.name not in allowed:  # defence: tools-of-the-node
            return failed(
                f"This step of the flow may not use {tool.name}. It may use: {', '.join(sorted(allowed))}.",
                brief=tr("{tool} is not among the tools of this node", tool=tool.name),
            )
        planning = self._plan_mode is not None and self._plan_mode.on
        if planning and not (tool.read_only or tool.may_read):
            return _not_while_planning(f"{tool.name} does not run in plan mode.")
        try:
            params = _params(tool, call.function.arguments)
        except ValueError as error:
            return failed(str(error), brief="Wrong arguments")
        if planning and not tool.reads(params):  # defence: plan-mode-reads
            return _not_while_planning(f"In plan mode {tool.name} does only what is known to change nothing.")
        token = current_tool_call.set(call)
        comments: list[str] = []
        comments_token = comments_of_call.set(comments)
        try:
            value = await self._refused(tool, params) or await tool.call(params)
            return with_comments(value, comments)
        except Exception as error:  # noqa: BLE001 - the edge: what breaks in a tool is the model's to know
            _log.exception("tool %s failed", tool.name)
            return failed(f"{tool.name} failed: {_cause(error)}", brief=f"{tool.name} failed")
        finally:
            comments_of_call.reset(comments_token)
            current_tool_call.reset(token)

    async def _refused(self, tool: Tool[Any], params: Params) -> ToolReturnValue | None:
        """Apply the permission rules to a tool that does not request approval itself; None if the call may run."""
        if self._approvals is None or tool.asks:
            return None
        arguments = params.model_dump(mode="json", exclude_unset=True)
        shown = json.dumps(arguments, indent=2, ensure_ascii=False)
        return await ask_approval(
            self._approvals,
            ProposedAction(
                sender=tool.name,
                action=tr("use {tool}", tool=tool.name),
                description=f"Call {tool.name}",
                display=(ShellBlock(language="json", command=shown),),  # defence: arguments-of-any-tool
                subject=ArgumentsSubject(arguments),  # defence: rules-for-any-tool
                ask_only_by_rule=True,
            ),
        )


def _not_while_planning(why: str) -> ToolReturnValue:
    brief = tr("plan mode is on: only what changes nothing runs; /plan off ends it")
    return failed(f"{why} Call ExitPlanMode with your plan first.", brief=brief)


def _key(call: ToolCall) -> str:
    """Return the call's identity: the order of JSON keys and white space do not count."""
    text = call.function.arguments or "{}"
    with contextlib.suppress(ValueError, RecursionError):
        text = json.dumps(json_text.loads(text), sort_keys=True)
    return f"{call.function.name} {text}"


def _sendable(value: ToolReturnValue) -> ToolReturnValue:
    """Make the result valid UTF-8; file names in it may not be."""
    try:
        value.model_dump_json()
    except (PydanticSerializationError, UnicodeError):
        return ToolReturnValue.model_validate(without_surrogates(value.model_dump()))
    return value


def read_arguments(text: str | None) -> object:
    """Parse the arguments of a call; line breaks within a string are accepted. Raises ValueError, RecursionError."""
    value: object = json_text.loads(text, strict=False) if text and text.strip() else {}
    return without_surrogates(value)


def _params(tool: Tool[Any], arguments: str | None) -> Params:
    """Parse the arguments. Raises ValueError with a short text that locates the error in the arguments."""
    try:
        value = read_arguments(arguments)
    except RecursionError:
        raise ValueError("The arguments are nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"The arguments are not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise ValueError("The arguments must be a JSON object.")
    try:
        return tool.params.model_validate(value)
    except ValidationError as error:
        faults = [_fault(fault["loc"], fault["msg"]) for fault in error.errors(include_url=False, include_input=False)]
        remainder = f" (and {len(faults) - 5} more)" if len(faults) > 5 else ""
        raise ValueError(f"Wrong arguments: {'; '.join(faults[:5])}{remainder}.") from None


def _fault(where: tuple[int | str, ...], problem: str) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in where).lstrip(".")
    return f"{path}: {problem}" if path else problem


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500] if str(error) else type(error).__name__
