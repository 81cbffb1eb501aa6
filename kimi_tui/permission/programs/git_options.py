"""The options that several Git commands share, as texts for `Options`, and checks of their formats."""

import re

from kimi_tui.permission.programs.options import Parsed


def option_names(options: str) -> frozenset[str]:
    """Return the names of the options in a text for `Options`."""
    words = [word.rstrip("=?:") for word in options.split()]
    return frozenset(
        name for word in words for name in ([word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]])
    )


DIFF = (
    "-pusWRabwcmtz -U: -M? -C? -S: -G: --patch --no-patch --unified= --function-context --raw --patch-with-stat "
    "--numstat --shortstat --stat? --compact-summary --summary --name-only --name-status --dirstat? --check --binary "
    "--color? --no-color --color-words? --word-diff? --color-moved? --no-prefix --abbrev? --find-renames? "
    "--find-copies? --no-renames --pickaxe-all --pickaxe-regex --relative? --text --ignore-cr-at-eol "
    "--ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --minimal --patience "
    "--histogram --diff-algorithm= --ignore-submodules? --diff-filter= --exit-code --quiet --no-ext-diff "
    "--no-textconv --merge-base --cached --staged --cc "
)
DIFF_DANGER = "--output= --ext-diff --textconv "
LOG = (
    "-iEFPg -L: -# -n: --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= "
    "--all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges "
    "--no-merges --first-parent --not --all --branches? --tags? --remotes? --reflog --boundary "
    "--simplify-by-decoration --full-history --ancestry-path? --walk-reflogs --cherry-pick --left-only --right-only "
    "--left-right --cherry-mark --topo-order --date-order --author-date-order --reverse --no-walk --pretty? --format= "
    "--abbrev-commit --no-abbrev-commit --oneline --relative-date --date= --parents --graph --decorate? "
    "--no-decorate --decorate-refs= --source --follow --full-diff "
)
REF_LIST = (
    "--list --contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --color? --no-color "
    "--no-column --ignore-case -i "
)
_COMMIT_FORMAT = re.compile(
    r"(?:[^%]|%[+ -]?(?:[HhTtPpsfbBdDmn%]|[ac][nNeElLdDrtiIsh]|g[dDsnNeE]|x[0-9a-fA-F]{2}|C(?:\([\w ,#]*\)|red|green|"
    r"blue|reset)|[<>]{1,2}\|?\([\w, ]*\)|w\([\d, ]*\)))*",
    re.ASCII | re.DOTALL,
)
_COMMIT_FORMATS = frozenset({"oneline", "short", "medium", "full", "fuller", "reference", "email", "raw"})
_REF_FORMAT = re.compile(
    r"(?:[^%]|%%|%[0-9a-fA-F]{2}|%\(\*?(?:(?:refname|objectname|upstream|push)(?::(?:short(?:=\d+)?|[lr]?strip=-?\d+|"
    r"track|trackshort|nobracket|,)*)?|objecttype|objectsize|(?:author|committer|tagger)(?:name|email)?|"
    r"(?:author|committer|tagger|creator)date(?::[\w: %-]*)?|subject|contents:subject|HEAD|color(?::\w+)?|if|then|else|"
    r"end|align:[\w,=]*)\))*",
    re.ASCII | re.DOTALL,
)
_REF_ORDER = re.compile(r"-?(?:v(?:ersion)?:refname|refname|(?:author|committer|tagger|creator)date|objectsize)")


def known_format(parsed: Parsed) -> str:
    """Find a format of commits with an unknown part: with some, Git verifies signatures, which runs another program."""
    formats = parsed.values("--format", "--pretty")
    return next((value for value in formats if not _is_commit_format(value)), "")  # defence: formats-of-commits


def _is_commit_format(value: str) -> bool:
    kind, colon, text = value.partition(":")
    if kind in _COMMIT_FORMATS:
        return not colon
    if kind in ("format", "tformat") and colon:
        value = text
    elif "%" not in value:
        return False
    return _COMMIT_FORMAT.fullmatch(value) is not None


def known_ref_format(parsed: Parsed) -> str:
    """Find a format of refs, or an order, with an unknown part: some print files or addresses, or run a program."""
    formats = [value for value in parsed.values("--format") if not _REF_FORMAT.fullmatch(value)]
    orders = [value for value in parsed.values("--sort") if not _REF_ORDER.fullmatch(value)]
    return next(iter((*formats, *orders)), "")  # defence: formats-of-refs
