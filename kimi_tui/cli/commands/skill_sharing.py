"""`kimi-tui skill add|update|remove`: manages shared skills; each is checked, and needs the user's approval."""

import argparse
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from kimi_tui import paths
from kimi_tui.cli.commands.flow_check import CHART_SUFFIXES, check_file
from kimi_tui.cli.error_output import print_error
from kimi_tui.cli.output import print_out, printable
from kimi_tui.errors import EXIT_FAILURE, EXIT_OK, KimiTuiError, SkillInstallError, UsageError
from kimi_tui.paths import path_exists, shown
from kimi_tui.skill.frontmatter import FrontmatterError, read_frontmatter
from kimi_tui.skill.library import SkillLibrary
from kimi_tui.skill.roots import SkillRoots
from kimi_tui.skill.sharing.effects import effects
from kimi_tui.skill.sharing.fetching import FetchedSkill, fetch_skill
from kimi_tui.skill.sharing.installation import Installation, kept_notice, open_installation
from kimi_tui.skill.sharing.skill_package import package_of_folder
from kimi_tui.skill.sharing.skills_lock import NAME, LockedSkill
from kimi_tui.skill.sharing.source import SkillSource, read_source
from kimi_tui.skill.sharing.text_diff import folder_diff
from kimi_tui.skill.skill import SKILL_FILE, Scope, Skill, read_skill
from kimi_tui.skill.skill_file import MAX_PROJECT_BYTES
from kimi_tui.text_safety import one_line

_CHECK_SECONDS = 20.0


def run_add(args: argparse.Namespace) -> int:
    """Add one skill. Raises KimiTuiError if it cannot be fetched, is refused, or if the user does not agree."""
    source = read_source(args.source, ref=args.ref, path=args.path)
    with _installation() as installation:
        fetched = fetch_skill(source)
        name = _installed_name(fetched, source)
        if name in installation.lock.skills and path_exists(installation.folder(name)):
            raise UsageError(f"{name} is already added; update it: kimi-tui skill update {name}")
        _check_free(name, installation)
        with _staged(installation, name, fetched) as (folder, skill):
            _show_skill(skill, fetched, source, folder)
            if not _agrees(f"Add it to {shown(installation.folder(name))}?", args):
                print_out("Not added.")
                return EXIT_FAILURE
            installation.commit(name, _entry(source, fetched))
    print_out(f"Added {name}. Use it: {'/flow:' if skill.flow is not None else '/skill:'}{name}")
    return EXIT_OK


def run_update(args: argparse.Namespace) -> int:
    """Update the skills. The error of one is reported, the others are still updated, and the exit status is 1."""
    status = EXIT_OK
    with _installation() as installation:
        for name in _known(args.names or sorted(installation.lock.skills), installation):
            try:
                updated = _update(installation, name, args)
            except (SkillInstallError, OSError) as error:
                print_error(f"{name}: {error}")
                updated = False
            status = status if updated else EXIT_FAILURE
        if not installation.lock.skills:
            print_out("No shared skills. Add one: kimi-tui skill add OWNER/REPO")
    return status


def run_remove(args: argparse.Namespace) -> int:
    """Remove the skills. Raises UsageError for a name that was not added."""
    with _installation() as installation:
        for name in _known(args.names, installation):
            kept = installation.remove(name)
            print_out(f"Removed {name}.")
            if kept is not None:
                print_out(printable(kept_notice(kept)))
    return EXIT_OK


@contextmanager
def _installation() -> Generator[Installation]:
    try:
        with open_installation(paths.home()) as installation:
            for notice in installation.notices:
                print_error(notice)
            yield installation
    except OSError as error:
        raise KimiTuiError(f"{error.filename or 'skills'}: {error.strerror or error}") from error


def _known(names: list[str], installation: Installation) -> list[str]:
    for name in names:
        if name not in installation.lock.skills:
            folder = installation.folder(name) if NAME.fullmatch(name) else None
            yours = f"; it is yours: {shown(folder)}" if folder is not None and path_exists(folder) else ""
            raise UsageError(f"no shared skill {name!r}{yours}")
    return names


def _update(installation: Installation, name: str, args: argparse.Namespace) -> bool:
    entry = installation.lock.skills[name]
    source = entry.read_source()
    fetched = fetch_skill(source)
    folder = installation.folder(name)
    missing = not path_exists(folder)
    changes = [] if missing else installation.changes(name)
    new_entry = _entry(source, fetched)
    if fetched.package.hash == entry.hash and not missing:
        if new_entry != entry:
            installation.record(name, new_entry)
        print_out(f"{name} is up to date." + (f" You changed {_listed(changes)}." if changes else ""))
        return True
    if (new_name := _installed_name(fetched, source)) != name:
        raise SkillInstallError(f"it is now named {new_name}: remove it and add that one")
    old = None if missing else package_of_folder(folder).files
    with _staged(installation, name, fetched) as (staged, skill):
        for line in folder_diff(old, fetched.package.files) if old is not None else ():
            print_out(printable(line))
        _show_skill(skill, fetched, source, staged)
        if changes:
            print_out(printable(f"You changed {_listed(changes)}; the difference above is from your version."))
            if args.agreed and not args.replace:
                raise SkillInstallError("not updated, because you changed it; --replace keeps your version as a copy")
        question = f"Update {name}?{' Your version is kept as a copy.' if changes else ''}"
        if not _agrees(question, args):
            print_out(f"{name} is not updated.")
            return False
        kept = installation.commit(name, new_entry)
    print_out(f"Updated {name}.")
    if kept is not None:
        print_out(printable(kept_notice(kept)))
    return True


def _entry(source: SkillSource, fetched: FetchedSkill) -> LockedSkill:
    return LockedSkill(
        source=source.location,
        ref=source.ref,
        path=fetched.path,
        commit=fetched.commit,
        hash=fetched.package.hash,
        files=fetched.package.hashes,
    )


def _installed_name(fetched: FetchedSkill, source: SkillSource) -> str:
    """The name in the skill's file, else that of its folder. Raises SkillInstallError for any other form of name."""
    text = fetched.package.files[SKILL_FILE].content[: MAX_PROJECT_BYTES + 1].decode("utf-8-sig", "replace")
    try:
        fields = read_frontmatter(text.replace("\r\n", "\n").split("\n")).fields
    except FrontmatterError as error:
        raise SkillInstallError(f"{SKILL_FILE}:{error.line}: {error.cause}") from error
    field = fields.get("name")
    name = (field.text if field is not None else None) or (fetched.path or source.location).rpartition("/")[2]
    if not NAME.fullmatch(name):  # defence: name-of-a-shared-skill
        raise SkillInstallError(f"the name {name!r} is not accepted: lower-case letters, digits and single hyphens")
    return name


def _check_free(name: str, installation: Installation) -> None:
    """Raise SkillInstallError if a bundled skill or one of the user's has the name, or its place is taken."""
    found = SkillLibrary.load(SkillRoots(Path("/"), with_project=False)).get(name)
    if found is not None and found.scope is Scope.BUNDLED:  # defence: no-name-of-a-bundled-skill
        raise SkillInstallError(f"kimi-tui has a skill {name} of its own")
    if found is not None:
        raise SkillInstallError(f"you have a skill {name}: {shown(found.path)}")
    with_name = (entry for entry in installation.skills.iterdir() if entry.stem.casefold() == name)
    if (taken := next(with_name, None)) is not None:
        raise SkillInstallError(f"there is something with that name: {shown(taken)}")


@contextmanager
def _staged(installation: Installation, name: str, fetched: FetchedSkill) -> Generator[tuple[Path, Skill]]:
    """Write the skill where none is read, and check it; it is deleted unless the block commits it."""
    try:
        folder = installation.stage(name, fetched.package)
        yield folder, _checked(folder)
    finally:
        installation.discard(name)


def _checked(folder: Path) -> Skill:
    """Check the charts of a skill. Raises SkillInstallError for one that cannot run, SkillError without a skill."""
    skill = read_skill(folder / SKILL_FILE, Scope.PROJECT)
    charts = sorted(file for file in folder.rglob("*") if file.suffix.lower() in CHART_SUFFIXES)
    until = time.thread_time() + _CHECK_SECONDS
    for file in (skill.path, *charts):
        errors: list[str] = []
        for finding in check_file(file, named=False):
            text = f"{file.relative_to(folder)}:{finding.line}: {finding.text}"
            if finding.severity == "error":
                errors.append(text)
            elif finding.severity == "warning":
                print_error(f"warning: {text}")
        if errors:  # defence: no-broken-skill
            raise SkillInstallError("; ".join(errors[:5]))
        if time.thread_time() > until:
            raise SkillInstallError("checking its charts takes too long")
    return skill


def _show_skill(skill: Skill, fetched: FetchedSkill, source: SkillSource, folder: Path) -> None:
    at = f" at {fetched.commit[:12]}" if fetched.commit else ""
    path = f", {fetched.path}" if fetched.path else ""
    print_out(printable(f"{skill.name}, from {source.location}{path}{at}"))
    print_out(printable(f"  {skill.description}"))
    for effect in effects(skill, fetched.package):
        print_out(effect.title)
        print_out("\n".join(printable(f"  {one_line(line)}") for line in effect.lines))
    if sys.stdin.isatty():
        print_out(f"Your agent will follow its text; read it: {shown(folder / SKILL_FILE)}")


def _agrees(question: str, args: argparse.Namespace) -> bool:
    """Ask. Raises UsageError where no user can be asked."""
    if args.agreed:
        return True
    if not (sys.stdin.isatty() and sys.stdout.isatty()):  # defence: no-yes-without-a-user
        raise UsageError("no terminal to ask on; read the above, then run it again with --yes")
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _listed(names: list[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
