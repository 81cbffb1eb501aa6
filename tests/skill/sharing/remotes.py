"""Git repositories of strangers, made without a checkout, and skills in them."""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

SKILL = "---\nname: {name}\ndescription: Does it.\n---\n\nText.\n"
FLOW = (
    "---\nname: {name}\ndescription: Does it.\ntype: flow\n---\n\n```mermaid\nflowchart TD\n"
    'B([BEGIN]) --> t[Test] --> E([END])\nt@{{ run: "{command}" }}\n```\n'
)


class Link(NamedTuple):
    target: str


class Submodule(NamedTuple):
    commit: str = "1" * 40


class Script(NamedTuple):
    text: str


Content = str | bytes | Link | Submodule | Script


def commit(folder: Path, files: dict[str, Content]) -> str:
    """Make these the files of the branch `main` of the bare repository; returns its URL."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    if not folder.exists():
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True, env=env)
    stream = b"commit refs/heads/main\ncommitter A <a@b.c> 1700000000 +0000\ndata 1\nx\ndeleteall\n"
    for name, content in files.items():
        match content:
            case Submodule(oid):
                stream += f"M 160000 {oid} {name}\n".encode()
                continue
            case Link(target):
                mode, data = "120000", target.encode()
            case Script(text):
                mode, data = "100755", text.encode()
            case str():
                mode, data = "100644", content.encode()
            case bytes():
                mode, data = "100644", content
        stream += f"M {mode} inline {name}\ndata {len(data)}\n".encode() + data + b"\n"
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], cwd=folder, input=stream, check=True, env=env, capture_output=True
    )
    return f"file://{folder}"
