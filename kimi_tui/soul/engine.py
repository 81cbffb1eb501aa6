"""A session for a UI: accepts prompts, emits Wire messages, and runs one turn at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from kimi_tui.config.budget import Budget
from kimi_tui.config.schema import Config
from kimi_tui.context.context import Context
from kimi_tui.errors import KimiTuiError, MaxStepsReachedError, ModelUnsupportedError, UsageError
from kimi_tui.flow.model.setting_rules import MCP_PREFIX
from kimi_tui.flow.run.resume_request import ResumeRequest
from kimi_tui.flow.run.runner import FlowRunner
from kimi_tui.flow.run.spending import Prices, make_prices
from kimi_tui.flow.run.turn_protocol import NO_RULES, CommandCall, CommandEnd, OpenQuestion, TurnResult, TurnRules
from kimi_tui.i18n import UserText, tr
from kimi_tui.interaction.approvals import Approvals, WhenAsked
from kimi_tui.interaction.questions import Questions
from kimi_tui.mcp.servers import McpServers
from kimi_tui.secret_store import cached_secrets
from kimi_tui.session.session import Session
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.soul.commands.command import CommandInfo, TurnRunningError
from kimi_tui.soul.commands.parser import invocable_names, slash_command
from kimi_tui.soul.flows.command_nodes import CommandNodes
from kimi_tui.soul.flows.manager import Budgets, FlowManager
from kimi_tui.soul.flows.parked_calls import ParkedCalls
from kimi_tui.soul.flows.prompt_flow import PromptFlow
from kimi_tui.soul.flows.user_questions import answer_message
from kimi_tui.soul.hooks.dispatcher import HookDispatcher
from kimi_tui.soul.model_switcher import ModelSwitcher
from kimi_tui.soul.notices import Severity, error_notice, notice
from kimi_tui.soul.rewind import RewindPoint, RewindResult, rewind_notice, rewind_points, rewind_to
from kimi_tui.soul.services import Services
from kimi_tui.soul.session_replay import Replay, replayed, replayed_in_parts
from kimi_tui.soul.shell_mode import ShellMode
from kimi_tui.soul.side_questions import SideQuestions
from kimi_tui.soul.soul import Soul
from kimi_tui.soul.subagents.running import RunningSubagents
from kimi_tui.soul.turn_lock import TurnLock
from kimi_tui.soul.turn_runner import take_turn
from kimi_tui.soul.usage_stats import UsageStats
from kimi_tui.surrogates import without_surrogates
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import Notification, StatusUpdate, TurnEnd
from kimi_tui.wire.parts import TextPart, UserInput, encodable, text_of
from kimi_tui.wire.recorder import Recorded, Recorder

current_command: ContextVar[str] = ContextVar("answering", default="")
"""The slash line that is running."""
FuturePrompt = Callable[[], Awaitable[UserInput]]
"""Gets the prompt of a turn from elsewhere. Raises UsageError."""
_MCP_PATIENCE = 5.0
"""Seconds that a turn waits for MCP servers in an interactive session; a later step announces later tools."""


class CommandRunner(Protocol):
    """Runs a slash command. Raises UsageError for an unknown name, TurnRunningError if a turn has to end first."""

    async def __call__(self, engine: "Engine", name: str, args: str, *, shown: str) -> TurnResult: ...


class Engine:
    """The API for UIs. Use it from one event loop only."""

    def __init__(
        self,
        *,
        soul: Soul,
        wire: Wire,
        recorder: Recorder,
        session: Session,
        services: Services,
        models: ModelSwitcher,
        hooks: HookDispatcher,
        mcp: McpServers,
        running_subagents: RunningSubagents,
        config: Config,
        prompt_flow: PromptFlow | None,
        commands: Sequence[CommandInfo],
        run_command: CommandRunner,
        interactive: bool,
        headless: bool,
        changed_commands: Callable[[], str] = lambda: "",
        budget: Budget | None = None,
        when_asked: WhenAsked | None = None,
        approves: bool = False,
    ) -> None:
        """Set up the engine. `interactive`: a user steers its flows; `headless`: no user can ever be asked.

        `when_asked` and `approves` are those of `ParkedCalls`, `changed_commands` that of `CommandNodes`.

        `commands` are those of every UI; `run_command` runs them, and skills and flows. `budget` caps each flow run.
        """
        self.soul = soul
        self.wire = wire
        self._recorder = recorder
        self.session = session
        self.services = services
        self.approvals: Approvals = services.approvals
        self.questions: Questions = services.questions
        self.skills: SkillLibrary = services.skills
        self.progress: ToolProgress = services.progress
        self.models = models
        self.hooks = hooks
        self.mcp = mcp
        self.running_subagents = running_subagents
        self.asides = SideQuestions(wire.send)
        self.shell_lines = ShellMode(services, lambda: soul.context, wire.send)
        self.command_nodes = CommandNodes(
            lambda: soul.agent.toolset,
            lambda: soul.context,
            hooks,
            wire.send,
            trusted=services.trusted,
            changed=changed_commands,
        )
        self.parked_calls = ParkedCalls(services.approvals, when_asked, approves=approves, stop=self._stop_turn)
        self.figures = UsageStats()
        self.start_notices: list[Notification] = []
        """What was said while the engine was built, for a UI that listens only afterwards."""
        self._end_start = wire.listen(self._keep_start_notice)
        wire.listen(self.figures)
        wire.listen(hooks.on_message)
        self.config = config
        self.interactive = interactive
        self.turn_lock = TurnLock()
        budgets = Budgets(budget or Budget(), config.flows.caps, self._own_prices)
        self.flows = FlowManager(
            self, services, session, wire.send, prompt_flow, control=config.loop_control, budgets=budgets
        )
        self._commands = commands
        self._run_command = run_command
        self._yolo_before_away = False
        self.headless = headless
        self.frontend_commands: tuple[CommandInfo, ...] = ()
        """Additional commands of the UI."""
        self._followers: list[asyncio.Task[None]] = []
        self._starting: asyncio.Task[UserInput] | None = None
        self.on_close: Callable[[], object] | None = None
        """Called in a thread after everything has ended."""

    @property
    def live(self) -> "Engine":
        """This engine; only a recording has no live engine."""
        return self

    @property
    def heading(self) -> str:
        """Empty, so that a UI shows the work dir."""
        return ""

    @property
    def context(self) -> Context:
        return self.soul.context

    @property
    def max_context_tokens(self) -> int:
        """The context window of the model, in tokens."""
        return self.soul.model.max_context_size

    @property
    def secrets(self) -> list[str]:
        """The secrets of the configuration, as far as they are known without a keyring access."""
        return cached_secrets(self.config.secrets)

    @property
    def work_dir(self) -> Path:
        return self.session.work_dir

    @property
    def session_id(self) -> str:
        return self.session.id

    @property
    def title(self) -> str:
        return self.session.state.shown_title

    @property
    def model_name(self) -> str:
        return self.models.shown_name

    @property
    def model_note(self) -> str:
        """Return the note to show with the model's name: that the model is a script."""
        return self.models.note

    @property
    def model_key(self) -> str:
        """The model's name in the configuration."""
        return self.models.info.key

    @property
    def accepts_images(self) -> bool:
        """Whether the model accepts images."""
        return "image_in" in self.models.info.capabilities

    @property
    def runner(self) -> FlowRunner | None:
        """The active flow."""
        return self.flows.runner

    @property
    def busy(self) -> bool:
        """Whether a turn or a flow is running; a paused flow counts."""
        return self.turn_lock.locked or self.runner is not None

    def busy_reason(self, command: str) -> UserText:
        """Return why a command that needs an idle session cannot run now."""
        if self.turn_lock.locked or self.runner is None or self.runner.paused is None:
            return tr("wait for the turn to end before {command}", command=command)
        return tr("a flow is paused: continue or stop it before {command}", command=command)

    def commands(self) -> Sequence[CommandInfo]:
        """All current slash commands, including skills and flows."""
        commands = [*self._commands]
        if (prompt_flow := self.flows.prompt_flow) is not None:
            commands.insert(0, CommandInfo("begin", tr("Run the flow of {name}", name=prompt_flow.name)))
        flows = [CommandInfo(f"flow:{skill.name}", skill.description) for skill in self.skills.flows()]
        skills = [CommandInfo(f"skill:{skill.name}", skill.description) for skill in self.skills.skills]
        prompts = [CommandInfo(name, prompt.summary) for name, (_, prompt) in self.mcp.prompts().items()]
        return [*commands, *flows, *skills, *prompts]

    def resources(self) -> Sequence[str]:
        """The resources of MCP servers in message syntax: `SERVER:URI`."""
        return self.mcp.resources()

    def command_names(self) -> frozenset[str]:
        """All valid slash command names, including those of the UI."""
        return invocable_names((*self.commands(), *self.frontend_commands))

    def recorded(self, *, whole: bool = False) -> Iterator[Recorded]:
        """The messages of this session, as `replayed` yields them."""
        return replayed(self._recorder, self.session.dir / "wire.jsonl", whole=whole)

    def replay(self) -> Replay:
        """The messages of this session, those of its last turns first. Raises OSError."""
        return replayed_in_parts(self._recorder, self.session.dir / "wire.jsonl")

    def _keep_start_notice(self, message: WireMessage) -> None:
        if isinstance(message, Notification):
            self.start_notices.append(message)

    def finish_build(self) -> None:
        """Stop collecting `start_notices`."""
        self._end_start()

    @property
    def is_saved(self) -> bool:
        """Whether the whole conversation and its record are on disk."""
        return self.soul.context.is_written and self._recorder.is_written

    def start(self) -> None:
        """Load the model's SDK, connect to MCP servers and watch the skill folders, for a UI that stays open."""
        self.models.prepare()
        self.mcp.start()
        self._followers.append(asyncio.create_task(self._watch_skills()))

    async def _watch_skills(self) -> None:
        from kimi_tui.skill.watcher import SkillWatcher

        await self.loaded()  # the first request comes first
        await SkillWatcher(self.skills, on_notice=lambda text: self.notify(text, severity="warning")).run()

    async def loaded(self) -> None:
        """Wait until the model's SDK is loaded. A failure to load surfaces with the first request."""
        await self.models.loaded()

    async def prompt(self, user_input: UserInput) -> TurnResult:
        """Handle user input, a message or a slash command, and return when it is finished.

        Raises the KimiTuiError that ended it, after sending it to the Wire.
        """
        user_input = encodable(user_input)  # defence: encodable-user-input
        line = slash_command(user_input, self.command_names()) if isinstance(user_input, str) else None
        try:
            if line is not None:
                current_command.set(text_of(user_input).strip())
                return await self._run_command(self, *line, shown=text_of(user_input))
            return await self._message(user_input)
        except KimiTuiError as error:
            if not isinstance(error, TurnRunningError):
                self.wire.send(error_notice(error))
            raise
        finally:
            self.wire.flush()

    async def run_shell_line(self, command: str) -> None:
        """Run a shell command of the user, without the model. Raises UsageError while a turn or a flow runs."""
        if self.turn_lock.locked or (self.runner is not None and self.runner.paused is None):
            raise TurnRunningError(tr("a turn is already running"))
        async with self.turn_lock.turn():
            self.session.name_after(f"! {command}")
            await self.shell_lines.run(without_surrogates(command))
        self.wire.flush()

    def cancel(self) -> None:
        """Interrupt the running turn, otherwise side questions. A flow pauses there; a paused flow stays paused."""
        if not self.turn_lock.locked:
            self.asides.cancel()
        self.approvals.withdraw_all()  # defence: answer-while-interrupted
        self._interrupt_turn()
        self.command_nodes.stop()
        self.shell_lines.stop()
        self.hooks.stop()

    def steer(self, user_input: UserInput) -> bool:
        """Add input to the running turn; False if no turn runs. Raises ModelUnsupportedError."""
        self._check_media(user_input)
        return self.soul.steer(encodable(user_input))

    def reply(self, text: UserText) -> None:
        """Show an answer of the program in the conversation; the model never sees it.

        While a turn runs, the answer is a notification of type `answer` with the command as its title, separate from
        the model's output.
        """
        if self.busy and not self.turn_lock.held_here:
            self.wire.send(notice(current_command.get(), text, kind="answer"))
        else:
            self.wire.send(TextPart(text=text))

    def notify(self, title: UserText, body: UserText = "", *, severity: Severity = "info") -> None:
        self.wire.send(notice(title, body, severity=severity))

    def stop_flow(self, reason: str | None = None) -> None:
        """Stop the flow run and interrupt its turn; of a paused flow none runs, so a turn then is the user's own."""
        paused = self.runner is not None and self.runner.paused is not None
        self.flows.stop(reason)
        if not paused:  # defence: turn-beside-a-paused-flow
            self._interrupt_turn()
            self.command_nodes.stop()

    async def aclose(self) -> None:
        """Interrupt running work and release all resources; the session can be resumed."""
        for follower in self._followers:
            follower.cancel()
        await asyncio.gather(*self._followers, return_exceptions=True)
        self.approvals.reject_all()
        self.questions.dismiss_all()
        self.asides.cancel()
        self._interrupt_turn()
        await asyncio.gather(self.services.background.aclose(), self.mcp.aclose())
        await self.services.sandbox.close()
        await self.hooks.finish_notifications()
        # defence: end-despite-a-hook
        try:
            await self.hooks.ask("SessionEnd")
        finally:
            await self._end_session()

    async def _end_session(self) -> None:
        """Write what is not written yet, and release the session."""
        self.wire.flush()
        self.session.save_state()
        await self.models.aclose()
        if self.on_close is not None:
            await asyncio.to_thread(self.on_close)
        self.services.versions.close()
        self.context.close()
        self._recorder.close()  # defence: record-with-its-end
        self.session.close()

    async def _message(self, user_input: UserInput) -> TurnResult:
        if self.turn_lock.locked or (self.runner is not None and self.runner.paused is None):
            raise TurnRunningError(tr("a turn is already running"))
        self._check_media(user_input)
        iterations = self.config.loop_control.max_ralph_iterations
        if iterations and self.runner is None:
            return (await self.flows.run_ralph(user_input, iterations)).turn_result
        try:
            return await self.take_turn(user_input)
        except MaxStepsReachedError:
            self.wire.send(TurnEnd())  # ended, perhaps in failure; a node's turn leaves TurnEnd to the flow
            raise

    def _check_media(self, user_input: UserInput) -> None:
        """Raises ModelUnsupportedError for an image or a video that the model does not accept."""
        kinds = set[str]() if isinstance(user_input, str) else {part.type for part in user_input}
        for kind, capability in (("image_url", "image_in"), ("video_url", "video_in")):
            if kind in kinds and self.models.key and capability not in self.models.info.capabilities:
                raise ModelUnsupportedError(
                    tr(
                        "the model {name} does not accept this: its capabilities do not include {capability}",
                        name=self.models.shown_name,
                        capability=capability,
                    )
                )

    async def take_turn(
        self, prompt: UserInput | FuturePrompt, rules: TurnRules = NO_RULES, *, shown_as: UserInput | None = None
    ) -> TurnResult:
        """Run one turn of the soul; the flow runner uses it too. If the prompt is still pending, the turn waits for
        it.
        """
        async with self.turn_lock.turn():
            self._starting = asyncio.create_task(self._start_turn(prompt))
            try:
                prompt = await self._starting
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise
                return TurnResult("cancelled", started=False)
            finally:
                self._starting = None
            shown = prompt if shown_as is None else shown_as
            self.session.name_after(text_of(shown))
            self._add_instructions()
            turn = partial(take_turn, self.soul, self.services, self.hooks, self.wire.send, prompt, shown=shown)
            self.parked_calls.take()
            if rules == NO_RULES:
                result = await turn()
            else:
                from kimi_tui.soul.flows.turn_rules import take_under_rules

                result = await take_under_rules(
                    rules, self.soul.agent.toolset, turn, clock=self.services.work_clock, stop=self._stop_turn
                )
        parked = self.parked_calls.take()
        return result if parked is None else replace(result, stop="rejected", message="", parked=parked)

    async def _start_turn(self, prompt: UserInput | FuturePrompt) -> UserInput:
        """Wait for all that a turn needs; returns its prompt."""
        await self.models.ready()
        await self.mcp.ready(_MCP_PATIENCE if self.interactive else None)
        return await prompt() if callable(prompt) else prompt

    def _interrupt_turn(self) -> None:
        if self._starting is not None:
            self._starting.cancel()  # defence: interruptible-start
        self.soul.stop_turn()

    def _stop_turn(self) -> None:
        self._interrupt_turn()
        self.command_nodes.stop("The command did not run: nobody could approve it, so the run waits for an answer.")
        self.hooks.stop()

    def unknown_tools(self, names: Sequence[str]) -> list[str]:
        """Return the unknown names of tools; those of MCP servers are known only after the servers have connected."""
        toolset = self.soul.agent.toolset
        return [name for name in names if toolset.own_name(name) is None and not name.startswith(MCP_PREFIX)]

    async def run_command(self, call: CommandCall) -> CommandEnd:
        """Run the command of a flow's node, as a turn with one Shell call."""
        async with self.turn_lock.turn():
            end = await self.command_nodes.run(call)
        parked = self.parked_calls.take()
        return end if parked is None else CommandEnd("rejected", parked=parked)

    async def notify_waiting(self, name: str, question: OpenQuestion) -> None:
        """Notify the user that a flow run waits for an answer, and how to give it; run the hooks for this event."""
        answer = ResumeRequest(question.run_id[:8], choices={question.node_id: question.choices[0]})
        body = tr("{question} ({choices}) Answer with {command}", question=question.question.partition("\n")[0],
            choices=", ".join(question.choices), command=answer)  # fmt: skip
        self.notify(tr("The flow {name} waits for you", name=name), body)
        fields = {"run": question.run_id, "node": question.node_id, "question": question.question}
        await self.hooks.ask("FlowWaiting", name, flow=name, choices=list(question.choices), **fields)

    def record_answer(self, question: str, choice: str, *, by_default: bool) -> None:
        """Add the answer to a flow's question to the conversation; during a turn of the user, before its next step."""
        message = answer_message(question, choice, by_default=by_default)
        if self.turn_lock.locked:  # defence: answer-between-steps
            self.soul.add_system_note(message.text)
        else:
            self.context.append(message)

    def _add_instructions(self) -> None:
        """Add the instructions of MCP servers to the conversation, once."""
        for note in self.mcp.instructions():
            if not any(message.role == "user" and message.text == note for message in self.context.history):
                self.soul.add_system_note(note)

    def rewind_points(self) -> list[RewindPoint]:
        """List the turns that the user can rewind, oldest first."""
        return rewind_points(self.services.versions, self.context)

    async def rewind(self, point: RewindPoint, *, conversation: bool = True, files: bool = True) -> RewindResult:
        """Rewind to before that turn and report it on the Wire. Raises UsageError if that is impossible."""
        if self.busy and not self.turn_lock.held_here:
            raise TurnRunningError(self.busy_reason("/rewind"))
        async with self.turn_lock.command():
            versions = self.services.versions
            try:
                result = await rewind_to(point, versions, self.context, conversation=conversation, files=files)
            except (KeyError, ValueError) as error:
                raise UsageError(
                    error.args[0] if isinstance(error, ValueError) else tr("that turn no longer exists")
                ) from error
        if result.conversation:
            self.services.todos.set(point.todo)
        self.wire.send(rewind_notice(point, result, self.services.workspace))
        self.send_status()
        return result

    async def switch_model(self, name: str, *, thinking: bool | None = None) -> None:
        """Switch to another configured model, or turn thinking on or off.

        Raises UsageError for an unknown model, and while a turn runs.
        """
        if self.turn_lock.locked and not self.turn_lock.held_here:
            raise TurnRunningError(tr("wait for the turn to end before changing the model"))
        async with self.turn_lock.command():
            await self.models.switch(name, thinking=thinking)
            self.apply_model()
        self.send_status()

    def apply_model(self) -> None:
        """Apply the current model's context size and capabilities everywhere."""
        self.soul.model = self.models.info
        self.services.media.capabilities = self.models.info.capabilities
        self.soul.agent.tool_availability.refresh()

    def set_attended(self, away: bool) -> None:
        """Turn away mode on or off: while the user is away, tool calls are approved and questions are dismissed.

        Turning it off restores the previous yolo mode, unless the user turned yolo off meanwhile.
        """
        before, self._yolo_before_away = self._yolo_before_away, away and self.approvals.yolo
        self.approvals.attended = self.questions.attended = not away
        self.approvals.yolo = away or (before and self.approvals.yolo)  # defence: yolo-off-while-away
        if away:
            self.approvals.reject_all()
            self.questions.dismiss_all()

    @property
    def keeps_yolo(self) -> bool:
        """Whether yolo is on and stays on when away mode ends; else an engine made after this one starts without."""
        return self.approvals.yolo and (self.approvals.attended or self._yolo_before_away)

    def prices(self, model: str) -> Prices | None:
        """Return the prices of the model of that name; those of the current model if the name is not configured."""
        return self._own_prices(model if model in self.config.models else self.models.key)

    def _own_prices(self, model: str) -> Prices | None:
        """Prices of this very model: a budget may not use those of another."""
        found = self.config.models.get(model)
        return None if found is None else make_prices(found.input_price, found.output_price, found.cache_price)

    def send_status(self) -> None:
        """Report the context size after a change outside a step."""
        tokens, context_size = self.context.token_count, self.soul.model.max_context_size
        self.wire.send(
            StatusUpdate(
                context_usage=min(1.0, tokens / context_size), context_tokens=tokens, max_context_tokens=context_size
            )
        )
