"""A task for three subagents at once: one makes a file, one waits until somebody stops it, one cannot reach its model.

The script is one of rules, so that each of the four conversations has its own replies whatever their order is.
"""

from tests.soul.scripted_engine import tool_call
from tests.ui.sleeper import sleeper

PROMPT = "send three"
ENDED = "One of the three is done."
_REPORT = "text: " + "I made `made.txt` and read it again: it holds the one line that was asked for. " * 4


def _task(call_id, name, description, prompt):
    return tool_call("Task", call_id, description=description, subagent_name=name, prompt=prompt)


def three_subagents():
    """The replies, and how to know whether the command of the second still runs; it makes the file `begun`."""
    sleep, sleeps = sleeper()
    return replies_with(sleep), sleeps


def replies_with(wait):
    """The replies, where the second subagent calls `wait`."""
    calls = [
        _task("t1", "coder", "make the file", "writes"),
        _task("t2", "coder", "watch the build", "waits"),
        _task("t3", "explore", "read the docs", "looks"),
    ]
    return (
        f"when: ^result: Task\ntext: {ENDED}",
        f"when: ^user: {PROMPT}$\ntext: I send three.\n" + "\n".join(calls),
        f"when: ^user: writes$\nwhen: ^result: WriteFile\n{_REPORT}",
        "when: ^user: writes$\n" + tool_call("WriteFile", "w", path="made.txt", content="made\n"),
        f"when: ^user: waits$\ntext: I wait for the build.\n{wait}",
        "when: ^user: looks$\nerror: 401 the key was refused",
    )
