"""Finds where a line may break: at white space, and between Chinese, Japanese and Korean characters.

No line starts with a closing mark or ends with an opening one (kinsoku). `rich` and `textwrap` break at spaces only.
"""

import re

_NO_START = frozenset(
    "、。，．・：；？！）」』】〕〉》〗〙〛｝］”’…—～％‰℃々ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ﹐﹑﹒﹔﹕﹖﹗,.;:?!)]}%"
)
_NO_END = frozenset("（「『【〔〈《〖〘〚｛［“‘＄￥￡＃＠([{")

_WIDE = (
    "\u1100-\u11ff\u2e80-\u30ff\u3100-\u4dbf\u4e00-\ua4cf\uac00-\ud7af"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
)
_UNIT = re.compile(rf"\s+|[{_WIDE}][\ufe00-\ufe0f\u0300-\u036f]*|(?<=[{_WIDE}])[,.;:?!)\]}}%]+|[^\s{_WIDE}]+")


def unbreakable_units(text: str) -> list[tuple[int, int, bool]]:
    """Return the parts of `text` that stay on one line, in order and without gaps: (start, end, whether it is white
    space).
    """
    units: list[tuple[int, int, bool]] = []
    for match in _UNIT.finditer(text):
        start, end = match.span()
        if text[start].isspace():
            units.append((start, end, True))
        elif units and not units[-1][2] and (text[start] in _NO_START or text[start - 1] in _NO_END):
            units[-1] = (units[-1][0], end, False)
        else:
            units.append((start, end, False))
    return units
