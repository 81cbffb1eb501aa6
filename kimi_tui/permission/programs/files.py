"""Programs that list, describe, create and move files, and Bash builtins with files."""

import re

from kimi_tui.i18n import tr
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import Classification, Kind, Program

_READS, _HARMLESS = Level.READS, Level.HARMLESS


def outside(parsed: Parsed) -> str:
    """Find an operand that leaves its start folder, or names a file of arguments."""
    return next((word for _, word in parsed.operands if leads_out(word)), "")


def leads_out(word: str) -> bool:
    return word.startswith(("/", "~", "@")) or ".." in re.split(r"[/\\]", word)


_FIND_ALONE = frozenset(
    {
        *("-print", "-print0", "-ls", "-prune", "-quit", "-depth", "-mount", "-xdev", "-empty", "-executable"),
        *("-readable", "-writable", "-true", "-false", "-not", "-a", "-and", "-o", "-or", "-follow", "--version"),
        *("-H", "-L", "-P", "!", "(", ")"),
    }
)
_FIND_WITH_VALUE = frozenset(
    {
        *("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-regextype", "-type", "-size"),
        *("-mtime", "-mmin", "-newer", "-newermt", "-perm", "-user", "-maxdepth", "-mindepth", "-printf"),
    }
)
_FIND_DANGER = frozenset(
    {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"}
)


def _find(program: Program, words: tuple[str, ...]) -> Classification:
    del program
    level, why, dangers, paths, index = Level.READS, "", list[int](), list[str](), 1
    while index < len(words):
        word = words[index]
        if word in _FIND_DANGER:
            dangers.append(index)
        elif word in _FIND_WITH_VALUE:
            if index + 1 < len(words) and words[index + 1] in _FIND_DANGER:
                dangers.append(index + 1)
            if word == "-newer":
                paths.extend(words[index + 1 : index + 2])
            index += 1
        elif not word.startswith("-") and word not in _FIND_ALONE:
            paths.append(word)
        elif word not in _FIND_ALONE and level < Level.EXACT:
            level, why = Level.EXACT, tr("the effect of `{word}` on `{name}` is unknown", word=word, name="find")
        index += 1
    if dangers:
        level = Level.DANGER
        why = tr("`{word}` may run a program, write a file or read another configuration", word=words[dangers[0]])
    return Classification(level, words[:1], tuple(dangers), why, tuple(paths))


_TESTS = frozenset(
    {
        *("!", "(", ")", "-a", "-o", "-d", "-e", "-f", "-h", "-L", "-n", "-r", "-s", "-w", "-x", "-z"),
        *("-nt", "-ot", "-ef", "=", "==", "!="),
    }
)
_COMPARES = frozenset(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])
_NUMBER = re.compile(r"-?\d+")


def _test(program: Program, words: tuple[str, ...]) -> Classification:
    """Reject `-v` and `-R`, which evaluate a name, and invalid numbers."""
    del program
    inner = words[1:-1] if words[0] == "[" and words[-1] == "]" else words[1:]
    for index, word in enumerate(inner):
        is_known = word in _TESTS or _NUMBER.fullmatch(word) or not word.startswith("-")
        if word in _COMPARES:
            is_known = 0 < index < len(inner) - 1 and all(
                _NUMBER.fullmatch(inner[neighbour]) for neighbour in (index - 1, index + 1)
            )
        if not is_known or "[" in word:
            why = tr("the effect of `{word}` on `{name}` is unknown", word=word, name=words[0])
            return Classification(Level.EXACT, words[:1], (), why, inner)
    return Classification(Level.READS, words[:1], (), "", inner)


def _command(program: Program, words: tuple[str, ...]) -> Classification:
    """Handle `command -v NAME`; any other command it runs is listed separately."""
    del program
    if words[1:2] in (("-v",), ("-V",)) and all(not word.startswith("-") for word in words[2:]):
        return Classification(Level.READS, words[:1])
    return Classification(Level.EXACT, words[:1], paths=words[1:])


def _bundled(parsed: Parsed) -> list[int]:
    """Return the first operand if it is an old-style option bundle of `tar`."""
    return [index for index, word in parsed.operands[:1] if index == 1 and set(word) & set("IFPCTg")]


def _archive_elsewhere(parsed: Parsed) -> list[int]:
    """Return the index of the archive of `tar`, if it may be on another machine, or is written out of the folder."""
    first = next((word for index, word in parsed.operands[:1] if index == 1), "")
    reads = parsed.has("-x", "-t", "--extract", "--list") or bool(set(first) & set("xt"))
    archives = [(option.at, option.value or "") for option in parsed.options if option.name in ("-f", "--file")]
    values = sum(letter in "bfHKNVX" for letter in first)
    archives += parsed.operands[1 : 1 + values] if "f" in first else []
    # defence: archive-elsewhere
    return [index for index, word in archives if ":" in word or (not reads and leads_out(word))]


_TREE = (
    "-adfilpsughDNCnrtUvF -L: -I: -P: --noreport --dirsfirst --filesfirst --gitignore --prune --du --si --inodes "
    "--filelimit= --matchdirs --ignore-case --version"
)
_LS = (
    "-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I: -w: --all --almost-all --color? --directory --classify? --file-type "
    "--format= --full-time --group-directories-first --no-group --human-readable --si --hide= --ignore= --inode "
    "--dereference --numeric-uid-gid --reverse --recursive --size --sort= --time= --time-style= --width= --version"
)

PROGRAMS: dict[str, Program] = {
    "ls": Program(_READS, Options(_LS)),
    "find": Program(look=_find),
    "fd": Program(
        _READS,
        Options(
            "-HIuisgapFL01 -t: -e: -d: -E: -c: --hidden --no-ignore --unrestricted --case-sensitive --ignore-case "
            "--glob --absolute-path --full-path --follow --print0 --type= --extension= --max-depth= --min-depth= "
            "--exclude= --size= --changed-within= --changed-before= --color= --max-results= --version",
            "",
            "-l -x: -X: --exec= --exec-batch= --list-details --base-directory= -C: --search-path= --ignore-file=",
        ),
    ),
    "tree": Program(_READS, Options(_TREE, "", "-o: -R", apart=True)),
    "stat": Program(_READS, Options("-Lft -c: --dereference --file-system --format= --printf= --terse --version")),
    "file": Program(
        _READS,
        Options(
            "-bhiL --brief --mime --mime-type --mime-encoding --no-dereference --dereference --version",
            "",
            (
                "-m: --magic-file= -C --compile -f: --files-from= -z --uncompress -Z "
                "--uncompress-noreport -S --no-sandbox"
            ),
        ),
    ),
    "du": Program(
        _READS,
        Options(
            "-abcDHhkLlmPSsx0 -d: -t: --all --apparent-size --bytes --total --dereference --human-readable --inodes "
            "--max-depth= --summarize --one-file-system --exclude= --threshold= --si --version"
        ),
    ),
    "df": Program(_READS, Options("-aHhiklPT --all --human-readable --inodes --local --print-type --total --version")),
    "pwd": Program(_READS, Options("-LP --logical --physical"), most=0),
    "cd": Program(
        _READS,
        Options("-LP"),
        most=1,
        check=lambda parsed: next((word for _, word in parsed.operands if word == "-"), ""),
    ),
    "which": Program(_READS, Options("-a")),
    "type": Program(_READS, Options("-aptP")),
    "command": Program(look=_command),
    "readlink": Program(_READS, Options("-femn --canonicalize --canonicalize-existing --canonicalize-missing")),
    "realpath": Program(
        _READS, Options("-ems --canonicalize-existing --canonicalize-missing --relative-to= --relative-base=")
    ),
    "basename": Program(_READS, Options("-a -s: --multiple --suffix=")),
    "dirname": Program(_READS),
    "test": Program(look=_test),
    "[": Program(look=_test),
    "true": Program(_READS),
    "false": Program(_READS),
    ":": Program(_READS),
    "sleep": Program(_HARMLESS),
    "mkdir": Program(_HARMLESS, Options("", "-pv -m: --parents --verbose --mode="), check=outside, loose=True),
    "touch": Program(_HARMLESS, Options("", "-acm -d: -t: --date= --time= --no-create"), check=outside, loose=True),
    "rmdir": Program(),
    "rm": Program(),
    "mv": Program(options=Options("", "-bfinTuv -S: --backup?", "-t: --target-directory=")),
    "cp": Program(options=Options("", "-abdfHilLnPpRrsTuvxZ -S: --backup?", "-t: --target-directory=")),
    "ln": Program(options=Options("", "-bdFfiLnPrsTv -S: --backup?", "-t: --target-directory=")),
    "install": Program(
        options=Options("", "-bcCdDpTv -g: -m: -o: -S:", "-t: --target-directory= --strip-program= -s --strip")
    ),
    "chmod": Program(),
    "dd": Program(dangerous=lambda parsed: [index for index, word in parsed.operands if word.startswith("of=")]),
    "tar": Program(
        options=Options(
            "",
            "-AcdrtuxvzjJahkmOpSUW -f: -b: -X: -H: -V: -N: -K: --file= --extract --list --create --append --update "
            "--delete --verbose --gzip --bzip2 --xz --zstd --auto-compress --exclude= --exclude-from= --exclude-vcs "
            "--strip-components= --wildcards --no-recursion --keep-old-files --overwrite --to-stdout --sort= --owner= "
            "--group= --mode= --mtime= --numeric-owner --same-owner --no-same-owner --same-permissions "
            "--no-same-permissions --touch --dereference --preserve-permissions --totals --version",
        ),
        strict=True,
        dangerous=lambda parsed: [*_bundled(parsed), *_archive_elsewhere(parsed)],
    ),
    "zip": Program(options=Options("", "-rqv0123456789jmu -x: -i:"), strict=True),
    "unzip": Program(options=Options("", "-lpqjnovtuz -x: -P:", "-d: -:"), strict=True),
    "gzip": Program(),
    "xz": Program(options=Options("", "-dkzcf0123456789", "--files? --files0?")),
    "zstd": Program(options=Options("", "-dkcflqvV# -T?"), strict=True),
    "7z": Program(options=Options(single=True), strict=True),
    "rsync": Program(
        options=Options(
            "",
            "-avzrltpogDhnPuimcxqHAXSWkLRdO468 --archive --verbose --recursive --delete --del --delete-before "
            "--delete-during --delete-after --delete-excluded --dry-run --progress --stats --human-readable "
            "--compress --update --checksum --partial --times --perms --owner --group --links --copy-links "
            "--hard-links --devices "
            "--size-only --ignore-existing --existing --ignore-times --itemize-changes --exclude= --include= "
            "--relative --bwlimit= --timeout= --max-size= --min-size= --max-delete= --prune-empty-dirs "
            "--one-file-system --numeric-ids --inplace --whole-file --quiet --no-perms --no-owner --no-group "
            "--no-times --info= --list-only --mkpath --omit-dir-times --sparse --xattrs --acls --force --version",
        ),
        strict=True,
    ),
    "xargs": Program(kind=Kind.WRAPPER),
}
