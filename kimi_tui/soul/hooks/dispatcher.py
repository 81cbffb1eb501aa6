"""Session hooks: commands and Wire clients that run on events.

The configuration defines fourteen events. An event without hooks starts nothing.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args
from uuid import uuid4

from kimi_tui.config.schema import HookConfig, HookEvent
from kimi_tui.soul.hooks.command import ALLOW, HookResult, plain, run_hook
from kimi_tui.tools.shell_support.child_env import ChildEnv
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import HookResolved, HookTriggered, Notification
from kimi_tui.wire.parts import JsonObject
from kimi_tui.wire.requests import HookRequest

EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)


@dataclass(frozen=True, slots=True)
class Subscription:
    """A Wire client's hook: it gets a HookRequest and answers by `HookDispatcher.settle`. `timeout` in seconds."""

    id: str
    event: str
    matcher: str = ""
    timeout: float = 30.0


class HookDispatcher:
    """Runs the hooks of a session: the configured commands, and the subscriptions of Wire clients."""

    def __init__(
        self,
        hooks: Iterable[HookConfig],
        send: Callable[[WireMessage], None],
        *,
        work_dir: Path,
        session_id: str,
        env: ChildEnv,
    ) -> None:
        self.configured = tuple(hooks)
        self._send = send
        self._work_dir = work_dir
        self._session_id = session_id
        self._env = env
        self._subscriptions: list[Subscription] = []
        self._waiting: dict[str, asyncio.Future[HookResult]] = {}
        self._running: set[asyncio.Task[HookResult]] = set()
        self._telling: set[asyncio.Future[HookResult]] = set()
        self.stops = 0

    def subscribe(self, subscription: Subscription) -> None:
        """Add a client's hook. Raises ValueError for an unknown event and for an invalid matcher."""
        if subscription.event not in EVENTS:
            raise ValueError(f"unknown event {subscription.event!r}")
        try:
            re.compile(subscription.matcher)
        except re.error as error:
            raise ValueError(f"{subscription.matcher!r} is not a regular expression: {error}") from None
        self._subscriptions.append(subscription)

    def settle(self, request_id: str, action: Literal["allow", "block"], reason: str = "") -> bool:
        """Settle a client's HookRequest; False if no request of that id is pending."""
        future = self._waiting.pop(request_id, None)
        if future is None or future.done():
            return False
        future.set_result(HookResult(action == "block", plain(reason)))
        return True

    def forget_clients(self) -> None:
        """Drop the hooks of clients: call it once they have gone, and nobody can answer."""
        self._subscriptions.clear()  # defence: no-hooks-of-gone-clients

    @property
    def clients(self) -> tuple[Subscription, ...]:
        return tuple(self._subscriptions)

    @property
    def any(self) -> bool:
        return bool(self.configured or self._subscriptions)

    def on_message(self, message: WireMessage) -> None:
        """Wire listener that turns notifications into hook events, without delaying anything."""
        if isinstance(message, Notification) and self.any:
            asking = self.ask("Notification", message.type, title=message.title, message=message.body)
            task = asyncio.ensure_future(asking)
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def finish_notifications(self, seconds: float = 5.0) -> None:
        """Wait at most `seconds` for the hooks of all notifications, then stop the remaining ones."""
        if self._telling:
            _, late = await asyncio.wait(self._telling, timeout=seconds)
            for task in late:
                task.cancel()

    def stop(self) -> None:
        """Stop running hooks; a stopped hook allows the action. `stops` counts the calls."""
        self.stops += 1
        for task in tuple(self._running):
            task.cancel()

    async def ask(self, event: HookEvent, target: str = "", **data: Any) -> HookResult:
        """Run all hooks of the event in parallel. `data` are JSON values in addition to the standard fields."""
        commands, clients = self._commands(event, target), self._clients(event, target)
        if not commands and not clients:
            return ALLOW
        payload: JsonObject = {
            "hook_event_name": event,
            "session_id": self._session_id,
            "cwd": str(self._work_dir),
            **cast(JsonObject, data),
        }
        self._send(HookTriggered(event=event, target=target, hook_count=len(commands) + len(clients)))
        started_at = time.monotonic()
        tasks = [asyncio.create_task(self._run(command, seconds, payload)) for command, seconds in commands.items()]
        tasks += [asyncio.create_task(self._request(client, target, payload)) for client in clients]
        self._running.update(tasks)
        try:
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in tasks:
                task.cancel()
            self._running.difference_update(tasks)
        verdict = next((outcome for outcome in outcomes if isinstance(outcome, HookResult) and outcome.blocked), ALLOW)
        self._send(
            HookResolved(
                event=event,
                target=target,
                action="block" if verdict.blocked else "allow",
                reason=verdict.reason,
                duration_ms=round((time.monotonic() - started_at) * 1000),
            )
        )
        return verdict

    def _commands(self, event: str, target: str) -> dict[str, int]:
        """Each matching command once, with its timeout in seconds."""
        return {
            hook.command: hook.timeout
            for hook in self.configured
            if hook.event == event and (not hook.matcher or re.search(hook.matcher, target))
        }

    def _clients(self, event: str, target: str) -> list[Subscription]:
        return [
            subscription
            for subscription in self._subscriptions
            if subscription.event == event and (not subscription.matcher or re.search(subscription.matcher, target))
        ]

    async def _run(self, command: str, seconds: float, payload: JsonObject) -> HookResult:
        return await run_hook(command, payload, cwd=self._work_dir, env=self._env.build(), seconds=seconds)

    async def _request(self, client: Subscription, target: str, payload: JsonObject) -> HookResult:
        request = HookRequest(
            id=uuid4().hex, subscription_id=client.id, event=client.event, target=target, input_data=payload
        )
        answer: asyncio.Future[HookResult] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = answer
        try:
            self._send(request)
            async with asyncio.timeout(client.timeout):
                return await answer
        except TimeoutError:
            return ALLOW
        finally:
            self._waiting.pop(request.id, None)
