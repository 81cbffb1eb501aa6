"""Agent files: version 1 YAML that defines an agent's system prompt, tools and subagents.

`extend` inherits the fields of another file. A file's own fields override the inherited ones; only `system_prompt_args`
are merged. `exclude_tools` and `allowed_tools` are ordinary fields: a new list replaces the inherited list.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from kimi_tui import yaml_text
from kimi_tui.errors import AgentSpecError, UsageError
from kimi_tui.i18n import tr
from kimi_tui.paths import is_file, path_exists, real_path
from kimi_tui.regular_file import read_text
from kimi_tui.surrogates import without_surrogates
from kimi_tui.tools.file_support.sensitive_names import is_sensitive

BUNDLED = Path(__file__).parent / "agents"
VERSIONS = ("1",)
_MAX_BYTES = 1 << 20
_PEER = "kimi_cli.tools"
_RENAMED = {"Agent": "Task", "Bash": "Shell"}


class _SubagentFields(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    path: Path
    description: str = ""


class _Fields(BaseModel):
    """The fields of one file, before inheritance."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    extend: str | None = None
    name: str | None = None
    system_prompt_path: Path | None = None
    system_prompt_args: dict[str, str] = Field(default_factory=dict)
    when_to_use: str | None = None
    model: str | None = None
    tools: list[str] | None = None
    allowed_tools: list[str] | None = None
    exclude_tools: list[str] | None = None
    subagents: dict[Annotated[str, Field(min_length=1)], _SubagentFields] | None = None


class _File(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    version: Literal[1, "1"] = 1
    agent: _Fields


@dataclass(frozen=True, slots=True)
class _SpecFile:
    """A parsed file: its fields, and the YAML table with the line numbers of the keys."""

    file: Path
    fields: _Fields
    table: Any

    def wrong(self, cause: str, *steps: str | int) -> AgentSpecError:
        """Make an error that names the line of the key at the path `steps`."""
        loc = ["agent", *steps]
        key = ".".join(str(step) for step in steps)
        return AgentSpecError(cause, file=self.file, line=_find_line(self.table, loc), key=key)


@dataclass(frozen=True, slots=True)
class SubagentSpec:
    """A subagent that an agent can start, with the description that the agent reads."""

    path: Path
    description: str


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """A fully resolved agent. Paths are absolute; `tools` are `module:Class`. `model` is a configured model, None for
    the session's model; parent agents read `when_to_use`.

    `wrong_tool` makes an error about one of the tools that names its line in the file.
    """

    name: str
    file: Path
    system_prompt_path: Path
    system_prompt_args: Mapping[str, str]
    tools: tuple[str, ...]
    subagents: Mapping[str, SubagentSpec]
    wrong_tool: Callable[[str, str], AgentSpecError]
    when_to_use: str = ""
    model: str | None = None


def agent_file(name: str) -> Path:
    """Return the file of a bundled agent. Raises UsageError for an unknown name."""
    file = BUNDLED / name / "agent.yaml"
    known = sorted(folder.name for folder in BUNDLED.iterdir() if is_file(folder / "agent.yaml"))
    if name not in known:
        raise UsageError(f"no agent named {name!r}. Available: {', '.join(known)} (or use --agent-file)")
    return file


def read_agent_spec(file: Path) -> AgentSpec:
    """Read and resolve an agent file. Raises AgentSpecError with file, line and key."""
    chain = [_read(real_path(file.expanduser()))]
    while (extended := _extended(chain[-1])) is not None:
        if any(extended == spec.file for spec in chain):
            raise chain[-1].wrong("the agent files extend each other in a circle", "extend")
        if not path_exists(extended):
            raise chain[-1].wrong(f"file not found: {extended}", "extend")
        chain.append(_read(extended))
    return _merge_chain(chain)


def _extended(spec: _SpecFile) -> Path | None:
    match spec.fields.extend:
        case None:
            return None
        case "default":
            return agent_file("default").resolve()
        case path:
            return real_path(spec.file.parent / Path(path).expanduser())


def _merge_chain(chain: list[_SpecFile]) -> AgentSpec:
    leaf = chain[0]

    def first(key: str) -> _SpecFile | None:
        return next((spec for spec in chain if getattr(spec.fields, key) is not None), None)

    def needed(key: str) -> _SpecFile:
        subagents = first(key)
        if subagents is None:
            raise leaf.wrong("required, here or in the file it extends", key)
        return subagents

    prompt_path = _prompt_path(needed("system_prompt_path"))
    listing, excluding, allowing = needed("tools"), first("exclude_tools"), first("allowed_tools")
    allowed = None if allowing is None else {our_tool(name) for name in allowing.fields.allowed_tools or ()}
    excluded = {our_tool(name) for name in (excluding.fields.exclude_tools if excluding else None) or ()}
    tools = [our_tool(name) for name in listing.fields.tools or ()]
    arguments: dict[str, str] = {}
    for spec in reversed(chain):
        arguments |= spec.fields.system_prompt_args

    def wrong_tool(name: str, cause: str) -> AgentSpecError:
        return listing.wrong(cause, "tools", tools.index(name))

    return AgentSpec(
        name=needed("name").fields.name or "",
        file=leaf.file,
        system_prompt_path=prompt_path,
        system_prompt_args=arguments,
        tools=tuple(
            name for name in dict.fromkeys(tools) if name not in excluded and (allowed is None or name in allowed)
        ),
        subagents=_subagents(first("subagents")),
        wrong_tool=wrong_tool,
        when_to_use=next((text for layer in chain if (text := layer.fields.when_to_use) is not None), "").strip(),
        model=next((name for layer in chain if (name := layer.fields.model) is not None), None),
    )


def _prompt_path(spec: _SpecFile) -> Path:
    path = real_path(spec.file.parent / (spec.fields.system_prompt_path or Path()).expanduser())
    if not is_file(path):
        raise spec.wrong(f"file not found: {path}", "system_prompt_path")
    if is_sensitive(path):  # defence: prompt-is-no-secret
        raise spec.wrong(f"the name of this file is that of a secret: {path}", "system_prompt_path")
    return path


def _subagents(spec: _SpecFile | None) -> dict[str, SubagentSpec]:
    if spec is None:
        return {}
    subagents: dict[str, SubagentSpec] = {}
    for name, fields in (spec.fields.subagents or {}).items():
        path = real_path(spec.file.parent / fields.path.expanduser())
        if not is_file(path):
            raise spec.wrong(f"file not found: {path}", "subagents", name, "path")
        subagents[name] = SubagentSpec(path, fields.description)
    return subagents


def our_tool(name: str) -> str:
    """Map a tool name of Kimi CLI to our tool with the same class name, or to its new name here."""
    module, _, class_name = name.partition(":")
    if module != _PEER and not module.startswith(_PEER + "."):
        return name
    class_name = _RENAMED.get(class_name, class_name)
    snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in class_name).lstrip("_")
    snake = {"send_d_mail": "send_dmail", "fetch_u_r_l": "fetch_url"}.get(snake, snake)
    return f"kimi_tui.tools.{snake}:{class_name}"


def _read(file: Path) -> _SpecFile:
    try:
        text = read_text(file, most=_MAX_BYTES)
        table = _read_table(text)
    except MarkedYAMLError as error:
        raise AgentSpecError(_cause(error), file=file, line=_marked_line(error)) from error
    except (OSError, ValueError, YAMLError, RecursionError) as error:
        raise AgentSpecError(getattr(error, "strerror", None) or str(error), file=file) from error
    if not isinstance(table, dict):
        raise AgentSpecError("an agent file must be a mapping", file=file)
    fields: dict[str, Any] = dict(cast(dict[str, Any], table))
    if "agent" not in fields:  # the fields are at the top level
        fields = {"version": fields.pop("version", 1), "agent": fields}
    try:
        return _SpecFile(file, _File.model_validate(without_surrogates(fields)).agent, table)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        steps = [step for step in first["loc"] if step != "agent"]
        key = ".".join(str(step) for step in steps)
        cause = _unknown_key(steps) if first["type"] == "extra_forbidden" else first["msg"]
        raise AgentSpecError(cause, file=file, line=_find_line(table, list(first["loc"])), key=key) from None


def _unknown_key(steps: list[str | int]) -> str:
    fields = _SubagentFields.model_fields if "subagents" in steps[:-1] else _File.model_fields | _Fields.model_fields
    near = get_close_matches(str(steps[-1]), fields, n=1)
    return tr("no such key; did you mean {near}?", near=near[0]) if near else tr("no such key")


@lru_cache(maxsize=8)
def _read_table(text: str) -> Any:
    """Parse the YAML with line numbers. Read-only: each subagent reads the extended file again."""
    yaml_text.check(text)  # defence: bound-agent-file
    return yaml_text.reader("rt").load(text)


def _cause(error: Any) -> str:
    problem = error.problem
    return str(problem or "this is not YAML")


def _marked_line(error: MarkedYAMLError) -> int | None:
    line: Any = getattr(error.problem_mark, "line", None)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    return line + 1 if isinstance(line, int) else None


def _find_line(table: Any, steps: list[Any]) -> int | None:
    """Return the line of the key at `steps`, or of its deepest existing parent."""
    line: int | None = None
    node: Any = table
    if steps and steps[0] == "agent" and "agent" not in table:
        steps = steps[1:]
    for step in steps:
        try:
            line = int((node.lc.item if isinstance(step, int) else node.lc.key)(step)[0]) + 1
            node = node[step]
        except (KeyError, IndexError, AttributeError, TypeError):
            break
    return line
