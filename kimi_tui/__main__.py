"""`python -m kimi_tui`."""

import sys

from kimi_tui.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
