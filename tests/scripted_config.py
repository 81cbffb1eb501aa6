"""A configuration whose only model follows a script."""

from pathlib import Path


def write_scripted_config(home: Path, script: Path) -> None:
    """Write `config.yaml` into `home`, for the scripted model of `script`."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(
        f"providers: {{s: {{type: scripted, scripts: {script}}}}}\nmodels: {{m: {{provider: s, model: scripted}}}}\n"
    )
