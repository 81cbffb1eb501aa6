"""Programs that test, lint, format or type-check code."""

import re
from collections.abc import Callable
from dataclasses import replace

from kimi_tui.permission.programs.files import outside
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import Check, Program, files_of_arguments, names, operands_with


def _checker(name: str, program: Program) -> Program:
    """Complete a table. Their plugins have more options that write files or load code than could be listed, so a rule
    has to name each option that is not known.
    """
    return replace(
        program,
        options=replace(program.options, exact=_RARE.get(name, "")),
        strict=True,
        dangerous=program.dangerous or files_of_arguments,
        subs={sub: _checker(f"{name} {sub}", table) for sub, table in program.subs.items()},
    )


def _harmless(
    options: str,
    *,
    danger: str = "",
    single: bool = False,
    check: Check = outside,
    dangerous: Callable[[Parsed], list[int]] | None = None,
) -> Program:
    options_of = Options("", options, danger, single=single)
    return Program(Level.HARMLESS, options_of, check=check, dangerous=dangerous, loose=True)


_HARMLESS_VALUES = {
    "-p": re.compile(r"no:[\w.-]+", re.ASCII),
    "-W": re.compile(r"[a-z]+(?::[^:]*(?::[A-Za-z]*(?::[\w.]*)?)?)?", re.ASCII),
    "--cov-report": re.compile(r"|term(?:-missing)?(?::skip-covered)?|html|xml|json|lcov", re.ASCII),
}


def _plugins_and_reports(parsed: Parsed) -> list[int]:
    """Find plugins that pytest loads, also for the category of a warning, reports written anywhere, and files of
    arguments.
    """
    valued = [(option, known) for option in parsed.options if (known := _HARMLESS_VALUES.get(option.name))]
    # defence: values-of-pytest
    found = [option.at for option, known in valued if not known.fullmatch(option.value or "")]
    return [*files_of_arguments(parsed), *found]


def _changes_files(parsed: Parsed) -> str:
    """A formatter changes files unless it is told to only compare them."""
    compares = parsed.has("-c", "--check", "--check-only", "--diff")
    return outside(parsed) if compares else _first_word(parsed)  # defence: formatter-writes


def _emits(parsed: Parsed) -> str:
    """The compiler of TypeScript writes files unless it is told not to; a word behind that may take it back."""
    if not parsed.has("-noEmit"):
        return _first_word(parsed)
    bare_word = next((word for _, word in parsed.operands if "." not in word), "")
    return outside(parsed) or bare_word  # defence: compiler-emits


def _first_word(parsed: Parsed) -> str:
    return parsed.operands[0][1] if parsed.operands else "."


_RARE = {
    "pytest": "-h --pdb --trace --sw-skip --stepwise-skip --snapshot-update --cov-append --cov-branch --no-cov-on-fail "
    "--cov-fail-under= --dist= --forked --deselect= --ignore= --log-level= --log-cli-level= --setup-show --setup-only "
    "--setup-plan --fixtures --markers --strict-config --runxfail --doctest-modules --full-trace --reruns= "
    "--randomly-seed= --random-order --durations-min= --show-capture= --benchmark-skip --benchmark-disable "
    "--benchmark-only --hypothesis-seed= --hypothesis-show-statistics --reuse-db --create-db --asyncio-mode= "
    "--verbosity= --help --cache-clear --cache-show --import-mode= --hypothesis-profile= --numprocesses= --lfnf= "
    "--no-migrations --nomigrations --splits= --group= --testmon --picked? --mypy --ruff --strict --headed --browser= "
    "--runslow --run-slow --runintegration --run-integration -p: -W: --cov-report=",
    "unittest": "-ck: --catch --locals --durations=",
    "ruff check": "-es --fix --unsafe-fixes --fix-only --no-unsafe-fixes --watch --extend-ignore= --per-file-ignores= "
    "--line-length= --exclude= --extend-exclude= --force-exclude --respect-gitignore --ignore-noqa --show-settings "
    "--show-files --silent --exit-non-zero-on-fix",
    "ruff format": "-s --preview --exclude= --force-exclude --respect-gitignore --target-version= --range= --silent",
    "black": "-t: --target-version= --line-length= --skip-string-normalization --skip-magic-trailing-comma -C "
    "--preview --unstable --fast --safe --workers= -W: --exclude= --extend-exclude= --force-exclude= --include= "
    "--line-ranges= --color --no-color --pyi --version",
    "isort": "-l: -j: --line-length= --multi-line= --atomic --skip= --skip-glob= --filter-files --trailing-comma "
    "--combine-as --stdout --show-files --gitignore --jobs= --version",
    "flake8": "-j: --jobs= --extend-ignore= --extend-select= --per-file-ignores= --exclude= --extend-exclude= "
    "--filename= --format= --max-complexity= --max-doc-length= --show-source --disable-noqa --exit-zero --isolated "
    "--version --color=",
    "mypy": "-m: --module= --package= --disallow-untyped-defs --disallow-untyped-calls --disallow-incomplete-defs "
    "--disallow-any-generics --disallow-any-explicit --disallow-subclassing-any --disallow-untyped-decorators "
    "--warn-unused-ignores --warn-return-any --warn-unreachable --warn-redundant-casts --warn-unused-configs "
    "--no-implicit-optional --no-implicit-reexport --strict-equality --show-column-numbers --show-error-context "
    "--show-error-end --hide-error-codes --no-color-output --explicit-package-bases --namespace-packages --exclude= "
    "--disable-error-code= --enable-error-code= --no-site-packages --scripts-are-modules --show-traceback "
    "--non-interactive --allow-redefinition --local-partial-types --show-absolute-path --output= --version",
    "pyright": "-w --watch --pythonversion= --pythonplatform= --threads? --verifytypes= --ignoreexternal "
    "--dependencies --createstub= --version",
    "eslint": "--fix --fix-dry-run --fix-type= --rule= --env= --global= --ignore-pattern= --no-ignore "
    "--no-inline-config --report-unused-disable-directives --cache-strategy= --no-error-on-unmatched-pattern "
    "--no-warn-ignored --stdin --debug --exit-on-fatal-error --no-eslintrc --version --env-info --concurrency=",
    "tsc": "-watch -w -init -version -v -help -h -all -showConfig -listFilesOnly -explainFiles -declaration -d "
    "-emitDeclarationOnly -sourceMap -target= -t= -module= -m= -lib= -jsx= -esModuleInterop -resolveJsonModule "
    "-moduleResolution= -allowJs -checkJs -incremental -removeComments -noImplicitAny -strictNullChecks "
    "-noUnusedLocals -noUnusedParameters -noImplicitReturns -extendedDiagnostics -diagnostics -traceResolution "
    "-isolatedModules -types=",
    "prettier": "-w --write --ignore-unknown --no-config --no-editorconfig --log-level= --loglevel= --no-color "
    "--single-quote --no-semi --tab-width= --print-width= --use-tabs --trailing-comma= --end-of-line= --cache "
    "--cache-strategy= --no-error-on-unmatched-pattern --prose-wrap= --version",
}
"""Options that change files of the project, or that are rare: an approval with one covers exactly the command."""

_PROGRAMS: dict[str, Program] = {
    "pytest": _harmless(
        "-vqxsl -k: -m: -n: -r: --verbose --quiet --exitfirst --lf --last-failed --ff "
        "--failed-first --nf --new-first --sw --stepwise --tb= --maxfail= --durations= --co "
        "--collect-only --no-header --no-summary --disable-warnings --timeout= --capture= --color= "
        "--showlocals --strict-markers --cov? --no-cov --version",
        dangerous=_plugins_and_reports,
    ),
    "unittest": _harmless("-vqfb --verbose --quiet --failfast --buffer"),
    # a command of `tox` runs any program
    "tox": Program(options=Options("", "-qvr -e: --recreate"), dangerous=operands_with()),
    "nox": Program(options=Options("", "-lrR -s: -t: --list --session= --sessions=")),
    "ruff": Program(
        options=Options("", "", "--config= --isolated", stops=True),
        subs={
            "check": _harmless(
                "-qvn --no-fix --diff --quiet --verbose --select= --ignore= --extend-select= --statistics "
                "--output-format= --show-fixes --no-cache --exit-zero --preview --target-version="
            ),
            "format": _harmless(
                "-qvn --check --diff --quiet --verbose --no-cache --line-length=", check=_changes_files
            ),
            **dict.fromkeys(names("rule version linter server clean config analyze"), Program()),
        },
    ),
    "black": _harmless("-qvS -l: --check --diff --quiet --verbose", check=_changes_files),
    "isort": _harmless("-qcv --check --check-only --diff --profile=", check=_changes_files),
    "flake8": _harmless("-qv --select= --ignore= --max-line-length= --count --statistics"),
    "mypy": _harmless(
        "-v -p: --strict --ignore-missing-imports --show-error-codes --pretty --no-error-summary "
        "--verbose --no-incremental --check-untyped-defs --follow-imports= --python-version= "
        "--platform="
    ),
    "pyright": _harmless(
        "--outputjson --stats --warnings --verbose --level= --skipunannotated",
        danger="-p: --project= -t: --typeshedpath= -v: --venvpath= --pythonpath=",  # it takes them behind `--` too
    ),
    "eslint": _harmless("--quiet --ext= --max-warnings= --cache --no-color --color"),
    "tsc": _harmless("-noEmit -pretty -strict -skipLibCheck -listFiles", single=True, check=_emits),
    "prettier": _harmless("-clu --check --list-different"),
}

PROGRAMS = {name: _checker(name, program) for name, program in _PROGRAMS.items()}
