"""Bounds untrusted YAML before it is parsed: a project's configuration, a skill's frontmatter, an agent file, a theme.

A few aliases can expand to billions of values, and the parser's time grows faster than the depth.
"""

from typing import Any, Literal, NoReturn, cast

from kimi_tui.i18n import UserText, tr

MAX_DEPTH = 100
MAX_VALUES = 100_000
"""Maximum number of values in a document, including those that its aliases repeat."""


def reader(typ: Literal["safe", "rt"]) -> Any:
    """Make a pure Python reader without a warning for each duplicate anchor: an untrusted file may contain many."""
    from ruamel.yaml import YAML

    yaml = YAML(typ=typ, pure=True)
    cast(Any, yaml).composer.warn_double_anchors = False  # defence: quiet-yaml
    return yaml


def check(text: str) -> None:
    """Raises ValueError if the text is nested too deeply, or its aliases repeat too much; other errors are ignored."""
    if "*" not in text and text.count("[") + text.count("{") <= MAX_DEPTH:
        return  # block collections alone cannot be deep without a recursion error, which comes soon
    from ruamel.yaml.error import YAMLError

    try:
        _Sizes().add(reader("safe").parse(text))
    except (YAMLError, RecursionError):
        return  # the parser reports it


class _Sizes:
    """Counts the values of a document from its events."""

    def __init__(self) -> None:
        self._open: list[tuple[str | None, int]] = []
        self._anchors: dict[str, int] = {}
        self._values = 0

    def add(self, events: Any) -> None:
        from ruamel.yaml import events as kinds

        for event in events:
            anchor = cast(str | None, getattr(event, "anchor", None))
            match event:
                case kinds.CollectionStartEvent():
                    self._open.append((anchor, self._values))
                    self._values += 1
                    if len(self._open) > MAX_DEPTH:
                        _refuse(tr("nested too deeply"))
                case kinds.CollectionEndEvent():
                    name, before = self._open.pop()
                    if name is not None:
                        self._anchors[name] = self._values - before
                case kinds.ScalarEvent():
                    self._values += 1
                    if anchor is not None:
                        self._anchors[anchor] = 1
                case kinds.AliasEvent():
                    if any(name == anchor for name, _ in self._open):
                        _refuse(tr("an alias refers to itself"))
                    self._values += self._anchors.get(str(anchor), 1)
                    if self._values > MAX_VALUES:
                        _refuse(tr("its aliases expand to too many values"))
                case _:
                    pass


def _refuse(cause: UserText) -> NoReturn:
    raise ValueError(cause)
