"""The parameters of each method, as pydantic models."""

from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kimi_tui.ui.wire_server.rpc import Code, RpcError
from kimi_tui.wire.parts import JsonObject, UserInput


class _Params(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore")


class ClientInfo(_Params):
    name: str
    version: str | None = None


class OfferedTool(_Params):
    """A tool whose calls the client answers; `parameters` is a JSON schema."""

    name: str
    description: str = ""
    parameters: JsonObject = Field(default_factory=dict)


class Capabilities(_Params):
    """The client's capabilities; it gets no messages that need others."""

    supports_question: bool = False
    supports_plan_mode: bool = False
    supports_flow: bool = False


class Hook(_Params):
    id: str
    event: str
    matcher: str = ""
    timeout: int = 30


class Initialize(_Params):
    protocol_version: str
    client: ClientInfo | None = None
    external_tools: tuple[OfferedTool, ...] | None = None
    capabilities: Capabilities = Capabilities()
    hooks: tuple[Hook, ...] | None = None


class PromptParams(_Params):
    """The params of `prompt` and of `steer`."""

    user_input: UserInput


class SetPlanMode(_Params):
    enabled: bool = Field(strict=True)


P = TypeVar("P", bound=_Params)


def checked(model: type[P], params: JsonObject) -> P:
    """Validate the parameters. Raises RpcError with the position of the error."""
    try:
        return model.model_validate(params)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise RpcError(Code.BAD_PARAMS, f"{where}: {first['msg']}" if where else first["msg"]) from None
