"""D2's reserved words: they name attributes, never shapes."""

# fmt: off
STYLE_WORDS = frozenset({
    "opacity", "stroke", "fill", "fill-pattern", "stroke-width", "stroke-dash", "border-radius", "font",
    "font-size", "font-color", "bold", "italic", "underline", "text-transform", "shadow", "multiple",
    "double-border", "3d", "animated", "filled",
})
ATTRIBUTES = frozenset({
    "label", "shape", "icon", "constraint", "tooltip", "link", "near", "width", "height", "direction", "top",
    "left", "grid-rows", "grid-columns", "grid-gap", "vertical-gap", "horizontal-gap", "class", "vars",
    "style", "classes", "source-arrowhead", "target-arrowhead",
})
# fmt: on
BOARDS = frozenset({"layers", "scenarios", "steps"})
RESERVED = STYLE_WORDS | ATTRIBUTES | BOARDS
