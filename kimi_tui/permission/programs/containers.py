"""Containers and clusters: showing their state is harmless; the programs they run are unknown."""

from kimi_tui.permission.programs.options import Level, Options, Parsed
from kimi_tui.permission.programs.program import Kind, Program, stored_settings

_READS, _HARMLESS = Level.READS, Level.HARMLESS
_ANYTHING = Program(kind=Kind.ANYTHING)
_SHOW = (
    "-aqlts -f: -n: --all --quiet --filter= --format= --no-trunc --latest --size --follow "
    "--tail= --since= --until= --timestamps"
)
_NAMED = ["ps", "images", "logs", "top", "port", "stats", "diff", "history", "version", "info"]
_EXACT_NAMED = [
    "build",
    "push",
    "pull",
    "start",
    "stop",
    "restart",
    "rm",
    "rmi",
    "tag",
    "login",
    "logout",
    "search",
    "events",
    "load",
    "import",
    "save",
    "export",
    "rename",
    "kill",
    "pause",
    "unpause",
    "wait",
    "update",
    "commit",
    "inspect",
    "cp",
]
_GLOBAL = (
    "-H: --host= -c: --context= --config= --tlscacert= --tlscert= --tlskey= --url= "
    "--connection= --root= --runroot= --runtime= --conmon= --hooks-dir= --module= "
    "--storage-opt="
)
_WRITES = "-o: --output= --iidfile= --cidfile= -f: --file= --build-context= --secret= --ssh="


def _shows() -> Program:
    return Program(_HARMLESS, Options("", _SHOW, ""))


def _exact(danger: str = _WRITES) -> Program:
    return Program(options=Options("", "", danger))


_OBJECTS = {
    name: Program(
        options=Options(stops=True),
        subs={
            "ls": _shows(),
            "list": _shows(),
            **dict.fromkeys(
                (
                    "rm",
                    "create",
                    "prune",
                    "inspect",
                    "stop",
                    "start",
                    "logs",
                    "connect",
                    "disconnect",
                    "build",
                    "pull",
                    "push",
                ),
                _exact(),
            ),
            **dict.fromkeys(("exec", "run", "attach"), _ANYTHING),
        },
        plugins=True,
    )
    for name in (
        "container",
        "image",
        "volume",
        "network",
        "system",
        "buildx",
        "builder",
        "node",
        "service",
        "stack",
        "secret",
        "config",
        "pod",
    )
}
_COMPOSE_DANGER = "-f: --file= --project-directory= --env-file= -p: --project-name= --profile= --workdir="
_COMPOSE = Program(
    options=Options(danger=_COMPOSE_DANGER, stops=True),
    subs={
        "ps": _shows(),
        "logs": _shows(),
        "images": _shows(),
        "top": _shows(),
        "ls": _shows(),
        "port": _shows(),
        "version": _shows(),
        "up": Program(
            _HARMLESS,
            Options(
                "",
                ("-d --detach --build --wait --no-build --quiet-pull --remove-orphans --force-recreate"),
                _COMPOSE_DANGER,
            ),
        ),
        "down": Program(_HARMLESS, Options("", "--remove-orphans", _COMPOSE_DANGER)),
        "build": Program(
            _HARMLESS, Options("", "-q --quiet --no-cache --pull", _COMPOSE_DANGER + " --builder= --ssh= --build-arg=")
        ),
        **dict.fromkeys(
            (
                "start",
                "stop",
                "restart",
                "pull",
                "push",
                "rm",
                "kill",
                "create",
                "config",
                "events",
                "pause",
                "unpause",
                "watch",
                "cp",
            ),
            _exact(),
        ),
        **dict.fromkeys(("exec", "run", "attach"), _ANYTHING),
    },
    plugins=True,
)
_DOCKER = Program(
    options=Options(danger=_GLOBAL, stops=True),
    subs={
        **{name: _shows() for name in _NAMED},
        **{name: _exact() for name in _EXACT_NAMED},
        **_OBJECTS,
        **dict.fromkeys(("exec", "run", "create", "attach", "unshare", "machine"), _ANYTHING),
        "compose": _COMPOSE,
    },
    plugins=True,
    version="--version -v",
)


def _no_secrets(parsed: Parsed) -> str:
    return next((word for _, word in parsed.operands if "secret" in word.lower()), "")


_KUBE_DANGER = (
    "--kubeconfig= --context= --cluster= --user= --server= -s: --token= --as= --certificate-authority= "
    "--client-key= --client-certificate= --cache-dir= --raw= -k: --kustomize= -f: --filename= "
    "--insecure-skip-tls-verify "
    "--profile-output= --template= "
)
_KUBE_SHOW = Program(
    _HARMLESS,
    Options(
        "",
        "-Aw -n: -o: -l: --all-namespaces --namespace= --output= --selector= --watch "
        "--show-labels --no-headers "
        "--sort-by= --field-selector= --tail= --since= --previous -c: --container= --limit=",
        _KUBE_DANGER,
    ),
    check=_no_secrets,
)
_KUBECTL = Program(
    options=Options("", "-n: --namespace=", _KUBE_DANGER, stops=True),
    subs={
        **dict.fromkeys(
            ("get", "describe", "logs", "top", "version", "api-resources", "api-versions", "cluster-info", "explain"),
            _KUBE_SHOW,
        ),
        **dict.fromkeys(
            [
                "apply",
                "create",
                "delete",
                "scale",
                "rollout",
                "expose",
                "label",
                "annotate",
                "patch",
                "replace",
                "set",
                "taint",
                "cordon",
                "uncordon",
                "drain",
                "wait",
                "autoscale",
                "auth",
                "certificate",
                "diff",
            ],
            Program(options=Options("", "", _KUBE_DANGER)),
        ),
        "config": Program(options=Options("", "", _KUBE_DANGER), dangerous=stored_settings),
        **dict.fromkeys(
            ("exec", "run", "debug", "attach", "cp", "edit", "proxy", "port-forward", "plugin", "kustomize"), _ANYTHING
        ),
    },
    plugins=True,
)

PROGRAMS: dict[str, Program] = {
    "docker": _DOCKER,
    "podman": _DOCKER,
    "nerdctl": _DOCKER,
    "docker-compose": _COMPOSE,
    "podman-compose": _COMPOSE,
    "kubectl": _KUBECTL,
    "oc": _KUBECTL,
    "helm": Program(
        options=Options(
            danger=(
                "--kubeconfig= --post-renderer= --post-renderer-args= --registry-config= "
                "--repository-config= --plugins="
            ),
            stops=True,
        ),
        subs={
            **dict.fromkeys(
                ("list", "status", "history", "version"),
                Program(_HARMLESS, Options("", "-aAq -n: -o:", "--kubeconfig=")),
            )
        },
        plugins=True,
    ),
    "terraform": Program(
        options=Options(
            "", "", ("-chdir= -plugin-dir= -state= -out= -var-file= -backend-config= -config="), single=True
        )
    ),
    "vagrant": _ANYTHING,
    "ansible": _ANYTHING,
    "ansible-playbook": _ANYTHING,
    "lxc": _ANYTHING,
    "distrobox": _ANYTHING,
    "toolbox": _ANYTHING,
    "flatpak": _ANYTHING,
    "snap": _ANYTHING,
}
