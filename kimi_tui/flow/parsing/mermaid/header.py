"""The text before and around the statements of a Mermaid chart: frontmatter, directives, comments, other headers."""

import re

from kimi_tui.flow.parsing.mermaid.lexemes import LINK_START

_FRONTMATTER = re.compile(r"\s*---[^\S\n]*\n(?:[^\n]*\n)*?[^\S\n]*---[^\S\n]*(?:\n|$)")
_COMMENT = re.compile(r"^[^\S\n]*%%[^\n]*", re.MULTILINE)
_BARE_COMMENT = re.compile(r"^[^\S\n]*(%%)$", re.MULTILINE)
_NOT_NEWLINE = re.compile(r"[^\n]")
_OTHER_DIAGRAM = re.compile(
    r"(sequenceDiagram|classDiagram(?:-v2)?|stateDiagram(?:-v2)?|erDiagram|journey|gantt|pie|quadrantChart"
    r"|requirement(?:Diagram)?|gitGraph|C4(?:Context|Container|Component|Dynamic|Deployment)|mindmap|timeline|zenuml"
    r"|sankey(?:-beta)?|xychart(?:-beta)?|block(?:-beta)?|packet(?:-beta)?|kanban|architecture(?:-beta)?"
    r"|radar(?:-beta)?|treemap(?:-beta)?|treeView-beta|venn-beta|ishikawa(?:-beta)?|wardley-beta|info|error)"
    r"(?=[\s:;]|$)"
)
_NAMES = {
    "sequenceDiagram": "sequence diagram", "classDiagram": "class diagram", "stateDiagram": "state diagram",
    "erDiagram": "entity relationship diagram", "journey": "user journey", "gantt": "Gantt chart", "pie": "pie chart",
    "quadrantChart": "quadrant chart", "requirement": "requirement diagram",
    "requirementDiagram": "requirement diagram", "gitGraph": "Git graph", "sankey": "Sankey diagram",
    "xychart": "XY chart", "block": "block diagram", "packet": "packet diagram", "kanban": "Kanban board",
    "architecture": "architecture diagram", "radar": "radar chart", "treeView": "tree view",
    "venn": "Venn diagram", "ishikawa": "Ishikawa diagram", "wardley": "Wardley map", "zenuml": "ZenUML diagram",
}  # fmt: skip


def strip_header(text: str) -> tuple[str, list[int]]:
    """The text with everything but statements replaced by spaces; and the places of lines with a bare `%%`."""
    front = _FRONTMATTER.match(text) if text.lstrip().startswith("---") else None
    clear = (_blanked(front) + text[front.end() :]) if front else text
    if "%%" not in text:
        return clear, []
    clear = _without_directives(clear)
    return _COMMENT.sub(_blanked, clear), [match.start(1) for match in _BARE_COMMENT.finditer(clear)]


def other_diagram(text: str, pos: int) -> str | None:
    """The message for a text whose first word, at `pos`, is the header of another kind of diagram."""
    match = _OTHER_DIAGRAM.match(text, pos)
    if match is None or LINK_START.match(text[match.end() : match.end() + 8].lstrip()):
        return None
    keyword = match.group(1)
    name = keyword.removesuffix("-beta").removesuffix("-v2")
    name = "C4 diagram" if name.startswith("C4") else _NAMES.get(name, name)
    article = "an" if name[0] in "aeiX" else "a"
    return f"this is {article} {name} (`{keyword}`), not a flowchart; a flow begins with `flowchart TD`"


def _blanked(match: re.Match[str]) -> str:
    return _NOT_NEWLINE.sub(" ", match.group())


def _without_directives(text: str) -> str:
    """Replace every `%%{ .. }%%` by spaces; an unclosed one is a comment."""
    parts: list[str] = []
    pos = 0
    while (start := text.find("%%{", pos)) >= 0 and (end := text.find("}%%", start)) >= 0:
        parts += (text[pos:start], _NOT_NEWLINE.sub(" ", text[start : end + 3]))
        pos = end + 3
    return "".join(parts) + text[pos:]
