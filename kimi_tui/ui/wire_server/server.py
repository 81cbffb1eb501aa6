"""The server: handles the client's lines in order; turns run concurrently."""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from typing import Any

from kimi_tui.errors import (
    FlowControlError,
    FlowFailedError,
    KimiTuiError,
    MaxStepsReachedError,
    ModelNotSetError,
    ModelUnsupportedError,
    ProviderError,
    RepeatedCallError,
    UsageError,
)
from kimi_tui.soul.commands.registry import parse_line, takes_effect_at_once
from kimi_tui.soul.engine import Engine, TurnRunningError
from kimi_tui.ui.stdio import LineReader, LineWriter, TooLong
from kimi_tui.ui.wire_server import rpc
from kimi_tui.ui.wire_server.client_tools import ClientTools
from kimi_tui.ui.wire_server.handshake import Handshake
from kimi_tui.ui.wire_server.params import Initialize, PromptParams, SetPlanMode, checked
from kimi_tui.ui.wire_server.responses import settle
from kimi_tui.ui.wire_server.rpc import Answer, Call, Code, Fault, RpcError
from kimi_tui.ui.wire_server.sender import Sender
from kimi_tui.wire.codec import Request, WireMessage
from kimi_tui.wire.events import TurnBegin
from kimi_tui.wire.parts import JsonObject, UserInput, text_of

_log = logging.getLogger(__name__)
_BREATH = 64


class WireServer:
    """One client on one engine. At most one turn, or one replay, is running."""

    def __init__(self, engine: Engine, reader: LineReader, writer: LineWriter) -> None:
        self._engine = engine
        self._reader = reader
        self._writer = writer
        self._out = Sender(writer, engine.work_dir)
        self._tools = ClientTools(engine.soul.agent.toolset, engine.wire.send)
        self._handshake = Handshake(engine, self._tools)
        self._main: asyncio.Task[JsonObject] | None = None
        self._cancelling = False
        self._reading: asyncio.Task[None] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._open: dict[rpc.Id, asyncio.Task[JsonObject]] = {}
        self._nameless: set[asyncio.Task[JsonObject]] = set()
        self._steered_early: list[UserInput] = []

    async def serve(self) -> None:
        """Serve until the input ends, or `stop`; then interrupt the running turn."""
        wire = self._engine.wire
        unlisten = (
            wire.listen(self._out),
            wire.listen(self._on_message),
            wire.wait_for(self._writer.drain),
        )
        self._reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait({self._reading})
            if not self._reading.cancelled():
                self._reading.result()
        finally:
            if self._starting is not None:
                self._starting.cancel()
            running = [*self._open.values(), *self._nameless]
            for task in running:
                if task is not self._main or not self._cancelling:
                    task.cancel()
            self._engine.hooks.forget_clients()
            await asyncio.gather(*running, return_exceptions=True)
            for end in unlisten:
                end()

    def stop(self) -> None:
        """Stop as if the input had ended."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self) -> None:
        while (line := await self._reader.next()) is not None:
            self._receive(line)
            await self._writer.drain()

    def _receive(self, line: bytes | TooLong) -> None:
        if isinstance(line, TooLong):
            self._out.write(rpc.error(None, Code.NOT_JSON, "this line is too long"))
            return
        if not line.strip():
            return
        match rpc.read(line):
            case Fault(code, message, rpc_id):
                self._out.write(rpc.error(rpc_id, code, message))
            case Answer() as answer:
                self._settle(answer)
            case Call() as call:
                self._call(call)

    def _call(self, call: Call) -> None:
        try:
            if call.id is not None and call.id in self._open:
                raise RpcError(Code.NOT_A_REQUEST, f"a request with the id {call.id!r} is already running")
            match call.method:
                case "initialize":
                    self._initialize(call, checked(Initialize, call.params))
                case "prompt":
                    self._prompt(call, _as_line(_something(checked(PromptParams, call.params).user_input)))
                case "replay":
                    self._free()
                    self._main = self._start(call, self._replay())
                case "steer":
                    self._steer(_something(checked(PromptParams, call.params).user_input))
                    self._reply(call, {"status": "steered"})
                case "cancel":
                    self._cancel()
                    self._reply(call, {})
                case "set_plan_mode":
                    self._set_plan_mode(call, checked(SetPlanMode, call.params).enabled)
                case _:
                    raise RpcError(Code.NO_SUCH_METHOD, f"unknown method {call.method!r}")
        except RpcError as error:
            self._refuse(call, error)
        except KimiTuiError as error:
            self._refuse(call, RpcError(_error_code(error), str(error)))

    def _initialize(self, call: Call, params: Initialize) -> None:
        reply = self._handshake.take(params)
        self._out.capabilities = params.capabilities
        self._reply(call, reply)
        for request in (*self._engine.approvals.pending, *self._engine.questions.pending):
            self._out.ask(request)
        self._get_ready()

    def _get_ready(self) -> None:
        if self._starting is None:
            for notice in self._engine.start_notices:  # defence: start-notices-of-a-client
                self._out(notice)
            self._starting = asyncio.create_task(self._start_engine())

    async def _start_engine(self) -> None:
        """Start the engine after the response to the client, because loading an SDK blocks the interpreter for a
        while.
        """
        await self._writer.flushed()
        self._engine.start()

    def _set_plan_mode(self, call: Call, on: bool) -> None:
        self._engine.services.plan_mode.on = on
        self._reply(call, {"status": "ok", "plan_mode": on})

    def _prompt(self, call: Call, user_input: UserInput) -> None:
        self._get_ready()
        if self._may_interject(user_input):
            self._start(call, self._take(user_input))
            return
        self._free()
        self._main = self._start(call, self._take(user_input))

    def _may_interject(self, user_input: UserInput) -> bool:
        """Whether the input is allowed during a turn: commands that steer it, and messages to a paused flow."""
        if self._main is None:
            return False
        if isinstance(user_input, str) and parse_line(user_input) is not None:
            return takes_effect_at_once(user_input)
        return self._engine.runner is not None and self._engine.runner.paused is not None

    def _free(self) -> None:
        if self._main is not None:
            raise RpcError(Code.WRONG_STATE, "a turn is already running")

    def _steer(self, user_input: UserInput) -> None:
        """Add input to the running turn; an accepted prompt may still wait for its first or next turn."""
        if self._engine.steer(user_input):
            return
        if self._main is None or self._main.get_name() != "prompt":
            raise RpcError(Code.WRONG_STATE, "no turn is running")
        self._steered_early.append(user_input)

    def _on_message(self, message: WireMessage) -> None:
        if isinstance(message, TurnBegin) and self._steered_early:
            self._steered_early = [
                user_input for user_input in self._steered_early if not self._engine.steer(user_input)
            ]

    def _cancel(self) -> None:
        if self._main is None:
            raise RpcError(Code.WRONG_STATE, "no turn is running")
        if not self._cancelling:
            self._cancelling = True
            self._main.cancel()

    async def _take(self, user_input: UserInput) -> JsonObject:
        try:
            result = await self._engine.prompt(user_input)
        except MaxStepsReachedError as error:
            return {"status": "max_steps_reached", "steps": error.steps}
        except RepeatedCallError:
            return {"status": "finished"}
        except KimiTuiError as error:
            raise RpcError(_error_code(error), str(error)) from error
        return {"status": "cancelled" if result.stop == "cancelled" else "finished"}

    async def _replay(self) -> JsonObject:
        events = requests = 0
        status = "cancelled"
        with contextlib.suppress(asyncio.CancelledError):
            self._engine.wire.flush()
            for number, recorded in enumerate(await asyncio.to_thread(list, self._engine.recorded())):
                if self._out.again(recorded.message):
                    is_request = isinstance(recorded.message, Request)
                    requests, events = requests + is_request, events + (not is_request)
                await self._writer.drain()
                if number % _BREATH == 0:
                    await asyncio.sleep(0)
            status = "finished"
        return {"status": status, "events": events, "requests": requests}

    def _start(self, call: Call, coroutine: Coroutine[Any, Any, JsonObject]) -> asyncio.Task[JsonObject]:
        task = asyncio.create_task(coroutine, name=call.method)
        if call.id is None:
            self._nameless.add(task)
        else:
            self._open[call.id] = task
        task.add_done_callback(lambda task: self._on_call_done(call, task))
        return task

    def _on_call_done(self, call: Call, task: asyncio.Task[JsonObject]) -> None:
        if task is self._main:
            self._main, self._cancelling = None, False
            self._steered_early.clear()
        self._nameless.discard(task)
        if call.id is not None:
            self._open.pop(call.id, None)
        if task.cancelled():
            self._reply(call, {"status": "cancelled"})
            self._out.send_held()
            return
        match task.exception():
            case None:
                self._reply(call, task.result())
            case RpcError() as error:
                self._refuse(call, error)
            case error:
                _log.error("%s failed", call.method, exc_info=error)
                self._refuse(call, RpcError(Code.INTERNAL, f"{type(error).__name__}: {error}"))
        self._out.send_held()

    def _settle(self, answer: Answer) -> None:
        is_request = self._out.answered(answer.id)
        if is_request is None:
            _log.info("an answer to %r, which nobody waits for", answer.id)
        else:
            settle(self._engine, self._tools, is_request, answer)

    def _reply(self, call: Call, value: JsonObject) -> None:
        if call.id is not None:
            self._out.write(rpc.result(call.id, value))

    def _refuse(self, call: Call, error: RpcError) -> None:
        if call.id is not None:
            self._out.write(rpc.error(call.id, error.code, error.message))


def _something(user_input: UserInput) -> UserInput:
    """Return the input if it is not empty. Raises RpcError."""
    if isinstance(user_input, str):
        is_empty = not user_input.strip()
    else:
        is_empty = all(part.type in ("text", "think") for part in user_input) and not text_of(user_input).strip()
    if is_empty:
        raise RpcError(Code.BAD_PARAMS, "user_input: it is empty")
    return user_input


def _as_line(user_input: UserInput) -> UserInput:
    """Convert a slash line that the client sent as a content part to a string."""
    text = text_of(user_input)
    is_text_only = not isinstance(user_input, str) and all(part.type == "text" for part in user_input)
    return text if is_text_only and parse_line(text) is not None else user_input


def _error_code(error: KimiTuiError) -> Code:
    match error:
        case TurnRunningError():
            return Code.WRONG_STATE
        case ModelNotSetError():
            return Code.NO_MODEL
        case ModelUnsupportedError():
            return Code.MODEL_UNSUPPORTED
        case ProviderError():
            return Code.MODEL_FAILED
        case FlowFailedError():
            return Code.FLOW_FAILED
        case UsageError() | FlowControlError():
            return Code.BAD_PARAMS
        case _:
            return Code.INTERNAL
