"""Writes the settings of nodes: as Mermaid, and as a line for the user."""

from collections.abc import Mapping

from kimi_tui.flow.model.graph import Flow


def mermaid_settings(settings: Mapping[str, str]) -> str:
    """The data block `@{ key: "value" }` of a node."""
    return "@{ " + ", ".join(f"{key}: {_mermaid_text(value)}" for key, value in settings.items()) + " }"


def settings_line(settings: Mapping[str, str]) -> str:
    """The settings in one line for the user."""
    return " · ".join(f"{key}: {value}" for key, value in settings.items())


def settings_lines(flow: Flow) -> list[str]:
    """A line for each node with settings, and one for the flow's budget."""
    lines = [f"{node.id}: {settings_line(node.settings.written)}" for node in flow.nodes.values()
             if node.settings.written]  # fmt: skip
    return [*lines, f"budget: {flow.settings.budget}"] if flow.settings.budget else lines


def _mermaid_text(value: str) -> str:
    """A quoted text without a quote in it, since Mermaid's lexer ends the text at any quote."""
    return '"' + value.replace("\\", "\\\\").replace('"', "\\x22") + '"'
