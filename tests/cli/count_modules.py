"""The program; on its first connection it writes into the file $MODULES how many modules it has loaded."""

import os
import sys
from pathlib import Path

BEFORE = len(sys.modules)
counted: list[int] = []


def count(event: str, _arguments: object) -> None:
    if event == "socket.connect" and not counted:
        counted.append(len(sys.modules) - BEFORE)
        Path(os.environ["MODULES"]).write_text(f"{counted[0]}\n", "utf-8")


if __name__ == "__main__":
    sys.addaudithook(count)
    from kimi_tui.cli.main import main

    sys.exit(main())
