"""Interpreters, shells, and programs that run code of their own language: debuggers, editors, database clients."""

from kimi_tui.permission.programs.program import ANYTHING, Kind, Program, names

_MODULES = frozenset({"pytest", "mypy", "ruff", "black", "pip", "isort", "flake8", "pyright", "unittest"})
_OTHERS = names(
    "perl lua php ruby Rscript julia bash zsh fish sh dash ksh mksh ash csh tcsh rc es elvish nu xonsh luajit R "
    "irb ghci runghc runhaskell scala groovy kotlin jshell tclsh wish expect guile racket sbcl clisp ecl elixir "
    "iex erl escript ocaml ts-node tsx vite-node swift dotnet-script pwsh powershell osascript ipython ptpython "
    "bpython jupyter bc "
    "awk-shell busybox toybox deno-run rdoc crystal nim zig racketsh gforth io ghc tcc "
)
# defence: code-behind-the-database
_CLIENTS = names(
    "sqlite3 psql mysql mariadb mongosh mongo redis-cli duckdb gdb lldb octave gnuplot maxima dc m4 "
    "emacs vim vi nvim ed ex nano "
)
"""Their first operand is a database or a file, and any later word may be code: `sqlite3 app.db '.shell id'`."""


def _script(version: str = "--version -V", modules: frozenset[str] = frozenset()) -> Program:
    return Program(kind=Kind.INTERPRETER, version=version, modules=modules)


PROGRAMS: dict[str, Program] = {
    "python": _script("--version -V -VV", _MODULES),
    "pypy": _script("--version -V", _MODULES),
    "node": _script("--version -v"),
    "nodejs": _script("--version -v"),
    "java": ANYTHING,
    **{name: _script("") for name in _OTHERS},
    **{name: Program(kind=Kind.WRAPPER) for name in _CLIENTS},
}
