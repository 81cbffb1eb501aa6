"""The options that several Git commands share, as texts for `Options`."""


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
