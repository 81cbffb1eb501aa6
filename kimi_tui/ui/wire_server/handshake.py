"""The handshake between client and engine; the client may repeat it at any time."""

from collections import Counter
from typing import Any

from kimi_tui import __version__
from kimi_tui.soul.engine import Engine
from kimi_tui.soul.hooks.dispatcher import EVENTS, Subscription
from kimi_tui.tools.core.tool import Tool
from kimi_tui.ui.wire_server.client_tools import ClientTools
from kimi_tui.ui.wire_server.params import Capabilities, Hook, Initialize
from kimi_tui.ui.wire_server.rpc import Code, RpcError
from kimi_tui.wire.parts import JsonObject
from kimi_tui.wire.recorder import PROTOCOL_VERSION

_QUESTION_TOOL = "AskUserQuestion"


class Handshake:
    """The handshake of one client. Without declared capabilities, a client gets no optional messages."""

    def __init__(self, engine: Engine, tools: ClientTools) -> None:
        self._engine = engine
        self._tools = tools
        self._toolset = engine.soul.agent.toolset
        self._question_tool: Tool[Any] | None = self._toolset.get(_QUESTION_TOOL)
        self._attended = engine.questions.attended
        self._apply(Capabilities())

    def take(self, params: Initialize) -> JsonObject:
        """Answer `initialize`. Raises RpcError for an invalid hook."""
        self._subscribe(params.hooks or ())
        self._apply(params.capabilities)
        hooks = self._engine.hooks
        reply: JsonObject = {
            "protocol_version": PROTOCOL_VERSION,
            "server": {"name": "kimi-tui", "version": __version__},
            "slash_commands": [
                {"name": info.name, "description": info.description, "aliases": list(info.aliases)}
                for info in self._engine.commands()
            ],
            "capabilities": {"supports_question": self._question_tool is not None, "supports_flow": True},
            "hooks": {
                "supported_events": list(EVENTS),
                "configured": dict(Counter(hook.event for hook in hooks.configured)),
            },
        }
        if params.external_tools is not None:
            accepted, rejected = self._tools.offer(params.external_tools)
            reply["external_tools"] = {
                "accepted": list(accepted),
                "rejected": [{"name": name, "reason": reason} for name, reason in rejected],
            }
        return reply

    def _apply(self, capabilities: Capabilities) -> None:
        """Apply the capabilities: without support for questions the model cannot ask any; without support for flows no
        flow waits for steering.
        """
        self._engine.interactive = capabilities.supports_flow
        self._engine.questions.attended = self._attended and capabilities.supports_question
        if capabilities.supports_question and self._question_tool is not None:
            self._toolset.add(self._question_tool)
        else:
            self._toolset.remove(_QUESTION_TOOL)

    def _subscribe(self, hooks: tuple[Hook, ...]) -> None:
        subscription_ids = {subscription.id for subscription in self._engine.hooks.clients}
        for hook in hooks:
            if hook.id in subscription_ids:
                continue
            try:
                self._engine.hooks.subscribe(Subscription(hook.id, hook.event, hook.matcher, hook.timeout))
            except ValueError as error:
                raise RpcError(Code.BAD_PARAMS, f"hooks: {error}") from None
