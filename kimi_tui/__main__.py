"""`python -m kimi_tui`."""

import os
import sys

if __name__ == "__main__":
    # `-m` puts the current folder first: commands of the agent may write there, and modules are imported late.
    ours = os.path.realpath(__file__).removesuffix("/kimi_tui/__main__.py")
    if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != ours:
        del sys.path[0]
    from kimi_tui.cli.main import main

    sys.exit(main())
