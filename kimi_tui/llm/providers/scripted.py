"""A model that plays a script: for the demo, for tests, for working without a network.

A script is a JSON array of strings, or text blocks split by `---` lines; one block is one reply. A block's lines:

    text: ... | think: ...            the text itself, or a quoted string ("a\\nb")
    tool_call: {"id", "name", "arguments"}, tool_call_part: {"arguments_part"}
    usage: {"input_other", ...} or k=v pairs, id: ..., image_url: | audio_url: | video_url: URL or {"url", "id"}
    error: <status|connection|timeout> message
    delay: seconds                    extension: wait before the following lines
    when: REGEX | when: not REGEX     extension: a condition, before all other lines

Empty lines, `#` lines and code fences are skipped.

Without `when` the blocks are given in order, each once. With it in every block the script is one of rules: each request
gets the first block whose conditions all hold in the situation (`script_rules`), as often as they do, and a call whose
id was used before gets a new one. `^` and `$` are ends of lines, and `.` is any character, line ends included.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import BaseModel, JsonValue, ValidationError

from kimi_tui.errors import ConfigError, ProviderConnectionError, ProviderError, ProviderTimeoutError
from kimi_tui.llm.error_mapping import status_error
from kimi_tui.llm.message import Message
from kimi_tui.llm.provider import ReplyCut, ReplyId, ReplyUsage, StreamPart, ToolSpec
from kimi_tui.llm.providers.script_rules import Condition, matched_text, renamed
from kimi_tui.regular_file import read_text
from kimi_tui.wire.parts import (
    AudioURLPart,
    FunctionBody,
    ImageURLPart,
    JsonObject,
    MediaURL,
    TextPart,
    ThinkPart,
    TokenUsage,
    ToolCall,
    ToolCallPart,
    VideoURLPart,
)

# A word with the space after it; long runs (Chinese, paths) are split so that they stream too.
_CHUNK = re.compile(r"\s*\S{1,12}\s*|\s+")
_FENCE = re.compile(r"^(```|~~~)")


@dataclass(frozen=True, slots=True)
class Pause:
    """A `delay:` line, in seconds."""

    seconds: float


Line = StreamPart | Pause | ProviderError
Block = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a scripted model."""

    system_prompt: str
    tools: tuple[ToolSpec, ...]
    history: tuple[Message, ...]


class Script:
    """The replies of a script: a sequence, each given once, so that agents that share a script take turns; or rules.

    `conditions` are those of each block, for a script of rules.
    """

    def __init__(
        self, blocks: Sequence[Block], *, conditions: Sequence[Sequence[Condition]] = (), name: str = "the script"
    ) -> None:
        self.blocks = tuple(blocks)
        self.conditions = tuple(tuple(each) for each in conditions)
        self.name = name
        self.taken = 0

    @classmethod
    def read(cls, path: Path) -> "Script":
        """Read the script in the file `path`; ConfigError names file, block and line."""
        try:
            text = read_text(path)
        except (OSError, ValueError) as error:
            cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ConfigError(f"cannot read the script: {cause}", file=path) from error
        return cls.parse(text, file=path)

    @classmethod
    def parse(cls, text: str, *, file: Path | str | None = None) -> "Script":
        blocks: list[Block] = []
        conditions: list[list[Condition]] = []
        for block_number, lines in enumerate(_blocks(text, file), start=1):
            block: list[Line] = []
            whens: list[Condition] = []
            for number, text_line in lines:
                line = _read_line(text_line, number, block_number, file)
                if not isinstance(line, Condition):
                    block.append(line)
                elif block:
                    key = f"block {block_number}, line {number}"
                    raise ConfigError("when: must be the first line of its block", file=file, key=key)
                else:
                    whens.append(line)
            if conditions and bool(whens) is not bool(conditions[0]):
                cause = "a script has `when:` in every block or in none, and this block differs from the first"
                raise ConfigError(cause, file=file, key=f"block {block_number}")
            blocks.append(tuple(block))
            conditions.append(whens)
        has_rules = bool(conditions and conditions[0])
        return cls(blocks, conditions=conditions if has_rules else (), name=str(file) if file else "the script")

    def reply_to(self, history: Sequence[Message]) -> Block:
        """The reply to a conversation. It never awaits, so tasks of one loop cannot take the same reply."""
        if not self.conditions:
            return self.take()
        situation = matched_text(history)
        for conditions, block in zip(self.conditions, self.blocks, strict=True):
            if all(condition.holds(situation) for condition in conditions):
                return tuple(renamed(line, history) if isinstance(line, ToolCall) else line for line in block)
        raise ProviderError(f"{self.name} has no matching rule: none of its {len(self.blocks)} fits")

    def take(self) -> Block:
        """Take the next reply of a sequence."""
        if self.taken >= len(self.blocks):
            count = f"{len(self.blocks)} {'reply' if len(self.blocks) == 1 else 'replies'}"
            raise ProviderError(f"{self.name} is used up: all of its {count} were given")
        self.taken += 1
        return self.blocks[self.taken - 1]


class ScriptedProvider:
    """Plays a Script. Text and thinking come word by word, `delay_s` seconds apart; `on_request` gets each request."""

    def __init__(
        self,
        script: Script,
        *,
        model_name: str = "scripted",
        delay_s: float = 0.0,
        on_request: Callable[[Request], None] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.script = script
        self._model_name = model_name
        self._delay_s = delay_s
        self._on_request = on_request
        self._sleep = sleep

    @property
    def model_name(self) -> str:
        return self._model_name

    async def stream(
        self, system_prompt: str, tools: Sequence[ToolSpec], history: Sequence[Message]
    ) -> AsyncGenerator[StreamPart, None]:
        if self._on_request:
            self._on_request(Request(system_prompt, tuple(tools), tuple(history)))
        for line in self.script.reply_to(history):
            match line:
                case Pause():
                    await self._sleep(line.seconds)
                case ProviderError():
                    raise line.with_traceback(None)
                case TextPart() | ThinkPart():
                    for chunk in _chunks(line):
                        yield chunk
                        await self._sleep(self._delay_s)
                case _:
                    yield line
                    await self._sleep(self._delay_s)

    def with_thinking(self, on: bool) -> "ScriptedProvider":
        del on
        return self

    async def aclose(self) -> None:
        pass


def _chunks(part: TextPart | ThinkPart) -> Sequence[TextPart | ThinkPart]:
    if isinstance(part, TextPart):
        return [TextPart(text=chunk) for chunk in _CHUNK.findall(part.text)]
    thoughts = [ThinkPart(think=chunk) for chunk in _CHUNK.findall(part.think)]
    if part.encrypted is not None:
        thoughts.append(ThinkPart(think="", encrypted=part.encrypted))
    return thoughts


def _blocks(text: str, file: Path | str | None) -> list[list[tuple[int, str]]]:
    """The non-empty lines, numbered: within the file, or within their string in a JSON array."""
    if text.lstrip().startswith("["):
        try:
            data = cast(JsonValue, json.loads(text))
        except json.JSONDecodeError as error:
            raise ConfigError(f"not a JSON array: {error.msg}", file=file, key=f"line {error.lineno}") from error
        except RecursionError:
            raise ConfigError("it is nested too deeply", file=file) from None
        if not isinstance(data, list) or not all(isinstance(block, str) for block in data):
            raise ConfigError("a JSON script must be an array of strings", file=file)
        return [_lines(enumerate(str(block).splitlines(), start=1)) for block in data]
    blocks: list[list[tuple[int, str]]] = []
    current: list[tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), "---"], start=1):
        if line.strip() != "---":
            current.append((number, line))
            continue
        lines = _lines(current)
        if lines:
            blocks.append(lines)
        current = []
    return blocks


def _lines(numbered: Sequence[tuple[int, str]] | enumerate[str]) -> list[tuple[int, str]]:
    lines = [(number, line.strip()) for number, line in numbered]
    return [(number, line) for number, line in lines if line and not line.startswith("#") and not _FENCE.match(line)]


def _read_line(line: str, number: int, block_number: int, file: Path | str | None) -> Line | Condition:
    kind, colon, payload = line.partition(":")
    try:
        reader = _READERS.get(kind.strip()) if colon else None
        if reader is None:
            raise ValueError(
                f"a line must start with one of {', '.join(_READERS)}, then a colon; this one is {line[:60]!r}"
            )
        return reader(payload.strip())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        cause = f"{kind.strip()}: {where + ': ' if where else ''}{first['msg']}"
    except json.JSONDecodeError as error:
        cause = f"{kind.strip()}: not JSON: {error.msg} (column {error.colno} of the payload)"
    except ValueError as error:
        cause = str(error)
    except RecursionError:
        cause = f"{kind.strip()}: it is nested too deeply"
    raise ConfigError(cause, file=file, key=f"block {block_number}, line {number}")


def _unquoted(payload: str) -> str:
    if len(payload) < 2 or payload[0] != payload[-1] or payload[0] not in "\"'":
        return payload
    if payload[0] == '"':
        try:
            return str(json.loads(payload))
        except json.JSONDecodeError:
            pass
    return payload[1:-1]


class _CallLine(BaseModel):
    id: str
    name: str
    arguments: str | JsonObject | None = None
    extras: JsonObject | None = None


def _tool_call(payload: str) -> ToolCall:
    line = _CallLine.model_validate(json.loads(payload))
    arguments = json.dumps(line.arguments) if isinstance(line.arguments, dict) else line.arguments
    return ToolCall(id=line.id, function=FunctionBody(name=line.name, arguments=arguments), extras=line.extras)


def _usage(payload: str) -> ReplyUsage:
    if payload.startswith("{"):
        data = json.loads(payload)
    else:
        data = dict(pair.split("=", 1) for pair in payload.replace(",", " ").split() if "=" in pair)
    unknown = set(cast(dict[str, JsonValue], data)) - set(TokenUsage.model_fields)
    if unknown:
        raise ValueError(f"usage: expected {', '.join(TokenUsage.model_fields)}, not {', '.join(sorted(unknown))}")
    return ReplyUsage(TokenUsage.model_validate(data))


def _media(payload: str) -> MediaURL:
    return MediaURL.model_validate(json.loads(payload)) if payload.startswith("{") else MediaURL(url=payload)


def _error(payload: str) -> ProviderError:
    kind, _, message = payload.partition(" ")
    message = message.strip()
    if kind == "connection":
        return ProviderConnectionError(message or "the connection failed")
    if kind == "timeout":
        return ProviderTimeoutError(message or "the service took too long")
    if kind.isascii() and kind.isdigit() and 400 <= int(kind) <= 599:
        return status_error(int(kind), message or f"HTTP status {kind}")
    raise ValueError(f"error: must start with a status from 400 to 599, `connection` or `timeout`, not {kind!r}")


def _delay(payload: str) -> Pause:
    seconds = float(payload)
    if not 0 <= seconds < 3600:
        raise ValueError(f"delay: must be 0 to 3600 seconds, not {payload}")
    return Pause(seconds)


_READERS: dict[str, Callable[[str], Line | Condition]] = {
    "text": lambda payload: TextPart(text=_unquoted(payload)),
    "think": lambda payload: ThinkPart(think=_unquoted(payload)),
    "tool_call": _tool_call,
    "tool_call_part": lambda payload: ToolCallPart.model_validate(json.loads(payload)),
    "usage": _usage,
    "id": ReplyId,
    "image_url": lambda payload: ImageURLPart(image_url=_media(payload)),
    "audio_url": lambda payload: AudioURLPart(audio_url=_media(payload)),
    "video_url": lambda payload: VideoURLPart(video_url=_media(payload)),
    "cut": lambda _payload: ReplyCut(),
    "error": _error,
    "delay": _delay,
    "when": Condition.read,
}
