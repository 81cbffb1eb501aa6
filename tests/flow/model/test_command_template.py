"""Variables in commands: which places are allowed, and that no value becomes code for the real Bash."""

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.flow.model.command_template import CommandTemplateError, read_command
from kimi_tui.flow.model.variables import Variable, expand, references, variables

BASH = shutil.which("bash") or "/bin/bash"


def bound(command, **values):
    return read_command(command).bind(lambda variable: values.get(variable.field, ""))


@pytest.mark.parametrize(
    ("command", "line", "shown"),
    [
        ("make -s test", "make -s test", "make -s test"),
        ("echo $HOME ${HOME:-x} $$ ${#x}", "echo $HOME ${HOME:-x} $$ ${#x}", "echo $HOME ${HOME:-x} $$ ${#x}"),
        ("echo $${ARGS}", "echo ${ARGS}", "echo ${ARGS}"),
        ("echo ${a.text}", 'echo "${KT_1}"', "echo 'it is'"),
        ('echo "so: ${a.text}"', 'echo "so: ${KT_1}"', "echo \"so: \"'it is'\"\""),
        ('echo "$(cat ${a.text})"', 'echo "$(cat "${KT_1}")"', "echo \"$(cat 'it is')\""),
        ("./deploy --to=${a.text}", './deploy --to="${KT_1}"', "./deploy --to='it is'"),
        ("echo ü${a.text}é", 'echo ü"${KT_1}"é', "echo ü'it is'é"),
        ('git tag ${"a.b".text} && echo ${a.text} | cat', 'git tag "${KT_1}" && echo "${KT_2}" | cat',
         "git tag 'it is' && echo 'it is' | cat"),
    ],
)  # fmt: skip
def test_a_variable_reaches_bash_as_an_environment_variable(command, line, shown):
    made = bound(command, text="it is")
    assert (made.line, made.shown) == (line, shown)
    assert set(made.env.values()) <= {"it is"}


REFUSED = (
    "echo '${a.text}'", "echo $'${a.text}'", "echo $((${a.text}))", "echo $((1)) ${a.text}", "((x=${a.text}))",
    "eval ${a.text}", "eval true; echo ${a.text}", "sh -c ${a.text}", "bash -c 'x' ${a.text}", "echo ${a.text} | sh",
    "echo ${a.text} | /bin/bash", "/usr/bin/env sh ${a.text}", "source ${a.text}", ". ${a.text}", "exec ${a.text}",
    "${a.text}", "x ${a.text}; ${b.text} y", "$x ${a.text}", "\\eval ${a.text}", '"eval" ${a.text}', "e''val ${a.text}",
    "x=${a.text}", "x=1 prog ${a.text}", "declare -i x; echo ${a.text}", "export x=${a.text}", "let ${a.text}",
    "[[ ${a.text} -eq 1 ]]", "[ ${a.text} ]", "test -v ${a.text}", "read ${a.text}", "unset ${a.text}",
    "printf ${a.text}", 'printf "${a.text}"', "printf -v ${a.text} x", "printf '-v' ${a.text} x",
    "printf '%n' ${a.text}", "printf '%ln' ${a.text}", "for x in $(echo ${a.text}); do ls >&$x; done",
    "for x in $(echo ${a.text}); do ls 1>& \"$x\"; done", "echo ${a.text} >&'$(ls)'",
    "set ${a.text}", "trap ${a.text} EXIT", "echo ${x[${a.text}]}", "echo ${x:-${a.text}}", "echo ${x:${a.text}}",
    "echo ${!x} ${a.text}", "echo ${x@P} ${a.text}", "echo `echo ${a.text}`", "cat <<< ${a.text}",
    "cat <(echo ${a.text})", "echo x > ${a.text}", "echo # ${a.text}", "f() { echo; }; f ${a.text}",
    "case ${a.text} in x) ;; esac", "python3 -c ${a.text}", "perl -e ${a.text}", "awk ${a.text}", "sed ${a.text}",
    "xargs echo ${a.text}", "find ${a.text}", "ssh host ${a.text}", "make X=${a.text}", "time echo ${a.text}",
    "ionice sh -c ${a.text}", "taskset 1 bash5 -c ${a.text}", "zsh5 -c ${a.text}", "busybox ${a.text}",
    "julia -e ${a.text}", "Rscript -e ${a.text}", "sbcl --eval ${a.text}", "sbcl --eval=${a.text}", "R -e${a.text}",
    "mysql -e ${a.text}", "git -c ${a.text} log", "npx -c ${a.text}", "nu -c ${a.text}", 'ghc "-e" ${a.text}',
    "echo ${a.text} | ionice -c 3 sh",
    "echo ${a.text", "echo \"${a.text}", "KT_1=x; echo ${a.text}", "echo $KT_2 ${a.text}", "a[${b.text}]=1",
    "for x in 1; do echo $((x)); done; echo ${a.text}", "coproc echo ${a.text}", "alias x=${a.text}",
    " ".join(f"${{n{number}.text}}" for number in range(17)),
)  # fmt: skip


@pytest.mark.parametrize("command", REFUSED)
def test_a_command_that_might_run_a_value_is_refused(command):
    assert not variables(command) or _refusal(command)


def _refusal(command):
    try:
        read_command(command)
    except CommandTemplateError as error:
        return error.cause
    return ""


@pytest.mark.parametrize(
    "command", ["grep -e ${a.text} x", "git switch -c ${a.text}", "git push origin ${a.text}", "wc -c ${a.text}"]
)
def test_a_program_that_takes_a_value_as_data_may_have_it(command):
    assert _refusal(command) == ""


@pytest.mark.parametrize(
    ("command", "value", "shown"),
    [("echo ~${a.text}", "root", "echo ~'root'"), ("rm {x,${a.text}}", "y,z", "rm {x,'y,z'}"),
     ("echo $x${a.text}", "y", "echo $x'y'"), ("echo ${a.text}>f", "2", "echo '2'>f"),
     ("echo ${a.text} f", "2", "echo 2 f")],
)  # fmt: skip
def test_rules_see_a_value_apart_from_the_text_beside_it(command, value, shown):
    assert bound(command, text=value).shown == shown


@pytest.mark.parametrize("value", ["a\0b", "x" * 65_537, "é" * 40_000])
def test_a_value_that_no_command_can_get_is_refused(value):
    template = read_command("echo ${a.text}")
    with pytest.raises(CommandTemplateError):
        template.bind(lambda _: value)


OPTION = "--upload-pack=touch BAD"


@pytest.mark.parametrize(
    "command",
    ["git fetch origin ${a.text}", 'git log "${a.text}"', "git log ''${a.text}", "git log $x${a.text}",
     "git log ${a.status}${a.text}", 'cat "$(git log ${a.text})"', "git log {x,${a.text}}", "/bin/echo ${a.text}",
     "git log $(true)${a.text}", "git -- log && git fetch ${a.text}"],
)  # fmt: skip
def test_a_value_that_a_program_could_take_for_an_option_is_refused(command):
    with pytest.raises(CommandTemplateError, match="write `--` before the variable"):
        bound(command, text=OPTION)


@pytest.mark.parametrize(
    ("command", "value"),
    [("git fetch -- origin ${a.text}", OPTION), ("echo ${a.text}", OPTION), ("printf '%s' ${a.text}", OPTION),
     ("git commit --message=${a.text}", OPTION), ("git show HEAD:${a.text}", OPTION), ('cat "x ${a.text}"', OPTION),
     ("cat $HOME/${a.text}", OPTION), ("gh pr create -b ${a.text}", "- one\n- two"), ("./add ${a.text}", "-5"),
     ("./add ${a.text}", "-0.5"), ("gh issue comment -b ${a.text}", "--- a/file\n+++ b/file"), ("cat ${a.text}", "-")],
)  # fmt: skip
def test_a_value_that_no_program_takes_for_an_option_may_begin_with_a_hyphen(command, value):
    assert bound(command, text=value).env == {"KT_1": value}


PIECES = st.sampled_from(
    ["echo", "cat", "true", " ", " ", "${a.text}", "${a.text}", '"', "'", "$(", ")", "`", "\\", ";", "&&", "|", "$x",
     "{", "}", "(", "((", "))", "[[ ", " ]]", "=", "#", "$((", "<<<", ">", "&", "!", "~", "*", "eval ", "if ", "then ",
     "fi", "$", "${x", "1", "-eq", "<(", "é", "\t", "x=", "[", "]", "${a.status}", "printf '%s' ", "declare ", "$'",
     '$"', "for x in ", "do ", "done"]
)  # fmt: skip
NASTY = st.one_of(
    st.sampled_from(
        ["$(touch BAD)", "`touch BAD`", "; touch BAD", "| touch BAD", "\n touch BAD\n", "x[$(touch BAD)]",
         "a[$(touch BAD)]=1", "'; touch BAD; '", '"; touch BAD; "', "${x:=$(touch BAD)}", "&& touch BAD", "-v",
         "{touch,BAD}", "$((x[$(touch BAD)]))", ") touch BAD", "}; touch BAD", "> BAD", "\\", "*", "~", "-e",
         "%s%n$(touch BAD)", "<(touch BAD)", "touch BAD"]
    ),
    st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=12),
)  # fmt: skip


WORDS = st.sampled_from(
    ["${a.text}", '"${a.text}"', '"x ${a.text} $x ${a.status}"', "x${a.text}y", "'lit'", "*", "~", "$x",
     "{a,${a.text}}",
     "$(echo ${a.text})", '"$(cat ${a.text} "${a.status}")"', "${a.status}", "$(echo $(echo ${a.text}))", "\\${x}",
     "-n", "--x=${a.text}", "${a.text}${a.status}", '"\\"${a.text}\\""', "$?", "$$", "${x}", "=${a.text}",
     "a=${a.text}"]
)  # fmt: skip
COMMANDS = st.tuples(
    st.sampled_from(["echo", "cat", "printf '%s'", "./none", "cd", "true"]), st.lists(WORDS, max_size=3)
)
LINES = st.lists(
    st.tuples(COMMANDS.map(lambda made: " ".join((made[0], *made[1]))), st.sampled_from([" && ", "; ", " | ", " || "])),
    min_size=1, max_size=3,
).map(lambda parts: "".join(part for pair in parts for part in pair)[: -len(parts[-1][1])])  # fmt: skip
GROUPS = st.sampled_from(["{}", "( {} )", "{{ {}; }}", "if {}; then {}; fi", "! {}", "{} > out 2>&1", "set -eu; {}"])


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    command=st.one_of(
        st.tuples(GROUPS, LINES).map(lambda made: made[0].format(made[1], made[1])),
        st.lists(PIECES, min_size=1, max_size=9).map(lambda pieces: "echo " + "".join(pieces)),
    ),
    text=NASTY,
    status=NASTY,
)
def test_no_value_becomes_code_in_any_command_that_is_accepted(tmp_path_factory, command, text, status):
    try:
        template = read_command(command)
        made = template.bind(lambda variable: text if variable.field == "text" else status)
    except CommandTemplateError:
        return
    if not template.slots:
        return
    folder = tmp_path_factory.mktemp("box")
    run_in_bash(made.line, folder, made.env)
    assert not (folder / "BAD").exists()
    run_in_bash(made.shown, folder, {})
    assert not (folder / "BAD").exists()


@settings(derandomize=True, max_examples=60, deadline=None)
@given(value=NASTY, form=st.sampled_from(["P ${a.text}", 'P "${a.text}"', "P x${a.text}y", 'P "x ${a.text}"z']))
def test_a_program_gets_the_value_as_it_is(tmp_path_factory, value, form):
    folder = tmp_path_factory.mktemp("box")
    program = folder / "show"
    program.write_text(f"#!{BASH}\nprintf '%s\\0' \"$@\"\n")
    program.chmod(0o755)
    made = read_command(form.replace("P", "./show --")).bind(lambda _: value)
    expected = form[2:].replace('"', "").replace("${a.text}", value)
    for line, env in ((made.line, made.env), (made.shown, {})):
        assert run_in_bash(line, folder, env) == f"--\0{expected}\0".encode()


def run_in_bash(line, folder, env):
    done = subprocess.run(
        [BASH, "-c", line], cwd=folder, env={"PATH": os.environ["PATH"], **env}, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=20, check=False,
    )  # fmt: skip
    return done.stdout


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text("${}.ab\"'ARGSitem ", max_size=40))
def test_any_text_is_read_in_one_pass(text):
    found = list(references(text))
    assert all(text[one.start : one.end].startswith(("${", "$${")) for one in found)
    assert expand(text, lambda _: None).count("$${") <= text.count("$${")


def test_values_are_not_expanded_again():
    assert expand("say ${a.text}", lambda _: "${b.text} $${x}") == "say ${b.text} $${x}"


def test_an_unknown_variable_stays_as_written():
    assert expand(
        "say ${user.name} ${x} $x", lambda variable: None if variable == Variable("user", "name") else ""
    ) == ("say ${user.name} ${x} $x")
