"""Short labels for Wire types, the same on every screen."""

import re
from collections.abc import Sequence

from kimi_tui.flow.layout.cell_text import clean_label
from kimi_tui.formats import byte_count
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.wire.events import StepRetry
from kimi_tui.wire.flow_events import FlowStatus, NodeStatus, PauseReason
from kimi_tui.wire.parts import AudioURLPart, ImageURLPart, UserInput, VideoURLPart

Media = ImageURLPart | AudioURLPart | VideoURLPart

PAUSED: dict[PauseReason, str] = {
    "user": N_("paused"),
    "breakpoint": N_("paused at a breakpoint"),
    "step": N_("paused after one step"),
    "choice": N_("waiting for you to choose a branch"),
    "rejected": N_("paused: a tool was rejected"),
    "cancelled": N_("paused: the turn was interrupted"),
    "failed": N_("paused: the node failed"),
}
ENDED: dict[FlowStatus, str] = {
    "finished": N_("finished"),
    "stopped": N_("stopped"),
    "cancelled": N_("interrupted"),
    "failed": N_("failed"),
    "max_moves": N_("stopped: move limit reached"),
}
NODE_ENDED: dict[NodeStatus, str] = {
    "done": N_("done"),
    "failed": N_("failed"),
    "cancelled": N_("interrupted"),
    "rejected": N_("rejected"),
}
"""These are marked for translation; use `_` to show one."""
_TOOLS = {
    "AskUserQuestion": N_("Question"),
    "CreateSubagent": N_("New subagent"),
    "EnterPlanMode": N_("Plan mode"),
    "ExitPlanMode": N_("Plan"),
    "FetchURL": N_("Fetch"),
    "Glob": N_("Find files"),
    "Grep": N_("Search"),
    "ListMcpResources": N_("MCP resources"),
    "Network": N_("Network"),
    "ReadFile": N_("Read"),
    "ReadMcpResource": N_("MCP resource"),
    "ReadMediaFile": N_("View"),
    "SearchWeb": N_("Web search"),
    "SendDMail": N_("D-Mail"),
    "SetTodoList": N_("Todo"),
    "Shell": N_("Shell"),
    "StrReplaceFile": N_("Edit"),
    "SubmitResult": N_("Result"),
    "Task": N_("Subagent"),
    "TaskList": N_("Background tasks"),
    "TaskOutput": N_("Task output"),
    "TaskStop": N_("Stop task"),
    "Think": N_("Thought"),
    "WriteFile": N_("Write"),
}
"""What the user calls what each tool does. Rules and configuration use the tools' own names."""


def tool_label(name: str) -> str:
    """Return the name of a tool for the user: of an MCP server with the server's, as in `docs: search`."""
    if name in _TOOLS:
        return _(_TOOLS[name])
    prefix, server, tool = (*name.split("__", 2), "", "")[:3]
    return f"{server}: {tool}" if prefix == "mcp" and server and tool else name


def _url(part: Media) -> str:
    match part:
        case ImageURLPart():
            return part.image_url.url
        case AudioURLPart():
            return part.audio_url.url
        case VideoURLPart():
            return part.video_url.url


def media_name(part: Media) -> str:
    kind = part.type.removesuffix("_url")
    url = _url(part)
    if url.startswith("data:"):
        return ((isinstance(part, ImageURLPart) and part.image_url.id) or kind)[:60]
    return url.rsplit("/", 1)[-1][:60] or kind


def media_detail(part: Media) -> str:
    url = _url(part)
    if url.startswith("data:"):
        size = max(0, len(url) - url.find(",") - 1) * 3 // 4
        return f"{url[5:].split(';', 1)[0][:40]}, {byte_count(size)}"
    return ""


def attachment_names(content: UserInput) -> tuple[str, ...]:
    """The names of a message's attachments."""
    if isinstance(content, str):
        return ()
    return tuple(media_name(part) for part in content if isinstance(part, Media))


def error_hint(error_type: str) -> str:
    """Return a hint for the user on an error of that type, or ""."""
    ways = {
        "ProviderAuthError": _("Enter a new key with /setup, or switch with /model"),
        "ContextOverflowError": _("Free space with /compact, or switch to a larger model with /model"),
        "ProviderConnectionError": _("Press ↑ to edit and resend"),
        "ProviderTimeoutError": _("Press ↑ to edit and resend"),
        "ProviderStatusError": _("Press ↑ to edit and resend, or switch with /model"),
    }
    return ways.get(error_type, "")


def retry_reason(message: StepRetry) -> str:
    words = {
        "ProviderConnectionError": _("the connection failed"),
        "ProviderTimeoutError": _("the service took too long"),
        "EmptyResponseError": _("the answer was empty"),
    }
    if message.status_code == 429:
        return _("the service is rate-limiting requests (429)")
    if message.status_code is not None:
        return _("the service failed ({status})", status=message.status_code)
    return words.get(message.error_type, message.error_type)


_CLAUSE = re.compile(r"(?:(?<=[?!？！])|[:;.,](?= )|[：；。，])")
_SHORT = 52


def node_titles(labels: Sequence[str]) -> list[str]:
    """Return a title for each label; a short one only if it is unique."""
    titles = [node_title(label) for label in labels]
    return [
        title if titles.count(title) == 1 else " ".join(clean_label(label).split())
        for title, label in zip(titles, labels, strict=True)
    ]


def node_title(label: str) -> str:
    """A node's one-line title: the first clause of its label, if that is short."""
    text = " ".join(clean_label(label).split())
    if found := _CLAUSE.search(text):
        clause = text[: found.start()].strip()
        if 1 < len(clause) <= _SHORT:
            return clause
    return text


_ACTIONS = {
    "edit file": N_("edit a file"),
    "edit file outside of working directory": N_("edit a file outside of the working directory"),
    "fetch page": N_("fetch a page"),
    "mcp:read resource": N_("read a resource of an MCP server"),
    "read file": N_("read a file"),
    "read sensitive file": N_("read a sensitive file"),
    "run background command": N_("run a command in the background"),
    "run command": N_("run a command"),
    "stop background task": N_("stop a background task"),
}
"""Actions of approvals, which the Wire names as Kimi CLI does, in words for the user."""


def action_label(action: str) -> str:
    """Return what a tool asks to do, for the user; an unknown action keeps its text."""
    if action in _ACTIONS:
        return _(_ACTIONS[action])
    return _("run a tool of an MCP server") if action.startswith("mcp:") else translate(action)
