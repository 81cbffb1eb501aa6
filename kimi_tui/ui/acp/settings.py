"""What a client can set of a session: how it asks for approval, and which model it asks."""

from acp import RequestError
from acp.schema import (
    SessionConfigOptionBoolean,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
)

from kimi_tui.soul.engine import Engine

ConfigOptions = list[SessionConfigOptionSelect | SessionConfigOptionBoolean]

DEFAULT, ACCEPT_EDITS, PLAN, YOLO = "default", "accept-edits", "plan", "yolo"
_MODES = (
    SessionMode(id=DEFAULT, name="Default", description="Asks before it runs commands and changes files"),
    SessionMode(id=ACCEPT_EDITS, name="Accept edits", description="Changes files of the work folder without asking"),
    SessionMode(id=PLAN, name="Plan", description="Reads and plans; changes nothing until you agree to the plan"),
    SessionMode(id=YOLO, name="YOLO", description="Runs and changes without asking"),
)


def mode_of(engine: Engine) -> str:
    if engine.services.plan_mode.on:
        return PLAN
    if engine.approvals.yolo:
        return YOLO
    return ACCEPT_EDITS if engine.approvals.policy.accept_edits else DEFAULT


def modes(engine: Engine) -> SessionModeState:
    return SessionModeState(current_mode_id=mode_of(engine), available_modes=list(_MODES))


def set_mode(engine: Engine, mode: str) -> None:
    """Raises RequestError for a mode that there is not."""
    if mode not in (known.id for known in _MODES):
        raise RequestError(-32602, f"there is no mode {mode!r}; there are: {', '.join(known.id for known in _MODES)}")
    engine.services.plan_mode.on = mode == PLAN
    engine.approvals.policy.accept_edits = mode == ACCEPT_EDITS
    if engine.approvals.yolo != (mode == YOLO):
        engine.approvals.yolo = mode == YOLO


def options(engine: Engine) -> ConfigOptions:
    found: ConfigOptions = [_select("mode", "Mode", mode_of(engine), [(mode.id, mode.name) for mode in _MODES])]
    key = engine.models.key
    if key:
        names = engine.config.models
        keys = engine.models.keys if key in engine.models.keys else (key, *engine.models.keys)
        models = [(name, (names[name].display_name if name in names else "") or name) for name in keys]
        found.append(_select("model", "Model", key, models))
    return found


async def set_option(engine: Engine, option: str, value: str | bool) -> None:
    """Raises RequestError, and KimiTuiError where the model cannot be changed."""
    match option, value:
        case "mode", str():
            set_mode(engine, value)
        case "model", str():
            await engine.switch_model(value)
        case _:
            raise RequestError(-32602, f"there is no option {option!r} that takes {value!r}")


def _select(name: str, shown: str, current: str, values: list[tuple[str, str]]) -> SessionConfigOptionSelect:
    return SessionConfigOptionSelect(
        type="select",
        id=name,
        name=shown,
        category="mode" if name == "mode" else "model",
        current_value=current,
        options=[SessionConfigSelectOption(value=value, name=label) for value, label in values],
    )
