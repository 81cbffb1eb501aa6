"""The tool interface: a name, a prompt, parameters as a pydantic model, and a call.

A tool declares its dependencies by the annotations of its constructor; `soul.assemble` provides them.
"""

from abc import ABC, abstractmethod
from contextvars import ContextVar
from functools import cache
from importlib import resources
from typing import ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict

from kimi_tui.i18n import tr
from kimi_tui.llm.provider import ToolSpec
from kimi_tui.wire.display import BriefBlock, DisplayBlock
from kimi_tui.wire.parts import ContentPart, JsonObject, ToolCall, ToolReturnValue

current_tool_call: ContextVar[ToolCall] = ContextVar("current_tool_call")
"""The current tool call; set around every call of a tool."""


class Params(BaseModel):
    """Base of a tool's parameters: an unknown name is an error that the model sees."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, defer_build=True)


P = TypeVar("P", bound=Params)


class Tool(ABC, Generic[P]):
    """One tool. `read_only` tools change nothing and run in plan mode. Of other tools, only calls for which `reads` is
    true run there; `may_read`: such calls exist. Tools with `asks` request approval themselves.
    """

    name: ClassVar[str]
    params: type[P]
    read_only: ClassVar[bool] = False
    may_read: ClassVar[bool] = False
    asks: ClassVar[bool] = False

    @property
    def description(self) -> str:
        """The prompt: `NAME.md` beside the tool's module, unless a tool overrides it."""
        return _prompt(type(self).__module__)

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, json_schema(self.params))

    def reads(self, params: P) -> bool:
        """Whether this call changes nothing."""
        del params
        return self.read_only

    @abstractmethod
    async def call(self, params: P) -> ToolReturnValue:
        """Run the tool. Errors that the model can act on are results with `is_error`."""


@cache
def _prompt(module: str) -> str:
    package, _, stem = module.rpartition(".")
    return resources.files(package).joinpath(f"{stem}.md").read_text("utf-8").strip()


@cache
def json_schema(params: type[BaseModel]) -> JsonObject:
    """Return the schema of a tool's parameters. Do not mutate it.

    It has no titles, which do not help the model, and no references, which not every service follows.
    """
    schema = params.model_json_schema()
    schema.pop("description", None)
    return cast(JsonObject, _plain(schema, schema.get("$defs", {}), ()))


def _plain(value: object, definitions: JsonObject, ancestors: tuple[str, ...]) -> object:
    """`ancestors` are the references followed so far; a circular reference becomes "anything"."""
    if isinstance(value, list):
        return [_plain(item, definitions, ancestors) for item in cast(list[object], value)]
    if not isinstance(value, dict):
        return value
    table = cast(dict[str, object], value)
    if isinstance(reference := table.get("$ref"), str):
        definition = definitions.get(reference.removeprefix("#/$defs/")) if reference not in ancestors else None
        siblings = {key: item for key, item in table.items() if key != "$ref"}
        table = {**definition, **siblings} if isinstance(definition, dict) else siblings
        ancestors = (*ancestors, reference)
    return {
        key: _plain(item, definitions, ancestors)
        for key, item in table.items()
        if key != "$defs" and not (key == "title" and isinstance(item, str) and ("type" in table or "anyOf" in table))
    }


def ok(
    output: str | tuple[ContentPart, ...] = "",
    message: str = "",
    *,
    display: tuple[DisplayBlock, ...] = (),
    extras: JsonObject | None = None,
) -> ToolReturnValue:
    return ToolReturnValue(is_error=False, output=output, message=message, display=display, extras=extras)


def failed(
    message: str, *, output: str = "", brief: str | None = None, display: tuple[DisplayBlock, ...] = ()
) -> ToolReturnValue:
    """Make an error result: `message` for the model, `brief` (or the message) for the user."""
    return ToolReturnValue(
        is_error=True, output=output, message=message, display=display or (BriefBlock(text=brief or message),)
    )


def unattended() -> ToolReturnValue:
    """Make the result of a call that needs approval while no user is present. It counts as rejected, but the turn
    continues.
    """
    text = tr("This needs the user's approval, and the user is away.")
    extras: JsonObject = {"rejected": True, "unattended": True}
    return ToolReturnValue(is_error=True, message=text, display=(BriefBlock(text=text),), extras=extras)


def rejected(feedback: str | None) -> ToolReturnValue:
    """Make the result for a rejection by the user. `extras` marks it for the soul, which may end the turn."""
    message = tr("The user rejected this tool call.")
    if feedback:
        message = tr("The user rejected this tool call and says: {words}", words=feedback)
    return ToolReturnValue(
        is_error=True,
        message=message,
        display=(BriefBlock(text=tr("Rejected: {feedback}", feedback=feedback) if feedback else tr("Rejected")),),
        extras={"rejected": True, "feedback": feedback},
    )
