"""Services for the tools of a session, created once and shared by all its agents."""

from collections.abc import Callable
from dataclasses import dataclass

from kimi_tui import paths
from kimi_tui.config.schema import Config
from kimi_tui.interaction.approvals import Approvals
from kimi_tui.interaction.questions import Questions
from kimi_tui.interaction.work_clock import WorkClock
from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.secret_store import cached_secrets
from kimi_tui.session.file_checkpoints import FileCheckpoints
from kimi_tui.session.session import Session
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.soul.notices import notice
from kimi_tui.soul.web_config import web_settings
from kimi_tui.tools.core.plan_mode import PlanMode
from kimi_tui.tools.core.progress import ToolProgress
from kimi_tui.tools.file_support.client_editor import Editor
from kimi_tui.tools.file_support.edit_observer import FileHistory
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.read_media_file import MediaSupport
from kimi_tui.tools.set_todo_list import TodoList
from kimi_tui.tools.shell_support.background import BackgroundTasks
from kimi_tui.tools.shell_support.child_env import ChildEnv
from kimi_tui.tools.shell_support.host_access import HostAccess
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.web_support.web_settings import WebSettings
from kimi_tui.wire.channel import Wire


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one session. `trusted`: the user trusts the work dir."""

    workspace: Workspace
    approvals: Approvals
    questions: Questions
    work_clock: WorkClock
    plan_mode: PlanMode
    background: BackgroundTasks
    media: MediaSupport
    todos: TodoList
    progress: ToolProgress
    env: ChildEnv
    sandbox: Sandbox
    versions: FileCheckpoints
    web: WebSettings
    skills: SkillLibrary
    editor: Editor
    trusted: bool = False

    def by_type(self) -> dict[type, object]:
        """Map each service by the type that tool constructors name."""
        return {
            Workspace: self.workspace,
            Approvals: self.approvals,
            Questions: self.questions,
            PlanMode: self.plan_mode,
            BackgroundTasks: self.background,
            MediaSupport: self.media,
            TodoList: self.todos,
            ToolProgress: self.progress,
            ChildEnv: self.env,
            Sandbox: self.sandbox,
            FileHistory: self.versions,
            WebSettings: self.web,
            SkillLibrary: self.skills,
            Editor: self.editor,
        }


def make_services(
    session: Session,
    wire: Wire,
    skills: SkillLibrary,
    config: Config,
    *,
    workspace: Workspace,
    yolo: bool,
    plan_mode: bool,
    attended: bool,
    headless: bool,
    permissions: PermissionSettings,
) -> Services:
    """Make the services from the session's state and the configuration; later changes go into the state.

    `headless`: no user can ever be asked.
    """
    state = session.state
    workspace.protected.add(paths.home())
    workspace.session_dir = session.dir.resolve()
    work_clock = WorkClock()
    approvals = Approvals(
        wire,
        yolo=yolo,
        granted=state.approval.auto_approve_actions,
        attended=attended,
        policy=permissions.policy(),
        work_clock=work_clock,
    )
    services = Services(
        workspace=workspace,
        work_clock=work_clock,
        approvals=approvals,
        questions=Questions(wire, attended=attended, possible=not headless, work_clock=work_clock),
        plan_mode=PlanMode(wire.send, folder=session.dir / "plans", on=plan_mode or state.plan_mode),
        background=BackgroundTasks(session.dir / "tasks", limit=config.background.max_running_tasks),
        media=MediaSupport(),
        todos=TodoList(tuple(state.todos)),
        progress=ToolProgress(),
        env=ChildEnv(secrets=lambda: cached_secrets(config.secrets)),
        sandbox=Sandbox(
            permissions.sandbox,
            workspace,
            notify=lambda title, text: wire.send(notice(title, text, severity="warning", kind="sandbox")),
            hidden_files=() if permissions.file is None else (permissions.file,),
            trusted=permissions.trusted,
            allows_host=HostAccess(approvals).allows,
        ),
        versions=FileCheckpoints(session.dir / "files"),
        web=web_settings(config.services),
        skills=skills,
        editor=Editor(),
        trusted=permissions.trusted,
    )
    state.plan_mode = services.plan_mode.on
    save = _saver(session, services)
    services.approvals.on_change = services.todos.on_change = services.plan_mode.on_change = save
    return services


def _saver(session: Session, services: Services) -> Callable[[], None]:
    """Saves the session's state; yolo only if the user has changed it, not if an option set it for this start."""
    given = services.approvals.yolo
    changed = False

    def save() -> None:
        nonlocal changed
        state = session.state
        if services.approvals.attended:
            changed = changed or services.approvals.yolo != given
            if changed:  # defence: yolo-of-one-start
                state.approval.yolo = services.approvals.yolo
        state.approval.auto_approve_actions = sorted(services.approvals.granted)
        state.todos = list(services.todos.items)
        state.plan_mode = services.plan_mode.on
        session.save_state()

    return save
