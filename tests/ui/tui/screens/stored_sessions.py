"""Sessions on disk, written as the program writes them."""

import os
from pathlib import Path

from kimi_tui import jsonl
from kimi_tui.session.session import sessions_dir
from kimi_tui.session.state import SessionState, write_state
from kimi_tui.wire.codec import WireMessage
from kimi_tui.wire.events import StepBegin, TurnBegin, TurnEnd
from kimi_tui.wire.parts import TextPart
from kimi_tui.wire.recorder import Recorder
from tests.ui.tui import wire_scenarios

NOW = 1_790_000_000.0
HOUR, DAY = 3600.0, 86400.0


def keep(
    work_dir: Path, session_id: str, title: str, said: list[WireMessage], *, at: float, archived: bool = False
) -> Path:
    """Write a session that ended at `at`; its folder."""
    folder = sessions_dir(work_dir) / session_id
    folder.mkdir(parents=True)
    times = iter(at - 40 + 0.5 * step for step in range(10_000))
    recorder = Recorder(jsonl.JsonlWriter(folder / "wire.jsonl"), clock=lambda: next(times))
    for message in said:
        recorder(message)
    write_state(folder / "state.json", SessionState(title=title, archived=archived))
    os.utime(folder / "wire.jsonl", (at, at))
    (folder.parent / "last.json").write_text(
        f'{{"session_id": "{session_id}", "work_dir": "{work_dir}", "at": 0}}', "utf-8"
    )
    return folder


def talk(*turns: tuple[str, str]) -> list[WireMessage]:
    said: list[WireMessage] = []
    for asked, answered in turns:
        said += [TurnBegin(user_input=asked), StepBegin(n=1), TextPart(text=answered), TurnEnd()]
    return said


def store_sessions(work_dir: Path, other: Path) -> None:
    """Six sessions here, one of them archived, and one in another folder."""
    flaky = [message for message in wire_scenarios.tool_running() if message is not None]
    keep(work_dir, "s", "Fix the flaky test and release", flaky, at=NOW - 60)
    keep(
        work_dir,
        "parser",
        "Explain the parser of the D2 charts",
        talk(
            (
                "explain the parser",
                "It reads **statements**, one a line:\n\n- keys\n- edges\n\n```d2\na -> b: yes\n```",
            ),
            ("and errors?", "Each has a line and a column."),
        ),
        at=NOW - 5 * HOUR,
    )
    keep(
        work_dir,
        "io",
        "读取文件时出错，请修复",
        talk(("读取文件时出错，请修复", "已经修复：使用 `with` 语句。")),
        at=NOW - DAY,
    )
    keep(work_dir, "slow", "Why is the layout slow?", talk(("why?", "Crossings are counted twice.")), at=NOW - 3 * DAY)
    keep(work_dir, "none", "", talk(("hm", "Yes?")), at=NOW - 12 * DAY)
    keep(work_dir, "old", "Set up the repository", talk(("set up", "Done.")), at=NOW - 80 * DAY, archived=True)
    keep(other, "else", "Write the notes of the week", talk(("notes", "Here they are.")), at=NOW - 2 * HOUR)
