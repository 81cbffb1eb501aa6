"""Shell: runs one Bash command line and returns its output."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import replace

from pydantic import Field, model_validator

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction
from kimi_tui.paths import find_program
from kimi_tui.permission.command_risk import CommandRisk, RiskKind
from kimi_tui.permission.rule import Effect
from kimi_tui.tools.core.ask_approval import ask_approval, denied_result
from kimi_tui.tools.core.permission_subject import command_subject
from kimi_tui.tools.core.progress import ToolProgress, last_lines
from kimi_tui.tools.core.result_builder import ResultBuilder
from kimi_tui.tools.core.tool import Params, Tool, current_tool_call, failed, ok
from kimi_tui.tools.file_support.client_editor import NO_EDITOR, Editor
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.approval_scope import approval_scope
from kimi_tui.tools.shell_support.background import NO_BACKGROUND, BackgroundError, BackgroundTask, BackgroundTasks
from kimi_tui.tools.shell_support.child_env import DEFAULT_ENV, ChildEnv
from kimi_tui.tools.shell_support.command_parser import CommandLine, parse_command_line
from kimi_tui.tools.shell_support.git_alone_env import could_be_of_a_command, git_alone_env
from kimi_tui.tools.shell_support.git_use import runs_git_alone, writes_in_git_dir
from kimi_tui.tools.shell_support.hidden_text import hidden_text
from kimi_tui.tools.shell_support.node_command import node_command
from kimi_tui.tools.shell_support.process_runner import ProcessResult, run
from kimi_tui.tools.shell_support.protected_paths import ask_reason, program_of_workspace
from kimi_tui.tools.shell_support.sandbox import NO_SANDBOX, Sandbox
from kimi_tui.tools.shell_support.sandbox_hints import GIT_WAS_READ_ONLY
from kimi_tui.tools.shell_support.shown_remotes import shown_remotes
from kimi_tui.wire.display import BriefBlock, DisplayBlock, ShellBlock
from kimi_tui.wire.parts import ToolReturnValue

MAX_TIMEOUT = 300
MAX_BACKGROUND_TIMEOUT = 86_400
TAIL_CHARS = 10_000
_BRIEF_LINES = 5
_NO_SANDBOX = (
    "Commands would run without approval and without a sandbox, and the user is away and cannot accept that. "
    "The user can start with --no-sandbox, install bubblewrap, or allow commands by rules."
)
_ENDED_BESIDE_A_SUBMODULE = (
    "The call was ended, and so were the commands in the background: it brought a submodule, in whose place they could "
    "have made a repository. Look at what it did (`git status`), and do the rest in another call."
)


class ShellParams(Params):
    command: str = Field(description="The Bash command line.", min_length=1)
    timeout: int = Field(
        default=60,
        ge=1,
        le=MAX_BACKGROUND_TIMEOUT,
        description=f"Seconds after which it is ended; at most {MAX_TIMEOUT}. In the background a day, if not given.",
    )
    run_in_background: bool = Field(default=False, description="Return at once; TaskOutput shows what it prints.")
    description: str = Field(default="", description="What it is for, in a few words; needed in the background.")
    outside_sandbox: bool = Field(
        default=False, description="Run it without the sandbox, after it failed because of it; the user is asked."
    )

    @property
    def seconds(self) -> int:
        """The timeout in seconds: as given, else one minute, or one day in the background."""
        is_explicit = "timeout" in self.model_fields_set
        return self.timeout if is_explicit or not self.run_in_background else MAX_BACKGROUND_TIMEOUT

    @model_validator(mode="after")
    def _fits_together(self) -> "ShellParams":
        if self.run_in_background and not self.description.strip():
            raise ValueError("a command in the background needs a description")
        if not self.run_in_background and self.timeout > MAX_TIMEOUT:
            raise ValueError(f"timeout: at most {MAX_TIMEOUT} seconds unless it runs in the background")
        return self


class Shell(Tool[ShellParams]):
    name = "Shell"
    params = ShellParams
    asks = True
    may_read = True

    def __init__(
        self,
        workspace: Workspace,
        approvals: Approvals,
        progress: ToolProgress,
        env: ChildEnv = DEFAULT_ENV,
        background: BackgroundTasks = NO_BACKGROUND,
        sandbox: Sandbox = NO_SANDBOX,
        editor: Editor = NO_EDITOR,
    ) -> None:
        self._workspace = workspace
        self._approvals = approvals
        self._env = env
        self._progress = progress
        self._background = background
        self._sandbox = sandbox
        self._editor = editor
        self._watchers: set[asyncio.Task[None]] = set()

    def reads(self, params: ShellParams) -> bool:
        line = parse_command_line(params.command)
        return not params.outside_sandbox and command_subject(line, self._workspace, self._approvals.policy).reads

    async def call(self, params: ShellParams) -> ToolReturnValue:
        if "\0" in params.command:
            return failed("The command holds a NUL character.")
        boxed = await self._sandbox.works()
        await self._sandbox.search()
        outside = boxed and params.outside_sandbox
        if outside and not self._sandbox.allows_outside:
            return failed("The user's settings let no command run outside of the sandbox.")
        if self._sandbox.required and not boxed:
            return failed(f"Commands run in a sandbox only, and there is none: {self._sandbox.why_not}.")
        edits: list[str] = []
        refused = await self._ask(params, outside=outside, on_edit=edits.append)
        if refused is not None:
            return refused
        if not edits:
            return await self._go(params, boxed=boxed, outside=outside)
        params = params.model_copy(update={"command": edits[-1]})
        refused = denied_result(self._approvals, self.name, command_subject(parse_command_line(params.command)))
        if refused is None and "\0" in params.command:
            refused = failed("The command holds a NUL character.")
        return _edited(refused or await self._go(params, boxed=boxed, outside=outside), params.command)

    async def _go(self, params: ShellParams, *, boxed: bool, outside: bool) -> ToolReturnValue:
        if self._workspace.work_dir not in self._workspace.kept_folders:  # defence: work-dir-as-approved
            return failed("The working directory has been replaced by a link; no command runs there.")
        node = node_command.get()
        same = node is not None and node.shown == params.command  # defence: node-command-as-approved
        command = bash(node.line if node is not None and same else params.command, self._workspace)
        sandbox = NO_SANDBOX if outside or not boxed else self._sandbox
        if params.run_in_background:
            return await self._start(params, command, sandbox)
        line = parse_command_line(params.command)
        undone: list[str] = []
        alone = False
        try:
            async with AsyncExitStack() as stack:
                may_be_alone = sandbox is not NO_SANDBOX and self._runs_git_alone(line, others_run=False)
                taking = self._sandbox.turns.take(only_reads=self.reads(params), keeps_others_out=may_be_alone)
                turn = await stack.enter_async_context(taking)
                # defence: others-run-beside-a-line
                alone = may_be_alone and self._runs_git_alone(line, others_run=turn.others_run)
                turn.keeps_others_out = alone  # defence: git-beside-which-nothing-begins
                await stack.enter_async_context(self._without_buffers(sandbox))
                watching = sandbox.watching(
                    remotes=shown_remotes(line),
                    git_alone=alone,
                    stop_others=self._background.stop_all if alone else None,
                )
                undone = await stack.enter_async_context(watching)
                programs = frozenset(each.program for each in line.commands)
                env = sandbox.env(self._env.build())
                if alone:
                    env |= git_alone_env(
                        line,
                        env,
                        self._workspace,
                        written=sandbox.other_written,
                        checked=sandbox.checked_files,
                        others_run=turn.others_run,
                    )
                value = await self._run(params, sandbox.wrapped(command, git_alone=alone), sandbox, programs, env)
        except TimeoutError:
            value = failed(_ENDED_BESIDE_A_SUBMODULE)
        hinted = sandbox.tier != "full" or alone or "`.git`" in value.message
        if not hinted and writes_in_git_dir(line, silently=not value.is_error):
            value = value.model_copy(update={"message": f"{value.message} {GIT_WAS_READ_ONLY}"})
        if undone:
            done = f"The sandbox undid: {'; '.join(undone)}."
            if sandbox.allows_outside:
                done += " What the user wants of that can be done with `outside_sandbox`; the user is asked."
            value = value.model_copy(update={"message": f"{value.message} {done}"})
        return value

    async def _ask(
        self, params: ShellParams, *, outside: bool, on_edit: Callable[[str], None]
    ) -> ToolReturnValue | None:
        line = parse_command_line(params.command)
        if outside:
            line = replace(line, risks=(*line.risks, CommandRisk(RiskKind.OUTSIDE_SANDBOX)))
        display: list[DisplayBlock] = [ShellBlock(command=params.command)]
        if hidden := hidden_text(params.command):  # defence: point-out-hidden-text
            display.append(BriefBlock(text=tr("Careful: {why}", why=hidden)))
        reasons = [tr("it runs outside the sandbox")] if outside else []
        if outside and (planted := program_of_workspace(line, self._workspace)):  # defence: programs-of-the-project
            reasons.append(tr("it runs a program that commands can change: {file}", file=planted))
        lacks_sandbox = self._sandbox.tier == "none" and not self._sandbox.absence_accepted
        unsandboxed = lacks_sandbox and self._approvals.yolo
        if unsandboxed and not self._approvals.attended:
            subject = command_subject(line, self._workspace, self._approvals.policy)
            if self._approvals.policy.decide(self.name, subject).effect is not Effect.ALLOW:
                return failed(_NO_SANDBOX)
            unsandboxed = False
        if unsandboxed:
            reasons.append(tr("there is no sandbox; one approval holds for the session"))
        guarded = ask_reason(line, self._workspace)
        subject = command_subject(line, self._workspace, self._approvals.policy)
        if guarded is not None:
            reasons.append(guarded)
        confined, moving = self._sandbox.confines_commands, shown_remotes(line).any_moves
        if confined and moving:
            reasons.append(tr("it changes where a push of yours goes"))
        node = node_command.get()
        imported = node is not None and node.imported  # defence: imported-commands-are-asked-about
        if imported:
            reasons.append(tr("the flow was imported"))
        refused = await ask_approval(
            self._approvals,
            ProposedAction(
                sender=self.name,
                action=tr("run background command") if params.run_in_background else tr("run command"),
                description=tr("Run command `{command}`", command=params.command),
                display=display,
                scope=approval_scope(line, params.command, exactly=subject.secrets),
                subject=subject,
                reasons=reasons,
                force_ask=outside or unsandboxed or imported or guarded is not None,  # defence: ask-about-protected
                yolo_covers=not lacks_sandbox,  # defence: yolo-after-the-question
                # defence: remotes-as-they-are
                ask_only_by_rule=confined and not moving,
            ),
            on_edit=on_edit,
        )
        if unsandboxed and refused is None:
            self._sandbox.absence_accepted = True
        return refused

    def _without_buffers(self, sandbox: Sandbox) -> AbstractAsyncContextManager[None]:
        """While a sandboxed command runs, no buffer is used; without a sandbox it could do as much by itself."""
        return nullcontext() if sandbox is NO_SANDBOX else self._editor.command_running()

    def _runs_git_alone(self, line: CommandLine, *, others_run: bool) -> bool:
        """Whether only Git itself writes in `.git`: it, and what runs beside it, are no programs of the project.
        `others_run`: other commands can change files meanwhile.
        """
        if others_run and could_be_of_a_command(self._workspace):  # defence: repositories-made-meanwhile
            return False
        folder = self._workspace.work_dir
        folders = (folder,) if others_run else (*self._workspace.kept_folders, *self._sandbox.other_written)
        alone = runs_git_alone(
            line,
            folder,
            others_run=others_run,
            folders=folders,
            leads_elsewhere=self._workspace.leads_commands_elsewhere,
            known=self._sandbox.checked_files,
        )
        return alone and program_of_workspace(line, self._workspace) is None  # defence: git-of-the-project

    async def _start(self, params: ShellParams, command: list[str], sandbox: Sandbox) -> ToolReturnValue:
        line = parse_command_line(params.command)
        try:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(self._sandbox.turns.take(in_background=True))
                await stack.enter_async_context(self._without_buffers(sandbox))
                watching = sandbox.watching(remotes=shown_remotes(line), stop_others=self._background.stop_all)
                await stack.enter_async_context(watching)
                task = self._background.start(
                    sandbox.wrapped(command, git_alone=False),  # defence: git-read-only-in-background
                    description=params.description.strip(),
                    cwd=self._workspace.work_dir,
                    env=sandbox.env(self._env.build()),
                    seconds=params.seconds,
                )
                running = stack.pop_all()
        except BackgroundError as error:
            return failed(str(error))
        self._watchers.add(watcher := asyncio.create_task(_watch_to_its_end(task, running)))
        watcher.add_done_callback(self._watchers.discard)
        message = f"Started in the background as task {task.id}. TaskOutput shows what it prints; TaskStop ends it."
        brief = tr("Runs in the background as task {task}", task=task.id)
        return ok(message=message, display=(BriefBlock(text=brief), task.block), extras={"background": task.id})

    async def _run(
        self,
        params: ShellParams,
        attempts: Iterable[list[str]],
        sandbox: Sandbox,
        programs: Iterable[str | None],
        env: Mapping[str, str],
    ) -> ToolReturnValue:
        node = node_command.get()
        seconds = float(params.timeout)
        if node is not None:
            env, seconds = {**env, **node.env}, node.seconds
        started = time.monotonic()
        output, process = ResultBuilder(), ProcessResult(None)
        try:
            for command in attempts:
                output = ResultBuilder(tail_chars=TAIL_CHARS)
                process = await self._attempt(command, output, env, seconds)
                if process.timed_out:
                    break
        except OSError as error:
            return failed(f"The command could not be started: {error.strerror or error}.")
        if not process.started and not process.timed_out:  # defence: no-status-of-what-did-not-run
            cause = " ".join(last_lines(output.build(), 1)) or tr("no reason given")
            text = tr("The command did not start: {cause}", cause=cause)
            return failed(text, brief=text)
        if node is not None:
            node.ended = process
        others_run = any(task.running for task in self._background.tasks)
        return command_result(output, process, seconds, sandbox, programs, since=started, others_run=others_run)

    async def _attempt(
        self, command: Sequence[str], output: ResultBuilder, env: Mapping[str, str], seconds: float
    ) -> ProcessResult:
        call_id = current_tool_call.get().id

        def take(text: str) -> None:
            output.write(text)
            self._progress.write(call_id, text)

        cwd, terminals = self._workspace.work_dir, self._editor.terminals
        try:
            if terminals is not None:
                return await terminals.run(command, call_id=call_id, cwd=cwd, env=env, on_text=take, seconds=seconds)
            return await run(command, cwd=cwd, env=env, on_text=take, seconds=seconds)
        finally:
            self._progress.end(call_id)


def _edited(value: ToolReturnValue, command: str) -> ToolReturnValue:
    """Return the result of a command that the user edited before it ran; the model gets the edited command."""
    note = f"The user changed the command before it ran. This is what they approved in place of yours:\n{command}\n"
    brief = BriefBlock(text=tr("You changed it: {command}", command=command))
    return value.model_copy(update={"message": note + value.message, "display": (brief, *value.display)})


async def _watch_to_its_end(task: BackgroundTask, watching: AsyncExitStack) -> None:
    async with watching:
        await task.ended.wait()


def bash(command: str, workspace: Workspace) -> list[str]:
    """Return the arguments that run a command line in Bash, never in a program of the workspace named bash."""
    program = find_program("bash", outside=workspace.written_folders) or "/bin/bash"  # defence: bash-of-the-system
    return [program, "-c", command]


def command_result(
    output: ResultBuilder,
    process: ProcessResult,
    seconds: float,
    sandbox: Sandbox,
    programs: Iterable[str | None] = (),
    *,
    since: float = 0,
    others_run: bool = False,
) -> ToolReturnValue:
    """Make the result of a finished command that ran `programs`; `seconds` was its timeout, and `since` when it started
    by the monotonic clock. `others_run`: there are commands in the background, whose processes it could not see.
    """
    text = output.build()
    brief = "\n".join(last_lines(text, _BRIEF_LINES))
    note = ""
    if process.left:
        note = (
            f"Processes that it left running ({process.left}) were ended; "
            "a command that should keep running must be started in the background."
        )
    if process.timed_out:
        message = output.note(tr("Command killed by timeout ({seconds}s)", seconds=f"{seconds:g}"))
        hint = sandbox.hint(text, since=since, failed=False) or ""
        return failed(f"{message} {hint}".strip(), output=text, brief=f"{brief}\n{message}".strip())
    if process.exit_code == 0:
        if hint := sandbox.hint(text, since=since, failed=False, programs=programs if others_run else ()):
            note = f"{note} {hint}".strip()
        message = output.note(f"Command executed successfully. {note}".strip())
        return ok(text, message, display=(BriefBlock(text=brief),) if brief else ())
    if hint := sandbox.hint(text, since=since, programs=programs):
        note = f"{note} {hint}".strip()
    if process.exit_code is None:
        failure = tr("Command was killed.")
    else:
        failure = tr("Command failed with exit code: {code}.", code=process.exit_code)
    message = output.note(f"{failure} {note}".strip())
    return failed(message, output=text, brief=brief or None)
