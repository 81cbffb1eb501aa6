"""The rules and the sandbox of a session: the user's configuration, tightened by the project's.

A project's `.kimi-tui/config.yaml` (its `permissions` and `sandbox`) is untrusted: until the user trusts the folder it
may deny and ask, but not allow.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from kimi_tui import paths
from kimi_tui.config.loader import load_project_config
from kimi_tui.config.schema import Config, PermissionMode, Permissions, RuleConfig, SandboxConfig
from kimi_tui.errors import ConfigError
from kimi_tui.i18n import tr
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect, Match, Rule, parse_rule
from kimi_tui.permission.subject import Subject
from kimi_tui.text_safety import one_line

ExampleReader = Callable[[str, str], Subject]
"""Converts a rule's example to a subject, from the rule's tool and the example. Raises ValueError."""

_LOOSER: tuple[PermissionMode, ...] = ("yolo", "accept-edits")
_MODE_STRICTNESS: tuple[PermissionMode, ...] = ("yolo", "accept-edits", "default", "plan")
_MAX_WARNING = 500
"""Characters of a warning that quotes a project's file."""
_STRICTNESS = ("off", "auto", "require")


@dataclass(frozen=True, slots=True)
class PermissionSettings:
    """The permissions in this work dir. `ask_read_only`: read-only commands need approval too."""

    rules: tuple[Rule, ...] = ()
    mode: PermissionMode = "default"
    sandbox: SandboxConfig = field(default_factory=SandboxConfig)
    ask_read_only: bool = False
    file: Path | None = None
    """The user's configuration file, which may hold keys."""
    trusted: bool = False
    unknown: tuple[str, ...] = ()
    """Warnings about keys of the project's file that do not exist."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about rules that let any program run, though they seem to name one, or that never match."""
        return (
            *(
                f"{rule.effect}: {rule} ({rule.origin}) lets any program run"
                for rule in self.rules
                if rule.lets_anything_run
            ),
            *self.mistakes,
        )

    @property
    def mistakes(self) -> tuple[str, ...]:
        """Warnings about rules that never match, and about keys that do not exist."""
        never = tuple(
            tr("the rule `{rule}` of {file} never matches: {why}",
                rule=f"{rule.effect}: {rule}", file=rule.origin, why=rule.mistake)
            for rule in self.rules
            if rule.mistake
        )  # fmt: skip
        return (*never, *self.unknown)

    def policy(self) -> Policy:
        return Policy(self.rules, accept_edits=self.mode == "accept-edits", free_reading=not self.ask_read_only)


def permission_settings(
    config: Config, file: Path | None, work_dir: Path, read: ExampleReader, *, trusted: bool
) -> PermissionSettings:
    """Merge the settings of `config` (read from `file`) and of the project around `work_dir`, `trusted` or not.

    Only the settings that `loosening_rules` shows to the user loosen theirs: a project without any needs no trust
    question.

    Checks every example of every rule. Raises ConfigError with file and key.
    """
    return replace(_merged(config, file, work_dir, read, trusted=trusted), trusted=trusted)


def _merged(
    config: Config, file: Path | None, work_dir: Path, read: ExampleReader, *, trusted: bool
) -> PermissionSettings:
    rules = _rules(config.permissions, file or "--config", read, work_dir)
    project = project_file(work_dir)
    if project is None:
        return PermissionSettings(
            tuple(rules), config.permissions.mode, config.sandbox, config.permissions.ask_read_only, file
        )
    loaded = load_project_config(project)
    unknown = tuple(one_line(warning)[:_MAX_WARNING] for warning in loaded.warnings)
    added = _rules(loaded.config.permissions, project, read, work_dir)
    mode, sandbox = config.permissions.mode, config.sandbox
    requested_mode = loaded.config.permissions.mode if "mode" in loaded.config.permissions.model_fields_set else mode
    stricter_mode: PermissionMode = max((mode, requested_mode), key=_MODE_STRICTNESS.index)  # defence: stricter-mode
    ask_read_only = config.permissions.ask_read_only or loaded.config.permissions.ask_read_only
    if trusted:
        loosened = requested_mode if requested_mode in _LOOSER else stricter_mode
        if "ask_read_only" in loaded.config.permissions.model_fields_set:
            ask_read_only = loaded.config.permissions.ask_read_only
        return PermissionSettings(
            (*rules, *added), loosened, _with(sandbox, loaded.config.sandbox), ask_read_only, file, unknown=unknown
        )
    stricter = [rule for rule in added if rule.effect is not Effect.ALLOW]
    return PermissionSettings(
        (*rules, *stricter), stricter_mode, _stricter(sandbox, loaded.config.sandbox), ask_read_only, file,
        unknown=unknown,
    )  # fmt: skip


def loosening_rules(project: Config) -> tuple[str, ...]:
    """Describe the parts of a project's configuration that apply only if the user trusts it."""
    loosening = [tr("rules that allow")] if project.permissions.allow else []
    if project.permissions.mode in _LOOSER:
        loosening.append(tr("mode {mode}", mode=project.permissions.mode))
    if "ask_read_only" in project.permissions.model_fields_set and not project.permissions.ask_read_only:
        loosening.append(tr("read-only commands run without approval"))
    sandbox = project.sandbox
    shows = sandbox.writable or sandbox.readable or sandbox.hosts == "ask"
    if sandbox.mode == "off" or shows or (sandbox.network and "network" in sandbox.model_fields_set):
        loosening.append(tr("wider sandbox access"))
    return tuple(loosening)


def project_file(work_dir: Path) -> Path | None:
    """Return the `.kimi-tui/config.yaml` of the work dir, or of a parent folder up to the project's root."""
    root = paths.project_root(work_dir)
    for folder in (work_dir, *work_dir.parents):
        file = folder / ".kimi-tui" / "config.yaml"
        if _is_there(file) and paths.real_path(file.parent) != paths.real_path(paths.home()):
            return file
        if folder == root:
            return None
    return None


def _is_there(file: Path) -> bool:
    """Whether there is anything with that name: what cannot be read must be an error, or its rules would be lost."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True  # defence: project-file-of-any-kind


def _rules(permissions: Permissions, file: Path | str, read: ExampleReader, work_dir: Path) -> list[Rule]:
    loosening: list[Rule] = []
    for effect in Effect:
        settings: tuple[RuleConfig, ...] = getattr(permissions, effect.value)
        for number, setting in enumerate(settings):
            key = f"permissions.{effect}.{number}"
            origin = paths.shown(file) if isinstance(file, Path) else file
            try:
                rule = parse_rule(setting.rule, effect, origin, work_dir)
            except ValueError as error:
                raise ConfigError(str(error), file=file, key=key) from None
            _try_examples(rule, setting, read, file, key)
            loosening.append(rule)
    return loosening


def _try_examples(rule: Rule, setting: RuleConfig, read: ExampleReader, file: Path | str, key: str) -> None:
    for name, examples, expected in (("match", setting.match, True), ("not_match", setting.not_match, False)):
        for number, example in enumerate(examples):
            where = f"{key}.{name}.{number}"
            try:
                matches = rule.matches(read(rule.tool, example)) is Match.YES
            except ValueError as error:
                raise ConfigError(
                    tr(
                        "example {example!r} does not fit rule `{rule}`: {cause}",
                        example=example,
                        rule=rule,
                        cause=error,
                    ),
                    file=file,
                    key=where,
                ) from None
            if matches is not expected:  # defence: examples-of-a-rule
                verdict = "does not match" if expected else "matches"
                raise ConfigError(f"`{rule}` {verdict} {example!r}", file=file, key=where)


def _with(own: SandboxConfig, project: SandboxConfig) -> SandboxConfig:
    changed = {name: getattr(project, name) for name in project.model_fields_set}
    stricter = _stricter(own, project)
    if project.mode != "off":
        changed["mode"] = stricter.mode
    changed["outside"] = stricter.outside
    changed["ask_inside"] = stricter.ask_inside
    return own.model_copy(update=changed)


def _stricter(own: SandboxConfig, project: SandboxConfig) -> SandboxConfig:
    mode = max(own.mode, project.mode, key=_STRICTNESS.index) if "mode" in project.model_fields_set else own.mode
    outside_rule = "never" if "never" in (own.outside, project.outside) else "ask"
    ask_read_only = own.ask_inside or project.ask_inside
    network = own.network and project.network
    hosts = project.hosts if "hosts" in project.model_fields_set and project.hosts == "none" else own.hosts
    changed = {"mode": mode, "network": network, "hosts": hosts, "outside": outside_rule, "ask_inside": ask_read_only}
    return own.model_copy(update=changed)
