"""The agent loop: a turn is a loop of steps; a step is one reply of the model and its tool calls.

Invariant: outside of `take_turn`, the context ends on a valid pair, however the last turn ended.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field

from kimi_tui.context.compaction import CompactionThreshold
from kimi_tui.context.context import Context, interrupted_result
from kimi_tui.context.dmail import arrival, checkpoint_mark, marked_checkpoints, outlives_dmail, words_of_user
from kimi_tui.errors import (
    ContextOverflowError,
    KimiTuiError,
    MaxStepsReachedError,
    ModelNotSetError,
    ProviderError,
    ProviderStatusError,
    RepeatedCallError,
)
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.i18n import tr
from kimi_tui.llm.message import Message, user_message
from kimi_tui.llm.metering import metered
from kimi_tui.llm.provider import ModelInfo, Provider, SpokenPart
from kimi_tui.llm.reply import Reply
from kimi_tui.llm.retry import RetryPolicy, request_reply_with_retries
from kimi_tui.soul.agent import Agent
from kimi_tui.soul.compact import Compacted, Compactor
from kimi_tui.soul.hooks.dispatcher import HookDispatcher
from kimi_tui.soul.hooks.tool_calls import call_with_hooks
from kimi_tui.soul.notices import cut_notice, dmail_notice
from kimi_tui.soul.rejected_requests import rejects_content, remove_rejected_message, too_long
from kimi_tui.tools.core.repeat_guard import STOP_AT as REPEATS_STOP_AT
from kimi_tui.tools.core.result_message import result_message
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import (
    StatusUpdate,
    SteerInput,
    StepBegin,
    StepInterrupted,
    StepRetry,
    TurnBegin,
    TurnEnd,
)
from kimi_tui.wire.parts import JsonObject, TextPart, TokenUsage, ToolCall, ToolResult, UserInput

MAX_CALLS_AT_A_TIME = 64
"""How many tool calls of a step run side by side; the model decides how many there are."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a turn."""

    max_steps: int
    max_attempts: int
    compaction: CompactionThreshold

    @property
    def retries(self) -> RetryPolicy:
        return RetryPolicy(attempts=self.max_attempts)


@dataclass(slots=True)
class _Turn:
    """The state of a running turn. `requests` are the user's messages that started it; `said` is what the user said to
    tool calls, by their ids.
    """

    turn_id: str = ""
    requests: list[Message] = field(default_factory=list[Message])
    said: dict[str, Message] = field(default_factory=dict[str, Message])
    steps: int = 0
    message: str = ""
    usage: TokenUsage | None = None
    rejected: bool = False
    cut: bool = False
    repeated: str | None = None
    ended: bool = False
    compact: bool = True


class Soul:
    """One agent with its context and its model. It runs one turn at a time."""

    def __init__(
        self,
        agent: Agent,
        *,
        model: ModelInfo,
        context: Context,
        send: Callable[[WireMessage], None],
        drain: Callable[[], Awaitable[None]],
        limits: Limits,
        hooks: HookDispatcher,
        rejection_ends_turn: bool = True,
    ) -> None:
        self.agent = agent
        self.provider: Provider | None = None
        self.model = model
        self.context = context
        self._send = send
        self._drain = drain
        self._limits = limits
        self._hooks = hooks
        self._rejection_ends_turn = rejection_ends_turn
        self._steered: list[UserInput] = []
        self._notes: list[str] = []
        self._later_notes: list[str] | None = None
        self._body: asyncio.Task[TurnResult] | None = None
        self._compaction: asyncio.Task[Compacted] | None = None
        self._stop_requested = False
        self._compactor = self._make_compactor()

    def _make_compactor(self) -> Compactor:
        limits = self._limits
        return Compactor(
            self.context,
            self._send,
            self._hooks,
            threshold=limits.compaction,
            policy=limits.retries,
            on_reply=self._send_status,
        )

    @contextlib.contextmanager
    def on_context(self, context: Context) -> Generator[None]:
        """Run the turns inside the block on another context. Notes for the model are added to the usual context too."""
        usual, compactor, notes = self.context, self._compactor, self._notes
        self.context, self._notes, self._later_notes = context, [], notes
        self._compactor = self._make_compactor()  # defence: compactor-of-the-context
        try:
            yield
        finally:
            known = {message.text for message in usual.history if message.role == "user"}
            notes[:] = (note for note in notes if note not in known)
            self.context, self._compactor, self._notes, self._later_notes = usual, compactor, notes, None

    async def take_turn(self, prompt: UserInput, *, shown_as: UserInput | None = None, turn_id: str = "") -> TurnResult:
        """Run one turn. The Wire shows `shown_as` in place of the prompt, if given; `turn_id` marks the start of the
        turn in the context.

        Returns `cancelled` after `stop_turn`; raises the KimiTuiError that ended it, MaxStepsReachedError and
        RepeatedCallError among them.
        """
        self._stop_requested = False
        body = asyncio.create_task(self._turn(prompt, prompt if shown_as is None else shown_as, turn_id))
        self._body = body
        try:
            return await body
        except asyncio.CancelledError:
            if self._was_stopped:
                return TurnResult("cancelled")
            raise
        finally:
            self._body = None
            self._steered.clear()
            if self.agent.denwa_renji is not None:
                self.agent.denwa_renji.take()  # defence: dmail-of-its-turn

    def stop_turn(self) -> None:
        """Interrupt the running turn, or the compaction that the user requested, at its current await."""
        for body in (self._body, self._compaction):
            if body is not None and not body.done():
                self._stop_requested = True
                body.cancel()

    @property
    def _was_stopped(self) -> bool:
        """Whether a cancellation came from `stop_turn`, and not from outside."""
        task = asyncio.current_task()
        return self._stop_requested and task is not None and not task.cancelling()

    def steer(self, text: UserInput) -> bool:
        """Add user input to the running turn before its next step; False without a running turn."""
        if self._body is None or self._body.done():
            return False
        self._steered.append(text)
        return True

    def add_system_note(self, note: str) -> None:
        """Add a note for the model before its next step, in this turn or a later one. The Wire does not get it."""
        for notes in (self._notes, self._later_notes):
            if notes is not None and note not in notes:
                notes.append(note)

    async def _turn(self, prompt: UserInput, shown: UserInput, turn_id: str) -> TurnResult:
        self._send(TurnBegin(user_input=shown))
        self.agent.toolset.begin_turn()
        history_before = tuple(self.context.history)
        checkpoint = self._checkpoint(turn_id)
        turn = _Turn(turn_id)
        self._append_notes()
        self._request(turn, prompt)
        while not turn.ended:
            if turn.steps >= self._limits.max_steps:
                raise MaxStepsReachedError(turn.steps)
            turn.steps += 1
            await self._drain()
            self._send(StepBegin(n=turn.steps))
            try:
                await self._step(turn)
            except (asyncio.CancelledError, KimiTuiError) as error:
                self._send(_interruption(error))
                if turn.steps == 1 and isinstance(error, ProviderError) and rejects_content(error):
                    notes = remove_rejected_message(self.context, turn.requests, history_before, checkpoint)
                    if notes is not None:
                        error.taken_back = True
                        self._notes = [*notes, *self._notes]
                raise
            if self._take_steering(turn) and not turn.rejected:
                turn.ended, turn.repeated = False, None
        self._send(TurnEnd())
        if turn.repeated is not None:
            raise RepeatedCallError(turn.repeated, REPEATS_STOP_AT)
        return TurnResult("rejected" if turn.rejected else "finished", turn.message, turn.steps, turn.usage, turn.cut)

    async def compact(self, focus: str = "") -> Compacted:
        """Replace all but the last messages with a summary, at the user's request.

        Returns `stopped` after `stop_turn`; raises CompactionError.
        """
        self._stop_requested = False
        compaction = self._compactor.compact(
            self._active_provider(), self.model.max_context_size, focus=focus, trigger="manual"
        )
        body = asyncio.create_task(compaction)
        self._compaction = body  # defence: interruptible-compaction
        try:
            return await body
        except asyncio.CancelledError:
            if self._was_stopped:
                return "stopped"
            raise
        finally:
            self._compaction = None

    async def _compact(self, turn: _Turn, *, refused: bool = False) -> Compacted:
        return await self._compactor.compact(
            self._active_provider(),
            self.model.max_context_size,
            requests=turn.requests,
            step=turn.steps,
            refused=refused,
        )

    def _checkpoint(self, turn_id: str = "") -> int:
        checkpoint_id = self.context.checkpoint(turn_id)
        if self.agent.denwa_renji is not None:
            self.context.append(checkpoint_mark(checkpoint_id))
            self.agent.denwa_renji.set_checkpoints(marked_checkpoints(self.context))
        return checkpoint_id

    def _send_back_to_checkpoint(self, turn: _Turn) -> bool:
        """Deliver a D-Mail sent in this step: drop everything after its checkpoint except what the user said, to tool
        calls of this turn too, and the notes for the model.
        """
        mail = self.agent.denwa_renji.take() if self.agent.denwa_renji is not None else None
        if mail is None:
            return False
        kept = list(filter(outlives_dmail, self.context.revert_to(mail.checkpoint_id)))
        self._send(dmail_notice(mail))
        history = (*self.context.history, *kept)
        results = {message.tool_call_id for message in history}
        said = [message for call_id, message in turn.said.items() if call_id not in results]
        removed = [m for m in (*turn.requests, *said) if not any(m is message for message in history)]
        self._checkpoint(turn.turn_id if self.context.checkpoint_of(turn.turn_id) is None else "")
        self.context.append(*kept, *removed, arrival(mail))
        return True

    def _active_provider(self) -> Provider:
        """The provider, with the meter of the flow run that the turn belongs to."""
        if self.provider is None:
            raise ModelNotSetError(tr("no model is set"))
        return metered(self.provider, self.model.key)

    def _request(self, turn: _Turn, text: UserInput) -> None:
        turn.requests.append(user_message(text))
        self.context.append(turn.requests[-1])

    def _take_steering(self, turn: _Turn) -> bool:
        steered, self._steered = self._steered, []
        if steered:
            self._append_notes()
        for text in steered:
            self._request(turn, text)
            self._send(SteerInput(user_input=text))
        return bool(steered)

    def _append_notes(self) -> None:
        """Append the pending notes for the model: before the user's next message, not between it and the answer."""
        notes, self._notes = self._notes, []
        self.context.append(*(user_message(note) for note in notes))

    async def _step(self, turn: _Turn) -> None:
        self._append_notes()
        if turn.compact and self._compactor.due(self.model.max_context_size):
            turn.compact = await self._compact(turn) != "failed"
        self._checkpoint()
        reply = await self._ask_in_bounds(turn)
        turn.message, turn.cut = reply.message.text, reply.cut
        if reply.cut:
            self._send(cut_notice())
        if reply.usage is not None:
            turn.usage = reply.usage if turn.usage is None else turn.usage + reply.usage
        calls = reply.message.tool_calls or ()
        self.context.append(reply.message)
        if reply.usage is not None:
            self.context.count_tokens(reply.usage.total)
        self._send_status(reply)
        if not calls:
            turn.ended = True
            return
        results = await self._call_tools(calls)
        extras = [result.return_value.extras or {} for result in results]
        for call, extra in zip(calls, extras, strict=True):
            if (words := words_of_user(call.function.name, extra)) is not None:
                turn.said[call.id] = words  # defence: words-outlive-dmail
        if self._rejection_ends_turn and any(map(_ends_turn, extras)):  # defence: rejection-before-dmail
            turn.rejected = turn.ended = True
        elif repeated := next((c for c, extra in zip(calls, extras, strict=True) if extra.get("stop")), None):
            turn.repeated, turn.ended = repeated.function.name, True
        elif self._send_back_to_checkpoint(turn):
            return
        elif any(extra.get("ends_turn") for extra in extras):
            turn.ended = True

    async def _ask_in_bounds(self, turn: _Turn) -> Reply:
        """Get one complete reply. If the service rejects the conversation for its length, compact and retry."""
        try:
            return await self._ask(turn.steps)
        except ContextOverflowError as error:
            if not turn.compact or await self._compact(turn, refused=True) != "done":  # defence: compact-on-overflow
                raise too_long(error) from error
        self._checkpoint()  # defence: checkpoint-after-compaction
        turn.compact = False
        try:
            return await self._ask(turn.steps)
        except ContextOverflowError as error:
            raise too_long(error) from error

    async def _ask(self, step: int) -> Reply:
        """Get one complete reply. After a cancel, the text received so far stays in the context."""
        received: list[str] = []

        def receive(part: SpokenPart) -> None:
            if isinstance(part, TextPart):
                received.append(part.text)
            self._send(part)

        def void(retry: StepRetry) -> None:
            received.clear()
            self._send(retry)

        try:
            return await request_reply_with_retries(
                self._active_provider(),
                self.agent.system_prompt,
                self.agent.toolset.specs,
                self.context.history,
                step=step,
                on_part=receive,
                on_retry=void,
                policy=self._limits.retries,
                drain=self._drain,
            )
        except asyncio.CancelledError:
            if text := "".join(received).strip():
                self.context.append(Message(role="assistant", content=(TextPart(text=text),)))
            raise

    def _send_status(self, reply: Reply | None) -> None:
        """Report the usage of the reply, if any, and the size of the context."""
        tokens, context_size = self.context.token_count, self.model.max_context_size
        self._send(
            StatusUpdate(
                context_usage=min(1.0, tokens / context_size),
                context_tokens=tokens,
                max_context_tokens=context_size,
                token_usage=reply.usage if reply is not None else None,
                model=self.model.key or None,
                message_id=reply.id if reply is not None else None,
            )
        )

    async def _call_tools(self, calls: tuple[ToolCall, ...]) -> list[ToolResult]:
        """Run the calls in parallel, at most MAX_CALLS_AT_A_TIME.

        Results reach the Wire as they arrive, the context in call order.
        """
        results: dict[str, ToolResult] = {}
        self.agent.toolset.begin_step()
        places = asyncio.Semaphore(MAX_CALLS_AT_A_TIME)

        async def answer(call: ToolCall) -> None:
            async with places:  # defence: bound-parallel-calls
                result = await call_with_hooks(self._hooks, self.agent.toolset, call)
            results[call.id] = result
            self._send(result)

        try:
            async with asyncio.TaskGroup() as group:
                for call in calls:
                    group.create_task(answer(call), name=f"tool {call.function.name}")
        finally:
            self.context.append(  # defence: result-for-each-call
                *(
                    result_message(results[call.id]) if call.id in results else interrupted_result(call.id)
                    for call in calls
                )
            )
        return [results[call.id] for call in calls]


def _ends_turn(extras: JsonObject) -> bool:
    """Whether the user has rejected the call and left nothing for the model to go on with."""
    return bool(extras.get("rejected")) and not (extras.get("feedback") or extras.get("unattended"))


def _interruption(error: BaseException) -> StepInterrupted:
    if not isinstance(error, KimiTuiError):
        return StepInterrupted()
    status = error.status_code if isinstance(error, ProviderStatusError) else None
    return StepInterrupted(error_type=type(error).__name__, status_code=status)
