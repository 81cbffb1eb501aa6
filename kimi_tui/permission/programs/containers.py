"""Containers and clusters: approval covers exactly a command; what they run, and where, a user's rule must name."""

import re
from collections.abc import Callable

from kimi_tui.permission.programs.files import leads_out
from kimi_tui.permission.programs.options import Option, Options, Parsed
from kimi_tui.permission.programs.program import ANYTHING, Program, names, stored_settings

_DOCKER_KNOWN = (
    "-aqlsv -n: -t: --all --quiet --latest --size --no-trunc --filter= --format= --last= --digests --tree --details "
    "--since= --until= --tail= --timestamps --type= --no-stream --human? --limit= --all-tags --platform= "
    "--disable-content-trust? --signal= --time= --timeout= --force --link --volumes --no-prune --author= --change= "
    "--message= --pause? --verbose --detach-keys= --restart= --cpus= --memory= --pids-limit= --password-stdin --help"
)
_COMPOSE_KNOWN = (
    "-adqtvVy -n: --all --detach --build --no-build --pull? --quiet --quiet-pull --services --filter= --format= "
    "--status= --no-trunc --follow --tail= --since= --until= --timestamps --no-color --no-log-prefix "
    "--remove-orphans --volumes --rmi= --timeout= --force --force-recreate --no-recreate --no-deps --no-start --wait "
    "--wait-timeout= --scale= --no-cache --parallel --build-arg= --include-deps --ignore-pull-failures --signal= "
    "--stop --always-recreate-deps --abort-on-container-exit --abort-on-container-failure --exit-code-from= "
    "--attach-dependencies --orphans? --renew-anon-volumes --progress= --dry-run --hash= --images --profiles "
    "--networks --no-interpolate --help"
)


def _known(options: str, dangerous: Callable[[Parsed], list[int]] | None = None) -> Program:
    """Make a program of which a rule has to name each option that is not in `options`."""
    return Program(options=Options("", options), strict=True, dangerous=dangerous)


def _outside_files(parsed: Parsed) -> list[int]:
    """Find files that lead out of the folder, and addresses."""
    files = [option for option in parsed.options if option.name in ("-f", "--file", "--filename")]
    return [option.at for option in files if _is_elsewhere(option.value or "/")]  # defence: files-of-strangers


def _is_elsewhere(file: str) -> bool:
    return leads_out(file) or "://" in file


_FOLDER = re.compile(r"-|\.|(?:\./|[\w+-]+(?:/|\Z))[\w./+@-]*", re.ASCII)
"""A folder of the work dir; the first part of an address without a scheme, as `github.com/x`, has a dot."""
_FORMAT = re.compile(
    r"json|yaml|kyaml|name|wide|(?:jsonpath|jsonpath-as-json|go-template|template|custom-columns)=.*", re.DOTALL
)


def _other_contexts(parsed: Parsed) -> list[int]:
    """Find what a build sends or gets from elsewhere: whole folders, and addresses of strangers."""
    contexts = [at for at, word in parsed.operands if leads_out(word) or not _FOLDER.fullmatch(word)]
    return [*_outside_files(parsed), *contexts]  # defence: contexts-of-builds


def _other_formats(parsed: Parsed) -> list[int]:
    """Find formats other than those known: some are files, which an error prints."""
    formats = [option for option in parsed.options if option.name in ("-o", "--output")]
    return [option.at for option in formats if not _FORMAT.fullmatch(_value(option))]  # defence: formats-from-files


def _value(option: Option) -> str:
    return (option.value or "").removeprefix("=")  # `-o=json` is `-o json` to Go programs


def _kubectl(options: str, dangerous: Callable[[Parsed], list[int]] | None = None) -> Program:
    return _known(options, lambda parsed: [*_other_formats(parsed), *(dangerous(parsed) if dangerous else ())])


_COMPOSE = Program(
    options=Options(
        "", "-p: --project-name= --profile= --progress= --ansi= --dry-run --compatibility --parallel=", stops=True
    ),
    subs={
        **dict.fromkeys(
            names(
                "ps images top ls port version up down build start stop restart pull push kill create config events "
                "watch"
            ),
            _known(_COMPOSE_KNOWN),
        ),
        **dict.fromkeys(("logs", "rm"), _known(f"-f {_COMPOSE_KNOWN}")),
        **dict.fromkeys(("exec", "run", "attach"), ANYTHING),
    },
    plugins=True,
)
_CONTAINERS = {
    **dict.fromkeys(
        names(
            "ls ps list port stats diff history version info inspect events search push pull start stop restart tag "
            "rename kill pause unpause wait commit top prune df"
        ),
        _known(f"{_DOCKER_KNOWN} -f: -m: -c:"),
    ),
    "images": _known(f"{_DOCKER_KNOWN} -f:"),
    **dict.fromkeys(("logs", "rm", "rmi"), _known(f"{_DOCKER_KNOWN} -ftv")),
    "build": _known(
        "-q -t: -m: --tag= --build-arg= --no-cache --pull --target= --platform= --progress= --quiet --rm --force-rm "
        "--label= --compress --squash --network= --memory= --shm-size= --ulimit= --load -f: --file= --no-cache-filter=",
        _other_contexts,
    ),
    **dict.fromkeys(("exec", "run", "create", "attach"), ANYTHING),
}
_DOCKER = Program(
    options=Options("", "-D -l: --debug --log-level=", stops=True),
    subs={
        **_CONTAINERS,
        **dict.fromkeys(("container", "image"), Program(options=Options(stops=True), subs=_CONTAINERS, plugins=True)),
        **dict.fromkeys(
            ("system", "volume", "network"),
            Program(
                options=Options(stops=True),
                subs={
                    **dict.fromkeys(names("df ls inspect info events create"), _known(f"{_DOCKER_KNOWN} -f:")),
                    **dict.fromkeys(("rm", "prune"), _known(f"{_DOCKER_KNOWN} -f")),
                },
                plugins=True,
            ),
        ),
        **dict.fromkeys(
            ("buildx", "builder"),
            Program(
                options=Options(stops=True),
                subs={
                    "build": _CONTAINERS["build"],
                    "ls": _known(_DOCKER_KNOWN),
                    **dict.fromkeys(("du", "prune"), _known(f"{_DOCKER_KNOWN} -f --verbose")),
                },
                plugins=True,
            ),
        ),
        "context": Program(
            options=Options(stops=True), subs=dict.fromkeys(("ls", "show"), _known(_DOCKER_KNOWN)), plugins=True
        ),
        "compose": _COMPOSE,
    },
    plugins=True,
    version="--version -v",
)
_KUBE_KNOWN = (
    "-Aw -n: -l: -L: -o: -c: -R --namespace= --all-namespaces? --selector= --label-columns= --output= --container= "
    "--watch? --watch-only? --recursive? --show-labels? --show-kind? --no-headers? --sort-by= --field-selector= "
    "--chunk-size= --ignore-not-found? --show-managed-fields? --subresource= --server-print? --request-timeout= "
    "--output-watch-events? --show-events? --follow? --previous? --tail= --since= --since-time= --timestamps? "
    "--all-containers? --all-pods? --prefix? --limit-bytes= --ignore-errors? --max-log-requests= "
    "--pod-running-timeout= --containers? --sum? --all? --force? --grace-period= --now? --cascade? --wait? "
    "--timeout= --for= --dry-run? --replicas= --current-replicas= --resource-version= --revision= --to-revision= "
    "--port= --target-port= --type= --name= --protocol= --overwrite? --list? --local? --server-side? "
    "--force-conflicts? --field-manager= --validate? --prune? --record? --save-config? --image= --patch= "
    "--cpu-percent= --min= --max= --api-version= --api-group= --cached? --namespaced? --verbs= --categories= "
    "--client? --ignore-daemonsets? --delete-emptydir-data? --from-literal= --allow-missing-template-keys? "
    "--concurrency= --minify? --help"
)
_NAMESPACES = re.compile(r"--(?:namespace|all-namespaces)(?:=.*)?|-[AwRfp]*[nA].*", re.DOTALL)
_DRY_RUN = re.compile(r"--dry-run(?:=.*)?", re.DOTALL)
_KUBECTL = Program(
    once=(_NAMESPACES, _DRY_RUN),
    options=Options("", "-n: --namespace= --request-timeout=", stops=True),
    subs={
        "logs": _kubectl(f"{_KUBE_KNOWN} -fp"),
        "patch": _kubectl(f"{_KUBE_KNOWN} -p:"),
        **dict.fromkeys(
            names(
                "top version api-resources api-versions cluster-info explain apply create scale "
                "rollout expose label annotate replace set auth events cordon uncordon drain taint autoscale"
            ),
            _kubectl(_KUBE_KNOWN),
        ),
        **dict.fromkeys(
            names("get describe delete wait diff"), _kubectl(f"{_KUBE_KNOWN} -f: --filename=", _outside_files)
        ),
        **dict.fromkeys(("exec", "run", "debug", "attach"), ANYTHING),
        "config": _kubectl(_KUBE_KNOWN, stored_settings),
    },
    plugins=True,
)
_HELM_KNOWN = (
    "-aAqdr -l: -n: -o: -m: --namespace= --all --all-namespaces --output= --max= --short --filter= --revision= "
    "--offset= --date --reverse --deployed --failed --pending --superseded --uninstalled --uninstalling --selector= "
    "--no-headers --time-format= --show-desc --show-resources --client --template= --debug --help"
)

PROGRAMS: dict[str, Program] = {
    **dict.fromkeys(("docker", "podman", "nerdctl"), _DOCKER),
    **dict.fromkeys(("docker-compose", "podman-compose"), _COMPOSE),
    **dict.fromkeys(("kubectl", "oc"), _KUBECTL),
    "helm": Program(
        once=(_NAMESPACES, _DRY_RUN),
        options=Options("", "-n: --namespace= --debug", stops=True),
        subs=dict.fromkeys(names("list ls status history version"), _known(_HELM_KNOWN)),
        plugins=True,
    ),
    "terraform": Program(
        options=Options(
            "",
            "-no-color -input= -auto-approve -json -lock= -refresh= -target= -var= -upgrade -reconfigure -recursive "
            "-check -diff -detailed-exitcode -compact-warnings",
            single=True,
        ),
        strict=True,
    ),
    **dict.fromkeys(("vagrant", "ansible", "ansible-playbook", "lxc", "distrobox", "toolbox", "flatpak"), ANYTHING),
    "snap": ANYTHING,
}
