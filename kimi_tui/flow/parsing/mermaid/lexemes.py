"""The lexemes of Mermaid's flowchart language.

Each pattern is tried at one place, never searched for along a line, and none can backtrack beyond its own match:
parsing stays linear. The order of alternatives is that of Mermaid's own lexer.
"""

import re

# A piece of an id. Mermaid joins such pieces to ids, and tries its keywords and links before each of them.
ID_PIECE = re.compile(
    r"""(?:
      [0-9]+
    | [:,*\#&]
    | (?!"|%%)(?:[A-Za-z0-9!"#$%&'*+.`?\\_/] | -(?=[^>\-.]) | =(?!=))+
    | -
    | [^\W_]
    )""",
    re.VERBOSE,
)
ID_STOPS = re.compile(r"[xo<]?(?:--|==|-?\.+-|-\.)|~~~|:::")

LINK = re.compile(r"[xo<]?(?:--+[-xo>]|==+[=xo>]|-?\.+-[xo>]?)|~~~+")
LINK_START = re.compile(r"[xo<]?(?:--|==|-\.)")
NAMED_LINK = re.compile(rf"[^\s\"@]+(?:@+[^\s\"@]+)*@+(?=[^{{\"])\s*(?:{LINK.pattern})")
LINK_END = {
    "-": re.compile(r"[xo<]?--+[-xo>]"),
    "=": re.compile(r"[xo<]?==+[=xo>]"),
    # Only from the start of a run of dots, or after the `-.` that opened the link: linear time.
    ".": re.compile(r"(?:[xo<]?-?(?<!\.)|(?<=-\.))\.++-[xo>]?"),  # defence: ends-of-dotted-links
}

SPACES = re.compile(r"[^\S\n]*")
BLANK = re.compile(r"\s*")
SEPARATORS = re.compile(r"[\s;]*")
REST_OF_LINE = re.compile(r"[^\n]*")

HEADER = re.compile(r"(?:flowchart-elk|swimlane-beta|flowchart|graph)\b")
ANY_HEADER = re.compile(r"(?:flowchart|graph)\b(?=[^\S\n]*(?:(?:LR|RL|TB|BT|TD)\b|\n|$))", re.IGNORECASE)
DIRECTION_OF_HEADER = re.compile(r"[^\S\n]*((?:LR|RL|TB|BT|TD|BR|v)\b|<|>|\^)", re.IGNORECASE)
KEYWORD = re.compile(
    r"(?:subgraph|end|classDef|class|style|linkStyle|click)(?=[\s;]|$)|direction(?=\s)|accTitle(?=\s*:)|accDescr(?=\s*[:{])"
)
SUBGRAPH_NAME = re.compile(r'subgraph[^\S\n]*("[^"]*"|[^\n;\["]*)[^\S\n]*')
CLOSED_WORDS = frozenset(
    {"end", "graph", "flowchart", "subgraph", "style", "linkStyle", "classDef", "class", "click", "href", "call"}
    | {"interpolate"}
)
DIRECTION = re.compile(r"direction\s+(?:TB|BT|RL|LR|TD)[^\n]*")
ID_OF_STYLE = re.compile(r"style\s+([^\s;]+)")

OPENER = re.compile(r"\(\(\(|\(\(|\(\[|\(-|\(|\[\[|\[\||\[\(|\[/|\[\\|\[|\{\{|\{|>")
PROPERTY = re.compile(r'[^\s:|"\[\](){}]+:[^\s:|"\[\](){}]+\|')
PLAIN_TEXT = re.compile(r'[^\[\](){}|"]*')
ELLIPSE_TEXT = re.compile(r"(?:[^\[\](){}\-]|-(?!\)))*")
SLANTED_TEXT = re.compile(r"(?:[^\\\[\](){}/]|[/\\](?!\]))*")

SHAPES: dict[str, tuple[tuple[str, str], ...]] = {
    "(((": ((")))", "doublecircle"),),
    "((": (("))", "circle"),),
    "([": (("])", "stadium"),),
    "(-": (("-)", "ellipse"),),
    "(": ((")", "round"),),
    "[[": (("]]", "subroutine"),),
    "[|": (("]", "rect"),),
    "[(": ((")]", "cylinder"),),
    "[/": (("/]", "lean_right"), ("\\]", "trapezoid")),
    "[\\": (("\\]", "lean_left"), ("/]", "inv_trapezoid")),
    "[": (("]", "rect"),),
    "{{": (("}}", "hexagon"),),
    "{": (("}", "diamond"),),
    ">": (("]", "odd"),),
}
