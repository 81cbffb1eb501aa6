"""Git: its subcommands, with aliases and external ones, and their options."""

import re
from collections.abc import Callable
from dataclasses import replace

from kimi_tui.permission.programs.files import leads_out
from kimi_tui.permission.programs.git_options import (
    DIFF,
    LOG,
    REF_LIST,
    known_format,
    known_options,
    known_ref_format,
)
from kimi_tui.permission.programs.git_tracked import (
    anything,
    changes_in_status,
    compared,
    logged,
    searched,
    shown_revisions,
    whole_tree,
)
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import (
    ANYTHING,
    NOT_RECURSIVE,
    Check,
    Kind,
    Program,
    RecursiveRead,
    Tracked,
    names,
    operands_with,
)

_READS, _HARMLESS, _EXACT = Level.READS, Level.HARMLESS, Level.EXACT


_LISTING = ("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
_HARMLESS_KEYS = re.compile(r"(?:user|branch|init|core|pull|push|remote\.[\w-]+)\.[\w.-]+", re.IGNORECASE)
_PLAIN_SETTINGS = re.compile(
    r"user\.(?:name|email)|branch\.[\w./-]+\.(?:remote|merge|rebase|description)|init\.defaultBranch|pull\.(?:rebase|ff)|"
    r"push\.(?:default|autoSetupRemote|followTags)|fetch\.prune|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z0-9_][\w./#-]*")


def _only_lists(parsed: Parsed) -> str:
    if unknown := known_ref_format(parsed):
        return unknown
    return "" if parsed.has(*_LISTING) or not parsed.operands else parsed.operands[0][1]


def _first(*words: str) -> Check:
    """Require the first operand to be one of these, or absent."""

    def check(parsed: Parsed) -> str:
        return next((word for _, word in parsed.operands[:1] if word not in words), "")

    return check


def _plain_names(parsed: Parsed) -> str:
    """Accept only names of remotes and refs: no address, no outside path, no forced update."""
    return next((word for _, word in parsed.operands if not _NAME.fullmatch(word) or ".." in word), "")


def _plain_key(parsed: Parsed) -> str:
    """Accept one harmless key, or a list of the repository's own settings: those of the user may hold tokens."""
    keys = [word for _, word in parsed.operands]
    if parsed.has("--local") and (keys == ["list"] or (not keys and parsed.has("--list", "-l"))):
        return ""
    keys = keys[1:] if keys[:1] == ["get"] else keys
    return "" if len(keys) == 1 and _HARMLESS_KEYS.fullmatch(keys[0]) else "config"


def _settings(parsed: Parsed) -> list[int]:
    """Find the words that change a setting: many settings make Git run a program. One word alone only shows it, if it
    is not `edit`.
    """
    words = [word for _, word in parsed.operands]
    if words == ["edit"]:
        return [index for index, _ in parsed.operands]
    if len(words) < 2 or words[0] in ("get", "list") or parsed.has("--get", "--get-all"):
        return []
    return [] if len(words) == 2 and _PLAIN_SETTINGS.fullmatch(words[0]) else [index for index, _ in parsed.operands]


_addresses = operands_with("::", "://-")
"""Finds addresses with a transport that runs a program, or with an option for `ssh`."""


def _written_paths(first: int = 0, *, outside: bool = False) -> Callable[[Parsed], list[int]]:
    """Find operands that Git writes to, from the `first` one on; with `outside` only those that lead out."""

    def dangerous(parsed: Parsed) -> list[int]:
        named_files = [index for index, word in parsed.operands[first:] if not outside or leads_out(word)]
        return [*_addresses(parsed), *named_files]  # defence: git-writes-operands

    return dangerous


def _bundled(parsed: Parsed) -> list[int]:
    return (
        [index for index, _ in parsed.operands[1:2]] if [word for _, word in parsed.operands[:1]] == ["create"] else []
    )


def _reads_untracked(parsed: Parsed) -> RecursiveRead:
    return RecursiveRead.WITHIN | RecursiveRead.HIDDEN if parsed.has("--untracked") else NOT_RECURSIVE


def _compares_folders(parsed: Parsed) -> RecursiveRead:
    """Git compares two paths itself where there is no repository, or where one of them is outside of it."""
    folders = RecursiveRead.WITHIN | RecursiveRead.HIDDEN | RecursiveRead.NAMED
    return folders if len(parsed.operands) > 1 else NOT_RECURSIVE  # defence: git-compares-folders


def _reads(
    options: str,
    *,
    check: Check | None = None,
    most: int | None = None,
    deep: Callable[[Parsed], RecursiveRead] | None = None,
    tracked: Callable[[Parsed], Tracked | None] | None = None,
) -> Program:
    return Program(_READS, Options(options), check=check, most=most, deep=deep, tracked=tracked)


def _exact(dangerous: Callable[[Parsed], list[int]] = _addresses, *, any_file: bool = False) -> Program:
    """Make a program whose approval covers exactly the command. `any_file`: it may print any file of any commit."""
    return Program(_EXACT, dangerous=dangerous, tracked=anything if any_file else None)  # defence: commands-that-print


def _within(dangerous: Callable[[Parsed], list[int]] = _addresses, *, any_file: bool = False) -> Program:
    """Make a program as `_exact` does, of which a rule has to name each word that leads out of the folder."""

    def dangers(parsed: Parsed) -> list[int]:
        outside = [index for index, word in parsed.operands if leads_out(word)]
        return [*outside, *dangerous(parsed)]  # defence: git-writes-elsewhere

    return _exact(dangers, any_file=any_file)


def _starts_another(parsed: Parsed) -> list[int]:
    """Find the subcommand, and each option: it starts a program that the settings name, or one that it finds."""
    return [0, *(option.at for option in parsed.options), *parsed.unknown]


def _listed(name: str, program: Program) -> Program:
    """Add the options of `known_options`, and make a rule name each other one: some start a program or a reader of
    manuals, or write elsewhere. `-h` only prints the usage.
    """
    if program.kind is not Kind.PLAIN:
        return program
    known = known_options().get(name) or known_options().get(f"{name.rpartition('/')[0]}/*", "")
    options = replace(program.options, exact=f"{known} -h", danger="--help" if program.subs else "")
    subs = {sub: _listed(f"{name}/{sub}", of_sub) for sub, of_sub in program.subs.items()}

    loose = program.loose or not (program.keyed or program.most is not None or program.dangerous or program.check)
    return replace(program, options=options, subs=subs, strict=True, loose=loose)


_SUBCOMMANDS: dict[str, Program] = {
    "status": _reads(
        "-vsbz -u? --verbose --short --branch --show-stash --porcelain? --long --untracked-files? --ignored? "
        "--ignore-submodules? --no-renames",
        tracked=changes_in_status,
    ),
    "diff": _reads(DIFF, deep=_compares_folders, tracked=compared),
    "log": _reads(DIFF + LOG, check=known_format, tracked=logged),
    "show": _reads(DIFF + LOG, check=known_format, tracked=shown_revisions),
    "shortlog": _reads("-nse -# --numbered --summary --email --since= --until= --all --no-merges"),
    "reflog": _reads(
        DIFF + LOG,
        check=lambda parsed: known_format(parsed) or _first("show")(parsed),
        tracked=logged,
    ),
    "blame": _reads(
        "-efklnpstw -L: -M? -C? --porcelain --line-porcelain --show-name --show-number --show-email --date= --abbrev? "
        "--since= --first-parent"
    ),
    "branch": _reads(
        REF_LIST + "-ravq --all --remotes --verbose --show-current --abbrev? --no-abbrev",
        check=_only_lists,
    ),
    "tag": _reads(
        REF_LIST + "-l -n?",
        check=lambda parsed: known_ref_format(parsed) if parsed.has("-l") else _only_lists(parsed),
    ),
    "stash": Program(
        _EXACT,
        Options(stops=True),
        subs={
            "list": _reads(DIFF + LOG, check=known_format, tracked=lambda parsed: whole_tree(logged(parsed))),
            "show": _reads(
                DIFF + "--include-untracked --only-untracked",
                tracked=lambda parsed: whole_tree(compared(parsed)),
            ),
            **dict.fromkeys(("push", "save", "pop", "apply", "drop", "clear", "branch", "create", "store"), _exact()),
        },
    ),
    "remote": Program(
        _READS,
        Options("-v --verbose", stops=True),
        subs={
            "get-url": _reads("--all --push", most=1),
            **dict.fromkeys(
                ("add", "rename", "remove", "rm", "set-head", "set-branches", "set-url", "show", "prune", "update"),
                _exact(),
            ),
        },
    ),
    "worktree": Program(
        _EXACT,
        Options(stops=True),
        subs={
            "list": _reads("-vz --porcelain --verbose", most=0),
            **dict.fromkeys(("lock", "prune", "remove", "unlock"), _exact()),
            "repair": _within(),
            **dict.fromkeys(("add", "move"), _within()),
        },
    ),
    "submodule": Program(
        _EXACT,
        Options(stops=True),
        subs={
            "foreach": ANYTHING,
            **dict.fromkeys(
                names("add status init deinit update summary sync absorbgitdirs set-branch set-url"),
                _exact(),
            ),
        },
    ),
    "bisect": Program(
        _EXACT,
        Options(stops=True),
        subs={
            "run": ANYTHING,
            "view": ANYTHING,
            "visualize": ANYTHING,
            **dict.fromkeys(
                ("start", "bad", "new", "good", "old", "terms", "skip", "reset", "replay", "log", "help"), _exact()
            ),
        },
    ),
    "describe": _reads("--all --tags --contains --abbrev? --exact-match --long --match= --always --dirty?"),
    "rev-parse": _reads(
        "-q --abbrev-ref? --short? --verify --quiet --symbolic-full-name --show-toplevel --show-prefix --show-cdup "
        "--git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir "
        "--is-bare-repository --is-shallow-repository --show-superproject-working-tree --all"
    ),
    "rev-list": _reads(
        "-# -n: --count --max-count= --since= --until= --author= --all --no-merges --merges --first-parent --reverse "
        "--left-right --abbrev-commit --oneline"
    ),
    "ls-files": _reads(
        "-cdmostuz -x: --cached --deleted --modified --others --ignored --stage --unmerged --directory --exclude= "
        "--eol --exclude-standard --error-unmatch --full-name"
    ),
    "ls-tree": _reads("-drtlz --long --name-only --name-status --full-name --full-tree"),
    "merge-base": _reads("-a --all --is-ancestor --fork-point"),
    "for-each-ref": _reads(
        "--count= --sort= --format= --points-at= --merged? --no-merged? --contains? --no-contains?",
        check=known_ref_format,
    ),
    "check-ignore": _reads("-qvzn --quiet --verbose --non-matching --no-index"),
    "version": _reads("", most=0),
    "config": Program(
        _READS,
        Options(
            "--get --local --list -l",
        ),
        check=_plain_key,
        dangerous=_settings,
    ),
    "grep": _reads(
        "-aIivwEGFPnhHlLcoqpW -A: -B: -C: -# -e: -m: --cached --untracked --text --ignore-case --invert-match "
        "--word-regexp --extended-regexp --fixed-strings --perl-regexp --line-number --column --name-only "
        "--files-with-matches --files-without-match --only-matching --count --color? --no-color --break --heading "
        "--show-function --function-context --after-context= --before-context= --context= --max-depth= --and --or "
        "--not --all-match --quiet --full-name --max-count=",
        deep=_reads_untracked,
        tracked=searched,
    ),
    "add": Program(_HARMLESS, Options("", "-AuvN --all --update --verbose --intent-to-add --no-all")),
    "commit": Program(
        _HARMLESS,
        Options(
            "",
            "-asqv -m: --all --signoff --quiet --message= --allow-empty",
        ),
        tracked=changes_in_status,
    ),
    "push": Program(
        _HARMLESS,
        Options(
            "",
            ("-uqv --set-upstream --quiet --verbose --tags --follow-tags --progress --no-progress"),
        ),
        keyed=1,
        check=_plain_names,
        dangerous=_addresses,
    ),
    "fetch": Program(
        _HARMLESS,
        Options(
            "",
            ("-aqvptn --all --quiet --verbose --prune --tags --no-tags --progress --depth= --unshallow"),
        ),
        keyed=1,
        check=_plain_names,
        dangerous=_addresses,
    ),
    "pull": Program(
        _HARMLESS,
        Options("", "-qv --quiet --verbose --ff-only --no-rebase --prune --tags --progress"),
        keyed=1,
        check=_plain_names,
        dangerous=_addresses,
    ),
    "switch": Program(
        _HARMLESS, Options("", ("-dtq -c: --create= --detach --track? --quiet --guess --no-guess")), check=_plain_names
    ),
    **dict.fromkeys(("whatchanged", "cat-file", "diff-tree", "diff-index", "diff-files"), _exact(any_file=True)),
    "difftool": _exact(_starts_another, any_file=True),
    "maintenance": Program(
        _EXACT, Options(stops=True), subs={"run": _exact(), "is-needed": _exact(), "unregister": _exact()}, plugins=True
    ),
    **dict.fromkeys(("bugreport", "diagnose"), _within()),
    **dict.fromkeys(("fast-import", "fast-export"), _within(any_file=True)),
    **dict.fromkeys(("commit-graph", "multi-pack-index"), _within()),
    "index-pack": _within(),
    **dict.fromkeys(("repack", "gc"), _within()),
    **dict.fromkeys(
        names(
            "mergetool filter-branch send-email remote-ext remote-fd shell daemon "
            "instaweb web--browse gui citool hook svn p4 cvsimport cvsserver imap-send upload-pack receive-pack "
            "for-each-repo merge-index credential "
        ),
        ANYTHING,
    ),
    "mailsplit": _within(_written_paths()),
    "read-tree": _within(),
    "clone": _exact(_written_paths(1, outside=True)),
    "init": _exact(_written_paths(outside=True)),
    "bundle": _exact(_bundled, any_file=True),
    **dict.fromkeys(("mailinfo", "merge-file", "pack-objects"), _within(_written_paths(), any_file=True)),
    "format-patch": _within(any_file=True),
    **dict.fromkeys(("archive", "range-diff", "request-pull", "merge-tree", "unpack-file"), _exact(any_file=True)),
    "checkout-index": _within(),
    **dict.fromkeys(
        names(
            "rebase ls-remote send-pack fetch-pack var interpret-trailers apply am merge cherry-pick revert checkout "
            "mv clean notes reset restore rm sparse-checkout replace prune fsck show-branch mktag mktree "
            "write-tree commit-tree update-index update-ref update-server-info hash-object pack-refs unpack-objects "
            "verify-pack rerere stripspace patch-id get-tar-commit-id column "
            "check-mailmap check-ref-format fmt-merge-msg pack-redundant prune-packed quiltimport show-index "
            "fsmonitor--daemon annotate name-rev count-objects show-ref symbolic-ref check-attr cherry"
        ),
        _exact(),
    ),
}

PROGRAMS: dict[str, Program] = {
    "git": Program(
        _READS,
        Options(
            "-P --no-pager --no-optional-locks --literal-pathspecs --version -v",
            "",
            "-c: -C: -p --paginate --exec-path? --git-dir= --work-tree= --namespace= --super-prefix= --config-env= "
            "--bare --attr-source= --list-cmds=",
            stops=True,
        ),
        subs={name: _listed(name, program) for name, program in _SUBCOMMANDS.items()},
        plugins=True,
        configured=True,
    ),
}
