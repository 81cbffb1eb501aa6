"""One client session: its turns, updates and requests."""

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Sequence

from acp import RequestError
from acp.helpers import ContentBlock, update_available_commands, update_current_mode
from acp.interfaces import Client
from acp.schema import (
    AvailableCommand,
    AvailableCommandInput,
    ClientCapabilities,
    ClientSessionCapabilities,
    ConfigOptionUpdate,
    PromptResponse,
    SessionInfoUpdate,
    StopReason,
    UnstructuredCommandInput,
    Usage,
)

from kimi_tui.errors import KimiTuiError, MaxStepsReachedError, RepeatedCallError
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.soul.commands.registry import takes_effect_at_once
from kimi_tui.soul.engine import Engine
from kimi_tui.tools.core.progress import Progress
from kimi_tui.ui.acp import settings
from kimi_tui.ui.acp.client_files import ClientBuffers
from kimi_tui.ui.acp.content import user_input
from kimi_tui.ui.acp.errors import to_request_error
from kimi_tui.ui.acp.permissions import PermissionRequests
from kimi_tui.ui.acp.terminals import ClientTerminals
from kimi_tui.ui.acp.updates import Update, Updates
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import ApprovalResponse, MCPLoadingEnd, StatusUpdate
from kimi_tui.wire.parts import TokenUsage
from kimi_tui.wire.requests import ApprovalRequest, QuestionRequest

_log = logging.getLogger(__name__)
_UserRequest = ApprovalRequest | QuestionRequest
_FAR_BEHIND = 100
_QUEUE_FULL = 1000


class AcpSession:
    """An engine and its client. A single task sends the updates in order."""

    def __init__(self, engine: Engine, client: Client, capabilities: ClientCapabilities) -> None:
        self.engine = engine
        self._client = client
        self._updates = Updates(engine.work_dir)
        self._asking = PermissionRequests(engine, client, self._updates, supports_forms=_takes_forms(capabilities))
        self._switches = capabilities.session is not None and _takes_switches(capabilities.session)
        self._queue: asyncio.Queue[Update | _UserRequest] = asyncio.Queue()
        self._room = asyncio.Event()
        self._room.set()
        self._turn: asyncio.Task[TurnResult] | None = None
        self._replayed = False
        self._sent_facts: tuple[str, str, bool, str] | None = None
        self._unlisten = (
            engine.wire.listen(self._on_message),
            engine.wire.wait_for(self._drain),
            engine.skills.listen(lambda _: self.announce()),
            engine.progress.listen(self._follow),
        )
        self._attach_client_services(capabilities)
        self._sending = asyncio.create_task(self._send_all(), name=f"acp {engine.session_id}")

    async def prompt(self, blocks: Sequence[ContentBlock]) -> PromptResponse:
        """Run a turn to its end, or a command that steers the running turn. Raises RequestError."""
        prompt_input = user_input(blocks)
        if self._turn is not None:
            if not (isinstance(prompt_input, str) and takes_effect_at_once(prompt_input)):
                raise RequestError(-32600, "a turn is already running in this session")
            return await self._answer(self.engine.prompt(prompt_input))
        self._turn = asyncio.create_task(self.engine.prompt(prompt_input), name="turn")
        try:
            return await self._answer(self._turn)
        finally:
            self._turn = None

    def cancel(self) -> None:
        """Interrupt the running turn; its prompt then returns `cancelled`."""
        if self._turn is not None and not self._turn.cancelling():
            self._turn.cancel()

    async def replay(self) -> None:
        """Send the recorded conversation from the beginning."""
        self._replayed = True
        self.engine.wire.flush()
        self._updates.replaying = True
        for recorded in await asyncio.to_thread(list, self.engine.recorded()):
            self._put(self._updates.of(recorded.message))
        self._updates.replaying = False
        await self._queue.join()

    def begin(self) -> None:
        """Send the available commands, and what was said while the engine was built, unless a replay has it; call it
        once the client has the session id.
        """
        self.announce()
        if not self._replayed:
            for notice in self.engine.start_notices:  # defence: start-notices-of-an-editor
                self._put(self._updates.of(notice))

    def announce(self) -> None:
        """Send the available commands."""
        self._sent_facts = self._facts()
        self._queue.put_nowait(update_available_commands(_commands(self.engine)))

    def options(self) -> settings.ConfigOptions:
        return settings.options(self.engine, switches=self._switches)

    async def aclose(self) -> None:
        if self._turn is not None:
            self.cancel()
            await asyncio.gather(self._turn, return_exceptions=True)
        for unlisten in self._unlisten:
            unlisten()
        await self._asking.aclose()  # defence: end-pending-questions
        self._sending.cancel()
        await asyncio.gather(self._sending, return_exceptions=True)
        await self.engine.aclose()

    async def _answer(self, turn: Awaitable[TurnResult]) -> PromptResponse:
        reason: StopReason = "end_turn"
        usage: TokenUsage | None = None
        try:
            result = await turn
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                self.cancel()
                raise
            reason = "cancelled"
        except (MaxStepsReachedError, RepeatedCallError) as error:
            reason = "max_turn_requests"
            self.engine.notify(str(error), severity="warning")
        except KimiTuiError as error:
            await self._queue.join()
            raise to_request_error(error) from error
        else:
            usage = result.usage
            if result.stop == "cancelled":
                reason = "cancelled"
            elif result.cut:
                reason = "max_tokens"
            elif result.stop == "failed" and result.message:
                self.engine.notify(result.message, severity="warning")
        self._send_facts()
        await self._queue.join()
        return PromptResponse(stop_reason=reason, usage=_usage(usage))

    def _on_message(self, message: WireMessage) -> None:
        self._put(self._updates.of(message))
        match message:
            case ApprovalRequest() | QuestionRequest():
                self._queue.put_nowait(message)
            case ApprovalResponse():
                self._asking.settled(message.request_id)  # defence: settle-pending-question
            case MCPLoadingEnd() if self.engine.mcp.prompts():  # prompts of MCP servers are commands
                self.announce()
            case StatusUpdate() if message.plan_mode is not None:
                self._send_facts()
            case _:
                pass

    def _follow(self, progress: Progress) -> None:
        """Send progress; a slow client gets only the latest."""
        if self._queue.qsize() < _FAR_BEHIND:
            self._put(self._updates.show_output(progress.tool_call_id, progress.lines))

    def _attach_client_services(self, capabilities: ClientCapabilities) -> None:
        """Let the tools read, write and run through the client, as far as its capabilities allow."""
        editor, session_id = self.engine.services.editor, self.engine.session_id
        if capabilities.fs is not None and capabilities.fs.read_text_file:
            editor.buffers = ClientBuffers(self._client, session_id, writes=bool(capabilities.fs.write_text_file))
        if capabilities.terminal:

            def show(call_id: str, terminal: str) -> None:
                self._put(self._updates.in_terminal(call_id, terminal))

            editor.terminals = ClientTerminals(self._client, session_id, show)

    def _put(self, updates: Iterable[Update]) -> None:
        for update in updates:
            self._queue.put_nowait(update)
        if self._queue.qsize() > _QUEUE_FULL:
            self._room.clear()

    async def _drain(self) -> None:
        """Wait while the client is far behind."""
        await self._room.wait()  # defence: wait-for-slow-editors

    async def _send_all(self) -> None:
        while True:
            item = await self._queue.get()
            try:
                if isinstance(item, ApprovalRequest | QuestionRequest):
                    self._asking.begin(item)
                else:
                    await self._client.session_update(self.engine.session_id, item)
            except ConnectionError:
                pass  # the client has disconnected; the end of the connection closes the session
            except Exception:  # noqa: BLE001 - the edge: one update that fails must not keep back the others
                _log.exception("an update could not be sent")
            finally:
                self._queue.task_done()
                if self._queue.qsize() <= _QUEUE_FULL:
                    self._room.set()

    def _facts(self) -> tuple[str, str, bool, str]:
        models = self.engine.models
        return settings.current_mode(self.engine), models.key, models.thinking, self.engine.title

    def _send_facts(self) -> None:
        """Send changes of the session information that the client shows beside the conversation."""
        facts = self._facts()
        if self._sent_facts is None or facts == self._sent_facts:
            return
        old_facts, self._sent_facts = self._sent_facts, facts
        if facts[0] != old_facts[0]:
            self._queue.put_nowait(update_current_mode(facts[0]))
        if facts[:-1] != old_facts[:-1]:
            self._queue.put_nowait(
                ConfigOptionUpdate(session_update="config_option_update", config_options=self.options())
            )
        if facts[-1] != old_facts[-1]:
            self._queue.put_nowait(SessionInfoUpdate(session_update="session_info_update", title=facts[-1]))


def _takes_forms(capabilities: ClientCapabilities) -> bool:
    return capabilities.elicitation is not None and capabilities.elicitation.form is not None


def _takes_switches(capabilities: ClientSessionCapabilities) -> bool:
    return capabilities.config_options is not None and capabilities.config_options.boolean is not None


def _commands(engine: Engine) -> list[AvailableCommand]:
    return [
        AvailableCommand(
            name=info.name,
            description=info.description,
            input=AvailableCommandInput(UnstructuredCommandInput(hint="what it is to work on"))
            if ":" in info.name
            else None,
        )
        for info in engine.commands()
    ]


def _usage(usage: TokenUsage | None) -> Usage | None:
    if usage is None:
        return None
    return Usage(
        total_tokens=usage.total,
        input_tokens=usage.input,
        output_tokens=usage.output,
        cached_read_tokens=usage.input_cache_read,
        cached_write_tokens=usage.input_cache_creation,
    )
