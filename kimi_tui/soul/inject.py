"""Giving a tool what it needs: its constructor says so by annotation, and nothing is guessed."""

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, cast, get_type_hints

from kimi_tui.errors import KimiTuiError
from kimi_tui.tools.tool import Tool


class ToolLoadError(KimiTuiError):
    """A tool that cannot be made; the message names it and what is missing."""


def tool_class(name: str) -> type[Tool[Any]]:
    """The tool class that `module:Class` names. Raises ToolLoadError."""
    module_name, colon, class_name = name.partition(":")
    if not colon or not module_name or not class_name:
        raise ToolLoadError(f"{name!r} is no tool: write it as module:Class")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ToolLoadError(f"{name}: the module cannot be imported: {error}") from error
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Tool)):
        raise ToolLoadError(f"{name}: {module_name} has no tool class {class_name}")
    return cast(type[Tool[Any]], found)


def make_tool(cls: type[Tool[Any]], services: Mapping[type, object]) -> Tool[Any]:
    """An instance of `cls`, its parameters filled by type from `services`. Raises ToolLoadError."""
    label = f"{cls.__module__}:{cls.__name__}"
    if cls.__init__ is object.__init__:
        return cls()
    try:
        hints = get_type_hints(cls.__init__)
    except NameError as error:
        raise ToolLoadError(f"{label}: an annotation of its constructor is not known: {error}") from error
    arguments: dict[str, object] = {}
    for name, parameter in list(inspect.signature(cls.__init__).parameters.items())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        wanted = hints.get(name)
        if isinstance(wanted, type) and wanted in services:
            arguments[name] = services[wanted]
        elif parameter.default is parameter.empty:
            shown = getattr(wanted, "__name__", wanted) if wanted is not None else "nothing (it has no annotation)"
            raise ToolLoadError(f"{label}: its constructor asks for {name}: {shown}, which is not to be had")
    return cls(**arguments)
