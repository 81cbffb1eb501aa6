"""The JSON Schema of a skill's frontmatter and of the settings of flows and their nodes, for editors."""

from typing import Any

from kimi_tui.flow.model.settings import MAX_AT_ONCE, MAX_MOVES, MAX_RETRIES
from kimi_tui.skill.skill import MAX_COMPATIBILITY, MAX_DESCRIPTION, MAX_NAME

_TEXT = {"type": "string", "minLength": 1}


def flow_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of the frontmatter of `SKILL.md`; `$defs/node` is that of `id@{ ... }`.

    Other keys are allowed, as other programs read the same files.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kimi-tui skill or flow: the frontmatter of SKILL.md",
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "maxLength": MAX_NAME,
                "pattern": "^\\S+$",
                "description": "The name, which is that of the folder.",
            },
            "description": {
                "type": "string",
                "maxLength": MAX_DESCRIPTION,
                "description": "What it does and when to use it.",
            },
            "type": {"enum": ["standard", "flow"], "default": "standard", "description": "`flow`: the chart is run."},
            "license": _TEXT,
            "compatibility": {"type": "string", "maxLength": MAX_COMPATIBILITY},
            "allowed-tools": {
                "type": ["string", "array"],
                "items": {"type": "string"},
                "description": "Tools that the skill uses, separated by spaces.",
            },
            "metadata": {"type": "object", "properties": _flow_settings(), "description": "Settings of the flow."},
        },
        "required": ["name", "description"],
        "$defs": {"node": {"type": "object", "properties": _node_settings(), "title": "Settings beside a node"}},
    }


def _flow_settings() -> dict[str, Any]:
    return {
        "hidden": _of_either("boolean", ("true", "false"), "`true`: not in lists; found by its name only."),
        "budget": _described('The most that a run may spend, such as "2 usd, 500k tokens, 1h".'),
        "max-moves": _number(1, MAX_MOVES, "The most nodes that a run may visit."),
        "max-parallel": _number(1, MAX_AT_ONCE, "Without effect yet."),
        "model": _described("Without effect yet."),
        "worktree-setup": _described("Without effect yet."),
        "worktree-copy": _described("Without effect yet."),
    }


def _node_settings() -> dict[str, Any]:
    return {
        "run": _described("A command in place of a turn of the model; its status or its output chooses the branch."),
        "ask": {"const": "human", "description": "A decision of the user."},
        "on": _described("A decision by the value of a variable."),
        "out": _described("The type of the node's result."),
        "timeout": _described("The most time for the command or the question, such as 10m."),
        "retries": _number(0, MAX_RETRIES, "How often the node is tried again after a failure."),
        "default": _described("The branch if nobody answers, or `park`."),
        "tools": _described("The tools that the node may use, separated by spaces."),
        "context": {"enum": ["shared", "fork", "fresh"], "description": "Without effect yet."},
        "in": {"const": "worktree", "description": "Without effect yet."},
        "max": _number(1, MAX_AT_ONCE, "Without effect yet."),
        **{key: _described("Without effect yet.") for key in ("flow", "args", "model", "agent", "each")},
    }


def _described(text: str) -> dict[str, Any]:
    return {**_TEXT, "description": text}


def _number(least: int, most: int, text: str) -> dict[str, Any]:
    """A whole number, also as text."""
    number = {"type": "integer", "minimum": least, "maximum": most}
    return {"anyOf": [number, {"type": "string", "pattern": "^[0-9]{1,9}$"}], "description": text}


def _of_either(kind: str, words: tuple[str, ...], text: str) -> dict[str, Any]:
    return {"anyOf": [{"type": kind}, {"enum": list(words)}], "description": text}
