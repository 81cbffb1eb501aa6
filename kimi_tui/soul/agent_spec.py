"""Agent files: YAML of version 1 that says what an agent is told, which tools it has and whom it can send.

`extend` takes over another file's fields; what a file says itself goes before it, `system_prompt_args` are merged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from kimi_tui.errors import AgentSpecError, UsageError

BUNDLED = Path(__file__).parent / "agents"
VERSIONS = ("1",)
_MAX_BYTES = 1 << 20
_PEER = "kimi_cli.tools"


class _SubagentFields(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    path: Path
    description: str


class _Fields(BaseModel):
    """One file, as written."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    extend: str | None = None
    name: str | None = None
    system_prompt_path: Path | None = None
    system_prompt_args: dict[str, str] = Field(default_factory=dict)
    tools: list[str] | None = None
    exclude_tools: list[str] | None = None
    subagents: dict[Annotated[str, Field(min_length=1)], _SubagentFields] | None = None


class _File(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1, "1"] = 1
    agent: _Fields


@dataclass(frozen=True, slots=True)
class SubagentSpec:
    """A subagent that an agent can send, and what it is told of it."""

    path: Path
    description: str


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An agent, whole: nothing is left to take over. Paths are absolute; `tools` are `module:Class`."""

    name: str
    file: Path
    system_prompt_path: Path
    system_prompt_args: Mapping[str, str]
    tools: tuple[str, ...]
    subagents: Mapping[str, SubagentSpec]


def agent_file(name: str) -> Path:
    """The file of a bundled agent. Raises UsageError for a name that there is not."""
    file = BUNDLED / name / "agent.yaml"
    known = sorted(folder.name for folder in BUNDLED.iterdir() if (folder / "agent.yaml").is_file())
    if name not in known:
        raise UsageError(f"there is no agent {name!r}; there are: {', '.join(known)} (or use --agent-file)")
    return file


def read_agent_spec(file: Path) -> AgentSpec:
    """Raises AgentSpecError that names file, line and key."""
    chain: list[tuple[Path, _Fields]] = []
    here: Path | None = file.expanduser().resolve()
    while here is not None:
        if any(here == seen for seen, _ in chain):
            raise AgentSpecError("the agent files extend each other in a circle", file=file, key="extend")
        fields = _read(here)
        chain.append((here, fields))
        here = _extended(here, fields)
    return _whole(chain)


def _extended(file: Path, fields: _Fields) -> Path | None:
    match fields.extend:
        case None:
            return None
        case "default":
            return agent_file("default").resolve()
        case path:
            return (file.parent / Path(path).expanduser()).resolve()


def _whole(chain: list[tuple[Path, _Fields]]) -> AgentSpec:
    file, own = chain[0]

    def first(key: str) -> tuple[Path, Any]:
        for place, fields in chain:
            value = getattr(fields, key)
            if value is not None:
                return place, value
        raise AgentSpecError("this is needed, here or in what the file extends", file=file, key=key)

    prompt_place, prompt = first("system_prompt_path")
    excluded = {our_tool(name) for name in own.exclude_tools or ()}
    tools = [our_tool(name) for name in first("tools")[1]]
    arguments: dict[str, str] = {}
    for _, fields in reversed(chain):
        arguments |= fields.system_prompt_args
    none: dict[str, _SubagentFields] = {}
    place, subagents = next(((p, f.subagents) for p, f in chain if f.subagents is not None), (file, none))
    prompt_path = (prompt_place.parent / prompt).resolve()
    if not prompt_path.is_file():
        raise AgentSpecError(f"there is no file {prompt_path}", file=prompt_place, key="system_prompt_path")
    return AgentSpec(
        name=first("name")[1],
        file=file,
        system_prompt_path=prompt_path,
        system_prompt_args=arguments,
        tools=tuple(dict.fromkeys(name for name in tools if name not in excluded)),
        subagents={
            name: SubagentSpec((place.parent / fields.path).resolve(), fields.description)
            for name, fields in subagents.items()
        },
    )


def our_tool(name: str) -> str:
    """`name`, with a tool of the reference peer read as ours of that class name."""
    module, _, class_name = name.partition(":")
    if module != _PEER and not module.startswith(_PEER + "."):
        return name
    snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in class_name).lstrip("_")
    snake = {"send_d_mail": "send_dmail", "fetch_u_r_l": "fetch_url"}.get(snake, snake)
    return f"kimi_tui.tools.{snake}:{class_name}"


def _read(file: Path) -> _Fields:
    try:
        if file.stat().st_size > _MAX_BYTES or not file.is_file():
            raise AgentSpecError("this is not a file of at most 1 MiB", file=file)
        text = file.read_text("utf-8-sig")
        table: Any = YAML(typ="rt").load(text)
    except MarkedYAMLError as error:
        raise AgentSpecError(_cause(error), file=file, line=_marked_line(error)) from error
    except (OSError, UnicodeDecodeError, YAMLError, RecursionError) as error:
        raise AgentSpecError(getattr(error, "strerror", None) or str(error), file=file) from error
    if not isinstance(table, dict):
        raise AgentSpecError("an agent file is a table of keys", file=file)
    fields: dict[str, Any] = dict(cast(dict[str, Any], table))
    if "agent" not in fields:  # written flat
        fields = {"version": fields.pop("version", 1), "agent": fields}
    try:
        return _File.model_validate(fields).agent
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        steps = [step for step in first["loc"] if step != "agent"]
        key = ".".join(str(step) for step in steps)
        raise AgentSpecError(first["msg"], file=file, line=_line_of(table, list(first["loc"])), key=key) from None


def _cause(error: Any) -> str:
    problem = error.problem
    return str(problem or "this is not YAML")


def _marked_line(error: MarkedYAMLError) -> int | None:
    line: Any = getattr(error.problem_mark, "line", None)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    return line + 1 if isinstance(line, int) else None


def _line_of(table: Any, steps: list[Any]) -> int | None:
    """The line at which the key of `steps` stands, as far down as the file has it."""
    line: int | None = None
    here: Any = table
    if steps and steps[0] == "agent" and "agent" not in table:
        steps = steps[1:]
    for step in steps:
        try:
            line = int((here.lc.item if isinstance(step, int) else here.lc.key)(step)[0]) + 1
            here = here[step]
        except (KeyError, IndexError, AttributeError, TypeError):
            break
    return line
