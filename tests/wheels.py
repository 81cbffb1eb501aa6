"""`make wheels`: builds the wheel and tries it with each Python that can be found, installed as users do.

Each interpreter gets a venv with the wheel and what it needs, of which `requirements.lock` names the versions. Then:
`--version`, a headless run of the demo, a round over the Wire, the manual page. An interpreter that is not on this
machine is named and skipped. Then `uv tool install` and `pipx install` are tried, unless `--venvs-only`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
LOCK = ROOT / "requirements.lock"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--venvs-only", action="store_true", help="try neither `uv tool` nor pipx")
    venvs_only = parser.parse_args().venvs_only
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        print(f"{wheel.name}: {wheel.stat().st_size // 1024} KB")
        tried = 0
        for version in VERSIONS:
            python = find(version)
            if python is None:
                print(f"{version}: not on this machine, skipped")
                continue
            began = time.monotonic()
            try_wheel(python, wheel, Path(folder, version))
            tried += 1
            print(f"{version}: installed and tried in {time.monotonic() - began:.0f} s")
        if not venvs_only:
            try_installers(wheel, Path(folder, "tools"))
            print("uv tool install, pipx install: installed and tried")
    return 0 if tried else 1


def build(folder: Path) -> Path:
    _run(sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT))
    return next(folder.glob("*.whl"))


def find(version: str) -> str | None:
    """An interpreter of this version that starts; also one of pyenv's that is not the chosen one."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for python in (*sorted(map(str, pyenv.glob(f"{version}.*/bin/python")), reverse=True), f"python{version}"):
        try:
            done = subprocess.run([python, "--version"], capture_output=True, text=True, check=False)
        except OSError:
            continue
        if done.returncode == 0 and f" {version}." in done.stdout:
            return python
    return None


def try_wheel(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel with the locked versions into a venv, and use it."""
    venv = folder / "venv"
    _uv("venv", "--python", python, str(venv))
    target = ("--python", str(venv / "bin/python"))
    _uv("pip", "install", *target, "--require-hashes", "-r", str(LOCK))
    _uv("pip", "install", *target, "--no-deps", str(wheel))
    _uv("pip", "check", *target)
    use(venv / "bin/kimi-tui", folder)
    assert (venv / "share/man/man1/kimi-tui.1").is_file()


def try_installers(wheel: Path, folder: Path) -> None:
    """Install the wheel by `uv tool` and by pipx, each into folders of its own."""
    env = {
        "UV_TOOL_DIR": str(folder / "uv"), "UV_TOOL_BIN_DIR": str(folder / "uv-bin"), "PIPX_HOME": str(folder / "pipx"),
        "PIPX_BIN_DIR": str(folder / "pipx-bin"), "PIPX_MAN_DIR": str(folder / "man"),
    }  # fmt: skip
    _run(sys.executable, "-m", "uv", "tool", "install", "--quiet", "--python", sys.executable, str(wheel), **env)
    use(folder / "uv-bin/kimi-tui", folder)
    _run(sys.executable, "-m", "uv", "tool", "run", "pipx", "install", "--python", sys.executable, str(wheel), **env)
    use(folder / "pipx-bin/kimi-tui", folder)
    assert (folder / "man/man1/kimi-tui.1").is_file()


def use(program: Path, folder: Path) -> None:
    """The version, the demo without a screen, and an `initialize` over the Wire."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    env = {"HOME": str(home), "KIMI_TUI_HOME": str(home / ".kimi-tui")}
    assert _run(program, "--version", **env).startswith("kimi-tui ")
    assert "all five tests pass" in _run(program, "--demo", "--print", "--no-sandbox", **env)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol_version": "1.1"}}
    answer = json.loads(_run(program, "--demo", "--wire", stdin=json.dumps(hello) + "\n", **env).splitlines()[0])
    assert answer["id"] == 1, answer
    assert "result" in answer, answer


def _uv(*arguments: str) -> None:
    _run(sys.executable, "-m", "uv", "--quiet", *arguments)


def _run(*argv: str | Path, stdin: str = "", **env: str) -> str:
    whole = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | env
    done = subprocess.run(
        list(map(str, argv)), input=stdin, capture_output=True, text=True, env=whole, cwd="/", timeout=300, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, argv))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
