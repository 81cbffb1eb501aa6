"""The tree of a D2 text: fields within fields, and edges between them; converts it to a chart.

D2 merges all statements about a name, wherever they are, so shapes are complete only at the end of the text. Names are
case-insensitive. Attributes are fields too, recognised by their reserved names.
"""

from collections.abc import Iterator, Sequence
from typing import NoReturn

from kimi_tui.flow.model.graph import Direction, Heads
from kimi_tui.flow.parsing.chart_builder import ChartBuilder
from kimi_tui.flow.parsing.d2.keywords import RESERVED
from kimi_tui.flow.parsing.d2.strings import Scalar, Variable, written_key
from kimi_tui.flow.parsing.source_position import MAX_BYTES, SourcePositions
from kimi_tui.i18n import tr

_DIRECTIONS: dict[str, Direction] = {"down": "TB", "up": "BT", "right": "LR", "left": "RL"}
TABLES = frozenset({"sql_table", "class"})
_NOT_DRAWN = TABLES | {"sequence_diagram"}
_FILLED_WHEN_RUN = frozenset({"ARGS"})
DEEPEST = 100
_LONGEST_PATHS = 16 * MAX_BYTES


class Field:
    """A name with its value and the contents of its braces. The root and the maps of edges have no name."""

    __slots__ = (
        "children",
        "depth",
        "name",
        "offset",
        "order",
        "parent",
        "reserved",
        "suspended",
        "value",
        "value_offset",
        "values",
    )

    def __init__(
        self, name: str, parent: "Field | None", offset: int, *, reserved: bool = False, order: int = 0
    ) -> None:
        self.name, self.parent, self.offset = name, parent, offset
        self.reserved, self.order = reserved, order
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.children: dict[tuple[str, bool], Field] = {}
        self.value: Scalar | None = None
        self.value_offset = offset
        self.values: list[Scalar] = []
        self.suspended = False

    def attribute(self, *names: str) -> "Field | None":
        field: Field | None = self
        for name in names:
            field = None if field is None else field.children.get((name, True))
        return field

    def shapes(self) -> Iterator["Field"]:
        return (child for child in self.children.values() if not child.reserved)


class Edge:
    """A connection; `src` is the start in the direction of a run, whichever way the arrow was written.

    `layers` are the fields with attributes of it, in the order of the text: the one of its whole chain, then those of
    its index, and those of patterns.
    """

    __slots__ = ("deleted", "dst", "heads", "layers", "offset", "src", "suspended")

    def __init__(self, src: Field, dst: Field, arrow: str, *, layers: list[Field], offset: int) -> None:
        self.layers, self.offset, self.deleted, self.suspended = layers, offset, False, False
        self.src, self.dst = (dst, src) if arrow == "<-" else (src, dst)
        self.heads: Heads = "none" if arrow == "-" else "both" if arrow == "<->" else "forward"


class Tree:
    """The root field and all edges of the parsed board."""

    def __init__(self, positions: SourcePositions) -> None:
        self.positions = positions
        self.root = Field("", None, 0)
        self.edges: list[Edge] = []
        self.by_link: dict[tuple[Field, str, Field], list[Edge]] = {}
        self._substituted = 0
        self._unknown: dict[int, str] = {}
        self.replaced: dict[Field, int] = {}
        """The fields that got another text, with the place of the last one."""
        self._created = 0

    def child(self, scope: Field, name: str, offset: int, *, bare: bool) -> Field:
        """The field of that name in a scope; creates it if necessary."""
        reserved = bare and name.lower() in RESERVED
        key = (name.lower(), reserved)
        child = scope.children.get(key)
        if child is None:
            self._created += 1
            if scope.depth == DEEPEST:
                raise self.positions.error(tr("shapes are nested deeper than {most} levels here", most=DEEPEST), offset)
            child = Field(name, scope, offset, reserved=reserved, order=self._created)
            scope.children[key] = child
        return child

    def connect(self, source: Field, arrow: str, target: Field, *, layers: list[Field], offset: int) -> None:
        edge = Edge(source, target, arrow, layers=layers, offset=offset)
        self.edges.append(edge)
        self.by_link.setdefault((source, arrow, target), []).append(edge)

    def fill(self, builder: ChartBuilder) -> None:
        """Add the tree to a chart. A table's rows are part of the table."""
        direction = self.root.attribute("direction")
        if direction is not None and direction.value is not None:
            builder.direction = _DIRECTIONS.get(direction.value.text, "TB")
        if self.shape_name(self.root) == "sequence_diagram":
            self._refuse_sequence(self.root)
        live, ids = self._live()
        for field in sorted(live, key=lambda field: field.order):
            node_id, shown = ids[field]
            if shown is field:
                builder.mention(node_id, field.offset)
                self._node(builder, node_id, field)
                if field in self.replaced:
                    builder.note_replaced_label(node_id, self.replaced[field])
                members = [ids[child][0] for child in field.shapes() if child in ids and ids[child][1] is child]
                if members:
                    builder.group(node_id, members, offset=field.offset)
        for edge in self.edges:
            src, dst = ids.get(edge.src), ids.get(edge.dst)
            if src is not None and dst is not None and not (edge.deleted or edge.suspended):
                label, _, _ = self._label(edge.layers)
                builder.edge(src[0], dst[0], label or None, offset=edge.offset, heads=edge.heads)
        self._settings(builder)
        for offset, path in self._unknown.items():
            if path not in _FILLED_WHEN_RUN:
                builder.note(tr("no variable `{path}`, so `${{{path}}}` is left as written", path=path), offset)

    def _settings(self, builder: ChartBuilder) -> None:
        """Add the settings in `vars: { flow: { NODE: { key: value } } }` to their nodes."""
        variables = self.root.attribute("vars")
        flow = None if variables is None else variables.children.get(("flow", False))
        if flow is None:
            return
        ids = {node_id.lower(): node_id for node_id in builder.nodes}
        for node in flow.children.values():
            node_id = ids.get(written_key(node.name).lower()) or ids.get(node.name.lower())
            if node_id is None:
                builder.note(tr("settings of `{node}`, but the chart has no such node", node=node.name), node.offset)
                continue
            for setting in node.children.values():
                if setting in self.replaced:
                    text = tr(
                        "`{node}` has `{key}` more than once; the last one counts", node=node_id, key=setting.name
                    )
                    builder.note(text, self.replaced[setting])
                value = None if setting.value is None else self._filled(setting.value, setting)
                builder.setting(node_id, setting.name, value, setting.offset)

    def _live(self) -> tuple[list[Field], dict[Field, tuple[str, Field]]]:
        """Every shape in the tree, with the id that it is displayed under: its own, or its table's."""
        ids: dict[Field, tuple[str, Field]] = {}
        pending: list[tuple[Field, str, tuple[str, Field] | None]] = [(self.root, "", None)]
        size = 0
        while pending:
            field, prefix, table = pending.pop()
            for child in field.shapes():
                if child.suspended:
                    continue
                path = prefix + written_key(child.name)
                size += len(path)
                if size > _LONGEST_PATHS:
                    raise self.positions.error(
                        tr("the names of nested shapes are too long in total; shorten them"), child.offset
                    )
                shown = table or (path, child)
                ids[child] = shown
                inner = table or (shown if self.shape_name(child) in TABLES else None)
                pending.append((child, path + ".", inner))
        return list(ids), ids

    def shape_name(self, field: Field) -> str:
        shape = field.attribute("shape")
        for name in self._classes(field) if shape is None else ():
            shape = self._class(name, "shape") or shape
        return "" if shape is None or shape.value is None else shape.value.text.lower()

    def _node(self, builder: ChartBuilder, node_id: str, field: Field) -> None:
        shape = self.shape_name(field)
        if shape == "sequence_diagram":
            self._refuse_sequence(field)
        if shape:
            builder.shape(node_id, shape)
        label, offset, inside = self._label([field])
        if label is not None:
            builder.label(node_id, label, offset, inside=inside)
        elif field.name != node_id:
            builder.label(node_id, field.name, field.offset)

    def _refuse_sequence(self, field: Field) -> NoReturn:
        shape = field.attribute("shape") or field
        raise self.positions.error(tr("a sequence diagram is not a flowchart; remove this shape"), shape.offset)

    def _classes(self, field: Field) -> list[str]:
        class_field = field.attribute("class")
        if class_field is None:
            return []
        values = [class_field.value] if class_field.value is not None else class_field.values
        return [value.text for value in values]

    def _class(self, name: str, attribute: str) -> Field | None:
        classes = self.root.attribute("classes")
        entry = None if classes is None else classes.children.get((name.lower(), False))
        return None if entry is None else entry.attribute(attribute)

    def _label(self, layers: Sequence[Field]) -> tuple[str | None, int, bool]:
        """The label, its offset, and whether a `label:` set it: the own one, else a class's, else the value."""
        for layer in reversed(layers):
            own = layer.attribute("label")
            if own is not None and own.value is not None:
                return self._filled(own.value, layer), own.value_offset, True
        for layer in reversed(layers):
            for name in reversed(self._classes(layer)):
                by_class = self._class(name, "label")
                if by_class is not None and by_class.value is not None:
                    return self._filled(by_class.value, by_class), layer.offset, True
        for layer in reversed(layers):
            if layer.value is not None:
                return self._filled(layer.value, layer), layer.value_offset, False
        return None, layers[0].offset, False

    def _filled(self, value: Scalar, scope: Field) -> str:
        if all(isinstance(piece, str) for piece in value.pieces):
            text = value.text
            return text.lower() if value.bare and text.lower() in ("true", "false") else text
        parts: list[str] = []
        todo: list[tuple[str | Variable, int]] = [(piece, 0) for piece in reversed(value.pieces)]
        while todo:
            piece, depth = todo.pop()
            if isinstance(piece, str):
                parts.append(piece)
                self._substituted += len(piece)
            else:
                class_field = self.variable(piece.path, scope)
                value_found = None if class_field is None else class_field.value
                if value_found is None or depth > DEEPEST:
                    parts.append(f"${{{piece.path}}}")
                    self._unknown[piece.offset] = piece.path
                else:
                    todo.extend((inner, depth + 1) for inner in reversed(value_found.pieces))
            self._substituted += 1
            if self._substituted > MAX_BYTES:
                raise self.positions.error(tr("the variables of this chart expand to more than 1 MiB"), 0)
        return "".join(parts)

    def variable(self, path: str, scope: Field) -> Field | None:
        """The field that a variable's name refers to within `scope`; None if there is none."""
        names = path.split(".")
        ancestor: Field | None = scope
        while ancestor is not None:
            variables = ancestor.attribute("vars")
            for name in names:
                variables = None if variables is None else _child_named(variables, name.strip())
            if variables is not None and (variables.value is not None or variables.children):
                return variables
            ancestor = ancestor.parent
        return None

    def classes_matter(self) -> bool:
        """Whether any class sets a label, or a shape that the chart draws."""
        classes = self.root.attribute("classes")
        for class_field in () if classes is None else classes.children.values():
            shape = class_field.attribute("shape")
            if class_field.attribute("label") is not None or (
                shape is not None and shape.value is not None and shape.value.text.lower() in _NOT_DRAWN
            ):
                return True
        return False

    def edge_ends(self) -> Iterator[tuple[Field, Field]]:
        return ((source, target) for source, _, target in self.by_link)

    def field_path(self, field: Field) -> str:
        names: list[str] = []
        while field.parent is not None:
            names.append(written_key(field.name))
            field = field.parent
        return ".".join(reversed(names))

    def field_text(self, field: Field) -> str:
        """The text of a shape; by default its name."""
        label, _, _ = self._label([field])
        return field.name if label is None else label

    def texts(self, field: Field, names: tuple[str, ...]) -> list[str]:
        """The values of an attribute."""
        entry = field.attribute(*names)
        if entry is None:
            return [field.value.text] if names == ("label",) and field.value is not None else []
        return [value.text for value in ([entry.value] if entry.value is not None else entry.values)]


def _child_named(field: Field, name: str) -> Field | None:
    return field.children.get((name.lower(), False)) or field.children.get((name.lower(), True))
