"""The text of a Mermaid label: decodes entities, turns `<br/>` into a line break; other markup stays as written."""

import html
import re

_MERMAID_ENTITY = re.compile(r"#([0-9]+|[A-Za-z_][A-Za-z0-9_]*);")
_HTML_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
_ENTITY_SIGN = re.compile(rf"(?={_MERMAID_ENTITY.pattern})#|(?={_HTML_ENTITY.pattern})&")
LINE_BREAK = re.compile(r"<br[ \t\n]*/?[ \t\n]*>|</br[ \t\n]*>", re.IGNORECASE)
_PLAIN_LINE_BREAK = re.compile(r"<br[ \t\n]*/?>", re.IGNORECASE)
_COMMENT_LINE = re.compile(r"[^\S\n]*%%(?!\{).+")


def _as_html(match: re.Match[str]) -> str:
    name = match.group(1)
    return f"&#{name};" if name[0].isdigit() else f"&{name};"


def without_comment_lines(text: str) -> str:
    """Remove comment lines, and blank ones before them, as Mermaid does also within a label of several lines."""
    if "%%" not in text or "\n" not in text:
        return text
    first, *lines = text.split("\n")
    kept: list[str] = []
    for line in lines:
        if not _COMMENT_LINE.match(line):
            kept.append(line)
            continue
        while kept and not kept[-1].strip():
            kept.pop()
    return "\n".join([first, *kept])


def escaped(label: str) -> str:
    """The label for use between double quotes; `plain` reverses it."""
    text = _ENTITY_SIGN.sub(lambda match: "#35;" if match.group() == "#" else "#amp;", label)
    text = text.replace("<", "#lt;").replace('"', "#quot;")
    text = text.replace("%%{", "%#37;{")
    if text[:1] == "`":
        text = "#96;" + text[1:]
    body = text.strip()
    start = text.find(body) if body else len(text)
    text = _as_numbers(text[:start]) + body + _as_numbers(text[start + len(body) :])
    return text.replace("\n", "<br/>")


def _as_numbers(blanks: str) -> str:
    return "".join(blank if blank == "\n" else f"#{ord(blank)};" for blank in blanks)


def plain(label: str, *, on_page: bool = True) -> str:
    """The label as displayed: trimmed, without one pair of quotes, entities and line breaks resolved.

    `on_page`: Mermaid repairs the label as a page would, so that `</br>` breaks a line too.
    """
    label = label.strip()
    if len(label) > 1 and label[0] == label[-1] == '"':
        label = label[1:-1]
    if "#" in label:
        label = _MERMAID_ENTITY.sub(_as_html, label)
    if "<" in label:
        label = (LINE_BREAK if on_page else _PLAIN_LINE_BREAK).sub("\n", label)
    if "&" in label:
        label = _HTML_ENTITY.sub(lambda match: html.unescape(match.group()), label)
    return label
