"""Makes agents from their specs, and gives each its subagents."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kimi_tui.context.dmail import DenwaRenji
from kimi_tui.errors import AgentSpecError
from kimi_tui.permission.rule import EDITS
from kimi_tui.regular_file import read_text
from kimi_tui.soul.agent import Agent
from kimi_tui.soul.agent_spec import AgentSpec, read_agent_spec
from kimi_tui.soul.prompt_template import TemplateError, fill
from kimi_tui.soul.services import Services
from kimi_tui.soul.subagents.labor_market import LaborMarket, Send, SubagentType
from kimi_tui.soul.subagents.pool import SubagentContext, SubagentPool
from kimi_tui.soul.tool_availability import ToolAvailability
from kimi_tui.soul.tool_injection import ToolLoadError, make_tool, tool_class
from kimi_tui.tools.core.tool import Tool
from kimi_tui.tools.core.toolset import Toolset
from kimi_tui.tools.task import Subagents


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes agents. Tools may request `services`; system prompts may use `values`.

    `attach_external_tools` adds external tools to a toolset; read-only agents get none of them.
    """

    services: Services
    values: Mapping[str, str]
    subagent_context: SubagentContext
    attach_external_tools: Callable[[Toolset], None]

    def make(
        self, spec: AgentSpec, send: Send, *, system_prompt: str | None = None, market: LaborMarket | None = None
    ) -> Agent:
        """Make an agent with its own DenwaRenji and, unless one is given, its own labour market.

        `send` receives the agent's Wire messages, including those of its subagents. Raises AgentSpecError for a tool
        that cannot be loaded and for an invalid subagent file.
        """
        market = market if market is not None else self.market(spec)
        denwa_renji = DenwaRenji()

        def like_me(prompt: str, send: Send) -> Agent:
            return self.make(spec, send, system_prompt=prompt, market=market)

        pool = SubagentPool(market, self.subagent_context, send, like_me)
        services = {**self.services.by_type(), DenwaRenji: denwa_renji, Subagents: pool}
        tools = _make_tools(spec, services)
        toolset = Toolset(tools, plan_mode=self.services.plan_mode, approvals=self.services.approvals)
        if not all(tool.read_only for tool in tools):
            self.attach_external_tools(toolset)
        return Agent(
            spec.name,
            system_prompt or self.prompt(spec),
            toolset,
            ToolAvailability(toolset, self.services.media, self.services.web, self.services.questions),
            pool,
            denwa_renji if toolset.get("SendDMail") is not None else None,
            spec.model,
        )

    def prompt(self, spec: AgentSpec) -> str:
        """Render the system prompt of the spec's file. Raises AgentSpecError."""
        try:
            template = read_text(spec.system_prompt_path)
        except (OSError, UnicodeDecodeError) as error:
            raise AgentSpecError(str(error), file=spec.system_prompt_path) from error
        try:
            arguments = {name: fill(text, self.values).strip() for name, text in spec.system_prompt_args.items()}
            return fill(template, {**self.values, **arguments})
        except TemplateError as error:
            raise AgentSpecError(str(error), file=spec.system_prompt_path, line=error.line) from error

    def market(self, spec: AgentSpec) -> LaborMarket:
        """Return the validated subagents of the spec. Raises AgentSpecError."""
        market = LaborMarket()
        for name, subagent in spec.subagents.items():
            full_spec = read_agent_spec(subagent.path)
            read_only = not any(tool.name in EDITS for tool in self._checked(full_spec))
            use = f"When to use it: {full_spec.when_to_use}" if full_spec.when_to_use else ""
            described = f"{subagent.description} {use}".strip()
            market.fixed[name] = SubagentType(described, lambda send, spec=full_spec: self.make(spec, send), read_only)
        return market

    def _checked(self, spec: AgentSpec) -> list[Tool[Any]]:
        """Load its tools, so that errors in a subagent surface before it is started. Raises AgentSpecError."""
        empty_pool = SubagentPool(
            LaborMarket(), self.subagent_context, lambda message: None, lambda prompt, send: self.make(spec, send)
        )
        tools = _make_tools(spec, {**self.services.by_type(), DenwaRenji: DenwaRenji(), Subagents: empty_pool})
        self.prompt(spec)
        return tools


def _make_tools(spec: AgentSpec, services: Mapping[type, object]) -> list[Tool[Any]]:
    tools: list[Tool[Any]] = []
    for name in spec.tools:
        try:
            tools.append(make_tool(tool_class(name), services))
        except ToolLoadError as error:
            raise spec.wrong_tool(name, str(error)) from error
    return tools
