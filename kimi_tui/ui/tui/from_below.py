"""Texts that the layers below write for the person and that stand on the screen among its own.

They come in English, over the Wire or as errors. `told` says them in the language of the screen where they have a
known form; what has none (a path, the words of a model, a server or a system call) stays as it came.
"""

import re
from functools import cache, lru_cache

from kimi_tui.ui.tui.language import N_, _, language, p_

FORMS: tuple[str, ...] = (
    # What a tool asks to do
    N_("run command"),
    N_("run background command"),
    N_("edit file"),
    N_("edit file outside of working directory"),
    N_("read file"),
    N_("read sensitive file"),
    N_("stop background task"),
    N_("use {tool}"),
    N_("mcp:{tool}"),
    # How far a broad yes reaches
    N_("commands that begin with `{words}`"),
    N_("exactly `{words}`"),
    N_("edits under `{folder}`"),
    N_("edits of `{file}`"),
    N_("calls of `{tool}` of the MCP server `{server}`"),
    # Why it is asked, and what is odd about it
    N_("Asked because: {why}"),
    N_("Careful: {why}"),
    N_("it is to run outside of the sandbox"),
    N_("it names a protected or sensitive file: {file}"),
    N_("it has an invisible character (U+{char})"),
    N_("it has a character that looks like another (U+{char})"),
    N_("it has much blank space in it"),
    # What is asked for, in a sentence
    N_("Run command `{command}`"),
    N_("Edit file `{file}`"),
    N_("Create file `{file}`"),
    N_("Read `{file}` and tell the model"),
    N_("Read `{file}`, which by its name holds secrets, and tell the model"),
    N_("Stop background task `{task}`: {what}"),
    N_("Call `{tool}` of the MCP server `{server}`"),
    # What a project's configuration loosens
    N_("rules that allow"),
    N_("mode {mode}"),
    N_("a wider sandbox"),
    N_("the rule `{rule}` of {file}"),
    N_("the rule `{rule}`"),
    N_("{rule} may be meant"),
    # The plan that the model asks about, and other questions of ours
    *(N_("Plan"), N_("Carry out this plan?"), N_("Yes"), N_("No"), N_("Change it"), N_("Another answer")),
    N_("Say what is to be different."),
    # What came of a call
    N_("The user rejected this tool call."),
    N_("The user rejected this tool call and says: {words}"),
    N_("Rejected"),
    N_("Rejected: {words}"),
    N_("You said: {words}"),
    N_("You changed it: {command}"),
    N_("Not answered"),
    N_("Nothing was found"),
    N_("Plan mode is on"),
    N_("Plan agreed to"),
    N_("Plan agreed to in this way: {way}"),
    # What became of a task in the background, and how bad a problem of a skill is
    *(N_("running"), N_("done"), N_("failed"), N_("timed out"), N_("stopped")),
    *(N_("exit code {code}"), N_("after {seconds} s")),
    *(N_("error"), N_("warning")),
    # Notices
    N_("The model's service failed"),
    N_("That cannot be done"),
    N_("The turn ended with an error"),
    N_("A D-Mail went back to checkpoint {number}"),
    N_("Back to before “{text}”"),
    N_("The files are as before “{text}”"),
    N_("The conversation goes on from there."),
    N_("Restored: {files}."),
    N_("Removed, since it was new: {files}."),
    N_("{file} was changed by something else too; that is kept as {copy}."),
    N_("{file} stays as it is: {why}."),
    N_("what it held then was not kept"),
    N_("What Shell commands changed is out of reach and stays as it is."),
    N_("Background task: {what}"),
    N_("The last session, “{title}”, is open in another window: this is the last one that is free"),
    N_("This session was mended after a crash"),
    N_("Lines of this session's record cannot be read"),
    N_("The flow's journal is written again."),
    N_("The flow's journal cannot be written: a crash would lose its place"),
    N_("An order for this flow makes no sense"),
    N_("The session is written to disk again"),
    N_("Nothing was lost."),
    N_("The session cannot be written to disk; it goes on in memory"),
    N_("They are kept in {file}"),
    N_("MCP configuration"),
    N_("MCP server {name}: {state}"),
    *(N_("connected"), N_("unauthorized")),
    # What cannot be done now
    N_("a turn is already running"),
    N_("a flow is already running in this session"),
    N_("there is no flow run to go on with"),
    N_("no flow is running"),
    N_("a key has no blanks and no such letters in it"),
    N_("no model is set"),
    N_("the model can be changed when the turn has ended"),
    N_("that turn is no more"),
    N_("the flow is not paused"),
    N_("the flow is being stopped"),
    N_("the flow is going on already"),
    N_("the flow's run is over"),
    N_("{node} is no decision: there is nothing to choose"),
    N_("{node} has no prompt"),
    N_("it ended with exit code {code}"),
    # The themes that come along
    *(N_("ANSI 16"), N_("Colour-blind safe"), N_("High contrast"), N_("Kimi dark"), N_("Kimi light"), N_("Kimi")),
    # What a model is that is none
    N_("a script, not a model"),
)
_PLAIN = frozenset(form for form in FORMS if "{" not in form)
_SAID_TOO = frozenset({"why", "state", "rule"})
"""The values that are texts of ours themselves."""
_MARKS_OF_LISTS = ("; ", " or ", ", ")


def told(text: str) -> str:
    """`text` as the screen says it."""
    return text if language() == "en" or not text else _told(text)


@lru_cache(1024)
def _told(text: str) -> str:
    if text in _PLAIN:
        return _(text)
    for mark in _MARKS_OF_LISTS:
        if mark not in text:
            continue
        parts = text.split(mark)
        says = [_told(part) for part in parts]
        if all(part != say for part, say in zip(parts, says, strict=True)):
            return _joint(mark).join(says)
    for pattern, form in _patterns():
        if found := pattern.fullmatch(text):
            values = found.groupdict()
            return _(form, **values | {name: _told(values[name]) for name in values.keys() & _SAID_TOO})
    return text


def _joint(mark: str) -> str:
    match mark:
        case "; ":
            return p_("between reasons", "; ")
        case " or ":
            return p_("between choices", " or ")
        case _:
            return p_("between things", ", ")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The forms that hold values, as patterns of what comes."""
    return tuple((_pattern(form), form) for form in FORMS if "{" in form)


def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(form)), re.DOTALL)
