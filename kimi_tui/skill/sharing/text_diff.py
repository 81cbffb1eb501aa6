"""Computes the difference between two versions of a skill, as lines. Its time is bounded for every content."""

import difflib
from collections.abc import Iterator, Mapping, Sequence

from kimi_tui.i18n import tr
from kimi_tui.skill.sharing.skill_package import PackagedFile

_MAX_LINES = 2_000
"""The lines of both versions of which the smallest difference is computed, which takes quadratic time."""


def folder_diff(old: Mapping[str, PackagedFile], new: Mapping[str, PackagedFile]) -> Iterator[str]:
    """Return lines in the format of `diff -u`, file by file; a binary file is only reported as changed."""
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if before is not None and after is not None and before.executable != after.executable:
            yield (
                tr("{name}: now executable", name=name)
                if after.executable
                else tr("{name}: no longer executable", name=name)
            )
        contents = tuple(None if file is None else file.content for file in (before, after))
        if contents[0] != contents[1]:
            yield from _file_diff(name, *contents)


def _file_diff(name: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    before, after = _lines(old), _lines(new)
    if before is None or after is None:
        yield tr("{name}: binary, {old:,} -> {new:,} bytes", name=name, old=len(old or b""), new=len(new or b""))
        return
    from_name, to_name = ("/dev/null" if side is None else name for side in (old, new))
    if before == after:
        yield tr("{name}: only the newline at the end of the file differs", name=name)
        return
    if len(before) + len(after) <= _MAX_LINES:  # defence: bound-difference
        yield from difflib.unified_diff(before, after, from_name, to_name, lineterm="")
        return
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    removed, added = before[start : len(before) - end], after[start : len(after) - end]
    yield f"--- {from_name}"
    yield f"+++ {to_name}"
    yield f"@@ -{start + 1},{len(removed)} +{start + 1},{len(added)} @@"
    yield from (f"-{line}" for line in removed)
    yield from (f"+{line}" for line in added)


def _lines(content: bytes | None) -> list[str] | None:
    """The lines of a text; None for what is not text."""
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.removesuffix("\n").split("\n") if text else []


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))
