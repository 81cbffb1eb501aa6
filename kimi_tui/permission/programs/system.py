"""Programs that inspect the machine, and other programs that run a program."""

import re

from kimi_tui.i18n import tr
from kimi_tui.permission.programs.options import Level, Options
from kimi_tui.permission.programs.program import ANYTHING, Classification, Kind, Program, operands_with

_READS = Level.READS

_WRAPPERS = (
    *("setpriv", "prlimit", "chrt", "setarch", "linux32", "linux64", "i386", "x86_64", "taskset", "arch-chroot"),
    *("arch", "perf", "valgrind", "hyperfine", "direnv", "mise", "asdf", "rtx", "numactl", "schedtool", "cgexec"),
    *("dumb-init", "tini", "gosu", "su-exec", "daemonize", "caffeinate", "rr", "gdbserver", "heaptrack", "pyenv"),
    *("rbenv", "nodenv", "nvm", "volta", "fnm", "op", "doppler", "chamber", "aws-vault", "dotenv", "foreman"),
    *("honcho", "concurrently", "nodemon", "watchexec", "chronic", "ts", "unbuffer", "rlwrap", "torsocks", "torify"),
    *("proxychains", "proxychains4", "fakeroot", "faketime", "eatmydata", "catchsegv", "strace", "ltrace", "gtime"),
    *("time", "systemd-inhibit", "uclampset", "choom", "coproc", "pkexec", "sg", "newgrp", "runcon", "capsh", "exec"),
    *("catatonit", "eval", "parallel", "env-update", "chpst", "setuidgid", "softlimit", "envdir", "envuidgid"),
    *("pgrphack", "multilog", "s6-setsid", "execlineb", "with-contenv", "wine", "box64", "qemu-x86_64", "winpty"),
    *("start", "stdbuf-run", "trickle", "cpulimit", "firejail", "bwrap", "unshare", "nsenter", "chroot", "ld.so"),
    *("xvfb-run", "dbus-launch", "dbus-run-session", "ssh-agent", "gpg-agent", "keychain", "vlock", "watch", "entr"),
    *("inotifywait-run", "script", "scriptreplay", "ionice-run", "detach", "dtach", "abduco", "nohup-run"),
    *("run-parts", "run-one", "task-spooler", "tsp", "sem", "lockfile-create", "flock", "setlock", "lckdo", "batch"),
    *("at", "crontab", "su", "sudo", "doas", "runuser", "machinectl", "systemd-run", "systemd-nspawn"),
)
_TERMINALS = ["tmux", "screen", "zellij"]
_PAGERS = ["less", "more", "most", "pg", "lv", "man", "info", "pinfo", "w3m", "lynx", "links", "elinks"]
_IP_OBJECTS = (
    *("a", "addr", "address", "l", "link", "r", "ro", "route", "rule", "n", "neigh", "neighbor", "neighbour"),
    *("maddr", "maddress", "mroute", "tunnel", "tuntap", "help"),
)
_UNIT_COMMANDS = (
    *("status", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "list-timers", "show", "cat"),
    *("start", "stop", "restart", "reload", "enable", "disable", "mask", "unmask", "daemon-reload", "kill"),
)
_PS_FORMS = frozenset({"aux", "auxw", "auxww", "ax", "-ef", "-e", "-A", "-aux"})
_PS_WITH_COLUMNS = frozenset({"-o", "-eo", "-e", "-A", "ax", "-p"})
_PS_COLUMN = re.compile(
    r"(?:pid|ppid|pgid|user|tty|stat|state|start|lstart|time|etime|pcpu|%cpu|pmem|%mem|rss|vsz|comm|cmd|args|command)"
)
_PS_ORDER = re.compile(rf"--sort=[+-]?{_PS_COLUMN.pattern}")
_PIDS = re.compile(r"\d{1,7}(?:,\d{1,7})*")


def _ps(program: Program, words: tuple[str, ...]) -> Classification:
    """Accept only these forms. In others an `e` may show the environment of processes: where `ps` finds an error in its
    options, it reads all of them again as BSD-style words.
    """
    del program
    rest = list(words[1:])
    if rest[:1] and rest[0] in _PS_FORMS:  # defence: known-calls-of-ps
        del rest[0]
    elif len(rest) > 1 and rest[0] == "-p" and _PIDS.fullmatch(rest[1]):
        del rest[:2]
    elif len(rest) > 1 and rest[0] == "-eo":
        rest[0] = "-o"
    if len(rest) > 1 and rest[0] == "-o" and words[1] in _PS_WITH_COLUMNS and _are_columns(rest[1]):
        del rest[:2]
    if len(rest) == 1 and _PS_ORDER.fullmatch(rest[0]):
        rest.clear()
    why = tr("the effect of `{word}` on `{name}` is unknown", word=rest[0], name=words[0]) if rest else ""
    return Classification(Level.EXACT if rest else Level.READS, words[:1], (), why)


def _are_columns(text: str) -> bool:
    return all(_PS_COLUMN.fullmatch(name.removesuffix("=")) for name in text.split(","))


PROGRAMS: dict[str, Program] = {
    **{name: Program(kind=Kind.WRAPPER) for name in _WRAPPERS},
    **dict.fromkeys((*_PAGERS, *_TERMINALS), ANYTHING),
    "uname": Program(_READS, Options("-asnrvmpo --all --version"), most=0),
    "hostname": Program(_READS, Options("-s", "", "-F: --file= -b --boot"), most=0, dangerous=operands_with()),
    "whoami": Program(_READS, most=0),
    "id": Program(_READS, Options("-gGnu --group --groups --name --user")),
    "uptime": Program(_READS, most=0),
    "free": Program(_READS, Options("-bkmght --human --mega --giga --total"), most=0),
    "nproc": Program(_READS, most=0),
    "ps": Program(look=_ps),
    "ss": Program(options=Options("", "-tulnpaxmei046", "-K --kill -D: --diag= -F: --filter=")),
    "systemctl": Program(
        options=Options(stops=True, exact="-qla --user --system --no-pager --quiet --full --all --plain --no-legend"),
        subs={
            **{
                name: Program(
                    options=Options(danger="-H: -M: --host= --machine= --root="),
                    dangerous=operands_with("/"),  # files of units, which `enable` takes from any folder
                )
                for name in _UNIT_COMMANDS
            },
            **dict.fromkeys(("edit", "link", "set-environment"), ANYTHING),
        },
        plugins=True,
    ),
    "journalctl": Program(
        options=Options(
            "",
            "-fexkraq -u: -n: -b? -p: -S: -U: -o: -t: -g: --unit= --user-unit= --lines= --boot? --priority= --since= "
            "--until= --output= --identifier= --grep= --no-pager --follow --reverse --all --quiet --catalog --dmesg "
            "--utc --no-hostname --list-boots --disk-usage --user --system --no-full --full",
        ),
        strict=True,
    ),
    "kill": Program(),
    "pkill": Program(),
    "killall": Program(),
    "mount": Program(options=Options("", "", "-t: --types= -T: --fstab= -o: --options= -i")),
    "sysctl": Program(options=Options("", "-an"), strict=True, dangerous=operands_with("=")),
    "ip": Program(
        options=Options(
            "",
            "-0 -4 -6 -a -all -br -brief -c -color -d -details -h -human -j -json -o -oneline -p -pretty -s -stats",
            "-b: -batch: -n: -netns:",
            single=True,
            stops=True,
        ),
        subs={**dict.fromkeys(_IP_OBJECTS, Program()), **dict.fromkeys(("netns", "vrf"), ANYTHING)},
        plugins=True,
    ),
    "ldconfig": Program(options=Options("", "-p", "-f: -C: -r: -n")),
    "ldd": ANYTHING,
}
