"""The completion scripts of the shells, as files that `make docs` makes from the parser.

Shells run `kimi-tui completion SHELL` at every start; reading a file costs a third of building the parsers.
"""

SHELLS = ("bash", "zsh", "fish")
FOLDER = __file__.removesuffix("/__init__.py")


def script(shell: str) -> str:
    """Return the completion script of a shell out of `SHELLS`."""
    with open(f"{FOLDER}/{shell}", encoding="utf-8") as file:  # noqa: PTH123 (pathlib takes longer than the rest)
        return file.read()
