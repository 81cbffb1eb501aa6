"""Schema of the settings screen: its keys, in order, and their labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kimi_tui.config.schema import Config
from kimi_tui.config.yaml_editor import KeyPath, Value
from kimi_tui.ui.tui.i18n.catalog import N_, _, p_

Kind = Literal["switch", "choice", "number", "text", "list"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A configuration key. `choices`: the values of a choice; `theme` and `default_model` get them when shown."""

    path: KeyPath
    description: str
    kind: Kind
    choices: Sequence[str] = ()

    @property
    def key(self) -> str:
        return ".".join(self.path)

    def value(self, config: Config) -> object:
        """The effective value, defaults included."""
        node: object = config
        for step in self.path:
            node = getattr(node, step)
        return node

    def parsed(self, text: str) -> Value:
        """Parse the entered text to a value for the file; an invalid number stays text, so that validation rejects
        it.
        """
        match self.kind:
            case "number":
                try:
                    return float(text) if "." in text else int(text)
                except ValueError:
                    return text
            case "list":
                return [part.strip() for part in text.split(",") if part.strip()]
            case _:
                return text


def shown_value(value: object) -> str:
    """A short label of a value."""
    match value:
        case True:
            return p_("switch", "on")
        case False:
            return p_("switch", "off")
        case tuple() | list():
            return ", ".join(str(part) for part in value) or _("none")  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case "" | None:
            return _("none")
        case _:
            return str(value)


def _loop(name: str, what: str) -> Setting:
    return Setting(("loop_control", name), what, "number")


SETTINGS: tuple[tuple[str, tuple[Setting, ...]], ...] = (
    (
        N_("screen"),
        (
            Setting(("theme",), "Theme", "choice"),
            Setting(("ascii",), "ASCII characters only", "switch"),
            Setting(("reduced_motion",), "Reduced motion", "switch"),
            Setting(("plain",), "For screen readers: one column, no boxes, no motion", "switch"),
            Setting(("language",), "Language (auto: from the locale)", "choice", ("auto", "en", "zh")),
            Setting(("show_thinking_stream",), "Show the model's thinking while it streams", "switch"),
            Setting(("default_editor",), "Editor for Ctrl+G (default: $VISUAL, $EDITOR)", "text"),
        ),
    ),
    (
        N_("model"),
        (
            Setting(("default_model",), "Model", "choice"),
            Setting(("default_thinking",), "Thinking", "switch"),
        ),
    ),
    (
        N_("approvals"),
        (
            Setting(("default_yolo",), "Approve every tool call from the start", "switch"),
            Setting(("default_plan_mode",), "Start in plan mode", "switch"),
            Setting(
                ("permissions", "mode"),
                "What runs without approval",
                "choice",
                ("default", "accept-edits", "plan", "yolo"),
            ),
            Setting(("sandbox", "mode"), "Run shell commands in a sandbox", "choice", ("auto", "off", "require")),
            Setting(("sandbox", "network"), "Allow network access in the sandbox", "switch"),
            Setting(("services", "allow_private"), "Allow FetchURL to read local and private addresses", "switch"),
        ),
    ),
    (
        N_("skills"),
        (
            Setting(("extra_skill_dirs",), "Extra skill folders, separated by commas", "list"),
            Setting(
                ("merge_all_available_skills",), "Merge the skills of all folders instead of using the first", "switch"
            ),
        ),
    ),
    (
        N_("limits"),
        (
            _loop("max_steps_per_turn", "Maximum steps per turn"),
            _loop("max_retries_per_step", "Retries per step when the service fails"),
            _loop("max_moves", "Maximum moves per flow"),
            _loop("max_choice_retries", "Retries for an invalid branch choice"),
            _loop("max_ralph_iterations", "Repeat the prompt N times (-1: unlimited)"),
            _loop("reserved_context_size", "Reserved tokens (compact when fewer remain)"),
            _loop("compaction_trigger_ratio", "Context usage that triggers compaction (0.5 to 0.99)"),
            Setting(("background", "max_running_tasks"), "Maximum background commands", "number"),
        ),
    ),
)
