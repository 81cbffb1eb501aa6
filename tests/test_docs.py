"""The documentation: every link leads somewhere, every command, setting and chart in it is what the program accepts."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.parse import unquote

import jsonschema
import pytest
from pydantic import BaseModel

from kimi_tui.cli.main import main
from kimi_tui.cli.options import parse
from kimi_tui.config.json_schema import config_schema
from kimi_tui.config.loader import load_config
from kimi_tui.config.schema import Config
from kimi_tui.documentation import page, topics
from kimi_tui.errors import UsageError
from kimi_tui.mcp.config import ServerConfig
from kimi_tui.soul.commands.registry import COMMANDS
from kimi_tui.ui.tui.screens.screen_commands import SCREEN_COMMANDS
from kimi_tui.yaml_text import reader
from tests.docs import DOCS, _leaves, pages
from tests.man_page import FILE, man_page
from tests.scripted_config import write_scripted_config

ROOT = Path(__file__).parent.parent
PAGES = {file.name: file.read_text("utf-8") for file in sorted(DOCS.glob("*.md"))}
TEXTS = {**PAGES, "README.md": (ROOT / "README.md").read_text("utf-8")}

_FENCE = re.compile(r"^(`{3,})([\w-]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_RUNS_ALONE = (
    ("config", "schema"), ("docs",),
    ("flow", "check"), ("flow", "list"), ("flow", "runs"), ("flow", "show"), ("flow", "waiting"),
    ("info",), ("mcp", "add"), ("mcp", "list"), ("mcp", "remove"), ("permission",), ("session", "list"),
    ("trust",),
)  # fmt: skip
"""The commands that need no model, no network and no run of a flow."""
_FLOWS_OF_THE_PROGRAM = {"code-review", "fix-until-green", "release-checklist"}


def blocks(language: str, texts: dict[str, str] = TEXTS) -> Iterator[tuple[str, str]]:
    """Each fenced block of a language, with its page."""
    for name, text in texts.items():
        for _ticks, written, body in _FENCE.findall(text):
            if written == language:
                yield name, body


def commands() -> Iterator[tuple[str, list[str]]]:
    """The arguments of each `kimi-tui` command line in a block of shell commands, with its page."""
    for name, body in blocks("sh"):
        for line in body.splitlines():
            words = shlex.split(line, comments=True)
            for index, word in enumerate(words):
                if word == "kimi-tui" and (index == 0 or words[index - 1] in ("|", "&&", ";")):
                    rest = words[index + 1 :]
                    end = next((at for at, one in enumerate(rest) if one in ("|", "&&", ";", ">")), len(rest))
                    yield name, rest[:end]


def mentioned() -> Iterator[tuple[str, list[str]]]:
    """The arguments of each `kimi-tui` command line within a sentence or a table, with its page."""
    for name, text in TEXTS.items():
        for line in re.findall(r"`kimi-tui ([^`]+)`", _FENCE.sub("", text)):
            if not re.match(r"COMMAND|\.\.\.", line):
                yield name, shlex.split(line.replace("\\|", "|"))


def skills() -> dict[str, str]:
    """The skills that the pages show, by folder."""
    found: dict[str, str] = {}
    for _page, body in blocks("markdown"):
        named = re.search(r"^name: (\S+)$", body, re.MULTILINE)
        assert named is not None
        found[f"{named[1]}-{len(found)}"] = body
    return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the skills of the pages, as the working directory."""
    for folder, text in skills().items():
        file = tmp_path / ".kimi-tui" / "skills" / folder / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", pages())
def test_a_reference_page_says_what_the_program_does(name: str):
    """`make docs` writes it anew."""
    assert (DOCS / name).read_text("utf-8") == pages()[name]


def test_the_manual_page_says_what_the_program_does():
    text = FILE.read_text("utf-8")
    assert text == man_page(), "`make docs` writes it anew"
    for heading in ("NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES"):
        assert f"\n.SH {heading}\n" in text
    assert not [line for line in text.splitlines() if re.match(r"'|\.(?!TH|SH|SS|TP|B |RI|IR)", line)]


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_manual_page_is_without_warnings():
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", str(FILE)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_index_links_every_page():
    linked = set(_LINK.findall(PAGES["index.md"]))
    assert linked == set(PAGES) - {"index.md"}


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_leads_to_a_file_and_a_heading(name: str):
    folder = ROOT if name == "README.md" else DOCS
    for link in _LINK.findall(_FENCE.sub("", TEXTS[name])):
        if link.startswith("https:"):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = folder / path if path else folder / name
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target.read_text("utf-8")), link
        if name != "README.md":
            assert target.resolve().is_relative_to(DOCS), f"{link} does not ship with the package"


def _anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = _HEADING.findall(_FENCE.sub("", text))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


_INSTALLS = re.compile(r"pip install '?\.(?:\[([\w,]+)\])?'?")
_NOT_RUN = ("docker build -t kimi-tui .", 'docker run --rm -it -v "$PWD:/work" -e KIMI_API_KEY kimi-tui')
"""Need a container engine and its registry; tests/test_packaging.py checks the Dockerfile."""


def test_every_line_for_the_shell_is_run_by_a_test_or_names_what_exists():
    """Those of kimi-tui are run here and in test_docs_commands.py; `make wheels` installs as pip, uv and pipx do."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    lines = [line.partition(" #")[0].strip() for _page, body in blocks("sh") for line in body.splitlines()]
    lines = [
        line for line in lines if line and not line.startswith("#") and not re.search(r"(^|\| )kimi-tui( |$)", line)
    ]
    lines += [code for text in PAGES.values() for code in re.findall(r"`((?:make|pip install) [^`]+)`", text)]
    assert len(lines) > 8
    for line in lines:
        if line.startswith("make "):
            assert line.split()[1] in {*targets, "test"}, line
        elif installs := _INSTALLS.fullmatch(line):
            assert set((installs[1] or "all").split(",")) <= set(extras), line
        elif line.startswith("export "):
            for name in re.findall(r"([A-Z_]+)=", line):
                assert f"`{name}" in PAGES["configuration.md"] or name.startswith("OTEL_"), line
        else:
            assert line in ("cd my-project", *_NOT_RUN), line
    assert set(_NOT_RUN) <= set(lines)


def test_every_command_line_is_one_that_the_program_accepts():
    lines = [*commands(), *mentioned()]
    assert len(lines) > 80
    refused: dict[str, str] = {}
    for _page, argv in lines:
        try:
            parse(argv)
        except UsageError as error:
            refused[shlex.join(argv)] = str(error)
    assert refused == {}


_OF_KIMI_CLI = {"KIMI_SHARE_DIR", "KIMI_SCRIPTED_ECHO_SCRIPTS"}
_OF_PROMPTS = re.compile(r"KIMI_(NOW|OS|SHELL|WORK_DIR(_LS)?|GIT_BRANCH|ADDITIONAL_DIRS_INFO|AGENTS_MD|SKILLS)")
_OF_TESTS = {"KIMI_TUI_CRASH_AT", "KIMI_TUI_SCRIPTS"}
_OF_ITSELF = {"KIMI_TUI_STARTED", "OTEL_SERVICE_NAME"}
"""What one process of the program sets for another, and what tracing.md leaves to OpenTelemetry."""


def test_every_environment_variable_of_the_program_is_on_a_page():
    """Those that are strings of the code; what prompts insert by `${NAME}` is on the page about agents."""
    found: set[str] = set()
    for file in (ROOT / "kimi_tui").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall(r"^(?:KIMI|MOONSHOT|OPENAI|OTEL)_[A-Z_]+$", node.value))
    assert len(found) > 20
    shown = "".join(PAGES.values())
    hidden = _OF_KIMI_CLI | _OF_TESTS | _OF_ITSELF | {name for name in found if _OF_PROMPTS.fullmatch(name)}
    assert {name for name in found - hidden if f"`{name}" not in shown and f" {name}=" not in shown} == set()


def sentences() -> Iterator[tuple[str, str]]:
    """Each piece of code within a sentence or a table, with its page; pages about other programs are left out."""
    for name, text in TEXTS.items():
        if name != "moving-in.md":
            for code in re.findall(r"`([^`\n]+)`", _FENCE.sub("", text)):
                yield name, code.replace("\\|", "|")


def test_every_slash_command_that_a_page_names_exists():
    known = {word for one in COMMANDS for word in (one.info.name, *one.info.aliases)}
    known |= {word for one in SCREEN_COMMANDS for word in (one.name, *one.aliases)}
    named = {(page, code) for page, code in sentences() if re.match(r"/[a-z?]", code)}
    assert len(named) > 80
    places = ("/dev/", "/etc", "/mnt", "/srv", "/tmp", "/var/")
    unknown = {
        code for page, code in named
        if re.split(r"[ :]", code[1:])[0] not in known | {"flow", "skill", "mcp", "begin"}
        and not code.startswith(places) and not (page == "editors.md" and code == "/resume")
    }  # fmt: skip
    assert unknown == set()


def test_every_option_that_a_page_names_exists():
    shown = set(re.findall(r"--[a-z][\w-]+", PAGES["options.md"]))
    named = {word for _page, code in sentences() for word in re.findall(r"(?<![\w-])--[a-z][\w-]+", code)}
    assert len(named) > 60
    assert named - shown - {"--help"} == set()


def test_every_key_of_the_configuration_that_a_page_names_exists():
    for page_name, code in sentences():
        section, dot, rest = code.rstrip(":").partition(".")
        field = Config.model_fields.get(section)
        models = [one for one in _leaves(field.annotation) if isinstance(one, type) and issubclass(one, BaseModel)] if (
            field is not None and dot
        ) else []  # fmt: skip
        if models and page_name != "configuration.md":
            known = {key for one in models for key in one.model_fields}
            assert rest.split(".")[0].split(" ")[0].split(":")[0] in known, f"{page_name}: {code}"


def test_the_commands_that_need_nothing_run(project: Path, capsys: pytest.CaptureFixture[str]):
    ran = {tuple(argv): None for _page, argv in commands() if {tuple(argv[:1]), tuple(argv[:2])} & set(_RUNS_ALONE)}
    assert len(ran) > 20
    for argv in ran:
        assert main(list(argv)) == 0, (argv, capsys.readouterr().err)


def test_the_headless_lines_answer(project: Path):
    """Each runs in Bash as it is written, with a scripted model."""
    lines = [line for _page, body in blocks("sh") for line in body.splitlines() if re.search("--(print|quiet)", line)]
    lines = [line for line in dict.fromkeys(lines) if "--flow" not in line]
    assert len(lines) > 3
    (project / "script.txt").write_text("text: Here it is.\n")
    write_scripted_config(Path(os.environ["KIMI_TUI_HOME"]), project / "script.txt")
    subprocess.run("git init -q && echo hello >hello && git add -N hello", shell=True, cwd=project, check=True)
    programs = f'kimi-tui() {{ {shlex.quote(sys.executable)} -m kimi_tui "$@"; }}\n'
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for line in lines:
        done = subprocess.run(["bash", "-c", programs + line], cwd=project, env=env, capture_output=True, text=True)
        assert done.returncode == 0, (line, done.stderr)
        assert "Here it is." in done.stdout


def test_the_dry_runs_reach_the_end(project: Path):
    (project / "choices.txt").write_text("# the second time\nno\ngreen: yes\n")
    dry = [argv for _page, argv in commands() if "--dry" in argv and "--choices" in argv]
    assert dry
    for argv in dry:
        assert main(argv) == 0


def test_the_flows_that_commands_name_are_on_the_pages_or_in_the_program():
    shown = {re.sub(r"-\d+$", "", folder) for folder in skills()}
    for _page, argv in [*commands(), *mentioned()]:
        if "--flow" in argv:
            assert argv[argv.index("--flow") + 1] in shown | _FLOWS_OF_THE_PROGRAM


def test_the_flows_have_neither_errors_nor_warnings(project: Path, capsys: pytest.CaptureFixture[str]):
    charts = [body for _page, body in blocks("mermaid") if "BEGIN" in body]
    assert charts
    assert skills()
    for number, chart in enumerate(charts):
        (project / f"{number}.mmd").write_text(chart)
    assert main(["flow", "check", "."]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().err


def test_every_configuration_is_one_that_the_program_accepts():
    schema, other = config_schema(), 0
    for name, body in blocks("yaml"):
        table = cast(dict[str, object], reader("safe").load(body))
        if not table.keys() <= Config.model_fields.keys():
            own = ({"version", "agent"}, {"extends", "colours"}, {"jobs"}, {"repos"})  # also workflows, and pre-commit
            assert set(table) in own, name
            other += 1
            continue
        assert not load_config(text=body).warnings, name
        jsonschema.validate(table, schema)
    assert other <= 5


def test_every_mcp_server_is_one_that_the_program_accepts():
    found = [json.loads(body) for _page, body in blocks("json", PAGES)]
    servers = [entry for table in found for entry in table.get("mcpServers", {}).values()]
    assert len(servers) == 2
    for entry in servers:
        ServerConfig.model_validate(entry)


def test_the_editors_start_a_command_that_serves_them():
    tables = [json.loads(body) for page, body in blocks("json") if page == "editors.md"]
    agents = [agent for table in tables for agent in table["agent_servers"].values()]
    assert len(agents) == 2
    assert all(parse(agent["args"]).subcommand == "acp" for agent in agents)


def test_docs_prints_the_page_that_is_asked_for(capsys: pytest.CaptureFixture[str]):
    assert main(["docs"]) == 0
    assert capsys.readouterr().out == PAGES["index.md"]
    assert main(["docs", "Flows"]) == 0
    assert capsys.readouterr().out == PAGES["flows.md"]
    assert main(["docs", "--path"]) == 0
    assert capsys.readouterr().out == f"{DOCS}\n"


@pytest.mark.parametrize(
    ("topic", "hint"), [("flow", "did you mean flows?"), ("../README", "Available: "), ("", "Available: ")]
)
def test_an_unknown_page_is_an_error_that_names_the_pages(topic: str, hint: str):
    with pytest.raises(UsageError, match=re.escape(hint)):
        page(topic)


def test_the_skill_for_help_names_every_page():
    skill = (ROOT / "skills/kimi-tui-help/SKILL.md").read_text("utf-8")
    assert set(re.findall(r"\| `([\w-]+)` \|$", skill, re.MULTILINE)) == set(topics())


def test_the_skill_for_help_says_where_the_pages_are():
    folder = ROOT / "skills/kimi-tui-help"
    places = re.findall(r"`((?:\.\./)+[\w/]+/)`", (folder / "SKILL.md").read_text("utf-8"))
    assert (folder / places[1]).resolve() == DOCS
    installed = ROOT / "kimi_tui/_bundled/skills/kimi-tui-help"  # as the wheel has it
    assert Path(os.path.normpath(installed / places[0])) == DOCS
