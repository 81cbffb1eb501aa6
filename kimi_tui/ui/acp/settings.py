"""Session settings for a client: approval mode, model, and thinking."""

from typing import Literal

from acp import RequestError
from acp.schema import (
    SessionConfigOptionBoolean,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
)

from kimi_tui.soul.engine import Engine

_Category = Literal["mode", "model", "thought_level"]
ConfigOptions = list[SessionConfigOptionSelect | SessionConfigOptionBoolean]

THINKING = "thinking"
DEFAULT, ACCEPT_EDITS, PLAN, YOLO = "default", "accept-edits", "plan", "yolo"
_MODES = (
    SessionMode(id=DEFAULT, name="Default", description="Asks before it runs commands and changes files"),
    SessionMode(id=ACCEPT_EDITS, name="Accept edits", description="Changes files of the work folder without asking"),
    SessionMode(id=PLAN, name="Plan", description="Reads and plans; changes nothing until you agree to the plan"),
    SessionMode(id=YOLO, name="YOLO", description="Runs and changes without asking"),
)


def current_mode(engine: Engine) -> str:
    if engine.services.plan_mode.on:
        return PLAN
    if engine.approvals.yolo:
        return YOLO
    return ACCEPT_EDITS if engine.approvals.policy.accept_edits else DEFAULT


def modes(engine: Engine) -> SessionModeState:
    return SessionModeState(current_mode_id=current_mode(engine), available_modes=list(_MODES))


def set_mode(engine: Engine, mode: str) -> None:
    """Set the mode. Raises RequestError for an unknown mode."""
    if mode not in (mode_known.id for mode_known in _MODES):
        raise RequestError(
            -32602, f"no mode named {mode!r}. Available: {', '.join(mode_known.id for mode_known in _MODES)}"
        )
    engine.services.plan_mode.on = mode == PLAN
    engine.approvals.policy.accept_edits = mode == ACCEPT_EDITS
    if engine.approvals.yolo != (mode == YOLO):
        engine.approvals.yolo = mode == YOLO


def options(engine: Engine, *, switches: bool = False) -> ConfigOptions:
    """Return the options. `switches`: the client supports boolean options."""
    config_options: ConfigOptions = [
        _select("mode", "Mode", "mode", current_mode(engine), [(mode.id, mode.name) for mode in _MODES])
    ]
    if engine.models.key:
        config_options.append(_select("model", "Model", "model", engine.models.key, _named_models(engine)))
    if engine.models.may_think:
        on = engine.models.thinking
        config_options.append(
            SessionConfigOptionBoolean(
                type="boolean", id=THINKING, name="Thinking", category="thought_level", current_value=on
            )
            if switches
            else _select(THINKING, "Thinking", "thought_level", "on" if on else "off", [("on", "On"), ("off", "Off")])
        )
    return config_options


def models(engine: Engine) -> dict[str, object] | None:
    """Return the models in the format for clients that predate the session options."""
    if not engine.models.key:
        return None
    available = [{"modelId": key, "name": name} for key, name in _named_models(engine)]
    return {"currentModelId": engine.models.key, "availableModels": available}


async def set_option(engine: Engine, option: str, value: str | bool) -> None:
    """Set an option. Raises RequestError, and KimiTuiError if the model cannot be changed."""
    match option, value:
        case "mode", str():
            set_mode(engine, value)
        case "model", str():
            key, comma, suffix = value.rpartition(",")  # the format of Kimi CLI's clients
            if comma and suffix == THINKING and value not in engine.models.keys:
                await engine.switch_model(key, thinking=True)
            else:
                await engine.switch_model(value)
        case "thinking", bool() | "on" | "off" if engine.models.may_think:
            await engine.switch_model(engine.models.key, thinking=value in (True, "on"))
        case _:
            raise RequestError(-32602, f"no option {option!r} with the value {value!r}")


def _named_models(engine: Engine) -> list[tuple[str, str]]:
    key, keys, names = engine.models.key, engine.models.keys, engine.config.models
    keys = keys if key in keys else (key, *keys)
    return [(name, (names[name].display_name if name in names else "") or name) for name in keys]


def _select(
    name: str, title: str, category: _Category, current: str, values: list[tuple[str, str]]
) -> SessionConfigOptionSelect:
    return SessionConfigOptionSelect(
        type="select",
        id=name,
        name=title,
        category=category,
        current_value=current,
        options=[SessionConfigSelectOption(value=value, name=label) for value, label in values],
    )
