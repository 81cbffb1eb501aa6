"""D2's variables with shapes or attributes: `a: ${x}` and `a: {...${x}}` copy the contents of `x` into `a`."""

from kimi_tui.flow.parsing.chart_builder import MOST_EDGES
from kimi_tui.flow.parsing.d2.strings import Variable
from kimi_tui.flow.parsing.d2.tree import Field, Tree
from kimi_tui.i18n import tr

Spreads = dict[Field, list[Variable]]


def substitute(tree: Tree, spreads: Spreads) -> set[Field]:
    """Substitute all of them, also nested ones; their contents precede everything else.

    Returns the fields that were filled, and everything put into them.
    """
    return _Filling(tree, spreads).run()


def _all(tree: Tree) -> list[Field]:
    """Every field, without the variables and classes of the root; also the fields of connections."""
    found = [tree.root, *(layer for edge in tree.edges for layer in edge.layers[:1])]
    for field in found:
        found += (
            child for child in field.children.values() if not child.reserved or child.name not in ("vars", "classes")
        )
    return found


def _only_variable(field: Field) -> Variable | None:
    """The variable that is a field's whole value."""
    if field.value is None or len(field.value.pieces) != 1 or not field.value.bare:
        return None
    piece = field.value.pieces[0]
    return piece if isinstance(piece, Variable) else None


class _Filling:
    def __init__(self, tree: Tree, spreads: Spreads) -> None:
        self._tree, self._spreads = tree, spreads
        self._made = 0

    def run(self) -> set[Field]:
        filled: set[Field] = set()
        waiting = _all(self._tree)
        while waiting:
            field = waiting.pop()
            for variable in self._spreads.get(field, ()):
                held = self._tree.variable(variable.path, field)
                if held is None or not held.children:
                    raise self._tree.places.error(
                        tr("no variable `{path}` with shapes or attributes", path=variable.path),
                        variable.offset,
                    )
                filled |= {field, *(copied := self._copy(held, field, variable.offset))}
                waiting += copied
            variable = _only_variable(field)
            held = None if variable is None else self._tree.variable(variable.path, field)
            if variable is not None and held is not None and held.value is None and held.children:
                if field.children:
                    raise self._tree.places.error(
                        tr(
                            "`{path}` contains shapes and braces follow; spread it inside them: `{example}`",
                            example="...${x}",
                            path=variable.path,
                        ),
                        variable.offset,
                    )
                field.value = None
                filled |= {field, *(copied := self._copy(held, field, variable.offset))}
                waiting += copied
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
        for (source, arrow, target), edges in [*self._tree.written.items()]:
            self._count(offset)
            if source in copies and target in copies and source is not held:
                for edge in edges:
                    self._tree.connect(copies[source], arrow, copies[target], layers=[*edge.layers], offset=edge.offset)
        return [copy for field, copy in copies.items() if field is not held]

    def _count(self, offset: int) -> None:
        self._made += 1
        if self._made > MOST_EDGES:
            raise self._tree.places.error(
                tr("variables up to here insert more than {most} shapes", most=MOST_EDGES), offset
            )
