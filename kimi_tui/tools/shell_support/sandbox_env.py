"""The environment of sandboxed commands: the project's own caches, and no variables that name hidden resources."""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from kimi_tui import paths
from kimi_tui.paths import is_folder, path_exists, real_path
from kimi_tui.regular_file import read_bytes

_REMOVED = (
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"),
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DOCKER_HOST", "TMUX", "TMUX_PANE", "STY"),
    *("VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "GIT_ASKPASS", "SSH_ASKPASS", "NVIM", "KITTY_LISTEN_ON"),
    *("KUBECONFIG", "INVOCATION_ID", "JOURNAL_STREAM"),
)
_CACHES = {
    "npm_config_cache": "npm",
    "YARN_CACHE_FOLDER": "yarn",
    "YARN_GLOBAL_FOLDER": "yarn-berry",
    "PIP_CACHE_DIR": "pip",
    "UV_CACHE_DIR": "uv",
    "UV_TOOL_DIR": "uv-tools",
    "PIPX_HOME": "pipx",
    "PIPX_MAN_DIR": "pipx-man",
    "PIPX_COMPLETION_DIR": "pipx-completions",
    "GOCACHE": "go-build",
    "GOMODCACHE": "go-mod",
    "CARGO_HOME": "cargo",
    "GRADLE_USER_HOME": "gradle",
    "XDG_STATE_HOME": "state",
    "XDG_CACHE_HOME": "cache",
    "NUGET_PACKAGES": "nuget",
    "COMPOSER_CACHE_DIR": "composer",
    "DENO_DIR": "deno",
    "BUN_INSTALL_CACHE_DIR": "bun",
    "CCACHE_DIR": "ccache",
    "PRE_COMMIT_HOME": "pre-commit",
    "CHROME_CONFIG_HOME": "chrome",
}
_VISIBLE_CACHES = {
    "PLAYWRIGHT_BROWSERS_PATH": "ms-playwright",
    "HF_HUB_CACHE": "huggingface/hub",
    "TORCH_HOME": "torch",
    "CYPRESS_CACHE_FOLDER": "Cypress",
    "electron_config_cache": "electron",
    "npm_config_devdir": "node-gyp",
}
"""Folders of the user's `XDG_CACHE_HOME` that commands see: where one exists, its programs use it as before."""
_NO_EDITOR = "echo 'No editor can be opened here: give the message by -m, or set GIT_EDITOR.' >&2; false"
_OFFLINE = {
    "npm_config_fetch_retries": "0",
    "pnpm_config_fetch_retries": "0",
    "PIP_RETRIES": "0",
    "CARGO_NET_RETRY": "0",
    "UV_HTTP_RETRIES": "0",
    "npm_config_update_notifier": "false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
"""Without a network, programs that retry for minutes end in a timeout with no explanation, and no program has to look
for a later version of itself.
"""
_QUIET = {"UV_LINK_MODE": "copy"}
"""The cache cannot be linked to from the project, of which uv would warn at each installation."""
_RETRIES_SOON = {
    "npm_config_fetch_retry_mintimeout": "1000",
    "npm_config_fetch_retry_maxtimeout": "4000",
    "pnpm_config_fetch_retry_mintimeout": "1000",
    "pnpm_config_fetch_retry_maxtimeout": "4000",
    "PIP_RETRIES": "1",
    "UV_HTTP_RETRIES": "1",
    "CARGO_NET_RETRY": "1",
}
"""Of a host that was refused, npm and pnpm say so after more than a minute, pip, uv and Cargo after 10 to 20 s."""
_EMPTY = "/usr/share"
"""A folder without settings that no command can write."""
_STORE = re.compile(rb"""^["']?storeDir["']?[ \t]*:[ \t]*["']?([^"'#\r\n\0]+)""", re.MULTILINE)
_MAX_SETTINGS = 100_000
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


def cache_folder(work_dir: Path) -> Path:
    """Return the folder for the caches of commands in this project; another project's commands cannot write it."""
    return paths.home() / "cache" / paths.work_dir_key(paths.project_root(work_dir))


def pnpm_store() -> Path:
    """Return where the store of the user's pnpm is, or would be."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return real_path(Path(os.environ.get("PNPM_HOME") or Path(data, "pnpm")) / "store")


def sandboxed_env(
    env: Mapping[str, str],
    caches: Path | None,
    *,
    proxy: str | None = None,
    offline: bool = False,
    own_store: bool = False,
    readable: Collection[Path] = (),
    folders: Collection[Path] = (),
) -> dict[str, str]:
    """Return the environment of a command in the sandbox; `caches` is writable inside, `proxy` leads to hosts,
    `offline`: no host is reachable; `own_store`: one of our own is where pnpm's store is, unless settings in one of
    `folders` (the workspace) or of the user name another. The variable of the ssh agent stays if its socket is in
    `readable`.
    """
    inside = {name: value for name, value in env.items() if name not in _REMOVED}
    agent = env.get("SSH_AUTH_SOCK")
    if agent and real_path(agent) in readable:
        inside["SSH_AUTH_SOCK"] = agent
    inside["GIT_EDITOR"] = _NO_EDITOR
    inside = {"SCREENDIR": f"/tmp/screen-{os.geteuid()}"} | inside
    config = Path(env.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    # Poetry makes the folder also where it changes only the project.
    if not path_exists(config / "pypoetry/config.toml"):
        inside = {"POETRY_CONFIG_DIR": _EMPTY} | inside
    if caches is not None:
        inside |= {name: str(caches / folder) for name, folder in _CACHES.items()}
        users = Path(env.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        seen = {name: str(users / folder) for name, folder in _VISIBLE_CACHES.items() if is_folder(users / folder)}
        inside = seen | _QUIET | inside
    projects = dict.fromkeys(above for folder in folders for above in (folder, *folder.parents))
    if own_store and not any(_named_store(project / "pnpm-workspace.yaml") for project in projects):
        store = pnpm_store()
        named = _named_store(config / "pnpm/config.yaml")
        if named or path_exists(store) or not path_exists(store.parent):
            # From version 11 on, pnpm puts it into the project where it cannot link to the home. The variable counts
            # more than settings do, and where it is another than before, pnpm installs nothing.
            inside = {"pnpm_config_store_dir": named or str(store)} | inside
    if offline:
        inside |= _OFFLINE
    if proxy is not None:
        inside = _RETRIES_SOON | inside
        inside |= dict.fromkeys(_PROXIES, proxy)
        inside |= dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1,0.0.0.0,::1")
        inside["NODE_USE_ENV_PROXY"] = "1"
    if os.geteuid() == 0:
        inside["TAR_OPTIONS"] = "--no-same-owner"
    return inside


def _named_store(file: Path) -> str:
    """Return the store that these settings of pnpm name; empty if they name none."""
    try:
        found = _STORE.search(read_bytes(file, most=_MAX_SETTINGS))
    except OSError:
        return ""
    return "" if found is None else os.path.expanduser(os.fsdecode(found[1].strip()))  # noqa: PTH111 - may be relative
