"""Reads filters of jq by an allow-list of tokens: a filter that passes computes from its input alone."""

import re

_SPACE = re.compile(r"[ \t\r\n]+")
_TEXT = re.compile(r'(?:[^"\\]|\\[^(])*')
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_FIELD = re.compile(r"\.[A-Za-z_]\w*", re.ASCII)
_VARIABLE = re.compile(r"\$[a-z]\w*", re.ASCII)
_FORMAT = re.compile(r"@(?:text|json|html|uri|csv|tsv|sh|base64d?)\b", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*(?!\w|::)", re.ASCII)
_OPERATOR = re.compile(r"\?//|//=?|\|=|[-+*/%=!<>]=|\.\.|[-+*/%<>=|,;:?.()\[\]{}]")
_NAMES = frozenset(
    {
        *("and", "or", "not", "if", "then", "elif", "else", "end", "as", "reduce", "foreach", "try", "catch"),
        *("true", "false", "null", "empty", "error", "length", "utf8bytelength", "keys", "keys_unsorted", "values"),
        *("has", "in", "map", "map_values", "select", "add", "any", "all", "flatten", "range", "floor", "ceil"),
        *("round", "sqrt", "abs", "fabs", "pow", "log", "tostring", "tonumber", "type", "sort", "sort_by", "group_by"),
        *("min", "max", "min_by", "max_by", "unique", "unique_by", "reverse", "contains", "inside", "startswith"),
        *("endswith", "ltrimstr", "rtrimstr", "trim", "ltrim", "rtrim", "split", "splits", "join", "ascii_downcase"),
        *("ascii_upcase", "test", "match", "capture", "scan", "sub", "gsub", "recurse", "to_entries", "from_entries"),
        *("with_entries", "del", "path", "paths", "leaf_paths", "first", "last", "nth", "limit", "until", "index"),
        *("indices", "rindex", "tojson", "fromjson", "todate", "fromdate", "fromdateiso8601", "todateiso8601", "now"),
        *("transpose", "implode", "explode", "walk", "arrays", "objects", "iterables", "booleans", "numbers"),
        *("strings", "nulls", "scalars", "isempty", "tojson", "infinite", "nan", "isnan", "ascii", "toarray", "pick"),
    }
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_IN_STRING = '"'


def only_computes(text: str) -> bool:
    """Whether every token of a filter is known to be harmless: nothing reads the environment or another file."""
    open_brackets: list[str] = []
    pos, last = 0, ""
    while pos < len(text):
        if open_brackets[-1:] == [_IN_STRING]:
            end = _TEXT.match(text, pos)
            pos = end.end() if end else pos
            if text[pos : pos + 2] == "\\(":
                open_brackets.append("\\(")
                pos, last = pos + 2, "("
            elif text[pos : pos + 1] == '"':
                open_brackets.pop()
                pos, last = pos + 1, _IN_STRING
            else:
                return False
            continue
        if space := _SPACE.match(text, pos):
            pos = space.end()
            continue
        if text[pos] == '"':
            open_brackets.append(_IN_STRING)
            pos += 1
            continue
        match = _NUMBER.match(text, pos) or _FIELD.match(text, pos) or _VARIABLE.match(text, pos)
        match = match or _FORMAT.match(text, pos) or _NAME.match(text, pos) or _OPERATOR.match(text, pos)
        if match is None:
            return False
        token = match[0]
        if token in ("(", "[", "{"):
            open_brackets.append(token)
        elif token in _PAIRS:
            if (open_brackets.pop() if open_brackets else "")[-1:] != _PAIRS[token]:
                return False
        elif _NAME.fullmatch(token) and token not in _NAMES:  # defence: jq-words
            if open_brackets[-1:] != ["{"] or last not in ("{", ","):  # else it is the name of a field
                return False
        elif token in _NAMES and open_brackets[-1:] == ["{"] and last not in ("{", ","):
            open_brackets[-1] = "if{"  # a comma behind `if` separates values
        pos, last = match.end(), token
    return not open_brackets
