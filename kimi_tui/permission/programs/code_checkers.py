"""Programs that test, lint, format or type-check code."""

from dataclasses import replace

from kimi_tui.permission.programs.files import outside
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import Program, unlisted_options

_HARMLESS = Level.HARMLESS


def _files_of_arguments(parsed: Parsed) -> list[int]:
    """Find the words that some of these programs replace with what a file holds, values of options among them."""
    words = [*parsed.operands, *((option.at, option.value or "") for option in parsed.options)]
    return [index for index, word in words if word.startswith("@")]  # defence: files-of-arguments


def _checker(program: Program) -> Program:
    subs = {name: _checker(sub) for name, sub in program.subs.items()}
    return replace(program, dangerous=program.dangerous or _files_of_arguments, subs=subs)


def _changes_files(parsed: Parsed) -> str:
    """A formatter changes files unless it is told to only compare them."""
    compares = parsed.has("-c", "--check", "--check-only", "--diff")
    return outside(parsed) if compares else _first_word(parsed)  # defence: formatter-writes


def _emits(parsed: Parsed) -> str:
    """The compiler of TypeScript writes files unless it is told not to; a word behind that may take it back."""
    if not parsed.has("-noemit", "--noemit", "-noEmit", "--noEmit"):
        return _first_word(parsed)
    bare_word = next((word for _, word in parsed.operands if "." not in word), "")
    return outside(parsed) or bare_word  # defence: compiler-emits


def _named(parsed: Parsed) -> list[int]:
    """`tox` has a command that runs any program."""
    return [*unlisted_options(parsed), *(index for index, _ in parsed.operands)]


def _first_word(parsed: Parsed) -> str:
    return parsed.operands[0][1] if parsed.operands else "."


_PROGRAMS: dict[str, Program] = {
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
            "--ignore-glob= --cache-clear --report-log= --html= --result-log= --doctest-glob= --tx= --px= --rsyncdir=",
        ),
        check=outside,
        loose=True,
    ),
    "unittest": Program(
        _HARMLESS, Options("", "-vqfb --verbose --quiet --failfast --buffer", "-s: -p: -t:"), check=outside, loose=True
    ),
    "tox": Program(options=Options("", "-qvr -e: --recreate"), dangerous=_named),
    "nox": Program(options=Options("", "-lrR -s: -t: --list --session= --sessions="), dangerous=unlisted_options),
    "ruff": Program(
        options=Options("", "", "--config= --isolated", stops=True),
        subs={
            "check": Program(
                _HARMLESS,
                Options(
                    "",
                    "-qvn --no-fix --diff --quiet --verbose --select= --ignore= --extend-select= "
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
                check=_changes_files,
                loose=True,
            ),
            "rule": Program(),
            "version": Program(),
            "linter": Program(),
            "server": Program(),
            "clean": Program(),
            "config": Program(),
            "analyze": Program(),
        },
    ),
    "black": Program(
        _HARMLESS,
        Options("", "-qvS -l: --check --diff --quiet --verbose", "--config= --code= -c:"),
        check=_changes_files,
        loose=True,
    ),
    "isort": Program(
        _HARMLESS,
        Options("", "-qcv --check --check-only --diff --profile=", "--settings-path= --settings-file= --sp="),
        check=_changes_files,
        loose=True,
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
    ),
    "eslint": Program(
        _HARMLESS,
        Options(
            "",
            "--quiet --ext= --max-warnings= --cache --no-color --color",
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
        check=_emits,
        loose=True,
    ),
    "prettier": Program(
        _HARMLESS,
        Options(
            "",
            "-clu --check --list-different",
            ("--config= --plugin= --ignore-path= --parser= --find-config-path="),
        ),
        check=outside,
        loose=True,
    ),
}

PROGRAMS = {name: _checker(program) for name, program in _PROGRAMS.items()}
