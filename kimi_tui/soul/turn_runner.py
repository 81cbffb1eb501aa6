"""Wraps a turn of the soul with hooks, file checkpoints and additional notes for the model."""

from collections.abc import Callable

from kimi_tui.errors import KimiTuiError
from kimi_tui.flow.run.turn_protocol import TurnResult
from kimi_tui.i18n import tr
from kimi_tui.soul.hooks.dispatcher import HookDispatcher
from kimi_tui.soul.notices import notice
from kimi_tui.soul.services import Services
from kimi_tui.soul.soul import Soul
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import TurnBegin, TurnEnd
from kimi_tui.wire.parts import ContentPart, TextPart, UserInput, text_of

PLAN_REMINDER = (
    "<system>Plan mode is on: nothing that changes anything runs. Find out what you need, then call ExitPlanMode with "
    "the whole plan; the person decides on it.</system>"
)


async def take_turn(
    soul: Soul,
    services: Services,
    hooks: HookDispatcher,
    send: Callable[[WireMessage], None],
    prompt: UserInput,
    *,
    shown: UserInput,
) -> TurnResult:
    """Run a turn, and a second one if a Stop hook requests it. Raises what the soul raises."""
    stops = hooks.stops
    verdict = await hooks.ask("UserPromptSubmit", prompt=text_of(prompt))
    if hooks.stops != stops:
        return TurnResult("cancelled", started=False)
    if verdict.blocked:
        why = verdict.reason or "no reason given"
        send(TurnBegin(user_input=shown))
        send(notice(tr("A hook blocked this message"), why, severity="warning", kind="hook"))
        send(TurnEnd())
        return TurnResult("rejected", f"a hook did not let this be sent: {why}")
    try:
        return await _take(soul, services, hooks, prompt, shown)
    except KimiTuiError as error:
        await hooks.ask("StopFailure", type(error).__name__, error=str(error))
        raise


async def _take(
    soul: Soul, services: Services, hooks: HookDispatcher, prompt: UserInput, shown: UserInput
) -> TurnResult:
    turn_id = services.versions.begin_turn(text_of(shown), services.todos.items)
    result = await soul.take_turn(_with_reminders(prompt, services), shown_as=shown, turn_id=turn_id)
    if result.stop != "finished":
        return result
    verdict = await hooks.ask("Stop", stop_hook_active=False, message=result.message)
    if not verdict.blocked or not verdict.reason:
        return result
    result = await soul.take_turn(verdict.reason, shown_as=f"(a Stop hook) {verdict.reason}")
    await hooks.ask("Stop", stop_hook_active=True, message=result.message)
    return result


def _with_reminders(prompt: UserInput, services: Services) -> UserInput:
    if not services.plan_mode.on:
        return prompt
    parts: tuple[ContentPart, ...] = (TextPart(text=prompt),) if isinstance(prompt, str) else prompt
    return (*parts, TextPart(text=PLAN_REMINDER))
