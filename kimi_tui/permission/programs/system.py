"""Programs that inspect the machine, and other programs that run a program."""

from kimi_tui.permission.programs.options import Level, Option, Options, Parsed
from kimi_tui.permission.programs.program import Kind, Program

_READS, _HARMLESS = Level.READS, Level.HARMLESS

_WRAPPERS = [
    "setpriv",
    "prlimit",
    "chrt",
    "setarch",
    "linux32",
    "linux64",
    "i386",
    "x86_64",
    "taskset",
    "arch-chroot",
    "arch",
    "perf",
    "valgrind",
    "hyperfine",
    "direnv",
    "mise",
    "asdf",
    "rtx",
    "numactl",
    "schedtool",
    "cgexec",
    "dumb-init",
    "tini",
    "gosu",
    "su-exec",
    "daemonize",
    "caffeinate",
    "rr",
    "gdbserver",
    "heaptrack",
    "pyenv",
    "rbenv",
    "nodenv",
    "nvm",
    "volta",
    "fnm",
    "op",
    "doppler",
    "chamber",
    "aws-vault",
    "dotenv",
    "foreman",
    "honcho",
    "concurrently",
    "nodemon",
    "watchexec",
    "chronic",
    "ts",
    "unbuffer",
    "rlwrap",
    "torsocks",
    "torify",
    "proxychains",
    "proxychains4",
    "fakeroot",
    "faketime",
    "eatmydata",
    "catchsegv",
    "strace",
    "ltrace",
    "gtime",
    "time",
    "systemd-inhibit",
    "uclampset",
    "choom",
    "coproc",
    "pkexec",
    "sg",
    "newgrp",
    "runcon",
    "capsh",
    "exec",
    "catatonit",
    "eval",
    "parallel",
    "env-update",
    "chpst",
    "setuidgid",
    "softlimit",
    "envdir",
    "envuidgid",
    "pgrphack",
    "multilog",
    "s6-setsid",
    "execlineb",
    "with-contenv",
    "wine",
    "box64",
    "qemu-x86_64",
    "winpty",
    "start",
    "stdbuf-run",
    "trickle",
    "cpulimit",
    "firejail",
    "bwrap",
    "unshare",
    "nsenter",
    "chroot",
    "ld.so",
    "xvfb-run",
    "dbus-launch",
    "dbus-run-session",
    "ssh-agent",
    "gpg-agent",
    "keychain",
    "vlock",
    "watch",
    "entr",
    "inotifywait-run",
    "script",
    "scriptreplay",
    "ionice-run",
    "detach",
    "dtach",
    "abduco",
    "nohup-run",
    "run-parts",
    "run-one",
    "task-spooler",
    "tsp",
    "sem",
    "lockfile-create",
    "flock",
    "setlock",
    "lckdo",
    "batch",
    "at",
    "crontab",
    "su",
    "sudo",
    "doas",
    "runuser",
    "machinectl",
    "systemd-run",
    "systemd-nspawn",
]
_TERMINALS = ["tmux", "screen", "zellij"]
_PAGERS = ["less", "more", "most", "pg", "lv", "man", "info", "pinfo", "w3m", "lynx", "links", "elinks"]
_IP_OBJECTS = (
    *("a", "addr", "address", "l", "link", "r", "ro", "route", "rule", "n", "neigh", "neighbor", "neighbour"),
    *("maddr", "maddress", "mroute", "tunnel", "tuntap", "help"),
)
_PS = frozenset({"aux", "ax", "a", "x", "axu", "ux", "u"})
_PS_WITH_ALL = frozenset(f"-{letter}" for letter in "AadeFfHjLloTw") | {"--forest", "--sort", "--no-headers", "--cols"}

_PS_NO_FORMAT = frozenset({"-A", "-a", "-d", "-e", "-w", "-L", "-T", "--sort", "--no-headers", "--cols"})


def _ps_words(parsed: Parsed) -> str:
    """Find BSD-style words, in which an `e` shows the environment of processes, and formats that may show it.

    Where `ps` finds an error in its options, it reads all of them again as BSD-style words.
    """
    values = [word for word in parsed.values("-o", "-O", "--format") if "env" in word.lower()]
    # defence: options-read-again
    if parsed.has("-L", "-T") and (parsed.has("-H", "--forest") or len(_formats(parsed)) > 1):
        values.append("-T")
    if parsed.has("-e"):
        values += [option.name for option in parsed.options if option.name not in _PS_WITH_ALL]
        values += [word for _, word in parsed.operands]
    return next((word for word in (*(word for _, word in parsed.operands if word not in _PS), *values)), "")


def _formats(parsed: Parsed) -> list[Option]:
    """The options that choose columns, not all of which go together with each other and with threads."""
    return [option for option in parsed.options if option.name not in _PS_NO_FORMAT]


def _named(parsed: Parsed) -> list[int]:
    return [at for at, _ in parsed.operands]


def _shown(*names: str, danger: str = "") -> dict[str, Program]:
    options = Options("", "-a -n: -l --all --no-pager --lines= --full --type= --state= --user", danger)
    return {name: Program(_HARMLESS, options) for name in names}


PROGRAMS: dict[str, Program] = {
    **{name: Program(kind=Kind.WRAPPER) for name in _WRAPPERS},
    **{name: Program(kind=Kind.ANYTHING) for name in (*_PAGERS, *_TERMINALS)},
    "uname": Program(
        _READS,
        Options("-asnrvmpio --all --kernel-name --nodename --kernel-release --machine --operating-system --version"),
        most=0,
    ),
    "hostname": Program(
        _READS,
        Options(
            ("-fisdIA --fqdn --short --long --ip-address --all-ip-addresses --version"), "", "-F: --file= -b --boot"
        ),
        most=0,
        dangerous=_named,
    ),
    "whoami": Program(_READS, most=0),
    "id": Program(_READS, Options("-gGnruz --group --groups --name --real --user --zero")),
    "groups": Program(_READS),
    "who": Program(_READS, Options("-abdHlmpqrstTuw")),
    "uptime": Program(_READS, Options("-ps --pretty --since"), most=0),
    "free": Program(_READS, Options("-bkmghtvwl --human --mega --giga --total --wide")),
    "nproc": Program(_READS, Options("--all --ignore="), most=0),
    "lscpu": Program(_READS, Options("-aeJ --json"), most=0),
    "lsblk": Program(_READS, Options("-abdfJlnoprst --json")),
    "arch": Program(_READS, most=0),
    "tty": Program(_READS, Options("-s"), most=0),
    "locale": Program(_READS, Options("-ack")),
    "getconf": Program(_READS, Options("-a")),
    "ps": Program(
        _READS,
        Options(
            "-AaefFHjlLNTwdy -o: -O: -p: -u: -U: -C: -t: -g: -G: --pid= --ppid= --user= --sort= "
            "--forest --no-headers --format= --cols=",
            apart=True,
        ),
        check=_ps_words,
        version="-aux -auxw -auxww -auxf",  # alone: with `-e` it shows environments where there is no user `x`
    ),
    "pgrep": Program(
        _READS,
        Options("-acflnovwx -u: -U: -P: -g: -t: --list-name --list-full --full --newest --oldest --exact --count"),
    ),
    "pidof": Program(_READS, Options("-sq")),
    "ss": Program(
        _READS,
        Options(
            ("-tulnpaxmei046 --tcp --udp --listening --numeric --processes --all"),
            "",
            "-K --kill -D: --diag= -F: --filter=",
        ),
    ),
    "netstat": Program(_READS, Options("-tulnpaxrei46")),
    "systemctl": Program(
        options=Options("", "--user --no-pager", "-H: --host= -M: --machine= --root= --image=", stops=True),
        subs={
            **_shown(
                "status",
                "is-active",
                "is-enabled",
                "is-failed",
                "list-units",
                "list-unit-files",
                "list-timers",
                "show",
                danger="-H: -M: --host= --machine=",
            ),
            **{
                name: Program(options=Options(danger="-H: -M: --host= --machine= --root="))
                for name in [
                    "start",
                    "stop",
                    "restart",
                    "reload",
                    "enable",
                    "disable",
                    "mask",
                    "unmask",
                    "daemon-reload",
                    "kill",
                    "cat",
                ]
            },
            "edit": Program(kind=Kind.ANYTHING),
            "link": Program(kind=Kind.ANYTHING),
            "set-environment": Program(kind=Kind.ANYTHING),
        },
    ),
    "journalctl": Program(
        _HARMLESS,
        Options(
            "",
            (
                "-fxerb -u: -n: -o: -p: -S: -U: --unit= --lines= --output= --since= --until= --no-pager "
                "--follow --reverse --boot?"
            ),
            (
                "--file= -D: --directory= --root= --cursor-file= --vacuum-size= --vacuum-time= "
                "--vacuum-files= --rotate --flush --setup-keys"
            ),
        ),
    ),
    "kill": Program(),
    "pkill": Program(),
    "killall": Program(),
    "mount": Program(options=Options("", "", "-t: --types= -T: --fstab= -o: --options= -i")),
    "sysctl": Program(options=Options("", "-an", "-w -p? --load? --system --write")),
    "ip": Program(
        options=Options(
            "",
            "-0 -4 -6 -a -all -br -brief -c -color -d -details -h -human -j -json -o -oneline -p -pretty -s -stats",
            "-b: -batch: -n: -netns:",
            single=True,
            stops=True,
        ),
        subs={**dict.fromkeys(_IP_OBJECTS, Program()), **dict.fromkeys(("netns", "vrf"), Program(kind=Kind.ANYTHING))},
        plugins=True,
    ),
    "ldconfig": Program(options=Options("", "-p", "-f: -C: -r: -n")),
    "ldd": Program(),
}
