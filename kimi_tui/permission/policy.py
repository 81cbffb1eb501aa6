"""Combines rules: the strictest match decides. Without a match the tool's default applies."""

from collections.abc import Iterable
from dataclasses import dataclass

from kimi_tui.i18n import tr
from kimi_tui.permission.rule import READS, Effect, Match, Rule
from kimi_tui.permission.subject import ArgumentsSubject, CommandSubject, FileSubject, Subject


@dataclass(frozen=True, slots=True)
class Decision:
    """The rules' decision on one call: `effect` is None if no rule matches. `why` is for the user."""

    effect: Effect | None
    why: str = ""
    rules: tuple[Rule, ...] = ()


NO_DECISION = Decision(None)


class Policy:
    """The rules of a session, in the order of the configuration.

    `accept_edits`: edits inside the work dir need no approval. `free_reading`: read-only commands need no approval.
    """

    def __init__(self, rules: Iterable[Rule] = (), *, accept_edits: bool = False, free_reading: bool = True) -> None:
        self.rules = tuple(rules)
        self.accept_edits = accept_edits
        self.free_reading = free_reading
        self._about_reading = tuple(
            rule
            for rule in self.rules
            if rule.effect is not Effect.ALLOW and any(rule.is_about(tool) for tool in READS - {"Glob"})
        )

    @property
    def reading_rules(self) -> tuple[str, ...]:
        """The names of the rules that ask about or deny reading files."""
        return tuple(_rule_name(rule) for rule in self._about_reading)

    def rule_about_reading(self, subject: FileSubject) -> str:
        """Name a rule that asks about or denies reading this file with any tool; "" without one."""
        return next((_rule_name(rule) for rule in self._about_reading if rule.matches(subject) is Match.YES), "")

    def decide(self, tool: str, subject: Subject | None) -> Decision:
        """Decide a call. Only rules for the whole tool match a call without a subject."""
        applicable = [
            rule
            for rule in self.rules
            if (rule.is_about(tool) or _is_about_server(rule, subject))
            and (subject is not None or rule.pattern is None)
        ]
        for effect in (Effect.DENY, Effect.ASK):
            found = [(rule, _match(rule, subject)) for rule in applicable if rule.effect is effect]
            sure = [rule for rule, match in found if match is Match.YES]
            if sure:
                return Decision(effect, _rule_name(sure[0]), tuple(sure))
            perhaps = [rule for rule, match in found if match is Match.MAYBE]
            if perhaps:
                return Decision(Effect.ASK, tr("{why} might apply", why=_rule_name(perhaps[0])), tuple(perhaps))
        if isinstance(subject, CommandSubject) and subject.reading_rule:
            return Decision(Effect.ASK, tr("{why} might apply", why=subject.reading_rule))
        allowing = _allowing([rule for rule in applicable if rule.effect is Effect.ALLOW], subject)
        if allowing:
            return Decision(Effect.ALLOW, _rule_name(allowing[0]), allowing)
        if (
            self.accept_edits
            and isinstance(subject, FileSubject)
            and subject.edit
            and subject.folder is not None
            and not subject.instructs  # defence: instructions-are-asked-about
        ):
            return Decision(Effect.ALLOW, "edits inside the work dir are accepted (mode accept-edits)")
        if self.free_reading and isinstance(subject, CommandSubject) and subject.reads:
            return Decision(Effect.ALLOW, tr("it only reads"))
        return NO_DECISION


def _is_about_server(rule: Rule, subject: Subject | None) -> bool:
    if rule.effect is Effect.ALLOW or not isinstance(subject, ArgumentsSubject) or not subject.server_tools:
        return False
    return rule.is_about(subject.server_tools)  # defence: rules-for-a-whole-server


def _match(rule: Rule, subject: Subject | None) -> Match:
    return Match.YES if subject is None else rule.matches(subject)


def _allowing(rules: list[Rule], subject: Subject | None) -> tuple[Rule, ...]:
    """Return the rules that together allow the whole call; empty if any part is not allowed."""
    unconditional = next((rule for rule in rules if rule.pattern is None), None)
    if unconditional is not None:
        return (unconditional,)
    if not isinstance(subject, CommandSubject):
        return tuple(rule for rule in rules if _match(rule, subject) is Match.YES)[:1]
    if subject.risks or subject.elsewhere or not subject.commands:
        return ()
    allowing: dict[Rule, None] = {}
    for index, words in enumerate(subject.commands):
        exactly = index in subject.secrets
        rule = next((rule for rule in rules if rule.matches_command(words, exactly=exactly) is Match.YES), None)
        if rule is None:
            return ()
        allowing[rule] = None
    return tuple(allowing)


def _rule_name(rule: Rule) -> str:
    if rule.origin:
        return tr("the rule `{rule}` of {file}", rule=f"{rule.effect}: {rule}", file=rule.origin)
    return tr("the rule `{rule}`", rule=f"{rule.effect}: {rule}")
