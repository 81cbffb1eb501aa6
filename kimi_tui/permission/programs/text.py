"""Text programs: search, cut, count, sort, compare."""

import re

from kimi_tui.permission.programs.jq_filter import only_computes
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import (
    NOT_RECURSIVE,
    Classification,
    Program,
    RecursiveRead,
    names,
)
from kimi_tui.permission.programs.scripts import awk, sed

_READS = Level.READS


def _grep_is_deep(parsed: Parsed) -> RecursiveRead:
    if parsed.has("-R", "--dereference-recursive"):
        return RecursiveRead.WITHIN | RecursiveRead.LINKS | RecursiveRead.HIDDEN
    if parsed.has("-r", "--recursive", "-d", "--directories"):
        return RecursiveRead.WITHIN | RecursiveRead.HIDDEN
    return NOT_RECURSIVE


def _rg_is_deep(parsed: Parsed) -> RecursiveRead:
    """A glob or a type option also searches hidden files that it names."""
    widening = ("-.", "--hidden", "-u", "--unrestricted", "-g", "--glob", "--iglob", "-t", "--type")
    depth = RecursiveRead.WITHIN | RecursiveRead.HIDDEN if parsed.has(*widening) else RecursiveRead.WITHIN
    return depth | RecursiveRead.LINKS if parsed.has("-L", "--follow") else depth


def _diff_is_deep(parsed: Parsed) -> RecursiveRead:
    """Given two folders, `diff` compares their files even without an option."""
    del parsed
    return RecursiveRead.WITHIN | RecursiveRead.LINKS | RecursiveRead.HIDDEN | RecursiveRead.NAMED


def _more_args(parsed: Parsed) -> list[int]:
    """Return the indexes from the second operand on: the second one is an output file."""
    return [index for index, _ in parsed.operands[1:]]  # defence: second-operand-is-written


def _classify_echo(program: Program, words: tuple[str, ...]) -> Classification:
    """Classify a program that only prints its words."""
    del program
    return Classification(Level.READS, words[:1])


_PLAIN_FORMAT = re.compile(
    r"(?:[^%]|%%|%\([^()]*\)T|%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[hlLjzt]*[diouxXeEfFgGaAcsbq])*", re.DOTALL
)


def _sets_a_variable(parsed: Parsed) -> list[int]:
    """Find a format of `printf` with `%n` or an unknown part: `%n` makes Bash set a variable, such as `PATH`."""
    return [index for index, word in parsed.operands[:1] if not _PLAIN_FORMAT.fullmatch(word)]


_GREP = Program(
    _READS,
    Options(
        "-EFGPiwxsvVbnHhoqaIrRLlc -e: -f: -m: -A: -B: -C: -# --extended-regexp --fixed-strings --perl-regexp --regexp= "
        "--file= --ignore-case --word-regexp --line-regexp --no-messages --invert-match --version --max-count= "
        "--byte-offset --line-number --with-filename --no-filename --only-matching --quiet --text --recursive "
        "--dereference-recursive --include= --exclude= --exclude-dir= --files-without-match --files-with-matches "
        "--count --before-context= --after-context= --context= --color? --colour?"
    ),
    deep=_grep_is_deep,
    texts="-e --regexp -m -A -B -C",
    text_operands=lambda parsed: 0 if parsed.has("-e", "--regexp", "-f", "--file") else 1,
)


def _date(parsed: Parsed) -> str:
    return next((word for _, word in parsed.operands if not word.startswith("+")), "")


_OF_MODULES = re.compile(r"\b(?:import|include|modulemeta)\b")


def _of_modules(parsed: Parsed) -> list[int]:
    """Find filters of jq that may load a module: its data may be any file whose name ends in `.json`. Behind an unknown
    option the filter may be any word.
    """
    filters = parsed.operands if parsed.unknown else parsed.operands[:1]
    # defence: modules-of-jq
    return [index for index, word in filters if _OF_MODULES.search(word) and not only_computes(word)]


_SUMS = Program(_READS, Options("-b --binary --tag --version"))
_DIFF = Program(
    _READS,
    Options(
        "-qsucyrwbBEiNat -U: -C: -W: -x: -I: --brief --report-identical-files --context? --unified? --side-by-side "
        "--width= --suppress-common-lines --recursive --new-file --exclude= --ignore-case --ignore-trailing-space "
        "--ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text "
        "--strip-trailing-cr --minimal --color? --version"
    ),
    deep=_diff_is_deep,
)

_ASKED = names(
    "rev fold fmt expand unexpand join seq strings zcat cksum sum b2sum sha224sum sha384sum sha512sum "
    "dir vdir eza exa whereis who groups locale getconf tty lscpu lsblk pgrep pidof netstat ping"
)
"""They run no other program. An approval covers exactly the command: they are rare, or may read or tell more."""

PROGRAMS: dict[str, Program] = {
    **dict.fromkeys(_ASKED, Program()),
    **dict.fromkeys(("base64", "base32"), Program(options=Options("", "-dDi -w: --decode --wrap="), strict=True)),
    "lsof": Program(options=Options("", "-nPtaRUl -i? -p: -u: -c: -d:"), strict=True),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Program(
        _READS,
        Options(
            "-acFHIiLlnNopqSsUuvVwx0. -# -A: -B: -C: -e: -g: -j: -m: -M: -r: -t: -T: --after-context= "
            "--before-context= --context= --count --count-matches --fixed-strings --with-filename --no-filename "
            "--ignore-case --case-sensitive --smart-case --files --files-with-matches --files-without-match "
            "--line-number --no-line-number --column --heading --no-heading --only-matching --pcre2 --quiet --null "
            "--word-regexp --line-regexp --invert-match --hidden --no-ignore --no-ignore-vcs --no-config --glob= "
            "--iglob= --type= --type-not= --type-list --max-count= --max-depth= --max-filesize= --max-columns= "
            "--multiline --multiline-dotall --json --vimgrep --stats --sort= --color= --trim --no-messages --regexp= "
            "--text --unrestricted --threads= --follow --version --pretty --replace=",
            "",
            "--pre= --hostname-bin=",
        ),
        deep=_rg_is_deep,
        texts="-e --regexp -m -A -B -C -r --replace",
        text_operands=lambda parsed: 0 if parsed.has("-e", "--regexp", "--files", "--type-list") else 1,
    ),
    **dict.fromkeys(("ack", "ag"), Program(options=Options("", "-ivwlLcnQs"), strict=True)),
    "sed": Program(_READS, look=sed, loose=True),
    **{name: Program(_READS, look=awk, loose=True) for name in ("awk", "gawk", "mawk", "nawk")},
    "cut": Program(
        _READS,
        Options("-s -b: -c: -d: -f: --characters= --delimiter= --fields= --complement --only-delimited"),
        texts="-b -c -d -f --delimiter",
    ),
    "tr": Program(
        _READS,
        Options("-cCds --complement --delete --squeeze-repeats"),
        text_operands=lambda parsed: len(parsed.operands),
    ),
    "wc": Program(_READS, Options("-cmlLw --bytes --chars --lines --max-line-length --words --version")),
    "sort": Program(
        _READS,
        Options(
            "-bdfghMnrRVcus -k: -t: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort "
            "--month-sort --human-numeric-sort --numeric-sort --reverse --version-sort --key= --stable "
            "--field-separator= --unique --version",
            "",
            "-o: --output= --compress-program= -T: --temporary-directory=",
        ),
        texts="-k -t --key --field-separator",
    ),
    "uniq": Program(
        _READS,
        Options("-cdDiu -f: -s: --count --repeated --ignore-case --unique --skip-fields= --skip-chars=", stops=True),
        most=1,
        dangerous=_more_args,
    ),
    "head": Program(_READS, Options("-qv -c: -n: -# --bytes= --lines= --quiet --verbose --version")),
    "tail": Program(_READS, Options("-qv -c: -n: -# --bytes= --lines= --quiet --verbose --version")),
    "cat": Program(
        _READS,
        Options(
            "-AbeEnstTv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs "
            "--show-nonprinting --version"
        ),
    ),
    "tac": Program(_READS),
    "nl": Program(_READS, Options("-b: -s: -w: -n: --body-numbering= --number-width=")),
    "paste": Program(_READS, Options("-s -d: --delimiters= --serial"), texts="-d --delimiters"),
    "comm": Program(_READS, Options("-123")),
    "column": Program(_READS, Options("-t -s: --table --separator="), texts="-s --separator"),
    "diff": _DIFF,
    "cmp": Program(_READS, Options("-bls --print-bytes --verbose --quiet --silent")),
    "od": Program(_READS, Options("-abcxv -A: -j: -N: -t:")),
    "hexdump": Program(_READS, Options("-Cv -n: -s:")),
    "xxd": Program(options=Options("", "-c= -g= -l= -s=", single=True, stops=True), dangerous=_more_args),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha256sum": _SUMS,
    "date": Program(
        _READS,
        Options("-Ru -d: -I? --date= --iso-8601? --rfc-3339= --utc --version", "", "-s: --set="),
        check=_date,
        dangerous=lambda parsed: [index for index, word in parsed.operands if not word.startswith("+")],
    ),
    "jq": Program(
        _READS,
        Options(
            "-rjacCMSensR --raw-output --join-output --compact-output --color-output --monochrome-output --tab "
            "--sort-keys --exit-status --null-input --slurp --raw-input --version",
            "",
            "-f: -L: --from-file= --library-path=",
        ),
        dangerous=_of_modules,
        check=lambda parsed: next((word for _, word in parsed.operands[:1] if not only_computes(word)), ""),
    ),
    "split": Program(options=Options("", "-a: -b: -C: -l: -n: -t: -dex -#", "--filter=")),
    "csplit": Program(),
    "tee": Program(),
    "iconv": Program(options=Options("", "-f: -t:", "-o: --output=")),
    "bat": Program(
        options=Options("", "-npA -r: -l: --plain --number --line-range= --language= --color="),
        strict=True,
    ),
    "printf": Program(_READS, Options("", "", "-v:", stops=True), dangerous=_sets_a_variable),
    "echo": Program(_READS, look=_classify_echo, loose=True),
}
