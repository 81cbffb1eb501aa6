"""Which calls are given a text that the user reads: by the annotation `UserText` of parameters and fields."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

SEVERAL_WORDS = re.compile(r"[A-Za-z]{2,}[,:;.]? [A-Za-z]+")
Places = frozenset[int | str]
"""The positions of the arguments that are such texts, and their keywords."""


def called(node: ast.AST) -> str:
    """The name of the function or class that is called; "" if nothing is."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return ""


def taking_user_texts(files: Iterable[Path]) -> Mapping[str, Places]:
    """The names of the functions and classes of the files that take such texts, and the places of those."""
    found: dict[str, Places] = {}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            for name, places in _of(node):
                found[name] = found.get(name, frozenset()) | places
    return found


def errors(files: Iterable[Path], base: str) -> frozenset[str]:
    """The names of the classes of the files that come of `base`."""
    trees = (ast.parse(file.read_text("utf-8")) for file in files)
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found = {base}
    while more := {one.name for one in classes if found & {_name(each) for each in one.bases}} - found:
        found |= more
    return frozenset(found)


def _of(node: ast.AST) -> Iterator[tuple[str, Places]]:
    match node:
        case ast.FunctionDef(name=name, args=args) | ast.AsyncFunctionDef(name=name, args=args) if name != "__init__":
            if places := frozenset(_places(args)):
                yield name, places
        case ast.ClassDef(name=name, body=body):
            fields = [each for each in body if isinstance(each, ast.AnnAssign) and _name(each.annotation) != "ClassVar"]
            texts = [(index, each.target) for index, each in enumerate(fields) if _name(each.annotation) == "UserText"]
            places = {place for index, target in texts for place in (index, _name(target))}
            for each in body:
                if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                    places.update(_places(each.args))
            if places:
                yield name, frozenset(places)
        case _:
            pass


def _places(args: ast.arguments) -> Iterator[int | str]:
    positional = [each for each in (*args.posonlyargs, *args.args) if each.arg != "self"]
    for index, each in enumerate(positional):
        if _name(each.annotation) == "UserText":
            yield from (index, each.arg)
    yield from (each.arg for each in args.kwonlyargs if _name(each.annotation) == "UserText")
    if args.vararg is not None and _name(args.vararg.annotation) == "UserText":
        yield from range(len(positional), 20)


def _name(node: ast.AST | None) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name(value)
        case _:
            return ""
