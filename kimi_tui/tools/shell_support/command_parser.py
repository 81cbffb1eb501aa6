"""Parses a Bash command line into the simple commands that it would run.

A parser reads it, never Bash itself, and nothing is expanded. `risks` lists what could make it run something else.
Invariant: without risks the list is complete, and every word is what the program would get.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from kimi_tui.permission.command_risk import CommandRisk, RiskKind
from kimi_tui.permission.subject import Pattern, Spelled
from kimi_tui.tools.shell_support.bash_words import ESCAPED, Source, literal, spelled_form
from kimi_tui.tools.shell_support.builtins import assignment_risks
from kimi_tui.tools.shell_support.globs import UNKNOWN, plain_braces
from kimi_tui.tools.shell_support.here_document import is_read_as_in_bash, read_delimiter
from kimi_tui.tools.shell_support.hidden_text import hidden_in
from kimi_tui.tools.shell_support.lexer import read_plain
from kimi_tui.tools.shell_support.wrapper_programs import InnerCommand, unwrap

READABLE_BYTES = 10_000
"""Limit for approval by rules: longer command lines are unreadable in a dialog."""
MAX_BYTES = 100_000  # defence: bound-parsed-bytes
"""Longer command lines are not parsed, to keep parsing under a second."""

_MAX_DEPTH = 5
_MAX_COMMANDS = 200

_PASSED = frozenset(
    {
        *("program", "list", "pipeline", "subshell", "compound_statement", "negated_command"),
        *("redirected_statement", "variable_assignments"),
    }
)
_TOKENS = frozenset({";", "&&", "||", "|", "|&", "&", "(", ")", "{", "}", "!", "\n"})
_RESERVED = frozenset(
    {
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select"),
        *("function", "coproc", "in", "{", "}", "[[", "]]", "!"),
    }
)
_EVALUATED = re.compile(r"[`\\]|\$\(\(|\$\[|\$\{(?!\w+\})")
"""Expansions that are not analysed in a here-document that Bash expands."""
_NODE_RISKS = {
    "comment": RiskKind.COMMENT,
    "herestring_redirect": RiskKind.HERE_DOCUMENT,
    "command_substitution": RiskKind.SUBSTITUTION,
    "process_substitution": RiskKind.SUBSTITUTION,
    "ERROR": RiskKind.UNPARSED,
}
_NESTED_BACKTICKS = re.compile(r"`[^`]*\\")
_CONTROL = frozenset(
    {
        *("for_statement", "while_statement", "do_group", "if_statement", "elif_clause", "else_clause"),
        *("case_statement", "case_item"),
    }
)
"""Constructs that run only the commands inside them."""
_AFTER_CLOSING = (b"", b" ", b"\t", b"\n", b";", b"&", b"|", b")", b"<", b">")
_LOST_DESCRIPTOR = re.compile(rb"(?:\A|[\s;&|()<>])(?:[0-9]+|\{\w+\})\Z")
_PLAIN_TARGET = re.compile(r"[\w./,:=@%+-]+")
"""A target that Bash leaves as it is; it expands the target of `>&` twice, so that `>&'$(x)'` runs x."""
_TILDE = re.compile(r"(?:\A|[=:])~")
_ASSIGNMENT = re.compile(r"[^\W\d]\w*(?:\+?=|\[)")
_WILD = re.compile(r"[*?\[]")
_OF_THE_WORDS = frozenset(
    {
        *(RiskKind.REDIRECTION, RiskKind.CHANGES_FILES, RiskKind.RUNS_LISTED, RiskKind.OTHER_USER),
        *(RiskKind.RISKY_OPTION, RiskKind.PATTERN_AS_OPTION),
    }
)
"""Risks about the meaning of words; the words themselves are certain."""
_WORDS = frozenset({"word", "number", "string", "raw_string", "concatenation", "simple_expansion", "expansion"})
_NAMES = frozenset({"variable_name", "special_variable_name", "string_content", "extglob_pattern"})
_PLAIN_EXPANSION = re.compile(  # defence: text-of-an-expansion
    r"\$(?:\w+|[@*#?$!-]|\{#?\w+(?:(?::?[-+=?]|[#%/^,])(?:[\w\s./:,=+*?#%^~-]|\$\w)*)?\})"
)
"""An expansion that evaluates nothing: not `${x@P}`, `${a[x]}`, `${!x}`, `${x:y}`, and with plain text inside."""
_SETTING_EXPANSION = re.compile(r"\$\{(\w+):?=")
_TEXT_INSTEAD = re.compile(r"\$\{\w+:?[-=+]([^{}]*)\}")
"""An expansion with a text that may take the variable's place."""
_VARIABLE = re.compile(r"\$(?:\w+|\{[^{}]*\})")
_STATEMENTS = frozenset(
    {
        *("command_substitution", "process_substitution", "file_redirect", "heredoc_redirect"),
        *("herestring_redirect", "ERROR"),
    }
)
_BLANK = re.compile(rb"(?:(?:\\\n)*[ \t\n](?:[ \t\n]|\\\n)*)?")
_BEFORE_COMMENT = re.compile(rb"(?:\A|[ \t\n;&|])\Z")
_PLAIN = bytes(code if " " <= chr(code) <= "~" or chr(code) in "\t\n" else ord("x") for code in range(256))
"""Non-ASCII characters crash the parser; Bash treats them like letters, so letters replace them."""
_DASH = re.compile(rb"(?<=[ \t])-(?=[ \t]+<<)")
"""A word that the parser drops before a here-document, as in `git commit -F - <<EOF`; a letter replaces it."""
_REVISION = re.compile(r"(?<=[\w@^-])[@^]\{(?:[\w-]|\.(?!\.))*\}|\A@\{[\w-]+\}", re.ASCII)
"""Braces of a Git revision, such as `stash@{0}`, which Bash leaves as they are."""
_TEST = re.compile(r"\[\s(?:.*\s)?\]", re.DOTALL)
_GROUP = re.compile(r"\{\s.*\S", re.DOTALL)
_GLUED = re.compile(rb"[^ \t\n]\\\n")
"""A line continuation that may be inside a word; the parser does not always recognise it."""


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program and its arguments; a word is None if it is known only at run time."""

    words: tuple[str | None, ...]

    @property
    def program(self) -> str | None:
        return self.words[0] if self.words else None


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The commands that a line would run, in reading order, and the risks. `files` are redirection targets, `wrappers`
    the commands that only run others among the commands: `timeout 5 ls`.

    `spelled` has all words in source form, for `globs`: quoted characters are backslash-escaped, and `UNKNOWN`
    stands for text known only at run time.
    """

    commands: tuple[SimpleCommand, ...]
    risks: tuple[CommandRisk, ...]
    files: tuple[str, ...] = ()
    spelled: tuple[str, ...] = field(default=(), compare=False)
    wrappers: tuple[SimpleCommand, ...] = ()
    assigned: tuple[str, ...] = ()
    """The assignments as they are written: `LC_ALL=C`."""
    unknown_files: bool = False
    """Whether a redirection has a target that is known only at run time."""
    set_names: tuple[str, ...] = ()
    """The variables that are set without an assignment: by `for x in` and `${x:=y}`."""

    @property
    def unread(self) -> bool:
        """Whether it may run programs that are not among the commands."""
        return any(risk.unread for risk in self.risks)


def parse_command_line(text: str) -> CommandLine:
    """Parse a command line. Never raises."""
    parser = _LineParser()
    parser.line(text, 0)
    return CommandLine(
        tuple(parser.commands),
        tuple(dict.fromkeys(parser.risks)),
        tuple(parser.files),
        tuple(dict.fromkeys(parser.spelled)),
        tuple(parser.wrappers),
        tuple(parser.assigned),
        parser.unknown_files,
        tuple(parser.set_names),
    )


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@dataclass(frozen=True, slots=True)
class _Source(Source):
    """The original text before `_PLAIN`, and the findings."""

    commands: list[tuple[str | None, ...]] = field(default_factory=list[tuple[str | None, ...]])
    redirections: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])


class _LineParser:
    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.risks: list[CommandRisk] = []
        self.files: list[str] = []
        self.spelled: list[str] = []
        self.wrappers: list[SimpleCommand] = []
        self.assigned: list[str] = []
        self.unknown_files = False
        self.set_names: list[str] = []

    def risk(self, kind: RiskKind, subject: str = "") -> None:
        self.risks.append(CommandRisk(kind, subject))

    def line(self, text: str, depth: int) -> None:
        content = text.encode("utf-8", "surrogatepass") if len(text) <= MAX_BYTES else b""
        if len(text) > MAX_BYTES or len(content) > MAX_BYTES:
            self.risk(RiskKind.TOO_LONG)
            return
        if len(content) > READABLE_BYTES:
            self.risk(RiskKind.LONG)
        if hidden := hidden_in(text):  # defence: hidden-characters-in-command
            self.risks.append(hidden)
        if depth > _MAX_DEPTH:
            self.risk(RiskKind.TOO_DEEP)
            return
        source = _Source(content)
        before = len(self.risks)
        root = _parser().parse(_DASH.sub(b"x", content.translate(_PLAIN))).root_node
        if root.has_error or _GLUED.search(content) or _skips(root, source):
            self.risk(RiskKind.UNPARSED)
        pending = [root]
        while pending:
            here = pending.pop()
            if len(self.commands) >= _MAX_COMMANDS:
                self.risk(RiskKind.TOO_MANY_COMMANDS)
                return
            pending.extend(reversed(self._visit(here, source, depth)))
        self._compare(text, source, before, depth)

    def _compare(self, text: str, source: _Source, before: int, depth: int) -> None:
        """Require the second parser to agree, unless the first one already has a risk."""
        if any(risk.kind not in _OF_THE_WORDS for risk in self.risks[before:]):
            return
        plain = read_plain(text, braces=depth == 0)
        # defence: compare-with-plain-text
        if plain is None or plain.commands != source.commands or plain.redirections != source.redirections:
            self.risk(RiskKind.UNPARSED)

    def _visit(self, node: Node, source: _Source, depth: int) -> list[Node]:
        """Process this node; return the child nodes still to visit."""
        children = node.children
        match node.type:
            case "compound_statement" if not _GROUP.match(source.text(node)):
                self.risk(RiskKind.UNPARSED)
            case kind if kind in _PASSED or (not node.is_named and kind in _TOKENS):
                pass
            case "command":
                self._command(node, source, depth)
                return [inner for child in children for inner in _nested(child)]
            case "file_redirect":
                self._redirect(node, source)
                return [inner for child in children for inner in _nested(child)]
            case "heredoc_redirect":
                self.risk(RiskKind.HERE_DOCUMENT)
                return self._here_document(node, source)
            case kind if kind in _NODE_RISKS:
                self.risk(_NODE_RISKS[kind])
                if _NESTED_BACKTICKS.match(source.text(node)):
                    self.risk(RiskKind.UNREAD_SYNTAX, "`")
            case "test_command" if children[0].type == "[":
                self._test(node, source, depth)
                return [inner for child in children for inner in _nested(child)]
            case "declaration_command" | "unset_command":
                self.risk(RiskKind.CHANGES_SHELL, source.text(children[0]))
            case "variable_assignment":
                self._assignment(node, source)
                return [inner for child in children for inner in _nested(child)]
            case kind if kind in _CONTROL:
                self.risk(RiskKind.SYNTAX, kind.replace("_", " "))
                self.set_names += [source.text(child) for child in children if child.type == "variable_name"]
            case kind if kind in _WORDS:
                self._word(node, source)
                return [inner for child in children for inner in _nested(child)]
            case kind if node.is_named and kind not in _NAMES:
                self.risk(RiskKind.UNREAD_SYNTAX, kind.replace("_", " "))
            case _:
                pass
        return children

    def _command(self, node: Node, source: _Source, depth: int) -> None:
        words: list[str | None] = []
        end = node.start_byte
        for child in node.children:
            gap = source.content[end : child.start_byte]
            if b"\n" in gap.replace(b"\\\n", b"") or (not gap and end != node.start_byte):
                self.risk(RiskKind.UNPARSED)
            end = child.end_byte
            match child.type:
                case "command_name":
                    words.append(self._word(child.children[0] if child.child_count else child, source))
                case "variable_assignment":
                    self._assignment(child, source)
                case "file_redirect" | "heredoc_redirect" | "herestring_redirect":
                    pass
                case _:
                    words.extend(self._words(child, source, depth))
        source.commands.append(tuple(words))
        self.add(tuple(words), depth)

    def _assignment(self, node: Node, source: _Source) -> None:
        self.risk(RiskKind.SETS_VARIABLE)
        self.assigned.append(source.text(node))
        self.risks.extend(assignment_risks(source.text(node)))
        if node.children[0].type != "variable_name" or node.children[-1].type == "array":
            self.risk(RiskKind.UNREAD_SYNTAX, "array")
        elif node.child_count > 2:
            self._word(node.children[-1], source)

    def _here_document(self, node: Node, source: _Source) -> list[Node]:
        """Return the nodes to visit in a here-document; it counts as parsed only if Bash reads it likewise."""
        parts = {child.type: child for child in node.children}
        start, body, end = (parts.get(f"heredoc_{name}") for name in ("start", "body", "end"))
        delimiter = read_delimiter(start, source)
        # defence: here-document-as-bash-reads-it
        if (
            delimiter is None
            or any(kind in parts for kind in _WORDS)
            or not is_read_as_in_bash(node, delimiter, source)
        ):
            self.risk(RiskKind.UNPARSED)
        inside = _nested(body) if body and (delimiter is None or delimiter.expands) else []
        expanded = source.text(body) if body and (delimiter is None or delimiter.expands) else ""
        # defence: substitutions-of-here-documents
        if _EVALUATED.search(expanded) or (body and expanded and "$(" in _outside(inside, body, source)):
            self.risk(RiskKind.UNREAD_SYNTAX, "heredoc body")
        return [*inside, *(child for child in node.children if child not in (start, body, end))]

    def _test(self, node: Node, source: _Source, depth: int) -> None:
        """Handle `[ ... ]`, which is an expression in the grammar but a command with words in Bash."""
        if not _TEST.fullmatch(source.text(node)):  # defence: pattern-as-program
            self.risk(RiskKind.UNPARSED)
        leaves = _outermost(node, _WORDS, leaves=True)
        # defence: test-on-one-line
        if any(
            b"\n" in source.content[one.end_byte : two.start_byte].replace(b"\\\n", b"")
            for one, two in pairwise(leaves)
        ):
            self.risk(RiskKind.UNPARSED)
        words = [self._word(leaf, source) if leaf.is_named else source.text(leaf) for leaf in leaves]
        source.commands.append(tuple(words))
        self.add(tuple(words), depth)

    def add(self, words: tuple[str | None, ...], depth: int) -> None:
        """Add a simple command and, for a wrapper, the commands it would run."""
        # behind `time` Bash sets a variable, or obeys a keyword, and runs the rest
        # defence: keyword-of-a-wrapper
        if words and words[0] and (words[0] in _RESERVED or _ASSIGNMENT.match(words[0])):
            self.risk(RiskKind.UNPARSED)
        found = unwrap(words)  # defence: unwrap-commands
        self.risks.extend(found.risks)
        (self.wrappers if found.replaced else self.commands).append(SimpleCommand(words))
        for inner in found.inner:
            match inner:
                case str():
                    self.line(inner, depth + 1)
                case InnerCommand():
                    if depth >= _MAX_DEPTH * 4:
                        self.risk(RiskKind.TOO_DEEP)
                    else:
                        self.add(inner.words, depth + 1)

    def _redirect(self, node: Node, source: _Source) -> None:
        operator = next((child.type for child in node.children if not child.is_named), "")
        target = node.children[-1]
        name = "-" if operator in (">&-", "<&-") else self._word(target, source)
        source.redirections.append((operator.removesuffix("-"), name))
        has_descriptor = node.children[0].type == "file_descriptor"
        closes = name == "-" and operator.endswith("&-")
        if node.child_count > 1 + has_descriptor + (not closes) or _odd(node, source):  # defence: odd-descriptor
            self.risk(RiskKind.UNPARSED)
        if operator == ">&" and not (name and _PLAIN_TARGET.fullmatch(name)):  # defence: target-expanded-twice
            self.risk(RiskKind.EVALUATES, ">&")
        if operator in (">&", "<&", ">&-", "<&-") and (name == "-" or (name and re.fullmatch("[0-9]", name))):
            return
        if name is not None:
            self.files.append(name)
        self.unknown_files = self.unknown_files or name is None or isinstance(name, Pattern)
        harmless = name == "/dev/null" or (operator == "<" and not _is_device(name))
        if name is None or isinstance(name, Pattern) or not harmless:
            self.risk(RiskKind.REDIRECTION)

    def _words(self, node: Node, source: _Source, depth: int) -> Sequence[str | None]:
        """Return the arguments that the program gets. A nested line may be read by a shell without brace expansion."""
        choices = plain_braces(source.text(node)) if depth == 0 else ()
        self.spelled.extend(choices)
        return [self._expanded(choice, choice) for choice in choices] or [self._word(node, source)]

    def _word(self, node: Node, source: _Source) -> str | None:
        """Return the argument that the program gets; None, and record a risk, if it is not known."""
        pieces = node.children if node.type == "concatenation" else [node]
        spelled = "".join(spelled_form(piece, source, first=place == 0) for place, piece in enumerate(pieces))
        self.spelled.append(spelled)
        text = ""
        for piece in pieces:
            part = literal(piece, source)
            if part is None:
                self.risk(RiskKind.EXPANSION)  # defence: doubt-expansion
                self.spelled.extend(_with_texts_instead(source.text(node)))  # defence: texts-instead-of-variables
                self.set_names += filter(None, (_set_by(source.text(each)) for each in _expansions(node)))
                # defence: every-part-of-a-word
                if any(not _PLAIN_EXPANSION.fullmatch(source.text(each)) for each in _expansions(node)):
                    self.risk(RiskKind.UNREAD_SYNTAX, "expansion")
                return None
            text += part
        bare = _REVISION.sub("", ESCAPED.sub("", spelled))
        if ("{" in bare or "}" in bare) and spelled not in ("{}", "{", "}"):
            self.risk(RiskKind.BRACES)
            return None
        return self._expanded(text, spelled)

    def _expanded(self, text: str, spelled: str) -> str:
        """Return a word without braces as a rule compares it."""
        if not _WILD.search(ESCAPED.sub("", spelled)):
            return Spelled(text, spelled) if _TILDE.search(spelled) else text
        if spelled[0] in "*?[" or text[0] == "-":  # defence: pattern-as-option
            self.risk(RiskKind.PATTERN_AS_OPTION)
        return Pattern(text, spelled)


def _with_texts_instead(word: str) -> Iterator[str]:
    """Yield the word with each text that may take a variable's place: `.env` for `${FILE:-.env}`."""
    for _ in range(_MAX_DEPTH):
        filled = _TEXT_INSTEAD.sub(r"\1", word)
        if filled == word:
            return
        word = filled
        yield _VARIABLE.sub(UNKNOWN, word).replace('"', "").replace("'", "")


def _set_by(expansion: str) -> str:
    """Return the name of the variable that an expansion sets, if it does: `${x:=y}`."""
    match = _SETTING_EXPANSION.match(expansion)
    return match[1] if match else ""


def _is_device(name: str | None) -> bool:
    """Whether Bash would open a network connection, as for `/dev/tcp/HOST/PORT`."""
    return name is None or name.startswith("/dev/")


def _odd(node: Node, source: _Source) -> bool:
    """Whether Bash reads the start or the end of a redirection differently from the parser, which accepts a descriptor
    as part of a word, and `>&-` as the start of one.
    """
    first = node.children[0]
    if first.type == "file_descriptor" and not re.fullmatch("[0-9]", source.text(first)):
        return True
    if first.type != "file_descriptor" and _LOST_DESCRIPTOR.search(
        source.content[max(0, node.start_byte - 40) : node.start_byte]
    ):
        return not source.text(node).startswith("&")
    before = source.content[node.start_byte - 1 : node.start_byte]
    if first.type == "file_descriptor" and before not in (b"", b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")"):
        return True
    return source.text(node).endswith("&-") and source.content[node.end_byte : node.end_byte + 1] not in _AFTER_CLOSING


def _skips(root: Node, source: _Source) -> bool:
    r"""Whether the parser skipped anything but white space: it accepts `\ ` as white space, where Bash has a word, a
    lone line continuation as the end of a word, and a line end before a backslash as part of a word. It also takes the
    `#` of the word `]#` for the start of a comment.
    """
    at = 0
    pending = [root]
    while pending:
        here = pending.pop()
        if here.child_count and (here.type != "heredoc_body" or _nested(here)):
            pending.extend(reversed(here.children))
        else:
            if not _BLANK.fullmatch(source.content, at, max(at, here.start_byte)):
                return True
            # defence: comment-within-a-word
            if here.type == "comment" and not _BEFORE_COMMENT.search(source.content, 0, here.start_byte):
                return True
            if here.type == "word" and re.search(r"\s", ESCAPED.sub("", source.text(here))):
                return True
            at = max(at, here.end_byte)
    return not _BLANK.fullmatch(source.content, at)


def _nested(node: Node) -> list[Node]:
    """Return the substitutions and redirections within a word, at any depth, but not inside one another."""
    return _outermost(node, _STATEMENTS)


def _outside(inner: Sequence[Node], node: Node, source: _Source) -> str:
    """Return the text of a node without that of the nodes within it."""
    starts = [node.start_byte, *(each.end_byte for each in inner)]
    ends = [*(each.start_byte for each in inner), node.end_byte]
    parts = (source.content[start:end] for start, end in zip(starts, ends, strict=True))
    return b" ".join(parts).decode("utf-8", "replace")


def _expansions(node: Node) -> list[Node]:
    return _outermost(node, frozenset({"simple_expansion", "expansion", "arithmetic_expansion"}))


def _outermost(node: Node, kinds: frozenset[str], *, leaves: bool = False) -> list[Node]:
    """Return the outermost nodes of these kinds; with `leaves` also all other nodes without children."""
    found: list[Node] = []
    pending = [node]
    while pending:
        here = pending.pop()
        if here.type in kinds or (leaves and not here.child_count):
            found.append(here)
        else:
            pending.extend(reversed(here.children))
    return found
