"""System prompt templates: `${NAME}` inserts a value; `{% if NAME %}`, `elif`, `else` and `endif` select text.

A condition is a name (true if its value is not empty), `not NAME`, or `NAME == "text"` and `NAME != "text"`. Unknown
names stay unchanged, and are empty in a condition. Other tags stay unchanged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_VARIABLE = re.compile(rf"\$\{{\s*({_NAME})\s*\}}")
_TAG = re.compile(r"\{%-?\s*(if|elif|else|endif)\b\s*(.*?)\s*-?%\}\n?", re.DOTALL)
_CONDITION = re.compile(
    rf"(?P<not>not\s+)?(?P<name>{_NAME})(?:\s*(?P<op>==|!=)\s*(?P<quote>['\"])(?P<text>.*?)(?P=quote))?"
)


class TemplateError(ValueError):
    """An invalid template; `line` counts from 1."""

    def __init__(self, cause: str, line: int) -> None:
        self.line = line
        super().__init__(cause)


@dataclass(slots=True)
class _Block:
    """An open `if`: whether one of its branches was taken, whether the current one is, whether it has had its else."""

    line: int
    taken: bool
    on: bool
    closed: bool = False


def fill(template: str, values: Mapping[str, str]) -> str:
    """Fill in the template; inserted values are not expanded again. Raises TemplateError."""
    text = _without_left_out(template, values)
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), text).strip() + "\n"


def _without_left_out(template: str, values: Mapping[str, str]) -> str:
    output: list[str] = []
    open_blocks: list[_Block] = []
    pos = 0
    for tag in _TAG.finditer(template):
        if all(block.on for block in open_blocks):
            output.append(template[pos : tag.start()])
        pos = tag.end()
        line = template.count("\n", 0, tag.start()) + 1
        if tag[1] == "if":
            on = _holds(tag[2], values, line)
            open_blocks.append(_Block(line, taken=on, on=on))
            continue
        if not open_blocks:
            raise TemplateError(f"{tag[1]} without if", line)
        block = open_blocks[-1]
        match tag[1]:
            case "endif":
                open_blocks.pop()
            case "elif" if not block.closed:
                block.on = _holds(tag[2], values, line) and not block.taken
                block.taken |= block.on
            case "else" if not block.closed:
                block.on, block.closed = not block.taken, True
            case word:
                raise TemplateError(f"{word} after else", line)
    if open_blocks:
        raise TemplateError("this if has no endif", open_blocks[-1].line)
    return "".join((*output, template[pos:]))


def _holds(condition: str, values: Mapping[str, str], line: int) -> bool:
    match = _CONDITION.fullmatch(condition)
    if match is None:
        raise TemplateError(f"a condition is NAME, not NAME, or NAME == 'text', and not {condition!r}", line)
    value = values.get(match["name"], "")
    holds = {"==": value == match["text"], "!=": value != match["text"]}.get(match["op"] or "", bool(value.strip()))
    return holds is not bool(match["not"])
