"""The options that several Git commands share, as texts for `Options`."""


def option_names(options: str) -> frozenset[str]:
    """Return the names of the options in a text for `Options`."""
    words = [word.rstrip("=?:") for word in options.split()]
    return frozenset(
        name for word in words for name in ([word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]])
    )


DIFF = (
    "-pusWRabwmctztq -U: -M? -C? -B? -D -l: -S: -G: -I: --patch --no-patch --unified= --function-context --raw "
    "--patch-with-raw --patch-with-stat --numstat --shortstat --stat? --stat-width= "
    "--stat-count= --compact-summary "
    "--no-compact-summary --summary --name-only --name-status --dirstat? --cumulative --check "
    "--binary --full-index "
    "--color? --no-color --color-words? --word-diff? --word-diff-regex= --color-moved? --color-moved-ws= "
    "--no-color-moved --ws-error-highlight= --no-prefix --default-prefix --src-prefix= "
    "--dst-prefix= --line-prefix= "
    "--inter-hunk-context= --abbrev? --no-abbrev --find-renames? --find-copies? --find-copies-harder --no-renames "
    "--rename-empty --no-rename-empty --break-rewrites? --irreversible-delete --pickaxe-all --pickaxe-regex "
    "--relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change "
    "--ignore-all-space --ignore-blank-lines --ignore-matching-lines= --minimal --patience --histogram --anchored= "
    "--diff-algorithm= --indent-heuristic --no-indent-heuristic --ignore-submodules? --diff-filter= --exit-code "
    "--quiet --no-ext-diff --no-textconv --merge-base --cached --staged --cc --combined-all-paths --root "
)
DIFF_DANGER = "--output= --ext-diff --textconv "
LOG = (
    "-iEFPg -L: -# -n: --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --author= "
    "--committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case --basic-regexp "
    "--extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents= "
    "--max-parents= --no-min-parents --no-max-parents --first-parent --not --all --branches? --tags? --remotes? "
    "--glob= --exclude= --reflog --boundary --simplify-by-decoration --simplify-merges --full-history --dense "
    "--sparse --show-pulls --ancestry-path? --walk-reflogs --merge --cherry-pick --left-only --right-only "
    "--left-right --cherry --cherry-mark --topo-order --date-order --author-date-order "
    "--reverse --no-walk? --pretty? "
    "--format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs --notes? "
    "--no-notes --relative-date --date= --parents --children --graph --no-graph --show-linear-break? --decorate? "
    "--no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --follow --log-size "
    "--full-diff --use-mailmap --mailmap --no-mailmap --no-show-signature --diff-merges= --no-diff-merges "
)
REF_LIST = (
    "--list --contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --color? --no-color "
    "--column? --no-column --ignore-case -i "
)
