"""Compilers, and programs that build code."""

import re
from collections.abc import Callable
from dataclasses import replace

from kimi_tui.permission.programs.files import leads_out, outside
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import (
    ANYTHING,
    Classification,
    Program,
    files_of_arguments,
    names,
    operands_with,
)

_HARMLESS = Level.HARMLESS
_GO_MODULES = ("vendor", "readonly")
"""Values of `-mod` with which Go takes no module that the project does not name already."""
_GO_BUILD = "-v -x -race -msan -asan -work -trimpath -buildvcs= -p= -tags= -mod= -cover -covermode= -short -a -json"


def _go(options: str, level: Level = _HARMLESS) -> Program:
    options_of = Options("", options, single=True)

    def fetches(parsed: Parsed) -> list[int]:
        modules = [option for option in parsed.options if option.name == "-mod"]
        return [option.at for option in modules if option.value not in _GO_MODULES]  # defence: modules-that-go-fetches

    return Program(level, options_of, check=outside, strict=True, dangerous=fetches, loose=True)


_CARGO = (
    "-rqv -p: -F: -j: --release --all --workspace --package= --exclude= --lib --bins --bin= --example= --examples "
    "--tests --test= --benches --bench= --all-targets --all-features --features= --no-default-features --quiet "
    "--verbose --locked --offline --frozen --jobs= --keep-going --message-format= --color= --profile="
)
_CARGO_TOO = (
    "-hnwd -e: -i? --help --no-run --no-fail-fast --timings --unit-graph --ignore-rust-version "
    "--future-incompat-report --no-deps --document-private-items --edges= --invert? --prune= --depth= --prefix= "
    "--no-dedupe --duplicates --charset= --format= --format-version= --filter-platform= --dev --build --optional "
    "--no-optional --default-features --rename= --branch= --tag= --rev= --dry-run --precise= --recursive "
    "--aggressive --breaking --vcs= --edition= --name= --fix --allow-dirty --allow-staged --broken-code "
    "--edition-idioms --doc --version= --force --list --limit= --no-verify --public --no-public "
    "--versioned-dirs --no-delete"
)
"""Options with which approval covers exactly the command."""
_CARGO_EXACT = names(
    "run r new init add remove rm update search publish uninstall clean fix vendor package login logout owner yank "
    "fetch generate-lockfile locate-project pkgid report verify-project version help config b c d doc tree metadata "
    "info"
)
_LINT_LEVEL = re.compile(r"-[DWAF][\w:-]*|[\w:]+", re.ASCII)


def _behind_dashes(parsed: Parsed) -> list[tuple[int, str]]:
    return [] if parsed.dashes is None else [(at, word) for at, word in parsed.operands if at > parsed.dashes]


def _for_the_compiler(parsed: Parsed) -> list[int]:
    """Find the words behind `--`, which the compiler gets, unless they set lint levels."""
    return [at for at, word in _behind_dashes(parsed) if not _LINT_LEVEL.fullmatch(word)]


_TEST_ARGUMENT = re.compile(
    r"--(?:nocapture|no-capture|ignored|include-ignored|exact|show-output|list|test-threads(?:=\d+)?|skip(?:=[\w:]+)?|"
    r"color(?:=\w+)?)|[\w:]+",
    re.ASCII,
)
_TARGET = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_]+)+", re.ASCII)


def _for_the_tests(parsed: Parsed) -> str:
    """Find a word behind `--` that the program with the tests may not take for a name, or for a harmless option."""
    words = (word for _, word in _behind_dashes(parsed))
    return next((word for word in words if not _TEST_ARGUMENT.fullmatch(word)), "")  # defence: arguments-of-tests


def _unlisted_of_tests(parsed: Parsed) -> list[int]:
    """Find options behind `--` that are not listed: the program with the tests writes the file of `--logfile`."""
    words = _behind_dashes(parsed)
    return [at for at, word in words if word.startswith("-") and not _TEST_ARGUMENT.fullmatch(word)]


def _led_out(parsed: Parsed) -> list[int]:
    """Find the folders that `cargo new` and `cargo vendor` make."""
    return [index for index, word in parsed.operands if leads_out(word)]


def _formats(parsed: Parsed) -> str:
    """`cargo fmt` changes files unless it is told to only compare them."""
    compares = parsed.has("--check") or [word for _, word in parsed.operands] == ["--check"]
    return "" if compares else "fmt"  # defence: formatter-of-cargo


def _for_the_formatter(parsed: Parsed) -> list[int]:
    """Find the words that `rustfmt` gets: it formats any file, and writes its settings into one."""
    return [index for index, word in parsed.operands if word != "--check"]  # defence: arguments-of-the-formatter


def _other_targets(parsed: Parsed) -> list[int]:
    """Find targets that may be files, which name a linker."""
    targets = [option for option in parsed.options if option.name == "--target"]
    return [option.at for option in targets if not _TARGET.fullmatch(option.value or "")]  # defence: files-of-targets


def _cargo(
    dangerous: Callable[[Parsed], list[int]] | None = None,
    *,
    level: Level = _HARMLESS,
    options: str = _CARGO,
    most: int | None = 0,
) -> Program:
    return Program(
        level,
        Options("", options, exact=f"{_CARGO} {_CARGO_TOO} --target="),
        most=most,
        strict=True,
        dangerous=lambda parsed: [*_other_targets(parsed), *(dangerous(parsed) if dangerous is not None else ())],
    )


_GCC_DANGER = (
    "-wrapper", "--wrapper", "-fplugin", "-B", "-specs", "--specs", "@", "-Wl,", "-Xlinker", "-Wa,", "-Xassembler",
    "-iplugindir", "-fuse-ld", "-T", "-load", "-Xclang", "--config", "-fpass-plugin", "-ld-path", "--ld-path",
    "-no-canonical-prefixes", "-ccc-", "--prefix", "--for-",
    "-MF", "-dumpdir", "-save-temps", "-MD", "-MMD", "-fdump", "-aux-info",
)  # fmt: skip


def _gcc(program: Program, words: tuple[str, ...]) -> Classification:
    del program
    dangers = tuple(at for at, word in enumerate(words) if at and word.startswith(_GCC_DANGER))
    return Classification(Level.DANGER if dangers else Level.EXACT, words[:1], dangers, paths=words[1:])


_GCC = Program(look=_gcc, loose=True)


_SWITCH = re.compile(r"(?:V|VERBOSE|DEBUG)=[0-9]?", re.ASCII)


def _variables(parsed: Parsed) -> list[int]:
    """Find `SHELL=...`, `CC=...` and similar words, which determine the programs that recipes run."""
    return [at for at, word in parsed.operands if "=" in word and not _SWITCH.fullmatch(word)]


def _of_another_folder(parsed: Parsed) -> list[int]:
    """Find the variables, and the first word of `just` if it names a recipe of another folder."""
    return [*_variables(parsed), *(at for at, word in parsed.operands[:1] if "/" in word)]


def _for_msbuild(parsed: Parsed) -> list[int]:
    """Find options of MSBuild with a slash."""
    return [at for at, word in parsed.operands if word.startswith("/")]


def _named_options(
    known: str, dangerous: Callable[[Parsed], list[int]] = lambda parsed: [], *, single: bool = False
) -> Program:
    """Make a program with too many dangerous options to list them: a rule has to name each that is not `known`."""
    return Program(
        options=Options("", known, single=single),
        strict=True,
        dangerous=lambda parsed: [*files_of_arguments(parsed), *dangerous(parsed)],
    )


_MAKE = Program(
    options=Options(
        "",
        "-knsBqtwdirRSp -j? -l? -O? --dry-run --just-print --keep-going --silent --always-make --jobs? --question "
        "--no-print-directory --print-directory --trace --output-sync? --no-builtin-rules --no-builtin-variables "
        "--warn-undefined-variables --debug? --load-average? --touch --ignore-errors --print-data-base --shuffle? "
        "-vh --help",
    ),
    strict=True,
    dangerous=_variables,
    version="--version",
)

_GRADLES = ("gradle", "gradlew")  # defence: wrappers-of-builds
_GRADLE = _named_options(
    "-qisSa -x: -m --info --stacktrace --no-daemon --daemon --parallel --offline --continue --dry-run --quiet "
    "--tests= --rerun-tasks --build-cache --no-build-cache --console= --warning-mode= --exclude-task="
)
_MAVEN = _named_options(
    "-q -B -U -o -e -X -T= -pl= -am -amd -N -ntp -nsu -fae -ff -fn -v --quiet --batch-mode --offline --version "
    "--no-transfer-progress --also-make --projects= --threads= --errors",
    operands_with(":"),  # goals of any plugin, such as `exec:exec`
    single=True,
)

PROGRAMS: dict[str, Program] = {
    "go": Program(
        options=Options(danger="-C=", stops=True, single=True),
        subs={
            "build": _go(_GO_BUILD),
            "test": _go(
                _GO_BUILD + " -run= -skip= -count= -timeout= -bench= -benchmem -benchtime= -failfast -parallel= -cpu= "
                "-list= -shuffle= -fullpath -vet= -race=",
            ),
            "vet": _go("-v -x -json -tags="),
            "list": _go("-m -f= -json -e -deps -test -find -tags= -versions"),
            **{
                name: _go(_GO_BUILD, Level.EXACT)
                for name in names("run install get clean mod work fix bug help telemetry fmt version env doc")
            },
            "generate": ANYTHING,
            "tool": ANYTHING,
        },
        plugins=True,
    ),
    "gofmt": Program(options=Options(danger="-cpuprofile= -r=", single=True)),
    "cargo": Program(
        options=Options("", "-qv --quiet --verbose --locked --offline --frozen --color=", stops=True),
        subs={
            "build": _cargo(),
            "check": _cargo(),
            "clippy": _cargo(_for_the_compiler),
            "test": replace(
                _cargo(_unlisted_of_tests, options=_CARGO + " --no-fail-fast --doc", most=2), check=_for_the_tests
            ),
            "fmt": replace(_cargo(_for_the_formatter, options="--all --check -v -q", most=1), check=_formats),
            **dict.fromkeys(("rustc", "rustdoc"), _cargo(_for_the_compiler, level=Level.EXACT)),
            **dict.fromkeys(("bench", "t"), _cargo(_unlisted_of_tests, level=Level.EXACT)),
            "install": _cargo(level=Level.EXACT),
            **{name: _cargo(_led_out, level=Level.EXACT) for name in _CARGO_EXACT},
        },
        plugins=True,
    ),
    "rustc": _named_options(
        "-gOvV --edition= --crate-type= --crate-name= --test --version --verbose --cfg= -A: -W: -D: -F:"
    ),
    "rustup": Program(
        options=Options("", "", "", stops=True),
        subs={"run": ANYTHING, "show": Program()},
        plugins=True,
    ),
    "gcc": _GCC,
    "cc": _GCC,
    "g++": _GCC,
    "c++": _GCC,
    "clang": _GCC,
    "clang++": _GCC,
    "ld": _named_options("-o= -L= -l= -r -s -v", single=True),
    "make": _MAKE,
    "gmake": _MAKE,
    "remake": _MAKE,
    "bmake": _MAKE,
    "ninja": Program(options=Options("", "-jkvn", "-f: -C: -t:")),
    "cmake": _named_options("-S: -G: -j? -v --version --parallel? --target= --config= --clean-first --verbose"),
    "meson": Program(
        options=Options(stops=True),
        subs=dict.fromkeys(
            ("setup", "compile", "test"),
            _named_options(
                "-vqj --verbose --quiet --print-errorlogs --no-rebuild --buildtype= --suite= --wipe --clean"
            ),
        ),
        plugins=True,
    ),
    "just": _named_options(
        "-lnqv --list --summary --dry-run --quiet --verbose --yes --evaluate --variables",
        _of_another_folder,
    ),
    "task": _named_options(
        "-lapvsnfw --list --list-all --parallel --verbose --silent --dry --force --summary --status --watch --version",
        _variables,
    ),
    "bazel": _named_options(
        "-kc: --keep_going --compilation_mode= --config= --jobs= --test_output= --test_filter= --verbose_failures"
    ),
    **dict.fromkeys(_GRADLES, _GRADLE),
    **dict.fromkeys(("mvn", "mvnw"), _MAVEN),
    "dotnet": Program(
        options=Options(stops=True),
        subs=dict.fromkeys(
            ("build", "test"),
            _named_options(
                "--configuration= --framework= --verbosity= --no-restore --no-build --nologo --filter=",
                _for_msbuild,
            ),
        ),
        plugins=True,
    ),
}
