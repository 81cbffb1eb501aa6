"""Interpreters, compilers, and programs that build, test and check code."""

import re
from dataclasses import replace

from kimi_tui.permission.programs.files import outside
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import Judgement, Kind, Program

_HARMLESS = Level.HARMLESS


def _script(version: str = "--version -V", modules: frozenset[str] = frozenset()) -> Program:
    return Program(kind=Kind.INTERPRETER, version=version, modules=modules)


_MODULES = frozenset({"pytest", "mypy", "ruff", "black", "pip", "isort", "flake8", "pyright", "unittest"})
_GO_BUILD = "-v -x -n -race -msan -asan -work -trimpath -buildvcs= -p= -tags= -mod= -cover -covermode= -short -a -json"
_GO_DANGER = (
    "-exec= -toolexec= -vettool= -overlay= -modfile= -C= -o= -ldflags= -gcflags= -asmflags= "
    "-gccgoflags= -compiler= "
    "-pkgdir= -installsuffix= -workfile= -outputdir= -coverprofile= -cpuprofile= -memprofile= -blockprofile= "
    "-mutexprofile= -trace= -pgo= -w -u"
)


def _go(options: str = "", level: Level = _HARMLESS, *, most: int | None = None) -> Program:
    return Program(level, Options("", options, _GO_DANGER, single=True), check=outside, loose=True, most=most)


_CARGO_DANGER = "--config= --manifest-path= -C: --target-dir= --out-dir= --artifact-dir= --lockfile-path= -Z: --target="
_CARGO = (
    "-rqv -p: -F: -j: --release --all --workspace --package= --exclude= --lib --bins --bin= --example= --examples "
    "--tests --test= --benches --bench= --all-targets --all-features --features= --no-default-features --quiet "
    "--verbose --locked --offline --frozen --jobs= --keep-going --message-format= --color= --profile="
)


_LINT_LEVEL = re.compile(r"-[DWAF][\w:-]*|[\w:]+", re.ASCII)


def _for_the_compiler(parsed: Parsed) -> list[int]:
    """Find the words behind `--`, which the compiler gets, unless they set lint levels."""
    if parsed.dashes is None:
        return []
    words = [(index, word) for index, word in parsed.operands if index > parsed.dashes]
    return [index for index, word in words if not _LINT_LEVEL.fullmatch(word)]


def _cargo(options: str = _CARGO, level: Level = _HARMLESS, *, most: int | None = 0) -> Program:
    return Program(level, Options("", options, _CARGO_DANGER), most=most)


_GCC_DANGER = (
    "-wrapper",
    "--wrapper",
    "-fplugin",
    "-B",
    "-specs",
    "--specs",
    "@",
    "-Wl,",
    "-Xlinker",
    "-Wa,",
    "-Xassembler",
    "-iplugindir",
    "-fuse-ld",
    "-T",
    "-load",
    "-Xclang",
    "--config",
    "-fpass-plugin",
    "-ld-path",
    "--ld-path",
    "-no-canonical-prefixes",
    "-ccc-",
    "-MF",
    "-dumpdir",
    "-save-temps",
    "-MD",
    "-MMD",
    "-fdump",
    "-aux-info",
)


def _gcc(program: Program, words: tuple[str, ...]) -> Judgement:
    del program
    dangers = tuple(at for at, word in enumerate(words) if at and word.startswith(_GCC_DANGER))
    return Judgement(Level.DANGER if dangers else Level.EXACT, words[:1], dangers, paths=words[1:])


_GCC = Program(look=_gcc, loose=True, version="--version -v -dumpversion -dumpmachine")


def _variables(parsed: Parsed) -> list[int]:
    """Find `SHELL=...`, `CC=...` and similar words, which determine the programs that recipes run."""
    return [at for at, word in parsed.operands if "=" in word]


_MAKE = Program(
    options=Options(
        "",
        "-knsBqtwdi -j? -l? -O? --dry-run --just-print --keep-going --silent --always-make --jobs? --question",
        "-f: -C: -I: -E: -e --file= --makefile= --directory= --include-dir= --eval= --environment-overrides "
        "--assume-old= -o: --old-file= -W: --what-if= --new-file= --assume-new=",
    ),
    dangerous=_variables,
    version="--version -v",
)

PROGRAMS: dict[str, Program] = {
    "python": _script("--version -V -VV", _MODULES),
    "pypy": _script("--version -V", _MODULES),
    "node": _script("--version -v"),
    "nodejs": _script("--version -v"),
    "perl": _script("--version -v"),
    "lua": _script("-v"),
    "php": _script("--version -v"),
    "ruby": _script("--version -v"),
    "Rscript": _script("--version"),
    "java": Program(kind=Kind.ANYTHING, version="-version --version"),
    "julia": _script("--version -v"),
    "bash": _script("--version"),
    "zsh": _script("--version"),
    "fish": _script("--version"),
    **{
        name: _script("")
        for name in [
            "sh",
            "dash",
            "ksh",
            "mksh",
            "ash",
            "csh",
            "tcsh",
            "rc",
            "es",
            "elvish",
            "nu",
            "xonsh",
            "luajit",
            "R",
            "irb",
            "ghci",
            "runghc",
            "runhaskell",
            "scala",
            "groovy",
            "kotlin",
            "jshell",
            "tclsh",
            "wish",
            "expect",
            "guile",
            "racket",
            "sbcl",
            "clisp",
            "ecl",
            "elixir",
            "iex",
            "erl",
            "escript",
            "ocaml",
            "ts-node",
            "tsx",
            "vite-node",
            "swift",
            "dotnet-script",
            "pwsh",
            "powershell",
            "osascript",
            "ipython",
            "ptpython",
            "bpython",
            "jupyter",
            "gdb",
            "lldb",
            "sqlite3",
            "psql",
            "mysql",
            "mariadb",
            "mongosh",
            "mongo",
            "redis-cli",
            "octave",
            "gnuplot",
            "maxima",
            "bc",
            "dc",
            "m4",
            "awk-shell",
            "emacs",
            "vim",
            "vi",
            "nvim",
            "ed",
            "ex",
            "nano",
            "busybox",
            "toybox",
            "deno-run",
            "rdoc",
            "crystal",
            "nim",
            "zig",
            "racketsh",
            "gforth",
            "io",
        ]
    },
    "pytest": Program(
        _HARMLESS,
        Options(
            "",
            "-vqxsl -k: -m: -n: -r: --verbose --quiet --exitfirst --lf --last-failed --ff "
            "--failed-first --nf --new-first "
            "--sw --stepwise --tb= --maxfail= --durations= --co --collect-only --no-header --no-summary "
            "--disable-warnings --timeout= --capture= --color= --showlocals --strict-markers --cov? "
            "--no-cov --version",
            "-p: -c: -o: -W: --rootdir= --confcutdir= --basetemp= --override-ini= --pyargs "
            "--import-mode= --junitxml= "
            "--junit-xml= --log-file= --config-file= --cov-config= --cov-report= --debug? --pastebin= --pdbcls= "
            "--ignore-glob= --cache-clear --report-log= --html= --result-log= --doctest-glob=",
        ),
        check=outside,
        loose=True,
    ),
    "unittest": Program(
        _HARMLESS, Options("", "-vqfb --verbose --quiet --failfast --buffer", "-s: -p: -t:"), check=outside, loose=True
    ),
    "tox": Program(options=Options("", "", "-c: --conf= --workdir= --root= -x: --override=")),
    "nox": Program(options=Options("", "", "-f: --noxfile= --envdir=")),
    "ruff": Program(
        options=Options("", "", "--config= --isolated", stops=True),
        subs={
            "check": Program(
                _HARMLESS,
                Options(
                    "",
                    "-qvn --fix --no-fix --diff --quiet --verbose --select= --ignore= --extend-select= "
                    "--statistics "
                    "--output-format= --show-fixes --no-cache --exit-zero --preview --target-version=",
                    "--config= -o: --output-file= --cache-dir= --add-noqa? --stdin-filename=",
                ),
                check=outside,
                loose=True,
            ),
            "format": Program(
                _HARMLESS,
                Options(
                    "", ("-qvn --check --diff --quiet --verbose --no-cache --line-length="), "--config= --cache-dir="
                ),
                check=outside,
                loose=True,
            ),
            "rule": Program(Level.READS),
            "version": Program(Level.READS),
            "linter": Program(Level.READS),
            "server": Program(),
            "clean": Program(),
            "config": Program(Level.READS),
            "analyze": Program(),
        },
        version="--version -V",
    ),
    "black": Program(
        _HARMLESS,
        Options("", "-qvS -l: --check --diff --quiet --verbose", "--config= --code= -c:"),
        check=outside,
        loose=True,
        version="--version",
    ),
    "isort": Program(
        _HARMLESS,
        Options("", "-qcv --check --check-only --diff --profile=", "--settings-path= --settings-file= --sp="),
        check=outside,
        loose=True,
        version="",
    ),
    "flake8": Program(
        _HARMLESS,
        Options(
            "",
            ("-qv --select= --ignore= --max-line-length= --count --statistics"),
            ("--config= --append-config= --output-file= --enable-extensions="),
        ),
        check=outside,
        loose=True,
        version="",
    ),
    "mypy": Program(
        _HARMLESS,
        Options(
            "",
            "-v -p: --strict --ignore-missing-imports --show-error-codes --pretty --no-error-summary --verbose "
            "--no-incremental --check-untyped-defs --follow-imports= --python-version= --platform=",
            "--config-file= --python-executable= --cache-dir= --html-report= --xml-report= "
            "--txt-report= --junit-xml= "
            "--any-exprs-report= --cobertura-xml-report= --linecount-report= --install-types "
            "--custom-typeshed-dir= "
            "--custom-typing-module= --shadow-file= -c: --command=",
        ),
        check=outside,
        loose=True,
        version="--version -V",
    ),
    "pyright": Program(
        _HARMLESS,
        Options(
            "",
            ("--outputjson --stats --warnings --verbose --level= --skipunannotated"),
            ("-p: --project= -t: --typeshedpath= -v: --venvpath= --pythonpath="),
        ),
        check=outside,
        loose=True,
        version="",
    ),
    "eslint": Program(
        _HARMLESS,
        Options(
            "",
            "--fix --quiet --ext= --max-warnings= --cache --no-color --color",
            "-c: --config= --plugin= --rulesdir= --resolve-plugins-relative-to= --parser= -f: --format= -o: "
            "--output-file= --cache-location= --cache-file= --ignore-path= --parser-options= --flag=",
        ),
        check=outside,
        loose=True,
    ),
    "tsc": Program(
        _HARMLESS,
        Options(
            "",
            "-noEmit --noEmit --pretty --strict --skipLibCheck --listFiles",
            "-p= --project= -p --outDir= --outFile= -b --build --tsBuildInfoFile= --declarationDir= "
            "--outDir --outFile --project "
            "--generateTrace= --generateCpuProfile= --generateTrace --generateCpuProfile",
            single=True,
            any_case=True,
        ),
        check=outside,
        loose=True,
    ),
    "prettier": Program(
        _HARMLESS,
        Options(
            "",
            "-clwu --check --write --list-different",
            ("--config= --plugin= --ignore-path= --parser= --find-config-path="),
        ),
        check=outside,
        loose=True,
    ),
    "go": Program(
        options=Options(danger="-C=", stops=True, single=True),
        subs={
            "build": _go(_GO_BUILD),
            "test": _go(
                _GO_BUILD + " -run= -skip= -count= -timeout= -bench= -benchmem -benchtime= -failfast -parallel= -cpu= "
                ""
                ""
                "-list= "
                "-shuffle= -fullpath -vet= -race=",
                most=None,
            ),
            "vet": _go("-v -n -x -json -tags="),
            "fmt": _go("-n -x"),
            "list": _go("-m -f= -json -e -deps -test -find -tags= -versions"),
            "version": _go("", most=0),  # a go.mod may name a toolchain, which is fetched and run
            "env": _go("-json"),
            "doc": _go("-all -src -u -short -cmd"),
            **{
                name: _go("", Level.EXACT)
                for name in ("run", "install", "get", "clean", "mod", "work", "fix", "bug", "help", "telemetry")
            },
            "generate": Program(kind=Kind.ANYTHING),
            "tool": Program(kind=Kind.ANYTHING),
        },
        plugins=True,
    ),
    "gofmt": Program(
        _HARMLESS, Options("", "-d -e -l -s -w", "-cpuprofile= -r=", single=True), check=outside, loose=True
    ),
    "cargo": Program(
        options=Options(danger=_CARGO_DANGER, stops=True),
        subs={
            "build": _cargo(),
            "b": _cargo(),
            "check": _cargo(),
            "c": _cargo(),
            "clippy": replace(_cargo(), dangerous=_for_the_compiler),
            "test": _cargo(_CARGO + " --no-run --no-fail-fast --doc", most=1),
            "t": _cargo(_CARGO + " --no-run", most=1),
            "bench": _cargo(most=1),
            "doc": _cargo(_CARGO + " --no-deps"),
            "fmt": _cargo("--all --check -v -q"),
            "tree": _cargo("-e: -i: -p: --depth= --all-features --workspace --no-dedupe --duplicates -d", most=0),
            **dict.fromkeys(("rustc", "rustdoc"), replace(_cargo("", Level.EXACT), dangerous=_for_the_compiler)),
            "install": Program(options=Options(danger=_CARGO_DANGER + " --root=")),
            "metadata": _cargo("--no-deps --format-version= --offline --locked", most=0),
            **{
                name: _cargo("", Level.EXACT)
                for name in [
                    "run",
                    "r",
                    "new",
                    "init",
                    "add",
                    "remove",
                    "rm",
                    "update",
                    "search",
                    "publish",
                    "uninstall",
                    "clean",
                    "fix",
                    "vendor",
                    "package",
                    "login",
                    "logout",
                    "owner",
                    "yank",
                    "fetch",
                    "generate-lockfile",
                    "locate-project",
                    "pkgid",
                    "report",
                    "verify-project",
                    "version",
                    "help",
                    "config",
                ]
            },
        },
        plugins=True,
    ),
    "rustc": Program(
        options=Options("", "", ("-C: -Z: -o: --out-dir= --sysroot= -L: -l: --extern= --emit= --codegen= --config="))
    ),
    "rustup": Program(
        options=Options("", "", "", stops=True),
        subs={"run": Program(kind=Kind.ANYTHING), "show": Program(_HARMLESS, most=1)},
        plugins=True,
    ),
    "gcc": _GCC,
    "cc": _GCC,
    "g++": _GCC,
    "c++": _GCC,
    "clang": _GCC,
    "clang++": _GCC,
    "tcc": _GCC,
    "ld": _GCC,
    "ghc": _GCC,
    "make": _MAKE,
    "gmake": _MAKE,
    "remake": _MAKE,
    "bmake": _MAKE,
    "ninja": Program(options=Options("", "-jkvn", "-f: -C: -t:")),
    "cmake": Program(
        options=Options("", "-S: -G:", "-P: -E -B: -C: -D: --toolchain= --preset= -U:"), version="--version"
    ),
    "meson": Program(options=Options("", "", "--native-file= --cross-file= -C:")),
    "just": Program(
        options=Options(
            "", "", ("-f: --justfile= -d: --working-directory= --shell= --shell-arg= -c: --command= --set= --chooser=")
        )
    ),
    "task": Program(options=Options("", "", "-t: --taskfile= -d: --dir= -g --global")),
    "bazel": Program(options=Options("", "", "--bazelrc= --run_under= --output_base= --output_user_root=")),
    "gradle": Program(
        options=Options("", "", ("-b: -c: -I: --init-script= -p: --project-dir= -g: --gradle-user-home= -D? -P?"))
    ),
    "mvn": Program(
        options=Options("", "", ("-f: --file= -s: --settings= -gs: -D? --global-settings= -t: --toolchains="))
    ),
    "dotnet": Program(
        options=Options(stops=True),
        subs={
            **{
                name: Program(
                    _HARMLESS,
                    Options(
                        "",
                        ("--no-restore --no-build -c: -v: --configuration= --verbosity= --nologo"),
                        ("-o: --output= -p? --property? --artifacts-path= --settings= --test-adapter-path= --logger="),
                    ),
                    check=outside,
                    loose=True,
                )
                for name in ("build", "test")
            }
        },
        plugins=True,
    ),
}
