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
    """A configuration key. `choices` are for a choice; `theme` and `default_model` get theirs when shown."""

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
        """The entered text as the file stores it; text that is not a number stays text, and validation rejects it."""
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
            Setting(("theme",), "How everything looks", "choice"),
            Setting(("ascii",), "Signs and boxes of ASCII only", "switch"),
            Setting(("reduced_motion",), "Nothing turns or blinks", "switch"),
            Setting(("plain",), "For screen readers: one column, no boxes, no motion", "switch"),
            Setting(
                ("language",), "The language of the screen; auto follows the locale", "choice", ("auto", "en", "zh")
            ),
            Setting(("show_thinking_stream",), "Show what the model thinks while it thinks", "switch"),
            Setting(("default_editor",), "The editor that Ctrl+G opens; none follows $VISUAL and $EDITOR", "text"),
        ),
    ),
    (
        N_("model"),
        (
            Setting(("default_model",), "The model that answers", "choice"),
            Setting(("default_thinking",), "Let it think first", "switch"),
        ),
    ),
    (
        N_("approvals"),
        (
            Setting(("default_yolo",), "Approve every tool call from the start", "switch"),
            Setting(("default_plan_mode",), "Begin in plan mode", "switch"),
            Setting(
                ("permissions", "mode"),
                "What runs without asking",
                "choice",
                ("default", "accept-edits", "plan", "yolo"),
            ),
            Setting(("sandbox", "mode"), "Run shell commands in a sandbox", "choice", ("auto", "off", "require")),
            Setting(("sandbox", "network"), "Let them reach the network", "switch"),
            Setting(("services", "allow_private"), "Let FetchURL read pages of this machine and its network", "switch"),
        ),
    ),
    (
        N_("skills"),
        (
            Setting(("extra_skill_dirs",), "Further folders of skills, with commas between", "list"),
            Setting(
                ("merge_all_available_skills",), "Take the skills of every folder, not only of the first", "switch"
            ),
        ),
    ),
    (
        N_("limits"),
        (
            _loop("max_steps_per_turn", "Steps of one turn, at most"),
            _loop("max_retries_per_step", "Tries of a step when the service fails"),
            _loop("max_moves", "Moves of a flow, at most"),
            _loop("max_choice_retries", "How often a flow asks again for a branch"),
            _loop("max_ralph_iterations", "How often a prompt is given again (-1: without end)"),
            _loop("reserved_context_size", "Tokens kept free; less room than that compacts"),
            _loop("compaction_trigger_ratio", "How full the context may be before it is compacted (0.5 to 0.99)"),
            Setting(("background", "max_running_tasks"), "Commands in the background, at most", "number"),
        ),
    ),
)
