"""D2's variables with shapes or attributes: `a: ${x}` and `a: {...${x}}` copy the contents of `x` into `a`."""

from kimi_tui.flow.parsing.chart_builder import MAX_EDGES
from kimi_tui.flow.parsing.d2.strings import Variable
from kimi_tui.flow.parsing.d2.tree import Field, Tree
from kimi_tui.i18n import tr

Spreads = dict[Field, list[Variable]]


def substitute(tree: Tree, spreads: Spreads) -> set[Field]:
    """Substitute all of them, also nested ones; their contents precede everything else.

    Returns the fields that were filled, and everything put into them.
    """
    return _Substitution(tree, spreads).run()


def _all_fields(tree: Tree) -> list[Field]:
    """Every field, without the variables and classes of the root; also the fields of connections."""
    fields = [tree.root, *(layer for edge in tree.edges for layer in edge.layers[:1])]
    for field in fields:
        fields += (
            child for child in field.children.values() if not child.reserved or child.name not in ("vars", "classes")
        )
    return fields


def _only_variable(field: Field) -> Variable | None:
    """The variable that is a field's whole value."""
    if field.value is None or len(field.value.pieces) != 1 or not field.value.bare:
        return None
    part = field.value.pieces[0]
    return part if isinstance(part, Variable) else None


class _Substitution:
    def __init__(self, tree: Tree, spreads: Spreads) -> None:
        self._tree, self._spreads = tree, spreads
        self._created = 0

    def run(self) -> set[Field]:
        filled: set[Field] = set()
        pending = _all_fields(self._tree)
        while pending:
            field = pending.pop()
            for variable in self._spreads.get(field, ()):
                source = self._tree.variable(variable.path, field)
                if source is None or not source.children:
                    raise self._tree.positions.error(
                        tr("no variable `{path}` with shapes or attributes", path=variable.path),
                        variable.offset,
                    )
                filled |= {field, *(copied := self._copy(source, field, variable.offset))}
                pending += copied
            variable = _only_variable(field)
            source = None if variable is None else self._tree.variable(variable.path, field)
            if variable is not None and source is not None and source.value is None and source.children:
                if field.children:
                    raise self._tree.positions.error(
                        tr(
                            "`{path}` contains shapes, so braces cannot follow it; spread it inside the braces: "
                            "`{example}`",
                            example="...${x}",
                            path=variable.path,
                        ),
                        variable.offset,
                    )
                field.value = None
                filled |= {field, *(copied := self._copy(source, field, variable.offset))}
                pending += copied
        return filled

    def _copy(self, held: Field, into: Field, offset: int) -> list[Field]:
        copies = {held: into}
        todo = [held]
        while todo:
            field = todo.pop()
            if field in self._spreads and copies[field] is not into:
                self._spreads[copies[field]] = self._spreads[field]
            for child in [*field.children.values()]:
                self._count(offset)
                copy = self._tree.child(copies[field], child.name, child.offset, bare=child.reserved)
                if child.value is not None:
                    copy.value, copy.value_offset = child.value, child.value_offset
                copy.values = child.values or copy.values
                copies[child] = copy
                todo.append(child)
        for (source, arrow, target), edges in [*self._tree.by_link.items()]:
            self._count(offset)
            if source in copies and target in copies and source is not held:
                for edge in edges:
                    self._tree.connect(copies[source], arrow, copies[target], layers=[*edge.layers], offset=edge.offset)
        return [copy for field, copy in copies.items() if field is not held]

    def _count(self, offset: int) -> None:
        self._created += 1
        if self._created > MAX_EDGES:
            raise self._tree.positions.error(
                tr("variables up to here insert more than {most} shapes", most=MAX_EDGES), offset
            )
