"""Decides which hosts sandboxed commands may reach: by the rules for `Network`, else by asking the user."""

import asyncio

from kimi_tui.i18n import tr
from kimi_tui.interaction.approvals import Approvals, ProposedAction, Scope
from kimi_tui.permission.page_pattern import named_port
from kimi_tui.permission.rule import Effect
from kimi_tui.permission.subject import PageSubject

TOOL = "Network"
"""The name that rules use: `Network(pypi.org)`."""
_HTTPS = 443


def _is_about_port(pattern: str | None, port: int) -> bool:
    """Whether a pattern is about this port: a rule is about https unless it names another port."""
    # defence: rules-for-https
    return port == _HTTPS or named_port(pattern or "") in (f"{port}", "*")


class HostAccess:
    """The answers of a session. The user is asked even in yolo mode: a command could send what it read anywhere.

    A yes covers the command that asks, or all of the session.
    """

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals
        self._allowed: set[tuple[str, str]] = set()
        self._refused: set[str] = set()
        self._asking = asyncio.Lock()

    async def allows(self, host: str, port: int, call_id: str) -> bool:
        shown = f"[{host}]" if ":" in host else host
        place = shown if port == _HTTPS else f"{shown}:{port}"
        subject = PageSubject(f"https://{place}/", host)
        decision = self._approvals.policy.decide(TOOL, subject)
        if decision.effect is Effect.DENY:
            return False
        if decision.effect is Effect.ALLOW and any(_is_about_port(rule.pattern, port) for rule in decision.rules):
            return True
        scope = Scope((f"network:{place}",), tr("connections to {place}", place=place))
        async with self._asking:
            if scope.covered_by(self._approvals.granted) or (call_id, place) in self._allowed:
                return True
            if place in self._refused:
                return False
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
                tool_call_id=call_id,
            )
            if verdict.approved:
                self._allowed.add((call_id, place))
            elif self._approvals.attended:
                self._refused.add(place)
            return verdict.approved
