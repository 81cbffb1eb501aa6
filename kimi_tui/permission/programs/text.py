"""Text programs: search, cut, count, sort, compare."""

import re

from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import NOT_RECURSIVE, Classification, Program, RecursiveRead
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


def _ag_is_deep(parsed: Parsed) -> RecursiveRead:
    del parsed
    return RecursiveRead.WITHIN | RecursiveRead.HIDDEN


def _diff_is_deep(parsed: Parsed) -> RecursiveRead:
    """Given two folders, `diff` compares their files even without an option."""
    del parsed
    return RecursiveRead.WITHIN | RecursiveRead.LINKS | RecursiveRead.HIDDEN | RecursiveRead.NAMED


def _of_a_file(parsed: Parsed) -> str:
    """Find a word that GNU's binary tools replace with the words in a file, whatever option precedes it."""
    words = [*(word for _, word in parsed.operands), *(option.value or "" for option in parsed.options)]
    return next((word for word in words if word.startswith("@")), "")


def _more_args(parsed: Parsed) -> list[int]:
    """Return the indexes from the second operand on, if the second one is an output file."""
    return [index for index, _ in parsed.operands[1:]]


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


_JQ_MORE = re.compile(r"\b(?:env|include|import|modulemeta|ENV)\b")  # defence: jq-environment
_GREP = Program(
    _READS,
    Options(
        "-EFGPiwxzsvVbnHhoqaIrRLlcTZU -e: -f: -m: -A: -B: -C: -D: -d: -# --extended-regexp --fixed-strings "
        "--basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --word-regexp --line-regexp "
        "--null-data --no-messages --invert-match --version --help --max-count= --byte-offset --line-number "
        "--line-buffered --with-filename --no-filename --label= --only-matching --quiet --silent --binary-files= "
        "--text --directories= --devices= --recursive --dereference-recursive --include= --exclude= --exclude-dir= "
        "--exclude-from= --files-without-match --files-with-matches --count --initial-tab --null --before-context= "
        "--after-context= --context= --group-separator= --no-group-separator --color? --colour? --binary"
    ),
    deep=_grep_is_deep,
)


def _date(parsed: Parsed) -> str:
    return next((word for _, word in parsed.operands if not word.startswith("+")), "")


_SUMS = Program(
    _READS,
    Options("-btz --binary --tag --text --zero --ignore-missing --quiet --status --strict -w --warn --version"),
)
_DIFF = Program(
    _READS,
    Options(
        "-qscuenyptwiEZbBdarNT -C: -U: -W: -x: -I: -F: -S: -X: -# --normal --brief "
        "--report-identical-files --context? "
        "--unified? --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function "
        "--show-function-line= --label= -L: --expand-tabs --initial-tab --tabsize= "
        "--suppress-blank-empty --recursive "
        "--no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case "
        "--exclude= --exclude-from= --starting-file= --ignore-case --ignore-tab-expansion --ignore-trailing-space "
        "--ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text "
        "--strip-trailing-cr --minimal --horizon-lines= --speed-large-files --color? --palette= --help --version"
    ),
    deep=_diff_is_deep,
)

PROGRAMS: dict[str, Program] = {
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Program(
        _READS,
        Options(
            "-abcFHIiLlnNoPpqsSUuvVwx0. -# -A: -B: -C: -e: -g: -j: -m: -M: -r: -t: -T: -E: -d: --after-context= "
            "--before-context= --context= --count --count-matches --fixed-strings --with-filename --no-filename "
            "--ignore-case --case-sensitive --smart-case --files --files-with-matches --files-without-match "
            "--line-number --no-line-number --column --no-column --heading --no-heading --only-matching --pcre2 "
            "--quiet --null --word-regexp --line-regexp --invert-match --hidden --no-hidden --no-ignore "
            "--no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-config --glob= --iglob= "
            "--type= --type-not= --type-list --max-count= --max-depth= --maxdepth= --max-filesize= --max-columns= "
            "--max-columns-preview --multiline --multiline-dotall --json --vimgrep --stats --sort= "
            "--sortr= --color= "
            "--colors= --trim --no-messages --regexp= --text --unrestricted --byte-offset --passthru --passthrough "
            "--crlf --encoding= --engine= --threads= --line-buffered --block-buffered --one-file-system "
            "--path-separator= --context-separator= --field-match-separator= --follow --no-follow --version --help "
            "--pretty --replace= --null-data",
            "",
            "--pre= --hostname-bin=",
        ),
        deep=_rg_is_deep,
    ),
    "ag": Program(
        _READS, Options("-ilwvcnsSQoHL -A: -B: -C: -G: -m: --nocolor --nogroup --noheading"), deep=_ag_is_deep
    ),
    "ack": Program(Level.EXACT, Options(danger="--pager= --ackrc= -p --proximate=")),
    "sed": Program(_READS, look=sed, loose=True),
    "awk": Program(_READS, look=awk, loose=True),
    "gawk": Program(_READS, look=awk, loose=True),
    "mawk": Program(_READS, look=awk, loose=True),
    "nawk": Program(_READS, look=awk, loose=True),
    "cut": Program(
        _READS,
        Options(
            "-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited "
            "--output-delimiter= --zero-terminated --help --version"
        ),
    ),
    "tr": Program(_READS, Options("-cCdst --complement --delete --squeeze-repeats --truncate-set1 --help --version")),
    "wc": Program(
        _READS, Options("-cmlLw --bytes --chars --lines --max-line-length --words --total= --help --version")
    ),
    "sort": Program(
        _READS,
        Options(
            "-bdfgiMhnRrVcCmsuz -k: -S: -t: --ignore-leading-blanks --dictionary-order --ignore-case "
            "--general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort "
            "--random-sort --random-source= --reverse --sort= --version-sort --batch-size= --check? --debug --key= "
            "--merge --stable --buffer-size= --field-separator= --parallel= --unique --zero-terminated "
            "--help --version",
            "",
            "-o: --output= --compress-program= -T: --temporary-directory=",
        ),
    ),
    "uniq": Program(
        _READS,
        Options(
            "-cdDiuz -f: -s: -w: --count --repeated --all-repeated? --group? --ignore-case --unique "
            "--zero-terminated "
            "--skip-fields= --skip-chars= --check-chars= --help --version"
        ),
        most=1,
        dangerous=_more_args,
    ),
    "head": Program(
        _READS, Options("-qvz -c: -n: -# --bytes= --lines= --quiet --silent --verbose --zero-terminated --version")
    ),
    "tail": Program(
        _READS,
        Options(
            "-fFqvz -c: -n: -s: -# --bytes= --lines= --follow? --retry --max-unchanged-stats= --pid= "
            "--quiet --silent "
            "--sleep-interval= --verbose --zero-terminated --version"
        ),
    ),
    "cat": Program(
        _READS,
        Options(
            "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs "
            "--show-nonprinting --help --version"
        ),
    ),
    "tac": Program(_READS, Options("-br -s: --before --regex --separator= --version")),
    "rev": Program(_READS, Options("-Vh0")),
    "nl": Program(_READS, Options("-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering= --number-width=")),
    "fold": Program(_READS, Options("-bs -w: --bytes --spaces --width=")),
    "fmt": Program(_READS, Options("-cstu -g: -p: -w: -# --width= --goal= --split-only --uniform-spacing")),
    "expand": Program(_READS, Options("-i -t: --initial --tabs=")),
    "unexpand": Program(_READS, Options("-a -t: --all --first-only --tabs=")),
    "paste": Program(_READS, Options("-sz -d: --delimiters= --serial --zero-terminated")),
    "join": Program(
        _READS, Options("-iz -a: -e: -j: -o: -t: -v: -1: -2: --ignore-case --check-order --nocheck-order --header")
    ),
    "comm": Program(
        _READS, Options("-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated")
    ),
    "column": Program(
        _READS, Options("-tnexLJ -s: -o: -N: -c: -R: -T: -H: -O: -W: --table --separator= --output-separator=")
    ),
    "diff": _DIFF,
    "cmp": Program(_READS, Options("-bls -i: -n: --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent")),
    "od": Program(
        _READS, Options("-abcdfilosxv -A: -j: -N: -S: -t: -w? --address-radix= --skip-bytes= --read-bytes= --format=")
    ),
    "hexdump": Program(_READS, Options("-bcCdovx -e: -n: -s: --canonical --length= --skip= --no-squeezing")),
    "xxd": Program(
        _READS,
        Options(
            "-a -b -C -e -E -i -p -ps -plain -u -c= -cols= -g= -groupsize= -l= -len= -o= -s= -seek=",
            single=True,
            stops=True,
        ),
        most=1,
        dangerous=_more_args,
    ),
    "strings": Program(
        _READS,
        Options("-afowh -n: -t: -e: -# --all --bytes= --radix= --encoding= --print-file-name"),
        check=_of_a_file,
        loose=True,
    ),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha224sum": _SUMS,
    "sha256sum": _SUMS,
    "sha384sum": _SUMS,
    "sha512sum": _SUMS,
    "b2sum": _SUMS,
    "cksum": Program(_READS, Options("-a: --algorithm= --untagged --tag --version")),
    "sum": Program(_READS, Options("-rs --sysv --version")),
    "base64": Program(_READS, Options("-di -w: --decode --ignore-garbage --wrap=")),
    "base32": Program(_READS, Options("-di -w: --decode --ignore-garbage --wrap=")),
    "seq": Program(_READS, Options("-w -f: -s: -# --format= --separator= --equal-width")),
    "date": Program(
        _READS,
        Options(
            (
                "-Ru -d: -r: -I? --date= --reference= --iso-8601? --rfc-3339= --rfc-email --utc "
                "--universal --help --version"
            ),
            "",
            "-s: --set=",
        ),
        check=_date,
        dangerous=lambda parsed: [index for index, word in parsed.operands if not word.startswith("+")],
    ),
    "jq": Program(
        _READS,
        Options(
            "-rjacCMSensR --raw-output --raw-output0 --join-output --ascii-output --compact-output --color-output "
            "--monochrome-output --tab --indent= --sort-keys --exit-status --null-input --slurp --raw-input --seq "
            "--stream --args --jsonargs --version -V"
        ),
        check=lambda parsed: next((word for _, word in parsed.operands[:1] if _JQ_MORE.search(word)), ""),
    ),
    "split": Program(Level.EXACT, Options("", "-a: -b: -C: -l: -n: -t: -dex -#", "--filter=")),
    "csplit": Program(Level.EXACT),
    "tee": Program(Level.EXACT),
    "iconv": Program(
        _READS, Options(("-lcs -f: -t: --from-code= --to-code= --list --silent --version"), "", "-o: --output=")
    ),
    "bat": Program(
        _READS,
        Options(
            "-AnpP -l: -r: -H: --plain --number --language= --line-range= --style= --color= "
            "--decorations= "
            "--theme= --wrap= --tabs= --show-all --version",
            "",
            "--pager= --paging= --config-file --cache-dir",
        ),
    ),
    "printf": Program(_READS, Options("", "", "-v:", stops=True), dangerous=_sets_a_variable),
    "echo": Program(_READS, look=_classify_echo, loose=True),
}
