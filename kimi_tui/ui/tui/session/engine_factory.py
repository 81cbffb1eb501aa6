"""Engine factory; session, folder and configuration can be changed between engines."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kimi_tui.errors import ConfigError, KimiTuiError, UsageError
from kimi_tui.ui.tui.engine_protocol import Engine
from kimi_tui.ui.tui.i18n.catalog import _

if TYPE_CHECKING:
    from kimi_tui.config.schema import Config
    from kimi_tui.config.yaml_editor import KeyPath, Value
    from kimi_tui.permission.trust import TrustItem, TrustState
    from kimi_tui.session.session import Session
    from kimi_tui.soul.assemble import EngineConfig
    from kimi_tui.soul.engine import Engine as SessionEngine

_DEMOS = "kimi-tui-demo-"
"""Prefix of the demo folders that the command line creates."""
MakeConfig = Callable[["Path | None", "TrustState | None"], "EngineConfig"]
"""Arguments: the work dir (None: the current directory), its trust state (None: look it up). Raises KimiTuiError."""


class EngineFactory(Protocol):
    """Creates the app's engines. Draws nothing."""

    @property
    def work_dir(self) -> Path: ...
    @property
    def config(self) -> "Config": ...
    @property
    def config_file(self) -> Path | None:
        """The file that changes are written to; None if there is none (`--config`, the demo)."""
        ...

    async def prepare(self) -> None:
        """Load what the next engine needs. Raises KimiTuiError."""
        ...

    def untrusted(self) -> "tuple[TrustItem, ...]":
        """This folder's project items without a trust decision, or with one on other contents."""
        ...

    def project_items(self) -> "tuple[TrustItem, ...]":
        """All project items of this folder, with or without a trust decision."""
        ...

    def ignored_items(self) -> "tuple[TrustItem, ...]":
        """The project items that are disabled."""
        ...

    def trust(self, answer: bool, *, keep: bool) -> None:
        """Set whether the folder is trusted. `keep`: remember the decision. Raises OSError if it cannot be saved."""
        ...

    async def make(self) -> Engine:
        """Create an engine. Raises KimiTuiError."""
        ...

    def select_session(self, session_id: str | None, work_dir: Path | None = None) -> None:
        """Select the next engine's session; None: a new one. Raises KimiTuiError for a folder without a valid
        configuration."""
        ...

    def use_model(self, name: str) -> None:
        """Select the next engine's model."""
        ...

    def select_demo(self) -> str | None:
        """Select the demo for the next engine; return its first prompt, or None if there is no demo."""
        ...

    async def edit_config(self, changes: "Mapping[KeyPath, Value]") -> None:
        """Edit the configuration file and use the new configuration from now on. Raises ConfigError."""
        ...


class ConfigEngineFactory:
    """Creates engines from an EngineConfig, built on first use: its imports take longer than those of the screen.

    `on_refused` is called with the reason when there can be no engine.
    """

    def __init__(
        self,
        make_config: MakeConfig,
        make_demo: "Callable[[], tuple[EngineConfig, str]] | None" = None,
        *,
        config_file: Path | None = None,
        config_is_saved: bool = True,
        on_refused: Callable[[KimiTuiError], None] = lambda _error: None,
    ) -> None:
        self._make_config, self._make_demo, self._on_refused = make_config, make_demo, on_refused
        self._config_file, self._config_is_saved = config_file, config_is_saved
        self._plan: EngineConfig | None = None
        self._session: Session | None = None
        self._latest: SessionEngine | None = None
        self.demos: set[Path] = set()
        """The folders of the demos shown so far."""

    @property
    def plan(self) -> "EngineConfig":
        assert self._plan is not None, "prepare comes first"
        return self._plan

    @property
    def work_dir(self) -> Path:
        return self.plan.work_dir

    @property
    def config(self) -> "Config":
        return self.plan.config

    @property
    def config_file(self) -> Path | None:
        from kimi_tui.config.yaml_editor import editable_file

        if self.plan.demo or not self._config_is_saved:
            return None
        try:
            return editable_file(self._config_file)
        except ConfigError:
            return None

    async def prepare(self) -> None:
        if self._plan is None:
            try:
                self._plan = await asyncio.to_thread(self._make_config, None, None)
            except KimiTuiError as error:
                self._on_refused(error)
                raise

    def untrusted(self) -> "tuple[TrustItem, ...]":
        if self.plan.trust.answer is not None:
            return self._changed_items()
        return self.project_items() if self.plan.trust.pending else self.plan.trust.items

    def _changed_items(self) -> "tuple[TrustItem, ...]":
        """All project items, if one of them has changed since the answer: it covers no other content."""
        from kimi_tui.permission.trust import changed_items

        plan = self.plan
        if plan.demo or not changed_items(plan.work_dir, plan.trust, plan.config.extra_skill_dirs):
            return ()
        return self.project_items()  # defence: trust-of-what-was-shown

    def project_items(self) -> "tuple[TrustItem, ...]":
        from kimi_tui.paths import real_path
        from kimi_tui.permission.trust import project_items

        plan = self.plan
        if plan.trust.can_ask and not plan.demo:  # more may exist by now
            items = project_items(real_path(plan.work_dir), plan.config.extra_skill_dirs)
            self._plan = replace(plan, trust=replace(plan.trust, items=items))
        return self.plan.trust.items

    def ignored_items(self) -> "tuple[TrustItem, ...]":
        return tuple(self.plan.trust.left_out)

    def trust(self, answer: bool, *, keep: bool) -> None:
        from kimi_tui.permission.trust import remember

        plan = self.plan
        trust_state = replace(plan.trust, answer=answer)
        new_plan = self._make_config(plan.work_dir, trust_state)
        self._plan = replace(new_plan, session_id=plan.session_id, model=plan.model)
        if keep:
            remember(plan.work_dir, answer, trust_state.items)

    async def make(self) -> Engine:
        await self.prepare()
        assemble = await asyncio.to_thread(_import_assemble)
        plan = self.plan
        if self._latest is not None and not self._latest.keeps_yolo:  # defence: yolo-off-for-the-next-engine
            plan = replace(plan, yolo=False)
        self._latest = engine = await assemble(plan)
        self._session = None if self.plan.demo else engine.session
        if self.plan.demo:
            self.demos.add(self.plan.work_dir)
        return engine

    @property
    def resumable_session_id(self) -> str | None:
        """The session to resume after its engine is closed; None if it is empty."""
        session = self._session
        return None if session is None or session.is_empty or session.notice else session.id

    def select_session(self, session_id: str | None, work_dir: Path | None = None) -> None:
        plan = self.plan
        folder = work_dir or plan.work_dir
        if folder == plan.work_dir:
            self._plan = replace(plan, session_id=session_id)
            return
        if folder.parent.name.startswith(_DEMOS):
            raise UsageError(_("this is a demo session with a scripted model; start a new one with kimi-tui --demo"))
        self._plan = replace(self._make_config(folder, None), session_id=session_id, model=plan.model)

    def use_model(self, name: str) -> None:
        self._plan = replace(self.plan, model=name)

    def select_demo(self) -> str | None:
        if self._make_demo is None:
            return None
        self._plan, prompt = self._make_demo()
        return prompt

    async def edit_config(self, changes: "Mapping[KeyPath, Value]") -> None:
        from kimi_tui.config.yaml_editor import edit, without_keys

        file = self.config_file
        if file is None:
            raise ConfigError(_("this configuration is not saved in a file; start without --config to change it"))
        loaded = await asyncio.to_thread(lambda: edit(without_keys(changes), file))
        # Limits from the command line stay in force.
        config = loaded.config.model_copy(update={"loop_control": self.plan.config.loop_control})
        self._plan = replace(self.plan, config=config)


def _import_assemble():
    from kimi_tui.soul.assemble import build_engine

    return build_engine
