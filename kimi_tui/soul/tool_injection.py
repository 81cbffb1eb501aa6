"""Constructor injection for tools, by type annotation only."""

import importlib
import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any, cast, get_args, get_type_hints

from kimi_tui.errors import KimiTuiError
from kimi_tui.tools.core.tool import Tool


class ToolLoadError(KimiTuiError):
    """A tool that cannot be loaded; the message names it and the missing part."""


def tool_class(name: str) -> type[Tool[Any]]:
    """Load the tool class `module:Class`. Raises ToolLoadError."""
    module_name, colon, class_name = name.partition(":")
    if not colon or not module_name or not class_name:
        raise ToolLoadError(f"{name!r} is not a tool: write it as module:Class")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # a third-party module may raise anything
        raise ToolLoadError(f"{name}: the module cannot be imported: {_cause(error)}") from error
    tool = getattr(module, class_name, None)
    if not (isinstance(tool, type) and issubclass(tool, Tool)):
        raise ToolLoadError(f"{name}: {module_name} has no tool class {class_name}")
    cls = cast(type[Tool[Any]], tool)
    lacks = [attribute for attribute in ("name", "params") if not hasattr(cls, attribute)]
    lacks += sorted(cls.__abstractmethods__)
    if lacks:
        raise ToolLoadError(f"{name}: the tool lacks {', '.join(lacks)}")
    return cls


def make_tool(cls: type[Tool[Any]], services: Mapping[type, object]) -> Tool[Any]:
    """Make a `cls`, with parameters injected by type from `services`; `T | None` gets a T if there is one.

    Raises ToolLoadError.
    """
    label = f"{cls.__module__}:{cls.__name__}"
    arguments: dict[str, object] = {}
    for name, annotation, required in _parameters(cls):
        service = next(
            (
                candidate
                for candidate in (get_args(annotation) or (annotation,))
                if isinstance(candidate, type) and candidate in services
            ),
            None,
        )
        if service is not None:
            arguments[name] = services[service]
        elif required:
            type_name = (
                getattr(annotation, "__name__", annotation)
                if annotation is not None
                else "nothing (it has no annotation)"
            )
            raise ToolLoadError(f"{label}: its constructor asks for {name}: {type_name}, which is not available")
    try:
        tool = cls(**arguments)
        _ = tool.spec
    except Exception as error:
        raise ToolLoadError(f"{label}: cannot be created: {_cause(error)}") from error
    return tool


@cache
def _parameters(cls: type[Tool[Any]]) -> list[tuple[str, object, bool]]:
    """Name, annotation and "has no default" of each parameter of its constructor. Raises ToolLoadError."""
    try:
        hints = get_type_hints(cls.__init__)
    except NameError as error:
        raise ToolLoadError(
            f"{cls.__module__}:{cls.__name__}: unknown annotation in its constructor: {error}"
        ) from error
    return [
        (name, hints.get(name), parameter.default is parameter.empty)
        for name, parameter in list(inspect.signature(cls.__init__).parameters.items())[1:]
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
