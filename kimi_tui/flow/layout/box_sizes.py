"""Sizes of boxes and labels, and their spacing, for one attempt to fit a width."""

from dataclasses import dataclass

from kimi_tui.flow.layout.cell_text import cell_width, clean_label, truncate, wrap
from kimi_tui.flow.layout.geometry import GLYPH_CELLS, LayoutDirection, LayoutMode
from kimi_tui.flow.model.graph import FlowNode, NodeKind

MAX_LINES = 3


@dataclass(frozen=True, slots=True)
class Spacing:
    """`text` and `label` are the widest lines in a box and on a branch; gaps are blank cells across the flow."""

    text: int
    label: int
    between_boxes: int
    beside_box: int
    between_lines: int
    port_step: int


def candidates(direction: LayoutDirection, mode: LayoutMode) -> tuple[Spacing, ...]:
    """Spacings to try, from roomy to tight."""
    if direction == "LR":
        return tuple(Spacing(text, label, 1, 1, 1, 1) for text, label in ((22, 20), (18, 14), (14, 10), (10, 8)))
    if mode == "compact":
        return (
            Spacing(30, 20, 2, 1, 1, 2),
            Spacing(22, 16, 2, 1, 1, 2),
            Spacing(16, 14, 2, 1, 1, 2),
            Spacing(10, 8, 1, 1, 1, 1),
        )
    return (
        Spacing(26, 20, 4, 2, 2, 2),
        Spacing(22, 16, 3, 2, 1, 2),
        Spacing(18, 12, 2, 1, 1, 2),
        Spacing(14, 10, 2, 1, 1, 2),
        Spacing(10, 8, 1, 1, 1, 2),
    )


def box_lines(node: FlowNode, spacing: Spacing, mode: LayoutMode) -> tuple[str, ...]:
    """The text in a node's box; in compact mode the first words, or the id if it is shorter and meaningful."""
    text = clean_label(node.title) or node.id
    if mode == "full":
        return wrap(text, spacing.text, MAX_LINES)
    flat = text.replace("\n", " ")
    return (flat if cell_width(flat) <= spacing.text else _first_words(flat, spacing.text),)


def _first_words(text: str, width: int) -> str:
    prefix = ""
    for word in text.split(" "):
        longer = f"{prefix} {word}" if prefix else word
        if cell_width(longer) > width - 1:
            break
        prefix = longer
    return prefix.rstrip(":,;.：，；。") + "…" if cell_width(prefix) >= width // 2 else truncate(text, width)


def box_size(lines: tuple[str, ...], kind: NodeKind, mode: LayoutMode) -> tuple[int, int]:
    """Width and height of a box around `lines`, with border, padding and the place for the state's glyph."""
    widest = max(cell_width(line) for line in lines)
    glyph = 0 if kind in (NodeKind.BEGIN, NodeKind.END) else GLYPH_CELLS
    return widest + glyph + 4, len(lines) + (2 if mode == "full" else 0)


def label_lines(label: str, spacing: Spacing) -> tuple[str, ...]:
    return wrap(clean_label(label) or " ", spacing.label, MAX_LINES)
