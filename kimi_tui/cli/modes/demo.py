"""`--demo`: runs a bundled flow on a scratch copy of a small project. The tools are real, the model is scripted."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kimi_tui import paths
from kimi_tui.errors import UsageError

if TYPE_CHECKING:
    from kimi_tui.soul.assemble import EngineConfig

FLOW = "demo-fix-until-green"
SCRATCH = "kimi-tui-demo-"


def demo_plan(options: argparse.Namespace, *, interactive: bool) -> "EngineConfig":
    """Build a plan with the demo's flow, project and model. Raises UsageError if they are missing."""
    import os
    import shutil
    import sys
    import tempfile

    from pydantic import SecretStr

    from kimi_tui.config.schema import Config, ModelConfig, ProviderConfig
    from kimi_tui.permission.settings import PermissionSettings
    from kimi_tui.soul.assemble import EngineConfig

    assets = paths.bundled("skills") / FLOW / "assets"
    if not (assets / "script.txt").is_file():
        raise UsageError(f"the demo is not installed: missing {assets / 'script.txt'}")
    if shutil.which("python3") is None:  # the demo's commands then use the Python that runs this program
        os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)))
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH)) / "project"
    shutil.copytree(assets / "project", scratch)
    config = Config(
        default_model="demo-script",
        models={"demo-script": ModelConfig(provider="script", model="demo-script", max_context_size=128_000)},
        providers={
            "script": ProviderConfig(
                type="scripted",
                api_key=SecretStr(""),
                scripts=assets / "script.txt",
                delay_s=0.03 if interactive else 0.0,
            )
        },
    )
    if interactive:
        config = config.model_copy(update=_display_options(options))
    return EngineConfig(
        work_dir=scratch.resolve(),
        config=config,
        interactive=interactive,
        yolo=options.yolo,
        auto_approve=not interactive,
        permissions=PermissionSettings(trusted=True),
        demo=True,
        featured_flow=FLOW,
    )


def delete_demo(work_dir: Path) -> bool:
    """Delete the demo's session and folder; return False if the folder is kept because it has new files."""
    import shutil

    from kimi_tui.session.session import sessions_dir

    if not work_dir.parent.name.startswith(SCRATCH):
        return False
    shutil.rmtree(sessions_dir(work_dir), ignore_errors=True)
    assets = paths.bundled("skills") / FLOW / "assets" / "project"
    if not _files_in(work_dir.parent) <= {Path(work_dir.name) / file for file in _files_in(assets)}:
        return False
    shutil.rmtree(work_dir.parent, ignore_errors=True)
    return True


def _files_in(folder: Path) -> set[Path]:
    """Return relative paths, without Python's cache files."""
    files = (file.relative_to(folder) for file in folder.rglob("*") if not file.is_dir() or file.is_symlink())
    return {file for file in files if not {"__pycache__", ".pytest_cache"} & set(file.parts)}


def _display_options(options: argparse.Namespace) -> dict[str, str]:
    """Return the user's theme and language, which the demo keeps."""
    from kimi_tui.ui.tui.startup.early_config import read_early_config

    look = read_early_config(Path(options.config_file).expanduser() if options.config_file else None)
    return {"theme": look.theme, "language": look.language}
