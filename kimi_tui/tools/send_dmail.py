"""SendDMail: reverts the agent to a checkpoint, with a message to itself."""

from pydantic import Field

from kimi_tui.context.dmail import DenwaRenji, DMail, DMailError
from kimi_tui.tools.core.tool import Params, Tool, failed, ok
from kimi_tui.wire.parts import ToolReturnValue


class SendDMailParams(Params):
    message: str = Field(min_length=1, description="What you want to have known at that point.")
    checkpoint_id: int = Field(ge=0, description="The checkpoint to go back to; what came after it is gone.")


class SendDMail(Tool[SendDMailParams]):
    name = "SendDMail"
    params = SendDMailParams

    def __init__(self, denwa_renji: DenwaRenji) -> None:
        self._denwa_renji = denwa_renji

    async def call(self, params: SendDMailParams) -> ToolReturnValue:
        try:
            self._denwa_renji.send(DMail(params.message, params.checkpoint_id))
        except DMailError as error:
            return failed(str(error))
        return ok(message="If you read this, the D-Mail was not sent.", extras={"checkpoint_id": params.checkpoint_id})
