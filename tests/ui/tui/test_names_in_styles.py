"""Names that Textual finds by their spelling: classes in style sheets, messages in the names of handlers."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import TypeVar

from textual.css.model import SelectorType
from textual.css.parse import parse
from textual.css.tokenize import tokenize_values
from textual.dom import DOMNode
from textual.message import Message
from textual.message_pump import MessagePump

import kimi_tui.ui.tui

T = TypeVar("T")


def _below(kind: type[T]) -> Iterator[type[T]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def _ours(kind: type[T]) -> list[type[T]]:
    for module in pkgutil.walk_packages(kimi_tui.ui.tui.__path__, "kimi_tui.ui.tui."):
        importlib.import_module(module.name)
    return [found for found in _below(kind) if found.__module__.startswith("kimi_tui.ui.tui.")]


def _named_in(kind: type[DOMNode]) -> Iterator[str]:
    sheets = [vars(kind).get("DEFAULT_CSS", ""), vars(kind).get("CSS", "")]
    for sheet in sheets:
        for rules in parse("", sheet, ("", ""), None, tokenize_values(_anything(sheet))):
            for selectors in rules.selector_set:
                for selector in selectors.selectors:
                    if selector.type is SelectorType.TYPE:
                        yield selector.name


def _anything(sheet: str) -> dict[str, str]:
    """A colour for each variable: only the names of classes are looked at."""
    return dict.fromkeys(re.findall(r"\$([\w-]+)", sheet), "#000000")


def test_each_class_that_a_style_sheet_names_is_one_that_there_is() -> None:
    ours = _ours(DOMNode)
    known = {kind.__name__ for kind in (DOMNode, *_below(DOMNode))}
    unknown = {f"{kind.__name__}: {name}" for kind in ours for name in _named_in(kind) if name not in known}
    assert not unknown


def test_each_handler_of_a_message_is_named_after_one_that_there_is() -> None:
    ours = _ours(MessagePump)
    known = {message.handler_name for message in _below(Message)}
    unknown = {
        f"{kind.__name__}.{name}"
        for kind in ours
        for name, value in vars(kind).items()
        if name.startswith("on_") and inspect.isfunction(value) and name not in known
    }
    assert not unknown
