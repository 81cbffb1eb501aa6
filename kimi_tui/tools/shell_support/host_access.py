"""Decides which hosts sandboxed commands may reach: by the rules for `Network`, else by asking the user."""

import asyncio
from dataclasses import dataclass, field

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction, Scope, Source, asking_for
from kimi_tui.permission.page_pattern import named_port
from kimi_tui.permission.rule import Effect
from kimi_tui.permission.subject import PageSubject
from kimi_tui.wire.parts import ToolCall

TOOL = "Network"
"""The name that rules use: `Network(pypi.org)`."""
_HTTPS = 443


def _is_about_port(pattern: str | None, port: int) -> bool:
    """Whether a pattern is about this port: a rule is about https unless it names another port."""
    # defence: rules-for-https
    return port == _HTTPS or named_port(pattern or "") in (f"{port}", "*")


@dataclass(frozen=True, slots=True, eq=False)
class RunningCommand:
    """A command that may ask for hosts: the tool call that runs it, and the subagent, None for the main agent."""

    call: ToolCall | None
    source: Source | None = field(default_factory=asking_for.get)


class HostAccess:
    """The answers of a session. The user is asked even in yolo mode: a command could send what it read anywhere.

    A yes covers the command that asks, or all of the session.
    """

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals
        self._allowed: set[tuple[RunningCommand, str]] = set()
        self._refused: set[str] = set()
        self._asking = asyncio.Lock()

    async def allows(self, host: str, port: int, command: RunningCommand) -> bool:
        shown = f"[{host}]" if ":" in host else host
        place = shown if port == _HTTPS else f"{shown}:{port}"
        subject = PageSubject(f"https://{place}/", host)
        decision = self._approvals.policy.decide(TOOL, subject)
        if decision.effect is Effect.DENY:
            return False
        if decision.effect is Effect.ALLOW and any(_is_about_port(rule.pattern, port) for rule in decision.rules):
            return True
        scope = Scope((f"network:{place}",), tr("connections to {place}", place=place))
        if (known := self._answered(scope, place, command)) is not None:  # not after the question about another host
            return known
        async with self._asking:
            if (known := self._answered(scope, place, command)) is not None:
                return known
            asking_for.set(command.source)
            verdict = await self._approvals.ask(
                ProposedAction(
                    sender=TOOL,
                    action=tr("connect to a host"),
                    description=tr("Allow sandboxed commands to connect to {place}", place=place),
                    subject=subject,
                    reasons=(tr("commands can send everything they read there; a no applies to the whole session"),),
                    scope=scope,
                    keeps_scope=True,
                    force_ask=True,  # defence: hosts-are-asked-for
                ),
                tool_call_id="" if command.call is None else command.call.id,
            )
            if verdict.approved:
                self._allowed.add((command, place))
            elif self._approvals.attended:
                self._refused.add(place)
            return verdict.approved

    def _answered(self, scope: Scope, place: str, command: RunningCommand) -> bool | None:
        if scope.covered_by(self._approvals.granted) or (command, place) in self._allowed:
            return True
        return False if place in self._refused else None
