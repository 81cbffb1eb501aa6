"""Explains the permission decision for a call: the same decision as in a session, with all its reasons."""

import shlex
from dataclasses import dataclass

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.programs.classifier import classify
from kimi_tui.permission.rule import Effect, Match, Rule
from kimi_tui.permission.settings import PermissionSettings
from kimi_tui.permission.subject import CommandSubject, Subject, Words

_READING = frozenset({"ReadFile", "ReadMediaFile", "Grep", "Glob", "Read"})


@dataclass(frozen=True, slots=True)
class CommandPart:
    """One simple command of a line, with its effects, and the rules (effect, rule) that match it.

    `level` is `reads`, `harmless`, `exact` or `danger`; `why` explains why it is not lower. `unnamed` is a word that a
    rule must contain to cover the command. `reads` is the reason why it requires approval, "" if it does not.
    """

    text: str
    rules: tuple[tuple[str, str], ...]
    level: str
    why: str
    unnamed: str
    reads: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a decision. `outcome` is `allow`, `ask` or `deny` in default mode; `in_mode` is the outcome in
    the explained mode, `alone` the one in afk.
    """

    outcome: str
    why: str
    mode: str
    in_mode: str
    alone: str
    protected: tuple[str, ...]
    parts: tuple[CommandPart, ...]
    doubts: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def explain(
    settings: PermissionSettings,
    tool: str,
    subject: Subject,
    *,
    protected: tuple[str, ...] = (),
    confined: bool = False,
) -> Explanation:
    """Explain a call. `protected` are the reasons why it always requires approval, if any. `confined`: commands need
    none, since the sandbox keeps them inside.
    """
    rules = [rule for rule in settings.rules if rule.is_about(tool)]
    policy = Policy(settings.rules, free_reading=not settings.ask_read_only)
    outcome, why = _outcome(policy, tool, subject, protected, confined=confined)
    effect = policy.decide(tool, subject).effect
    insisted = bool(protected) or effect in (Effect.ASK, Effect.DENY) or _is_new_host(tool, effect)
    commands = subject.commands if isinstance(subject, CommandSubject) else ()
    return Explanation(
        outcome=outcome,
        why=why,
        mode=settings.mode,
        in_mode=_in_mode(settings, tool, subject, protected, confined=confined),
        alone="refused" if insisted else "approved",
        protected=protected,
        parts=tuple(_part(rules, subject, index) for index in range(len(commands))),
        doubts=tuple(map(str, subject.risks)) if isinstance(subject, CommandSubject) else (),
        rules=tuple((f"{rule.effect}: {rule} ({rule.origin})", _match_label(rule, subject)) for rule in rules),
        warnings=settings.warnings if tool == "Shell" else (),
    )


def _part(rules: list[Rule], subject: Subject, index: int) -> CommandPart:
    assert isinstance(subject, CommandSubject)
    words = subject.commands[index]
    classification = classify(tuple(word or "" for word in words))
    unnamed = next((words[index] or "" for index in classification.dangers if index > 0), "")
    why_not = subject.why_not_read[index] if index < len(subject.why_not_read) else ""
    matching = _matching(rules, words, exactly=index in subject.secrets)
    return CommandPart(_text(words), matching, classification.level.name.lower(), classification.why, unnamed, why_not)


def _is_new_host(tool: str, effect: Effect | None) -> bool:
    """Whether a command wants to reach a host that no rule allows: only the user's answer does, in every mode."""
    return tool == "Network" and effect is not Effect.ALLOW


def _outcome(
    policy: Policy, tool: str, subject: Subject, protected: tuple[str, ...], *, confined: bool
) -> tuple[str, str]:
    decision = policy.decide(tool, subject)
    if decision.effect is Effect.DENY:
        return "deny", decision.why
    if protected:
        return "ask", "; ".join(protected)
    if decision.effect is not None:
        return decision.effect.value, decision.why
    if tool in _READING:
        return "allow", "reading does not ask"
    if isinstance(subject, CommandSubject) and confined:
        if subject.secrets:  # defence: explained-secrets
            return "ask", "it may read files with secrets"
        return "allow", "a full sandbox without a network keeps it inside"
    if isinstance(subject, CommandSubject) and subject.elsewhere:
        return "ask", "in another folder a command may obey other settings"
    if isinstance(subject, CommandSubject) and subject.risks and policy.rules:
        return "ask", f"no rule can allow it: {subject.risks[0]}"
    return "ask", "no rule is about it"


def _match_label(rule: Rule, subject: Subject) -> str:
    """Return `yes`, `perhaps`, `no`, or `part` for a rule that allows some of the commands of a line."""
    match = rule.matches(subject)
    if match is Match.NO and isinstance(subject, CommandSubject):
        parts = enumerate(subject.commands)
        matches_some = any(
            rule.matches_command(words, exactly=index in subject.secrets) is Match.YES for index, words in parts
        )
        return "part" if matches_some else match.value
    return match.value


def _in_mode(
    settings: PermissionSettings, tool: str, subject: Subject, protected: tuple[str, ...], *, confined: bool
) -> str:
    policy = settings.policy()
    outcome, _ = _outcome(policy, tool, subject, protected, confined=confined)
    if settings.mode == "plan" and outcome != "deny" and not _only_reads(tool, subject):
        return "deny"
    effect = policy.decide(tool, subject).effect
    if settings.mode == "yolo" and not protected and effect is None and not _is_new_host(tool, effect):
        return "allow"
    return outcome


def _only_reads(tool: str, subject: Subject) -> bool:
    return tool in _READING or (isinstance(subject, CommandSubject) and subject.reads)


def _matching(rules: list[Rule], words: Words, *, exactly: bool) -> tuple[tuple[str, str], ...]:
    matches = ((rule, rule.matches_command(words, exactly=exactly)) for rule in rules)
    return tuple((rule.effect.value, str(rule)) for rule, match in matches if match is not Match.NO)


def _text(words: tuple[str | None, ...]) -> str:
    return " ".join("…" if word is None else shlex.quote(word) for word in words)
