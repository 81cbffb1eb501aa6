"""A skill: a Markdown file with a name, a description and, for a flow, a chart.

A usable skill is a `Skill`, with its faults in `problems`; an unusable one raises SkillError. A flow whose chart is
missing or broken works as a standard skill, with a problem.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Literal

from kimi_tui.config.budget import Budget
from kimi_tui.errors import FlowError, SkillError
from kimi_tui.flow import Flow, build_flow, read_chart
from kimi_tui.flow.model.settings import FLOW_KEYS, INACTIVE_FLOW_KEYS, FlowSettings, read_flow_setting
from kimi_tui.flow.model.validation import diagnostics, lint
from kimi_tui.i18n import UserText, tr
from kimi_tui.paths import real_path
from kimi_tui.skill.chart_block import ChartBlock, first_chart
from kimi_tui.skill.frontmatter import Field, Frontmatter, FrontmatterError, read_frontmatter
from kimi_tui.skill.guidance import Note, guidance_beside
from kimi_tui.skill.skill_file import MAX_BYTES, MAX_PROJECT_BYTES, read_source
from kimi_tui.text_safety import is_safe

SKILL_FILE = "SKILL.md"
NO_DESCRIPTION = "No description provided."

# The Agent Skills format (agentskills.io)
MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
_NAME = re.compile(r"[^\W_]+(-[^\W_]+)*\Z")

_FIELDS = ("name", "description", "type", "license", "compatibility", "metadata", "allowed-tools")
_METADATA = (*sorted(FLOW_KEYS - INACTIVE_FLOW_KEYS), "hidden")
_NEAR = 0.8
_DEFAULT_DESCRIPTION = 240
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\))?")

Severity = Literal["error", "warning", "note"]


class Scope(StrEnum):
    """Where a skill was found; the name for the system prompt and lists."""

    PROJECT = "Project"
    USER = "User"
    EXTRA = "Extra"
    BUNDLED = "Bundled"


class SkillKind(StrEnum):
    STANDARD = "standard"
    FLOW = "flow"


@dataclass(frozen=True, slots=True)
class Problem:
    """A message for the skill's author, at a place in the file (lines and columns from 1).

    `of_flow`: it is about the flow, although its place is not in the chart; also a mistyped key of the frontmatter,
    which may be one of the flow.
    """

    path: Path
    line: int | None
    column: int | None
    severity: Severity
    text: str
    of_flow: bool = False

    def __str__(self) -> str:
        location = "".join(f":{number}" for number in (self.line, self.column) if number is not None)
        return f"{self.path}{location}: {self.severity}: {self.text}"


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as written in its file. `text` is the whole file, frontmatter included.

    `kind` is how it is used; `declared_kind` what the file declares: they differ if the chart is broken. `chart_line`
    is the file's line of the chart's opening fence: line n of the chart is line `chart_line + n`. `guidance_notes`
    assigns the text beside the chart to its nodes.
    """

    name: str
    description: str
    path: Path
    scope: Scope
    text: str
    kind: SkillKind = SkillKind.STANDARD
    declared_kind: SkillKind = SkillKind.STANDARD
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    allowed_tools: tuple[str, ...] = ()
    flow: Flow | None = None
    chart_text: str | None = None
    chart_line: int | None = None
    problems: tuple[Problem, ...] = ()
    guidance_notes: tuple[Note, ...] = ()

    @property
    def key(self) -> str:
        """Identifies the skill: the name with its case folded."""
        return self.name.casefold()

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def hidden(self) -> bool:
        """Whether lists and the system prompt omit it (`metadata: hidden: true`); it is found by name only."""
        return self.metadata.get("hidden", "").strip().lower() == "true"


def skill_prompt(skill: Skill, args: str = "") -> str:
    """The message that `/skill:NAME ARGS` sends."""
    prompt = skill.text.strip()
    return f"{prompt}\n\nUser request:\n{args.strip()}" if args.strip() else prompt


def default_name(path: Path) -> str:
    """The folder's name for `NAME/SKILL.md`, the file's for `NAME.md`."""
    return path.parent.name if path.name == SKILL_FILE else path.stem


def read_skill(path: Path, scope: Scope) -> Skill:
    """Read the skill in the file `path`. Raises SkillError if it cannot be used.

    A link may lead to another Markdown file only, since the model gets the text.
    """
    if real_path(path).suffix.lower() != ".md":  # defence: skill-is-markdown
        raise SkillError(tr("leads to a file that is not a Markdown file (.md)"), file=path)
    max_bytes = MAX_PROJECT_BYTES if scope is Scope.PROJECT else MAX_BYTES  # defence: bound-project-skill
    return parse_skill(read_source(path, max_bytes), path, scope)


def parse_skill(text: str, path: Path, scope: Scope) -> Skill:
    """Parse `text` as the skill at `path`. Raises SkillError if it cannot be used."""
    lines = text.split("\n")
    try:
        front = read_frontmatter(lines)
    except FrontmatterError as error:
        raise SkillError(error.cause, file=path, line=error.line) from error
    reader = _Reader(path, lines, front)
    reader.mistyped_keys()
    name, description, kind = reader.name(), reader.description(), reader.kind()
    block, flow = reader.flow() if kind is SkillKind.FLOW else (None, None)
    return Skill(
        name,
        description,
        path,
        scope,
        text,
        kind=SkillKind.FLOW if flow else SkillKind.STANDARD,
        declared_kind=kind,
        license=reader.text("license") or None,
        compatibility=reader.compatibility(),
        metadata=reader.metadata(),
        allowed_tools=reader.allowed_tools(),
        flow=flow,
        chart_text=block.text if block else None,
        chart_line=block.line if block else None,
        problems=tuple(reader.problems),
        guidance_notes=reader.guidance_notes,
    )


class _Reader:
    """Reads field after field and collects the problems."""

    def __init__(self, path: Path, lines: list[str], front: Frontmatter) -> None:
        self.path, self.lines, self.front = path, lines, front
        self.problems: list[Problem] = []
        self.guidance_notes: tuple[Note, ...] = ()

    def name(self) -> str:
        default = _one_line(default_name(self.path))
        name = self.text("name")
        if not name:
            if not default:
                raise SkillError(tr("has no name; add `name: ...` to its frontmatter"), file=self.path, line=1)
            self.warn("name", tr("has no `name`; using `{default}`", default=default))
            return default
        if len(name) > MAX_NAME:
            self.warn("name", tr("the name has {count} characters; {most} are allowed", count=len(name), most=MAX_NAME))
        if name != name.lower() or not _NAME.match(name):
            self.warn(
                "name",
                tr(
                    "the name `{name}` should contain only lower-case letters, digits and single hyphens",
                    name=_short(name),
                ),
            )
        elif name != default:
            self.warn(
                "name",
                tr(
                    "the name `{name}` should match its folder or file, `{default}`",
                    name=_short(name),
                    default=_short(default),
                ),
            )
        return name

    def description(self) -> str:
        description = self.text("description")
        if description:
            if len(description) > MAX_DESCRIPTION:
                self.warn(
                    "description",
                    tr(
                        "the description has {count} characters; only {most} are used",
                        count=len(description),
                        most=MAX_DESCRIPTION,
                    ),
                )
            return description
        self.warn("description", tr("has no `description`; the model needs one to know when to use the skill"))
        body = (_one_line(line.lstrip("# \t")) for line in self.lines[self.front.lines :])
        return next((line for line in body if line), NO_DESCRIPTION)[:_DEFAULT_DESCRIPTION].rstrip()

    def mistyped_keys(self) -> None:
        """Warn of keys that are nearly those that are read; all others may be another program's."""
        for key in self.front.fields:
            if key in _FIELDS:
                continue
            if key in _METADATA:
                self.warn(key, tr("`{key}` is ignored here; write it below `metadata:`", key=key), of_flow=True)
            elif near := get_close_matches(_spelled(key), _FIELDS, 1, _NEAR):
                text = tr("unknown key `{key}`; did you mean `{near}`?", key=_short(_one_line(key)), near=near[0])
                self.warn(key, text, of_flow=True)
        table = self.front.fields.get("metadata")
        for key in (table.pairs or {}) if table is not None else {}:
            if key in _METADATA or key in FLOW_KEYS:
                continue
            if near := get_close_matches(_spelled(key), _METADATA, 1, _NEAR):
                text = tr("unknown key `{key}`; did you mean `{near}`?", key=_short(_one_line(key)), near=near[0])
                self.add("warning", text, *self.place_of("metadata", key), of_flow=True)

    def kind(self) -> SkillKind:
        kind = self.text("type") or "standard"
        try:
            return SkillKind(kind.lower())
        except ValueError:
            line = self.front.fields["type"].line
            raise SkillError(
                tr("Unknown `type: {kind}`; a skill is `standard` or `flow`", kind=_short(kind)),
                file=self.path,
                line=line,
            ) from None

    def compatibility(self) -> str | None:
        compatibility = self.text("compatibility")
        if len(compatibility) > MAX_COMPATIBILITY:
            self.warn(
                "compatibility",
                tr(
                    "`compatibility` has {count} characters; {most} are allowed",
                    count=len(compatibility),
                    most=MAX_COMPATIBILITY,
                ),
            )
        return compatibility or None

    def metadata(self) -> Mapping[str, str]:
        value = self.front.fields.get("metadata")
        if value is None or value.empty:
            return {}
        if value.pairs is None:
            self.warn("metadata", tr("`metadata` must be a mapping of `key: value`; ignored"), of_flow=True)
            return {}
        return value.pairs

    def allowed_tools(self) -> tuple[str, ...]:
        value = self.front.fields.get("allowed-tools")
        if value is None or value.empty:
            return ()
        if value.pairs is not None:
            self.warn("allowed-tools", tr("`allowed-tools` must be names separated by spaces; ignored"))
            return ()
        return value.items if value.items is not None else tuple(_TOOL.findall((value.text or "")[:4096]))

    def flow(self) -> tuple[ChartBlock | None, Flow | None]:
        """The chart's block and its flow; if there is none, a problem says why."""
        block = first_chart(self.lines, skip=self.front.lines)
        if block is None:
            line = self.front.fields["type"].line
            cause = tr(
                "is a flow without a chart; add a fenced `mermaid` or `d2` block (until then it is used as a "
                "standard skill)"
            )
            self.add("error", cause, line)
            return None, None
        if not block.closed:
            self.add("warning", "the chart's block is not closed, so it extends to the end of the file", block.line)
        try:
            chart = read_chart(block.text, block.source)
        except FlowError as error:
            self.add("error", f"{error.cause} (used as a standard skill)", *block.place(error.line, error.column))
            return block, None
        notes_found = diagnostics(chart)
        for number, flaw in enumerate(notes_found):
            serves = "" if number else " (used as a standard skill)"
            self.add("error", f"{flaw.cause}{serves}", *block.place(flaw.line, flaw.column))
        for note in lint(chart):
            self.add("warning", note.text, *block.place(note.line, note.column))
        settings = self.flow_settings()
        if notes_found or settings is None:
            return block, None
        flow = build_flow(chart)
        guidance = guidance_beside(flow, block, self.lines, skip=self.front.lines)
        for line, text in guidance.cut:
            self.add("warning", text, line)
        self.guidance_notes = guidance.notes
        return block, replace(flow, guidance=guidance.guidance, settings=settings)

    def flow_settings(self) -> FlowSettings | None:
        """The settings of the flow in `metadata`; None if one has a wrong value. Other keys are ignored."""
        field = self.front.fields.get("metadata")
        values: dict[str, object] = {}
        wrong = False
        for key, value in (field.pairs or {}).items() if field is not None else ():
            if key not in FLOW_KEYS:
                continue
            values[key], cause = read_flow_setting(key, value)
            line, column = self.place_of("metadata", key)
            if cause is not None:
                wrong = True
                self.add("error", f"{cause} " + tr("(used as a standard skill)"), line, column)
            elif key in INACTIVE_FLOW_KEYS:
                text = tr("`{key}` is recognized but has no effect yet", key=key)
                self.problems.append(Problem(self.path, line, column, "warning", text, of_flow=True))
        for key in field.not_text if field is not None else ():
            if key in FLOW_KEYS:  # defence: caps-are-not-dropped
                wrong = True
                cause = tr("`{key}` needs a value, a text on the same line", key=key)
                self.add("error", f"{cause} " + tr("(used as a standard skill)"), *self.place_of("metadata", key))
        moves, budget = values.get("max-moves"), values.get("budget")
        if wrong:
            return None
        return FlowSettings(
            moves if isinstance(moves, int) else None, budget if isinstance(budget, Budget) else Budget()
        )

    def place_of(self, table: str, key: str) -> tuple[int, int]:
        """The place of a key in a table of the frontmatter, or of the table if the key is written in another way."""
        field = self.front.fields[table]
        for number in range(field.line, self.front.lines):
            written = self.lines[number]
            if number >= field.line and written.strip() and not written[0].isspace():
                break
            if written.strip().startswith(f"{key}:"):
                return number + 1, len(written) - len(written.lstrip()) + 1
        return field.line, field.column

    def text(self, key: str) -> str:
        """A field that should be text, on one line; empty if it is missing or not text."""
        value = self.front.fields.get(key)
        if value is None or value.empty:
            return ""
        if value.text is None:
            cause = f"`{key}` should be text, and is a {'table' if value.pairs is not None else 'list'}"
            raise SkillError(cause, file=self.path, line=value.line)
        return _one_line(value.text)

    def warn(self, key: str, text: UserText, *, of_flow: bool = False) -> None:
        location: Field | None = self.front.fields.get(key)
        self.add("warning", text, *((location.line, location.column) if location else (1, None)), of_flow=of_flow)

    def add(
        self, severity: Severity, text: str, line: int | None, column: int | None = None, *, of_flow: bool = False
    ) -> None:
        self.problems.append(Problem(self.path, line, column, severity, text, of_flow))


def _spelled(key: str) -> str:
    """A key as ours are spelled: in lower case, with hyphens."""
    return key.lower().replace("_", "-")[:MAX_NAME]


def _one_line(text: str) -> str:
    """`text` on one line, without characters that a terminal or a prompt would interpret."""
    return " ".join("".join(char for char in text if char.isspace() or is_safe(char)).split())


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
