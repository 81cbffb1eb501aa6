"""Containers and clusters: approval covers exactly a command; what they run, and where, a user's rule must name."""

from kimi_tui.permission.programs.options import Options
from kimi_tui.permission.programs.program import Kind, Program, names, stored_settings, unlisted_options

_ANYTHING = Program(kind=Kind.ANYTHING)
_GLOBAL = (
    "-H: --host= -c: --context= --config= --tlscacert= --tlscert= --tlskey= --url= --connection= --root= --runroot= "
    "--runtime= --conmon= --hooks-dir= --module= --storage-opt="
)
_WRITES = "--metadata-file= -o: --output= --iidfile= --cidfile= -f: --file= --build-context= --secret= --ssh="


def _commands(commands: str, danger: str = "") -> dict[str, Program]:
    return dict.fromkeys(names(commands), Program(options=Options(danger=danger)))


_COMPOSE_DANGER = "-f: --file= --project-directory= --env-file= -p: --project-name= --profile= --workdir="
_COMPOSE = Program(
    options=Options(danger=_COMPOSE_DANGER, stops=True),
    subs={
        **_commands("ps logs images top ls port version"),
        **_commands("up down build start stop restart pull push rm kill create", f"{_COMPOSE_DANGER} --ssh="),
        **dict.fromkeys(("exec", "run", "attach"), _ANYTHING),
    },
    plugins=True,
)
_DOCKER = Program(
    options=Options(danger=_GLOBAL, stops=True),
    subs={
        **_commands("ps images logs top port stats diff history version info inspect events search"),
        "build": Program(
            options=Options(
                "",
                "-q -t: --tag= --build-arg= --no-cache --pull --target= --platform= --progress= --quiet --rm "
                "--force-rm --label=",
            ),
            dangerous=unlisted_options,
        ),
        **_commands("push pull start stop restart rm rmi tag rename kill pause unpause wait commit", _WRITES),
        **dict.fromkeys(("exec", "run", "create", "attach"), _ANYTHING),
        "compose": _COMPOSE,
    },
    plugins=True,
    version="--version -v",
)
_KUBE_DANGER = (
    "--kubeconfig= --context= --cluster= --user= --server= -s: --token= --as= --certificate-authority= --client-key= "
    "--client-certificate= --cache-dir= --raw= -k: --kustomize= -f: --filename= --insecure-skip-tls-verify "
    "--profile-output= --template= --output-directory= "
)
_KUBECTL = Program(
    options=Options("", "-n: --namespace=", _KUBE_DANGER, stops=True),
    subs={
        **_commands("logs", _KUBE_DANGER.replace("-f: ", "")),
        **_commands("get describe top version api-resources api-versions cluster-info explain", _KUBE_DANGER),
        **_commands("apply create delete scale rollout expose label annotate patch replace set wait", _KUBE_DANGER),
        **dict.fromkeys(("exec", "run", "debug", "attach"), _ANYTHING),
        "config": Program(options=Options(danger=_KUBE_DANGER), dangerous=stored_settings),
    },
    plugins=True,
)

PROGRAMS: dict[str, Program] = {
    **dict.fromkeys(("docker", "podman", "nerdctl"), _DOCKER),
    **dict.fromkeys(("docker-compose", "podman-compose"), _COMPOSE),
    **dict.fromkeys(("kubectl", "oc"), _KUBECTL),
    "helm": Program(
        options=Options(
            danger="--kubeconfig= --post-renderer= --post-renderer-args= --registry-config= --repository-config= "
            "--plugins=",
            stops=True,
        ),
        subs=_commands("list status history version", "--kubeconfig="),
        plugins=True,
    ),
    "terraform": Program(
        options=Options(
            "",
            "-no-color -input= -auto-approve -json -lock= -refresh= -target= -var= -upgrade -reconfigure -recursive "
            "-check -diff -detailed-exitcode -compact-warnings",
            single=True,
        ),
        dangerous=unlisted_options,
    ),
    **dict.fromkeys(("vagrant", "ansible", "ansible-playbook", "lxc", "distrobox", "toolbox", "flatpak"), _ANYTHING),
    "snap": _ANYTHING,
}
