"""Skills on disk, for tests."""

from pathlib import Path

from kimi_tui.skill.roots import SkillRoots

FLOW = "```mermaid\nflowchart TD\nBEGIN([BEGIN]) --> A[{label}]\nA --> E([END])\n```\n"


def write_skill(root: Path, name: str, description: str = "Does it.", *, flow: str | None = None) -> Path:
    """Write `root/NAME/SKILL.md`; `flow` is the label of its one step."""
    front = f"---\nname: {name}\ndescription: {description}\n"
    body = "Text.\n"
    if flow is not None:
        front, body = front + "type: flow\n", FLOW.format(label=flow)
    file = root / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{front}---\n\n{body}", "utf-8")
    return file


def roots_in(
    base: Path,
    *,
    skills_dirs: tuple[Path, ...] = (),
    extra_dirs: tuple[str, ...] = (),
    merge_all: bool = True,
    with_project: bool = True,
    project_waits: bool = False,
    project_last: bool = False,
) -> SkillRoots:
    """Roots that lie below `base` only: `project/`, `home/`, `own/`, `bundled/`."""
    (base / "project").mkdir(exist_ok=True)
    return SkillRoots(
        base / "project",
        user_home=base / "home",
        own_home=base / "own",
        skills_dirs=skills_dirs,
        extra_dirs=extra_dirs,
        merge_all=merge_all,
        with_project=with_project,
        project_waits=project_waits,
        project_last=project_last,
        bundled=base / "bundled",
    )
