"""Approvals: pending requests to the user, and the scope of an approval.

The Wire carries the request as data; the future stays here and is settled by id, the same way for every UI.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal
from uuid import uuid4

from kimi_tui.i18n import tr
from kimi_tui.interaction.approval_text import approval_text
from kimi_tui.interaction.work_clock import WorkClock
from kimi_tui.permission.policy import Policy
from kimi_tui.permission.rule import Effect
from kimi_tui.permission.subject import CommandSubject, Subject
from kimi_tui.wire.channel import Wire
from kimi_tui.wire.display import BriefBlock, DisplayBlock, UnknownBlock
from kimi_tui.wire.events import ApprovalAnswer, ApprovalResponse
from kimi_tui.wire.requests import ApprovalRequest


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of "for this session": requests with *all* of these `keys` granted; the user sees `words`."""

    keys: tuple[str, ...]
    label: str

    def covered_by(self, granted: Set[str]) -> bool:
        return bool(self.keys) and all(key in granted for key in self.keys)


@dataclass(frozen=True, slots=True)
class ApprovalResult:
    """The outcome of a request. `feedback` is the user's comment; `denied_by` is the rule that decided; `unattended`:
    no user was present to ask.

    `edited` replaces the requested action, and the approval covers only that. With `selected_hunks` the approval covers
    only these changes, counted from 0.
    """

    approved: bool
    feedback: str | None = None
    denied_by: str | None = None
    edited: str | None = None
    selected_hunks: frozenset[int] | None = None
    unattended: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """The requesting subagent; None means the main agent."""

    agent_id: str | None = None
    subagent_type: str | None = None
    description: str | None = None


asking_for: ContextVar[Source | None] = ContextVar("asking_for", default=None)
"""The subagent on whose behalf the code runs; None for the main agent."""


_REFUSED = "Do not do this; find another way, or say what is missing."
WhenAsked = Literal["approve", "refuse", "park"]
"""What happens without a user to an action that needs an approval: a run that parks ends there, to be resumed."""


@dataclass(frozen=True, slots=True)
class ParkedCall:
    """An action that waits for an approval; `key` identifies exactly this call, and `text` shows it."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedAction:
    """An action of a tool, before the rules and the user decide on it.

    `force_ask` is for protected actions: neither yolo nor an earlier approval covers them, and an approval covers
    only this call; with `keeps_scope` the user can give one for the session, which the caller looks for in `granted`.
    Without `yolo_covers`, yolo that is turned on meanwhile does not answer the request.
    `ask_only_by_rule`: the action needs approval only if a rule requires it, or if a command may read secrets.
    `reasons` are for the user.
    `hunks`: the number of changes that the user may select from, the first of `display`.
    """

    sender: str
    action: str
    description: str
    display: Sequence[DisplayBlock] = ()
    scope: Scope | None = None
    subject: Subject | None = None
    reasons: Sequence[str] = ()
    force_ask: bool = False
    keeps_scope: bool = False
    yolo_covers: bool = True
    ask_only_by_rule: bool = False
    hunks: int = 0


@dataclass(slots=True)
class _PendingRequest:
    request: ApprovalRequest
    scope: Scope | None
    yolo_covers: bool
    editable: bool
    answer: asyncio.Future[ApprovalResult]


class Approvals:
    """The approval service for all tool calls of all agents in a session.

    `granted` holds the keys of the scopes approved for the session; `on_change` is called after a change of `granted`
    or `yolo`. Requests are rejected if no user is present. The rules of `policy` take precedence over yolo and
    `granted`.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        yolo: bool = False,
        granted: Iterable[str] = (),
        attended: bool = True,
        policy: Policy | None = None,
        work_clock: WorkClock | None = None,
    ) -> None:
        self.policy = policy or Policy()
        self._work_clock = work_clock or WorkClock()
        self._wire = wire
        self._yolo = yolo
        self._granted = set(granted)
        self._waiting: dict[str, _PendingRequest] = {}
        self._attended = attended
        self.on_change: Callable[[], None] | None = None
        self.parked_answers: dict[str, bool] = {}
        """The answers to parked calls by their keys; each is for one call."""
        self.park: Callable[[ParkedCall], None] | None = None
        """Parks a call that needs an absent user's approval, and ends the turn; None: such a call is rejected."""

    @property
    def yolo(self) -> bool:
        return self._yolo

    @yolo.setter
    def yolo(self, on: bool) -> None:
        self._yolo = on
        if on:
            for request_id, pending_entry in list(self._waiting.items()):
                if pending_entry.yolo_covers:
                    self.settle(request_id, "approve")
        self._changed()

    @property
    def attended(self) -> bool:
        """Whether a user is present to ask."""
        return self._attended

    @attended.setter
    def attended(self, on: bool) -> None:
        self._attended = on

    @property
    def granted(self) -> frozenset[str]:
        return frozenset(self._granted)

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """The pending requests, oldest first."""
        return tuple(pending_entry.request for pending_entry in self._waiting.values())

    async def ask(
        self, proposed: ProposedAction, *, tool_call_id: str, editable: bool = False, call: str = ""
    ) -> ApprovalResult:
        """Wait for an answer. Cancelling the wait settles the request as rejected.

        `editable`: the caller applies the result's `edited`, if set. With `hunks` the caller makes only the changes
        in `selected_hunks`. `call` is the whole call with its arguments.
        """
        sender, action, description = proposed.sender, proposed.action, proposed.description
        scope, reasons, display = proposed.scope, proposed.reasons, proposed.display
        force_ask = proposed.force_ask
        # defence: confined-commands-and-secrets
        may_read_secrets = isinstance(proposed.subject, CommandSubject) and bool(proposed.subject.secrets)
        decision = self.policy.decide(sender, proposed.subject)
        if decision.effect is Effect.DENY:
            return ApprovalResult(False, denied_by=decision.why)
        if force_ask or decision.effect is Effect.ASK:  # defence: protected-before-rules
            if decision.effect is Effect.ASK or not proposed.keeps_scope:
                scope = None
            reasons = (*reasons, *([decision.why] if decision.effect is Effect.ASK else []))
            force_ask = True
        elif (
            (proposed.ask_only_by_rule and not may_read_secrets)
            or self._yolo
            or decision.effect is Effect.ALLOW
            or (scope is not None and scope.covered_by(self._granted))
        ):
            return ApprovalResult(True)
        elif proposed.ask_only_by_rule:
            reasons = (*reasons, tr("it may read files with secrets"))
        if all(isinstance(block, UnknownBlock) for block in display):  # defence: show-what-is-asked
            display = (BriefBlock(text=description), *display)
        if reasons:
            display = (*display, BriefBlock(text=tr("Needs approval: {why}", why="; ".join(reasons))))
        text = approval_text(description, display) if self.park or self.parked_answers else description
        parked = ParkedCall(_call_key(sender, action, text, call), text)  # defence: parked-call-shown-whole
        answer = self.parked_answers.pop(parked.key, None)
        if answer is not None:
            return ApprovalResult(answer, None if answer else _REFUSED)
        if not self._attended:
            if self.park is not None:
                self.park(parked)
            return ApprovalResult(False, unattended=True)
        source = asking_for.get()
        request = ApprovalRequest(
            id=uuid4().hex,
            tool_call_id=tool_call_id,
            sender=sender,
            action=action,
            description=description,
            display=tuple(display),
            source_kind="foreground_turn",  # a subagent runs within it too
            agent_id=source.agent_id if source else None,
            subagent_type=source.subagent_type if source else None,
            source_description=source.description if source else None,
            scope=scope.label if scope else None,
            hunks=proposed.hunks if proposed.hunks > 1 else None,
        )
        yolo_covers = proposed.yolo_covers and not force_ask
        pending_entry = _PendingRequest(
            request, scope, yolo_covers, editable, asyncio.get_running_loop().create_future()
        )
        self._waiting[request.id] = pending_entry
        self._wire.send(request)
        try:
            with self._work_clock.waiting():
                return await pending_entry.answer
        finally:
            if self._waiting.pop(request.id, None) is not None:
                self._wire.send(ApprovalResponse(request_id=request.id, response="reject"))

    def settle(
        self,
        request_id: str,
        response: ApprovalAnswer,
        feedback: str | None = None,
        *,
        edited: str | None = None,
        taken: Collection[int] | None = None,
    ) -> bool:
        """Answer a request; False if no request of that id is pending, or its wait is cancelled.

        `edited` replaces the requested action, and only the changes in `taken` are made; both need a one-time approval.
        False also if the request does not allow them.
        """
        pending_entry = self._waiting.get(request_id)
        if pending_entry is None or pending_entry.answer.done():  # defence: answer-after-interruption
            return False
        if edited is not None and not (pending_entry.editable and response == "approve" and edited.strip()):
            return False
        hunks = range(pending_entry.request.hunks or 0)
        if taken is not None and not (response == "approve" and taken and all(index in hunks for index in taken)):
            return False
        del self._waiting[request_id]
        selected = frozenset(taken) if taken is not None and len(set(taken)) < len(hunks) else None
        feedback = (feedback or "").strip() or None
        selected_indexes = tuple(sorted(selected)) if selected is not None else None
        self._wire.send(
            ApprovalResponse(request_id=request_id, response=response, feedback=feedback, taken=selected_indexes)
        )
        pending_entry.answer.set_result(
            ApprovalResult(response != "reject", feedback, edited=edited, selected_hunks=selected)
        )
        if response == "approve_for_session" and pending_entry.scope is not None:
            self._grant(pending_entry.scope)
        return True

    def reject_all(self) -> None:
        """Reject all requests when no user can answer any more."""
        for request_id in list(self._waiting):
            self.settle(request_id, "reject")

    def withdraw_all(self) -> None:
        """Cancel the waits of all requests; from now on no answer to them counts."""
        for pending_entry in self._waiting.values():
            pending_entry.answer.cancel()

    def _grant(self, scope: Scope) -> None:
        self._granted.update(scope.keys)
        for request_id, pending_entry in list(self._waiting.items()):
            if pending_entry.scope is not None and pending_entry.scope.covered_by(self._granted):
                self.settle(request_id, "approve")
        self._changed()

    def _changed(self) -> None:
        if self.on_change is not None:
            with contextlib.suppress(OSError):
                self.on_change()


def _call_key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
