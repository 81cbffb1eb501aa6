"""Sizes of boxes and labels, and their spacing, for one attempt to fit a width."""

from dataclasses import dataclass, replace

from kimi_tui.flow.layout.cell_text import cell_width, clean_label, longest_word, truncate, wrap
from kimi_tui.flow.layout.geometry import GLYPH_CELLS, LayoutDirection, LayoutMode
from kimi_tui.flow.model.graph import FlowNode, NodeKind

MAX_LINES, FEW_LINES = 12, 4
"""The maximum lines of text per box, and per box of a chart that would else be too high; an ellipsis marks a cut."""
WHOLE_LINES = 60
"""The maximum lines of a box whose text is to be whole."""
MAX_LABEL_LINES = 4
"""The maximum lines of a branch's label beside compact boxes and boxes of few lines, before free rows are used."""
WIDEST_TEXT, WIDEST_LABEL = 64, 40
"""The maximum width of a line in a box and in a branch's label, in cells, even if there is more room."""
_WIDEST_WORD = 30
"""A longer word is divided, even if there is more room, in cells."""
_BOX_SHARE = 0.6
_LOW_SHARE = 0.9
FRAME_CELLS = 4
_LINE_CELLS = 3
_LABEL_SHARE = 4
_LEAST_TEXT = 9
_READABLE = (18, 14)
"""The widest lines in a box and on a branch of a flow to the right that does not fit and must be scrolled."""


def whole_lines(direction: LayoutDirection) -> int:
    """The maximum lines of a box in a drawing whose height is not limited."""
    return WHOLE_LINES if direction == "LR" else MAX_LINES


@dataclass(frozen=True, slots=True)
class Spacing:
    """The spacing of one layout attempt.

    `text` and `label` are the widest lines in a box and on a branch; gaps are blank cells across the flow.

    A box that is alone in its layer has wider lines, up to `share` of the drawing's width; with `even`, several boxes
    share a layer's room too. `to_fit`: used only if the drawing then fits. `straight`: the main line is straight.
    `readable`: used if no drawing fits, so that what is scrolled anyway has lines of several words.
    """

    text: int
    label: int
    between_boxes: int
    beside_box: int
    between_lines: int
    port_step: int
    share: float = 0.0
    even: bool = False
    to_fit: bool = False
    straight: bool = True
    readable: bool = False

    def text_cells(self, width: int | None, boxes: int, lines: int) -> int:
        """The maximum text width of a box in a layer of `boxes` and passing `lines`, in a drawing of this width."""
        if not self.share or width is None or (boxes > 1 and not self.even):
            return self.text
        part = (width - lines * _LINE_CELLS) * (self.share / _BOX_SHARE) / boxes - FRAME_CELLS - self.between_boxes
        return max(self.text, min(WIDEST_TEXT, int(width * self.share) - FRAME_CELLS, int(part)))

    def terminal_cells(self, width: int | None) -> int:
        """The maximum text width of BEGIN or END, alone in its layer, in a drawing of this width."""
        return self.text if width is None else max(self.text, min(WIDEST_TEXT, int(width * _BOX_SHARE) - FRAME_CELLS))

    def label_cells(self, width: int | None) -> int:
        """The maximum width of a branch's label in a drawing of this width."""
        if not self.share or width is None:
            return self.label
        return max(self.label, min(WIDEST_LABEL, width // _LABEL_SHARE))


def candidates(
    direction: LayoutDirection, mode: LayoutMode, width: int | None = None, *, few: bool = False, low: bool = False
) -> tuple[Spacing, ...]:
    """Spacings to try, from roomy to tight; `few` omits the extra ones that make better use of a `width`.

    With `low`, boxes may be wider, so that they have fewer lines.
    """
    if direction == "LR":
        texts = ((22, 20), _READABLE, (14, 10), (10, 8))
        wider = () if width is None or few else ((WIDEST_TEXT, 30), (46, 24), (34, 24), (28, 20))
        return tuple(
            Spacing(text, label, 1, 1, 1, 1, readable=(text, label) == _READABLE) for text, label in (*wider, *texts)
        )
    fixed = (
        (
            Spacing(30, 20, 2, 1, 1, 2),
            Spacing(22, 16, 2, 1, 1, 2),
            Spacing(16, 14, 2, 1, 1, 2),
            Spacing(10, 8, 1, 1, 1, 1),
        )
        if mode == "compact"
        else (
            Spacing(26, 20, 4, 2, 2, 2),
            Spacing(22, 16, 3, 2, 1, 2),
            Spacing(18, 12, 2, 1, 1, 2),
            Spacing(14, 10, 2, 1, 1, 2),
            Spacing(10, 8, 1, 1, 1, 2),
        )
    )
    if width is None or few:
        return fixed
    shares = (*((_LOW_SHARE,) if low else ()), _BOX_SHARE, _BOX_SHARE * 3 / 4, _BOX_SHARE / 2)
    tightest = Spacing(6, 8, 1, 1, 1, 1, to_fit=True) if mode == "compact" else Spacing(9, 8, 1, 1, 1, 1, to_fit=True)
    shared = (
        replace(one, share=share, even=one is fixed[0])
        for one in fixed
        for share in ((*shares, 0.0) if one is not fixed[0] or int(width * _BOX_SHARE) > one.text else (0.0,))
    )
    bent = (
        replace(one, share=share, even=True, straight=False, to_fit=True)
        for one in (*fixed[1:], tightest)
        for share in (_BOX_SHARE / 2, 0.0)
    )
    return (*shared, tightest, *bent)


def word_cells(text: str) -> int:
    """The width that a box or label needs so that no word of its text is divided, in cells."""
    return min(_WIDEST_WORD, longest_word(clean_label(text)))


def divides_word(node: FlowNode, lines: tuple[str, ...]) -> bool:
    """Whether a word of a node's text is wider than the lines of its box."""
    return max(map(cell_width, lines)) < word_cells(node.title)


def box_lines(node: FlowNode, width: int, mode: LayoutMode, most: int = MAX_LINES) -> tuple[str, ...]:
    """The text in a node's box, in at most `most` lines of `width` cells.

    In compact mode: the first words, or the id if it is shorter and meaningful. BEGIN and END always have MAX_LINES.
    """
    text = clean_label(node.title) or node.id
    if node.kind in (NodeKind.BEGIN, NodeKind.END):
        return wrap(text, width, MAX_LINES)
    if mode == "full":
        return wrap(text, width, most)
    flat = text.replace("\n", " ")
    return (flat if cell_width(flat) <= width else _first_words(flat, width),)


def _first_words(text: str, width: int) -> str:
    prefix = ""
    for word in text.split(" "):
        longer = f"{prefix} {word}" if prefix else word
        if cell_width(longer) > width - 1:
            break
        prefix = longer
    return prefix.rstrip(":,;.：，；。") + "…" if cell_width(prefix) >= width // 2 else truncate(text, width)


def box_size(lines: tuple[str, ...], kind: NodeKind, mode: LayoutMode, *, low: bool = False) -> tuple[int, int]:
    """Width and height of a box around `lines`, with border and padding; with `low`, BEGIN and END have no border.

    The size includes the state's sign and a two-digit visit count: in the border, or before a compact box's text.
    """
    widest = max(cell_width(line) for line in lines)
    is_terminal = kind in (NodeKind.BEGIN, NodeKind.END)
    if mode == "compact" or (low and is_terminal):
        return widest + (0 if is_terminal else GLYPH_CELLS) + FRAME_CELLS, len(lines)
    return max(widest, 0 if is_terminal else _LEAST_TEXT) + FRAME_CELLS, len(lines) + 2


def label_lines(label: str, width: int, most: int) -> tuple[str, ...]:
    """The text of a branch's label, in at most `most` lines of `width` cells."""
    return wrap(clean_label(label) or " ", width, most)


def most_label_lines(mode: LayoutMode, lines: int) -> int:
    """The maximum lines of a branch's label in a chart whose boxes have at most `lines`."""
    return MAX_LABEL_LINES if mode == "compact" else max(MAX_LABEL_LINES, lines)
