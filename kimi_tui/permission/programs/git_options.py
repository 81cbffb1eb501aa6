"""The options that several Git commands share, as texts for `Options`, and checks of their formats."""

import re
from functools import cache

from kimi_tui.permission.programs.options import Parsed


def option_names(options: str) -> frozenset[str]:
    """Return the names of the options in a text for `Options`."""
    words = [word.rstrip("=?:") for word in options.split()]
    return frozenset(
        name for word in words for name in ([word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]])
    )


DIFF = (
    "-pusWRabwcmtz -U? -M? -C? -S: -G: --patch --no-patch --unified? --function-context --raw --patch-with-stat "
    "--numstat --shortstat --stat? --compact-summary --summary --name-only --name-status --dirstat? --check --binary "
    "--color? --no-color --color-words? --word-diff? --color-moved? --no-prefix --abbrev? --find-renames? "
    "--find-copies? --no-renames --pickaxe-all --pickaxe-regex --relative? --text --ignore-cr-at-eol "
    "--ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --minimal --patience "
    "--histogram --diff-algorithm= --ignore-submodules? --diff-filter= --exit-code --quiet --no-ext-diff "
    "--no-textconv --merge-base --cached --staged --cc "
)
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
_DIFF_TOO = (
    "-D -B? -X? -l: -O: --no-index --inter-hunk-context= --find-copies-harder --break-rewrites? --irreversible-delete "
    "--full-index --src-prefix= --dst-prefix= --default-prefix --line-prefix= --ita-invisible-in-index "
    "--ita-visible-in-index --word-diff-regex= --color-moved-ws= --no-color-moved --no-relative --rename-empty "
    "--no-rename-empty --indent-heuristic --no-indent-heuristic --anchored= --find-object= --skip-to= --rotate-to= "
    "--stat-width= --stat-name-width= --stat-graph-width= --stat-count= --patch-with-raw --cumulative "
    "--dirstat-by-file? --ws-error-highlight= --no-stat --base --ours --theirs "
)
_LOG_TOO = (
    "-rc --use-mailmap --mailmap --no-mailmap --log-size --encoding= --notes? --no-notes --expand-tabs? "
    "--no-expand-tabs --show-notes? --max-age= --min-age= --since-as-filter= --glob= --exclude= --single-worktree "
    "--min-parents= --max-parents= --no-min-parents --no-max-parents --cherry --dense --sparse --simplify-merges "
    "--show-pulls --in-commit-order --children --show-linear-break? --no-graph --grep-reflog= --remove-empty "
    "--no-commit-id --decorate-refs-exclude= --clear-decorations --diff-merges= --no-diff-merges "
    "--combined-all-paths --dd --remerge-diff --bisect --objects --timestamp --header --disk-usage? --basic-regexp "
    "--alternate-refs --ignore-missing "
)
_KNOWN = """
status --ahead-behind --no-ahead-behind --find-renames? --renames --column? --no-column --null
diff,reflog,stash/show DIFF
log,show,stash/list DIFF LOG
shortlog -c -w? --committer --group= --author= --format= --grep= --merges --after= --before= --branches? --tags?
  --remotes?
blame -bc -S: --root --show-stats --incremental --encoding= --color-lines --color-by-age --progress --no-progress
  --ignore-rev= --ignore-revs-file= --minimal --reverse
branch -CDMcdflmt -u: --delete --move --copy --force --track? --no-track --set-upstream-to= --unset-upstream
  --create-reflog --quiet --column? --recurse-submodules
tag -adf -F: -m: --delete --annotate --message= --file= --force --cleanup= --create-reflog --column? --no-sign
stash,stash/push,stash/save -Sakqu -m: --keep-index --no-keep-index --include-untracked --no-include-untracked --all
  --quiet --message= --staged
stash/pop,stash/apply,stash/drop,stash/clear,stash/branch -q --index --quiet
stash/create,stash/store -q -m: --message= --quiet
remote/* -adfnpv -m: -t: --fetch --tags --no-tags --mirror? --auto --add --delete --push --dry-run --prune --verbose
  --progress --no-progress
worktree/lock,worktree/prune,worktree/remove,worktree/unlock -fnv --force --dry-run --verbose --reason= --expire=
worktree/add,worktree/move -dfq -B: -b: --reason= --detach --force --quiet --checkout --no-checkout --track --no-track
  --guess-remote --no-guess-remote --lock --orphan
submodule/* -Ndfq -b: -j: --quiet --force --branch= --name= --depth= --init --recursive --remote --no-fetch --checkout
  --rebase --merge --jobs= --cached --all --default --single-branch --no-single-branch --progress --recommend-shallow
  --no-recommend-shallow --filter= --summary-limit= --files
bisect/* --no-checkout --first-parent --term-new= --term-old= --term-good= --term-bad=
describe --first-parent --candidates= --exclude= --broken? --debug
rev-parse --branches? --tags? --remotes? --glob= --exclude= --symbolic --revs-only --no-revs --flags --no-flags
  --default= --git-path= --is-inside-work-tree --show-object-format? --local-env-vars --disambiguate= --since=
  --until= --after= --before= --not --sq --sq-quote --parseopt --path-format= --shared-index-path --prefix=
rev-list LOG
ls-files -fkv -X: --killed --exclude-from= --exclude-per-directory= --no-empty-directory --abbrev? --with-tree=
  --deduplicate --sparse --resolve-undo --debug --format=
ls-tree --abbrev? --object-only --format=
merge-base --octopus --independent
for-each-ref --ignore-case --exclude= --color? --omit-empty --stdin
config -z --get-all --get-regexp --get-urlmatch --show-origin --show-scope --name-only --null --type= --bool --int
  --default= --add --includes --no-includes --replace-all --worktree --all
grep -rz --exclude-standard --no-exclude-standard --null --no-line-number --basic-regexp --threads= --no-textconv
add -fn --dry-run --force --ignore-errors --ignore-missing --refresh --renormalize --sparse --chmod= --ignore-removal
  --no-ignore-removal
commit -inoz -C: -F: -u? --no-verify --verify --amend --no-edit --only --include --file= --author= --date= --fixup=
  --squash= --reuse-message= --reset-author --trailer= --cleanup= --allow-empty-message --dry-run --short --branch
  --porcelain --long --null --no-gpg-sign --no-signoff --no-post-rewrite --untracked-files? --status --no-status
  --verbose
push -46dfn -o: --force --force-with-lease? --force-if-includes --no-force-if-includes --delete --dry-run --no-verify
  --verify --all --branches --mirror --prune --porcelain --atomic --no-atomic --push-option= --thin --no-thin
  --no-follow-tags --no-signed --recurse-submodules= --no-recurse-submodules --ipv4 --ipv6
fetch -46Pfkmu -j: -o: --force --dry-run --append --atomic --multiple --jobs= --prune-tags --keep --deepen=
  --shallow-since= --shallow-exclude= --update-shallow --update-head-ok --refetch --refmap= --filter= --set-upstream
  --no-progress --no-auto-gc --no-auto-maintenance --auto-gc --recurse-submodules? --no-recurse-submodules
  --show-forced-updates --no-show-forced-updates --write-fetch-head --no-write-fetch-head --prefetch --porcelain
  --negotiation-tip= --server-option= --ipv4 --ipv6
pull -46afknpt -X: -j? -o: -r? --rebase? --ff --no-ff --all --autostash --no-autostash --squash --no-squash --commit
  --no-commit --no-edit --stat --no-stat --allow-unrelated-histories --strategy-option= --force --depth= --deepen=
  --unshallow --shallow-since= --no-tags --append --dry-run --jobs? --no-verify --verify --signoff --no-signoff
  --recurse-submodules? --no-recurse-submodules --set-upstream --no-progress --log? --no-log --no-gpg-sign --cleanup=
  --keep --ipv4 --ipv6
switch -fm -C: --force-create= --force --discard-changes --merge --conflict= --orphan= --no-track --progress
  --no-progress --ignore-other-worktrees --recurse-submodules? --no-recurse-submodules
rebase -fimnqv -C: -X: -r? --onto= --continue --abort --skip --quit --interactive --merge --apply --autosquash
  --no-autosquash --autostash --no-autostash --root --keep-base --fork-point --no-fork-point --rebase-merges?
  --no-rebase-merges --strategy-option= --empty= --keep-empty --no-keep-empty --reapply-cherry-picks
  --no-reapply-cherry-picks --update-refs --no-update-refs --force-rebase --no-ff --no-verify --verify --signoff
  --quiet --verbose --stat --no-stat --show-current-patch --edit-todo --reset-author-date --ignore-date
  --committer-date-is-author-date --ignore-whitespace --whitespace= --rerere-autoupdate --no-rerere-autoupdate
  --no-gpg-sign --reschedule-failed-exec
whatchanged,cat-file,diff-tree,diff-index,diff-files DIFF LOG -etv --batch? --batch-check? --batch-command?
  --batch-all-objects --buffer --follow-symlinks --unordered --allow-unknown-type --root --stdin --always
maintenance/run --auto --quiet --task= --schedule=
fast-import,fast-export -CM --all --quiet --stats
commit-graph,multi-pack-index --reachable --append --progress --no-progress
index-pack -v --stdin --strict --keep
repack,gc -AFadflq --quiet --prune? --aggressive --auto --force
read-tree -mnuv --reset --prefix= --empty --dry-run
clone -lnqsv46 -b: -j: -o: --quiet --verbose --depth= --branch= --origin= --jobs= --bare --mirror --local --shared
  --no-checkout --no-hardlinks --no-local --single-branch --no-single-branch --no-tags --tags --progress
  --shallow-since= --shallow-exclude= --recursive? --recurse-submodules? --shallow-submodules --remote-submodules
  --no-remote-submodules --filter= --sparse --dissociate --reject-shallow --also-filter-submodules --revision=
  --server-option= --ref-format= --ipv4 --ipv6
init -q -b: --initial-branch= --bare --shared? --quiet --object-format= --ref-format=
archive -0123456789lv --format= --prefix= --list --verbose --worktree-attributes
ls-remote -hqt -o: --heads --branches --tags --refs --sort= --quiet --get-url --exit-code --symref --server-option=
send-pack,fetch-pack -qv --all --quiet --verbose --dry-run --force --thin --depth=
var -l
bundle -q --version= --all --quiet --progress --branches --tags
mailinfo,merge-file,pack-objects -Lbkmnpqu --stdout
interpret-trailers --trim-empty --where= --if-exists= --if-missing= --only-trailers --only-input --unfold --parse
  --no-divider --trailer=
format-patch -#kns -M? --stdout --numbered --signoff --cover-letter --no-cover-letter --subject-prefix= --rfc --base=
  --keep-subject --thread? --root --no-stat --signature= --no-signature
apply -3NRqvz -C: -p: --stat --numstat --summary --check --index --cached --apply --no-add --3way --reverse --reject
  --recount --unidiff-zero --intent-to-add --include= --exclude= --whitespace= --ignore-space-change
  --ignore-whitespace --inaccurate-eof --verbose --quiet --allow-empty --allow-overlap --binary
am -3cikqrsu -C: -p: --continue --abort --skip --quit --resolved --3way --keep --signoff --quiet --utf8 --no-utf8
  --keep-cr --no-keep-cr --scissors --no-scissors --whitespace= --ignore-space-change --ignore-whitespace --include=
  --exclude= --reject --show-current-patch? --committer-date-is-author-date --ignore-date --patch-format=
  --allow-empty --empty= --no-gpg-sign --message-id --no-verify
merge -enqv -F: -X: -m: --abort --continue --quit --ff --ff-only --no-ff --squash --no-squash --commit --no-commit
  --edit --no-edit --message= --file= --strategy-option= --stat --no-stat --log? --no-log --summary --verbose --quiet
  --progress --no-progress --autostash --no-autostash --allow-unrelated-histories --signoff --no-signoff --no-verify
  --verify --into-name= --cleanup= --rerere-autoupdate --no-rerere-autoupdate --overwrite-ignore --no-overwrite-ignore
  --no-gpg-sign --no-verify-signatures
cherry-pick,revert -ensx -X: -m: --continue --abort --skip --quit --no-commit --edit --no-edit --signoff --mainline=
  --ff --strategy-option= --cleanup= --allow-empty --allow-empty-message --keep-redundant-commits --empty=
  --rerere-autoupdate --no-rerere-autoupdate --no-gpg-sign --reference --stdin
checkout-index -afnqu --all --force --quiet
range-diff DIFF --creation-factor= --no-dual-color --left-only --right-only --notes? --no-notes
merge-tree -z --write-tree --trivial-merge --messages --no-messages --name-only --allow-unrelated-histories
  --merge-base=
request-pull,unpack-file -p
checkout -23dflmqt -B: -b: --quiet --force --merge --detach --track? --no-track --orphan= --ours --theirs --conflict=
  --guess --no-guess --progress --no-progress --overlay --no-overlay --ignore-other-worktrees
  --ignore-skip-worktree-bits --recurse-submodules? --no-recurse-submodules --overwrite-ignore --no-overwrite-ignore
restore -23SWmq -s: --source= --staged --worktree --quiet --ours --theirs --merge --conflict= --ignore-unmerged
  --overlay --no-overlay --progress --no-progress --recurse-submodules? --no-recurse-submodules
  --ignore-skip-worktree-bits
reset -Nq --quiet --soft --mixed --hard --merge --keep --intent-to-add --refresh --no-refresh --recurse-submodules?
  --no-recurse-submodules
rm -fnqr --dry-run --quiet --force --cached --ignore-unmatch --sparse
mv -fknv --verbose --dry-run --force --sparse
clean -Xdfnqx -e: --quiet --dry-run --force --exclude=
notes -fnqsv -C: -F: -m: --ref= --message= --file= --reuse-message= --force --dry-run --quiet --verbose
  --ignore-missing --allow-empty --abort --commit --separator? --no-separator
sparse-checkout --cone --no-cone --sparse-index --no-sparse-index --stdin --skip-checks
replace -dfl --delete --list --force --format= --raw --graft --convert-graft-file
prune -nv --dry-run --verbose --progress --expire= --exclude-promisor-objects
fsck -v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full --no-full
  --connectivity-only --strict --progress --no-progress --name-objects
show-branch -ar -g? --all --remotes --color? --no-color --more? --list --no-name --current --sha1-name --merge-base
  --independent --topo-order --topics --sparse --date-order --reflog?
show-ref -dq -s? --tags --heads --branches --verify --head --dereference --hash? --abbrev? --quiet --exclude-existing?
  --exists
symbolic-ref -dq -m: --quiet --delete --short --recurse --no-recurse
name-rev --name-only --tags --no-tags --refs= --exclude= --all --stdin --annotate-stdin --undefined --no-undefined
  --always
annotate -bcefhlnpstw -C? -L: -M? -S: --porcelain --line-porcelain --root --since= --abbrev? --date=
count-objects -Hv --verbose --human-readable
check-attr -az --all --cached --stdin --source=
cherry -v --verbose --abbrev?
update-index -gqz --ignore-submodules --add --replace --remove --unmerged --refresh --really-refresh --chmod=
  --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --info-only --force-remove --stdin
  --index-info --again --ignore-missing --verbose --cacheinfo=
update-ref -dz -m: --no-deref --stdin --create-reflog
hash-object -w -t: --stdin --stdin-paths --no-filters --literally --path=
commit-tree -F: -m: -p:
mktree -z --missing --batch
write-tree --missing-ok --prefix=
pack-refs --all --no-all --prune --no-prune --auto --include= --exclude=
unpack-objects -nqr --strict
verify-pack -sv --verbose --stat-only
rerere --rerere-autoupdate
stripspace -cs --strip-comments --comment-lines
patch-id --stable --unstable --verbatim
check-mailmap --stdin
check-ref-format --branch --normalize --allow-onelevel --no-allow-onelevel --refspec-pattern
column --command= --mode? --raw-mode= --width= --indent= --nl= --padding=
fmt-merge-msg -m: --message= --log? --no-log --into-name=
mktag --strict --no-strict
pack-redundant --all --alt-odb --verbose --stdin
prune-packed -nq --dry-run --quiet
"""
"""By command, the options that a rule need not name, though approval covers exactly the command. DIFF and LOG stand for
their options, and a line that begins with blanks goes on.

None of the options starts a program, other than the user's editor, or writes elsewhere.
"""


@cache
def known_options() -> dict[str, str]:
    """Return the options of `_KNOWN` by command; `*` stands for each subcommand."""
    found: dict[str, str] = {}
    for line in _KNOWN.replace("\n  ", " ").splitlines():
        commands, _, options = line.partition(" ")
        options = options.replace("DIFF", DIFF + _DIFF_TOO).replace("LOG", LOG + _LOG_TOO)
        found.update(dict.fromkeys(commands.split(","), options))
    return found


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
