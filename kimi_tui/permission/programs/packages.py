"""Package managers and their runners."""

import re
from dataclasses import replace

from kimi_tui.permission.programs.files import leads_out
from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import ANYTHING, Kind, Program, names, operands_with, stored_settings

_READS, _HARMLESS, _EXACT = Level.READS, Level.HARMLESS, Level.EXACT

_NPM_DANGER = (
    "--prefix= -C: --script-shell= --node-options= --userconfig= --globalconfig= --registry= "
    "--git= --shell= --editor= "
    "--viewer= --cache= --init-module= --call= -c: --package= --node-gyp= --location= -g "
    "--global --browser= --otp= "
    "--cwd= --dir= --logs-dir= --pack-destination= --modules-dir= --modules-folder= --use-yarnrc= --config="
)


_NPM_KNOWN = (
    "-DEOPfsyqSW -w: --save --save-dev --save-exact --save-prod --save-optional --save-peer --no-save --dev "
    "--exact --peer --optional --force --yes --silent --quiet --verbose --legacy-peer-deps --production --prod "
    "--frozen-lockfile --no-frozen-lockfile --immutable --no-audit --no-fund --no-optional --ignore-scripts "
    "--dry-run --json --if-present --workspaces --include-workspace-root --recursive --omit= --include= "
    "--workspace= --depth= --loglevel= --audit-level= --access= --tag= --all --long --parseable --latest "
    "--prefer-offline --offline --no-progress "
)


def _elsewhere(parsed: Parsed) -> list[int]:
    """Find folders that lead out of the work dir, which are written, or whose scripts run, and addresses."""
    parts = ((at, part) for at, word in parsed.operands for part in re.split("[:=@ ]", word))
    named = [at for at, word in parsed.operands if _names_source(word)]  # defence: packages-with-a-source
    return [*named, *(at for at, part in parts if part and leads_out(part))]  # defence: packages-from-elsewhere


_SOURCE = re.compile(r"\s*(?!workspace:)[\w+.-]+:")
_REPOSITORY = re.compile(r"[^@./~:][^/@:]*/[^@]")


def _names_source(word: str) -> bool:
    """Whether a package is another one than its name says, or comes from elsewhere: `a@npm:b`, `github:a/b`, `a/b`."""
    return any(map(_SOURCE.match, word.split("@"))) or _REPOSITORY.match(word) is not None


_NPM_RUN = "-w: --workspace= --workspaces --include-workspace-root --if-present --quiet"
"""Which of the project's own packages have their script run."""


def _npm(
    level: Level = _EXACT, known: str = _NPM_KNOWN, *, exact: str = "", most: int | None = None, keyed: int = 0
) -> Program:
    """Make a subcommand. Any setting can be an option, and many name a program, as `--python` and `--make`."""
    options = Options("", known, exact=exact)
    runs = most is not None or keyed  # what is behind the name of a script is for the script
    return Program(
        level, options, most=most, keyed=keyed, strict=True, loose=not runs, dangerous=None if runs else _elsewhere
    )


def _key_and_value(parsed: Parsed) -> list[int]:
    return [at for at, _ in parsed.operands] if len(parsed.operands) > 1 else []


_NPM_NAMES = names(
    "access add adduser audit author cache ci clean-install cit ddp dedupe deprecate dist-tag doctor diff explain "
    "find-dupes fund get i in install install-ci-test install-test isntall it link ln login logout org owner pack "
    "ping prefix profile prune publish query rb rebuild restart rm root s sbom search se shrinkwrap star stars "
    "start stop team un uninstall unlink unpublish unstar up update upgrade verison version whoami remove import "
    "patch patch-commit licenses store why autoclean check generate-lock-entry upgrade-interactive "
)
_NODE_SUBS = {
    **dict.fromkeys(_NPM_NAMES, _npm()),
    **dict.fromkeys(("config", "c", "pkg"), replace(_npm(), dangerous=stored_settings)),
    "set": replace(_npm(), dangerous=operands_with()),
    **dict.fromkeys(("test", "t", "tst"), _npm(_HARMLESS, "-s --silent", exact=_NPM_RUN, most=0)),
    **dict.fromkeys(
        ("run", "run-script", "rum", "urn"), _npm(_HARMLESS, "-s --silent", exact=_NPM_RUN, most=1, keyed=1)
    ),
    **dict.fromkeys(("version", "verison"), _npm(known=f"{_NPM_KNOWN} -m: --message= --preid= --no-git-tag-version")),
    "sbom": _npm(known=f"{_NPM_KNOWN} --sbom-format= --sbom-type="),
    **dict.fromkeys(
        ("ls", "list", "la", "ll"), _npm(_HARMLESS, "-al --all --depth= --json --long --parseable", most=0)
    ),
    **dict.fromkeys(("outdated", "view", "info", "show", "v"), _npm()),
    **dict.fromkeys(("exec", "x", "dlx", "init", "create", "explore", "edit", "innit"), ANYTHING),
}


def _node_manager(version: str = "") -> Program:
    known = "-rs -F: --silent --quiet --verbose --loglevel= --workspace= --workspaces --recursive --filter= --no-color"
    options = Options("", "", _NPM_DANGER, stops=True, exact=known)
    return Program(options=options, subs=_NODE_SUBS, plugins=True, version=version)


_PIP_DANGER = (
    "--config-settings= --python= --target= -t: --prefix= --root= --src= --log= --cache-dir= --index-url= -i: "
    "--extra-index-url= --find-links= -f: --proxy= --cert= --client-cert= --trusted-host= --user --editable= -e: "
    "--global-option= --build-option= --install-option= --report= -C: --keyring-provider= -o: --output-file="
)


_PIP_KNOWN = (
    "-qvUyr: --quiet --verbose --upgrade --yes --requirement= --no-deps --pre --dry-run --no-input --no-cache-dir "
    "--force-reinstall"
)


def _required_from_elsewhere(parsed: Parsed) -> list[int]:
    """Find packages from elsewhere, and lists of packages that are: they may name any source."""
    lists = [option for option in parsed.options if option.name in ("-r", "--requirement")]
    # defence: lists-from-elsewhere
    found = [option.at for option in lists if leads_out(option.value or "/") or "://" in (option.value or "")]
    return [*_elsewhere(parsed), *found]


def _pip(level: Level = _EXACT, known: str = "") -> Program:
    options = Options(known, _PIP_KNOWN if level is _EXACT else "")
    return Program(level, options, strict=True, dangerous=_required_from_elsewhere)


def _pips(shows: Level) -> Program:
    return Program(
        options=Options(
            "", "", _PIP_DANGER, stops=True, exact="-qv --quiet --verbose --disable-pip-version-check --no-input"
        ),
        subs={
            **dict.fromkeys(
                names("install uninstall download wheel cache hash debug completion index inspect"),
                _pip(),
            ),
            **dict.fromkeys(("search", "help", "lock", "sync", "compile", "tree", "freeze", "check"), _pip()),
            "config": replace(_pip(), dangerous=stored_settings),
            "list": _pip(_HARMLESS, "-v --local --format= --not-required"),  # older ones look for a newer pip
            "show": _pip(shows, "-fv --files --verbose"),
        },
        plugins=True,
        version="--version -V",
    )


_PIP = _pips(_READS)
_UV_DANGER = (
    "--with= --with-requirements= --with-editable= --project= --directory= --env-file= -p: --python= -m: --module= "
    "--script= -s --gui-script= --index-url= -i: --index= --default-index= --extra-index-url= --find-links= -f: "
    "--config-file= --cache-dir= --config-setting= -C: --from= --target= --prefix= --allow-insecure-host= -o: "
    "--output-file="
)
_UV_RUN = (
    "-qv --frozen --locked --no-sync --offline --isolated --all-extras --extra= --group= "
    "--dev --no-dev --quiet --verbose --active --no-project"
)


def _uv() -> Program:
    known = "-qvU --frozen --locked --offline --upgrade --dev --no-dev --all-extras --extra= --group= --no-sync"
    return Program(options=Options("", known), strict=True, dangerous=_elsewhere)


def _runner(known: str = "", danger: str = "") -> Program:
    return Program(options=Options("", known, danger, stops=True), kind=Kind.RUNNER)


_RUN = _runner()


_ENVIRONMENT = (
    "-qvyD --quiet --verbose --yes --dev --no-dev --all --dry-run --no-root --only= --with= --without= --group= --tree "
    "--outdated --json --frozen --locked"
)


def _with_run(*also: str, danger: str = "", runner: Program = _RUN) -> Program:
    """Make an environment manager with `run`; its other subcommands need approval word by word."""
    other = Program(options=Options("", _ENVIRONMENT), strict=True, dangerous=_elsewhere)
    return Program(
        options=Options("", "", danger, stops=True, exact="-qvn --quiet --verbose --no-interaction --no-ansi"),
        subs={"run": runner, "config": replace(other, dangerous=_key_and_value), **dict.fromkeys(also, other)},
        plugins=True,
    )


_files = operands_with("/")  # defence: packages-that-are-files

PROGRAMS: dict[str, Program] = {
    "npm": _node_manager("--version -v"),
    "pnpm": _node_manager(),
    "yarn": _node_manager(),
    "bun": _node_manager(),
    "cnpm": _node_manager(),
    "npx": ANYTHING,
    "bunx": ANYTHING,
    "pnpx": ANYTHING,
    "corepack": ANYTHING,
    "deno": Program(
        options=Options(stops=True),
        subs={
            **dict.fromkeys(
                ("run", "eval", "repl", "test", "bench", "serve", "task", "x", "jupyter", "install", "compile"),
                ANYTHING,
            ),
            "fmt": Program(options=Options("", "--check -q", "--config= -c:")),
            "lint": Program(options=Options("", "-q", "--config= -c: --rules=")),
        },
        plugins=True,
    ),
    "pip": _PIP,
    "pipx": Program(options=Options(stops=True), subs={"run": ANYTHING, "list": Program()}, plugins=True),
    "uv": Program(
        options=Options("", "-qv --offline", _UV_DANGER, stops=True, exact="--quiet --verbose --no-progress --color="),
        subs={
            "run": _runner(_UV_RUN, _UV_DANGER),
            "pip": _pips(_HARMLESS),  # it runs the Python of the folder to look at its packages
            "tool": Program(
                options=Options(danger=_UV_DANGER, stops=True),
                subs={"run": ANYTHING, "list": Program()},
                plugins=True,
            ),
            "tree": _uv(),
            **{
                name: _uv()
                for name in names("sync lock add remove init venv build publish python cache export version self help")
            },
        },
        plugins=True,
        version="--version -V",
    ),
    "uvx": ANYTHING,
    "poetry": _with_run(
        *names("install add remove update lock show check build publish version"),
        danger="-C: --directory= -P: --project=",
    ),
    "pdm": _with_run(
        *["install", "add", "remove", "update", "lock", "list", "show", "build"], danger="-p: --project= -c: --config="
    ),
    "hatch": _with_run(*["build", "version", "fmt", "test"], danger="--config= -p: --project="),
    "rye": _with_run(*["sync", "add", "remove", "lock", "list", "build"]),
    "pipenv": _with_run(*["install", "lock", "sync", "graph"]),
    "conda": _with_run(
        *["install", "create", "list", "info", "env", "update", "remove", "search"], danger="-p: --prefix="
    ),
    "mamba": _with_run(
        *["install", "create", "list", "info", "env", "update", "remove", "search"], danger="-p: --prefix="
    ),
    "bundle": Program(
        options=Options(danger="--gemfile=", stops=True),
        subs={
            "exec": _RUN,
            **dict.fromkeys(
                ("install", "update", "check", "list", "show", "info", "outdated", "add", "remove", "lock"),
                Program(options=Options("", "--quiet --verbose --local --jobs="), strict=True),
            ),
        },
        plugins=True,
    ),
    "gem": Program(
        options=Options(stops=True),
        subs=dict.fromkeys(
            names("list search info environment outdated contents which dependency install update uninstall cleanup"),
            Program(
                options=Options("", "-v: --version= --local --remote --all --no-document"),
                strict=True,
                dangerous=_files,
            ),
        ),
        plugins=True,
    ),
    "rake": Program(
        options=Options("", "-PAnsqvm -T? -j? --tasks --dry-run --quiet --silent --verbose --trace"),
        strict=True,
        dangerous=operands_with("="),
    ),
    "composer": Program(
        options=Options(danger="-d: --working-dir=", stops=True),
        subs={"exec": ANYTHING, "run": ANYTHING, "run-script": ANYTHING},
        plugins=True,
    ),
    "mix": Program(options=Options(stops=True), subs={"run": ANYTHING, "eval": ANYTHING}, plugins=True),
    "brew": Program(
        options=Options(stops=True),
        subs=dict.fromkeys(
            names("list info search install uninstall upgrade update doctor"),
            Program(
                options=Options("", "-qv --quiet --verbose --cask --formula --dry-run --versions --json?"),
                strict=True,
                dangerous=_files,  # or somebody else's formulae
            ),
        ),
        plugins=True,
    ),
    "apt": Program(
        options=Options(danger="-o: --option= -c: --config-file=", stops=True),
        subs=dict.fromkeys(
            names(
                "list show search policy depends rdepends install remove update upgrade purge autoremove full-upgrade"
            ),
            Program(options=Options("", "-y -q", "-o: -c: --option= --config-file="), dangerous=_files),
        ),
    ),
    **dict.fromkeys(
        ("apt-get", "apt-cache"),
        Program(options=Options("", "-yq", "-o: --option= -c: --config-file= -t:"), dangerous=_files),
    ),
    "dpkg": Program(options=Options("", "-lLsSi --list --listfiles --status --search"), strict=True),
    "dpkg-query": Program(options=Options(danger="--admindir= --root= --load-avail")),
    "nix": ANYTHING,
    "nix-shell": ANYTHING,
}
