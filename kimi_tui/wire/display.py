"""Display blocks of tools, distinguished by `type`; unknown types are kept unchanged."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Tag


class _Block(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class BriefBlock(_Block):
    """One short text."""

    type: Literal["brief"] = "brief"
    text: str


class DiffBlock(_Block):
    """A change to one file; the starts are line numbers from 1. A summary has no file text."""

    type: Literal["diff"] = "diff"
    path: str
    old_text: str
    new_text: str
    old_start: int = 1
    new_start: int = 1
    is_summary: bool = False


TodoStatus = Literal["pending", "in_progress", "done"]


class TodoItem(_Block):
    """An item of the to-do list. Fields of other versions are kept."""

    model_config = ConfigDict(extra="allow")  # defence: todos-of-other-versions

    title: str
    status: TodoStatus = "pending"


class TodoBlock(_Block):
    type: Literal["todo"] = "todo"
    items: tuple[TodoItem, ...]


class ShellBlock(_Block):
    """A command line, shown as code of `language`."""

    type: Literal["shell"] = "shell"
    language: str = "bash"
    command: str


class UnknownBlock(BaseModel):
    """A block of a type that this version cannot draw; every field is kept."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="allow")
    type: str


_KNOWN = frozenset({"brief", "diff", "todo", "shell"})


def _tag(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return kind if isinstance(kind, str) and kind in _KNOWN else "unknown"


DisplayBlock = Annotated[
    Annotated[BriefBlock, Tag("brief")]
    | Annotated[DiffBlock, Tag("diff")]
    | Annotated[TodoBlock, Tag("todo")]
    | Annotated[ShellBlock, Tag("shell")]
    | Annotated[UnknownBlock, Tag("unknown")],
    Discriminator(_tag),
]
