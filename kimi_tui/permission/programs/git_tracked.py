"""Determines which tracked files a Git command prints, and from which commits.

Each public function takes the parsed command, and returns None if it prints no file contents.
"""

import re
from dataclasses import replace

from kimi_tui.permission.programs.git_options import LOG, option_names
from kimi_tui.permission.programs.options import Parsed
from kimi_tui.permission.programs.program import Tracked

_SUMMARIES = option_names(
    "--stat --numstat --shortstat --dirstat --summary --raw --compact-summary --name-only --name-status --no-patch -s "
    "--quiet"
)
"""Options that show names or numbers instead of lines of files."""
_NO_LINES = _SUMMARIES | option_names(
    "-MCzabwRt --find-renames --no-renames --find-copies --diff-filter --color --no-color --cached --staged "
    "--merge-base --abbrev --relative --ignore-submodules --exit-code --no-ext-diff --no-textconv "
    "--ignore-space-change --ignore-all-space --ignore-blank-lines"
)
_OBJECT_OF_A_PATH = re.compile(r"(?:[\w./~^-]+|:[0-3])?:[\w.@-][\w./ @+-]*")
_COMMIT = re.compile(r"(?:HEAD|@|[\w./-]*[~^])(?:[~^]|\d)*", re.ASCII)
_LOG_NAMES = option_names(LOG) - {"-L"}


def _limited(parsed: Parsed, skip: int = 0) -> Tracked:
    """What a log reads: every commit's files that the operands after the first `skip` may name, or all files.

    `-L` and `--follow` show a file under the names that it had before.
    """
    if parsed.has("--follow", "--full-diff", "-L"):  # defence: log-beyond-its-paths
        return Tracked()
    if parsed.dashes is not None:
        return Tracked(tuple(word for index, word in parsed.operands if index > parsed.dashes), sure=True)
    return Tracked(tuple(word for _, word in parsed.operands[skip:]))


def _in_worktree(parsed: Parsed, skip: int = 0) -> Tracked:
    """Like `_limited`, but only for the commits that the operands name."""
    dashes = parsed.dashes
    named_files = dashes is not None and any(index < dashes for index, _ in parsed.operands[skip:])
    return replace(_limited(parsed, skip), history=named_files, history_if_named=dashes is None)


def logged(parsed: Parsed) -> Tracked | None:
    """Return what `git log` reads: no file contents, unless an option shows or searches their lines."""
    names = {option.name for option in parsed.options}
    return None if names <= _NO_LINES | _LOG_NAMES else _limited(parsed)


def compared(parsed: Parsed) -> Tracked | None:
    """Return what `git diff` reads; None if its options show only names or numbers."""
    names = {option.name for option in parsed.options}
    if names & _SUMMARIES and names <= _NO_LINES:
        return None
    of_a_commit = parsed.has("--cached", "--staged", "--merge-base")
    return _limited(parsed) if of_a_commit else _in_worktree(parsed)


def shown_revisions(parsed: Parsed) -> Tracked | None:
    """Return what `git show` reads. A word for an object may contain its path; a hash or a tag may be a file."""
    names = {option.name for option in parsed.options}
    revisions = [word for index, word in parsed.operands if parsed.dashes is None or index < parsed.dashes]
    if revisions and all(_OBJECT_OF_A_PATH.fullmatch(word) for word in revisions):
        return None
    if names & _SUMMARIES and names <= _NO_LINES | _LOG_NAMES:
        return None if all(map(_COMMIT.fullmatch, revisions)) else Tracked()  # defence: tags-of-files
    return _limited(parsed)


def anything(parsed: Parsed) -> Tracked:
    """Treat every file of every commit as read."""
    del parsed
    return Tracked()


def whole_tree(tracked: Tracked | None) -> Tracked | None:
    """Widen `tracked` to every file: for a command whose operands are not paths."""
    return tracked and Tracked()


def searched(parsed: Parsed) -> Tracked:
    """Return what `git grep` reads."""
    skip = 0 if parsed.has("-e") else 1
    tracked = _in_worktree(parsed, skip)
    if skip and parsed.dashes is not None and all(index > parsed.dashes for index, _ in parsed.operands):
        return replace(tracked, specs=())  # behind `--` the first word is still what is searched for
    return tracked


def changes_in_status(parsed: Parsed) -> Tracked | None:
    """Return what `git status` or `git commit` reads: files only with `-v`."""
    return Tracked() if parsed.has("-v", "--verbose") else None
