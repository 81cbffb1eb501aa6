"""Writes the settings of nodes: as Mermaid, as D2, and as a line for the user."""

from collections.abc import Mapping, Sequence

from kimi_tui.flow.model.graph import Flow
from kimi_tui.flow.parsing.d2.strings import quoted_key


def mermaid_settings(settings: Mapping[str, str]) -> str:
    """The data block `@{ key: "value" }` of a node."""
    return "@{ " + ", ".join(f"{key}: {_mermaid_text(value)}" for key, value in settings.items()) + " }"


def d2_settings(settings: Sequence[tuple[str, Mapping[str, str]]]) -> list[str]:
    """The lines of `vars: { flow: .. }` for nodes by their D2 name."""
    lines = ["vars: {", "  flow: {"]
    for name, pairs in settings:
        shown = "; ".join(f"{key}: {_d2_text(value)}" for key, value in pairs.items())
        lines.append(f"    {name}: {{ {shown} }}")
    return [*lines, "  }", "}"]


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


def _d2_text(value: str) -> str:
    return quoted_key(value).replace("$", "\\$")
