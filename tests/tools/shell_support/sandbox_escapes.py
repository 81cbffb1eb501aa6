"""Escapes from the sandbox as a table: each is tried in each tier and is held, not held, or not applicable.

`python -m tests.tools.shell_support.sandbox_escapes` prints the table. An escape changes nothing that stays: what it
would open for writing it does not write, and a file that it makes it removes.
"""

import asyncio
import os
import shlex
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from kimi_tui.config.schema import SandboxConfig
from kimi_tui.tools.file_support.workspace import Workspace
from kimi_tui.tools.shell_support.bwrap_args import Tier
from kimi_tui.tools.shell_support.process_runner import run
from kimi_tui.tools.shell_support.sandbox import Sandbox
from kimi_tui.tools.shell_support.sandbox_probe import find_bwrap
from tests.tools.shell_support.sandbox_escapes_by_calls import escapes_by_calls

SECRETS = (
    *(".ssh/id_rsa", ".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".docker/config.json"),
    *(".kube/config", ".gnupg/secring", ".npmrc", ".pypirc", ".git-credentials", ".bash_history", ".mozilla/cookies"),
    *(".config/google-chrome/Cookies", ".local/share/keyrings/login", ".password-store/a", ".kimi-tui/config.yaml"),
    *(".kimi-tui/config.json.bak", ".kimi-tui/sessions/a/wire.jsonl", ".codex/auth.json", ".unheard-of/token"),
    *(".config/unheard-of/token", ".local/share/unheard-of/token", ".cache/unheard-of/token", "Documents/taxes"),
)
_STARTED = (
    *(".bashrc", ".profile", ".bash_profile", ".zshrc", ".config/autostart/x.desktop", ".config/fish/config.fish"),
    *(".config/systemd/user/x.service", ".ssh/authorized_keys", ".ssh/config", ".gitconfig", ".config/git/config"),
    *(".local/bin/x", ".vimrc", ".tmux.conf", ".kimi-tui/mcp.json", ".claude/settings.json", ".cargo/config.toml"),
    *("bin/x", "x", ".local/share/applications/x.desktop"),
)
_SYSTEM = (
    *("/etc", "/etc/cron.d", "/etc/profile.d", "/usr/bin", "/usr/local/bin", "/boot", "/lib", "/opt", "/root", "/srv"),
    *("/var/log", "/var/lib", "/etc/systemd/system", "/var/spool/cron", "/home", "/run", "/var/cache", "/"),
)
_KERNEL = (
    *("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname"),
    *("/proc/sys/kernel/sysrq", "/proc/sys/vm/drop_caches", "/proc/sys/net/ipv4/ip_forward", "/proc/sysrq-trigger"),
    *("/proc/sys/fs/suid_dumpable", "/proc/sys/kernel/panic", "/sys/kernel/uevent_helper", "/sys/power/state"),
    *(
        "/sys/fs/cgroup/release_agent",
        "/sys/fs/cgroup/memory/release_agent",
        "/proc/$OUTER/mem",
        "/proc/$OUTER/oom_score_adj",
    ),
    *("/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/etc/shadow", "/etc/passwd"),
)
_NAMESPACES = ("U", "Ur", "Urm", "Urp --fork", "Urn", "Uri", "Uru", "UrC")
_CONNECT = "import socket,sys;s=socket.socket(socket.AF_{0},socket.SOCK_{1});s.settimeout(2);s.connect({2});{3}"
_PTRACE = "import ctypes,sys;sys.exit(ctypes.CDLL(None).ptrace(16,$OUTER,0,0)!=0)"

CANNOT: dict[Tier, frozenset[str]] = {
    "full": frozenset(),
    "files": frozenset(
        {
            "a socket in a folder that can be read", "a socket in /tmp", "read /tmp",
            "see other processes", "see other command lines", "a socket in the home", "change our limits",
            "a pidfd of our process", "a better priority of ours",
            "a user namespace by clone3", "the owner of the network",
            "give a file to another user", "raise limits of ours", "see the session's private folder",
        }
    ),
    "none": frozenset(),
}  # fmt: skip
"""What a tier cannot hold; `doctor` says it in words."""


@dataclass(frozen=True, slots=True)
class Escape:
    """`script` ends with status 0 where it works. `needs` is a program that it takes."""

    name: str
    script: str
    needs: str = "true"


def escapes() -> Iterator[Escape]:
    """All of them. The scripts get HOME, TARGET (a folder outside), OUTER (a process outside), PORT and UDP."""
    for name in SECRETS:
        yield Escape(f"read ~/{name}", f"grep -q s3cret ~/{name}")
    for name in _STARTED:
        yield Escape(f"write ~/{name}", f"mkdir -p ~/{Path(name).parent}; echo x >> ~/{name}")
    for folder in _SYSTEM:
        file = f"{folder.rstrip('/')}/kimi-tui-escape"
        yield Escape(f"make a file in {folder}", f"(: > {file}) && rm -f {file}", f"test -d {folder}")
    for file in _KERNEL:
        real = f"test -b {file} -o -c {file} && " if file.startswith("/dev/") else ""
        yield Escape(f"open {file} for writing", f"{real}: >> {file}", "true" if "$" in file else f"test -e {file}")
    for kind in _NAMESPACES:
        yield Escape(f"unshare -{kind}", f"unshare -{kind} sh -c ': > $TARGET/x'", "command -v unshare")
    yield from (
        Escape("a nested bubblewrap", "bwrap --bind / / sh -c ': > $TARGET/x'", "command -v bwrap"),
        Escape("nsenter into the first process", "nsenter -t 1 -m -p true", "command -v nsenter"),
        Escape("nsenter into ours", "nsenter -t $OUTER -m true", "command -v nsenter"),
        Escape("mount a tmpfs", "mkdir -p m; mount -t tmpfs x m"),
        Escape("mount /proc anew", "mkdir -p m; mount -t proc x m"),
        Escape("remount / for writing", "mount -o remount,rw / && : > $TARGET/x"),
        Escape("remount /proc/sys", "mount -o remount,rw,bind /proc/sys"),
        Escape("unmount /proc/sys", "umount /proc/sys"),
        Escape("unmount the home", "umount -l ~ && grep -q s3cret ~/.netrc"),
        Escape("bind the target here", "mkdir -p m; mount --bind $TARGET m"),
        Escape("chroot through a process", "chroot /proc/$OUTER/root sh -c ': > $TARGET/x'"),
        Escape("a device by mknod", "mknod d b 254 0 && head -c1 d"),
        Escape("a character device by mknod", "mknod k c 1 11 && : >> k"),
        Escape("become another user", "setpriv --reuid 65534 --clear-groups true", "command -v setpriv"),
        Escape("sudo", "sudo -n true", "command -v sudo"),
        Escape("load a module", "insmod /dev/null; test $? = 0", "command -v insmod"),
        Escape("write the target", ": > $TARGET/x"),
        Escape("append to a file of the target", "echo x >> $TARGET/file"),
        Escape("delete a file of the target", "rm -f $TARGET/file && test ! -e $TARGET/file"),
        Escape("rename the target", "mv $TARGET $TARGET.moved"),
        Escape("write through a link", "ln -s $TARGET l && : > l/x"),
        Escape("write through a hard link", "ln $TARGET/file h && echo x >> h"),
        Escape("move a file of the target here", "mv $TARGET/file moved"),
        Escape("truncate a file of the target", "truncate -s 0 $TARGET/file"),
        Escape("write through /proc/self/root", ": > /proc/self/root/$TARGET/x"),
        Escape("write through /proc/self/cwd", ": > /proc/self/cwd/../../../target/x"),
        Escape("write through the first process", ": > /proc/1/root/$TARGET/x"),
        Escape("write through our process", ": > /proc/$OUTER/root/$TARGET/x"),
        Escape("write through our folder", ": > /proc/$OUTER/cwd/kimi-tui-escape"),
        Escape("move the workspace away", "cd $WORK/.. && mv work gone && mkdir work"),
        Escape("make a folder beside the workspace", "mkdir $WORK/../b && test -d $TARGET/../b"),
        Escape("signal our process", "kill -0 $OUTER"),
        Escape("signal the parent of all", "kill -0 -1 && kill -0 $OUTER"),
        Escape("see other processes", "test -d /proc/$OUTER"),
        Escape("see other command lines", "tr '\\0' ' ' < /proc/$OUTER/cmdline | grep -q ython"),
        Escape("read our environment", "grep -q . /proc/$OUTER/environ"),
        Escape("read our memory", "head -c1 /proc/$OUTER/mem || cat /proc/$OUTER/maps | grep -q ."),
        Escape("read our descriptors", "ls /proc/$OUTER/fd/0"),
        Escape("trace our process", f'python3 -c "{_PTRACE}"'),
        Escape("outlive us where memory runs out", "echo 0 > /proc/self/oom_score_adj"),
        Escape("change our limits", "prlimit --pid $OUTER --nofile=1000:1000", "command -v prlimit"),
        Escape("inherited descriptors", "ls -l /proc/self/fd | grep -v pipe: | grep -E ' [4-9] -> /'"),
        Escape("a terminal to type into", "(: > /dev/tty)"),
        Escape("read /tmp", "grep -q s3cret $SHARED/file"),
        Escape("a socket in /tmp", connect("UNIX", "STREAM", "'$SHARED/socket'")),
        Escape("a socket in a folder that can be read", connect("UNIX", "STREAM", "'$TARGET/socket'")),
        Escape("a socket in the home", connect("UNIX", "STREAM", "'$HOME/.local/bin/socket'")),
        Escape("an abstract socket", connect("UNIX", "STREAM", "chr(0)+'kimi-tui-$OUTER'")),
        Escape("TCP to this machine", connect("INET", "STREAM", "('127.0.0.1',$PORT)")),
        Escape("UDP to this machine", connect("INET", "DGRAM", "('127.0.0.1',$UDP)", "s.send(b'x');s.recv(1)")),
        Escape("TCP elsewhere", connect("INET", "STREAM", "('192.0.2.1',9)")),
        Escape("the system bus", "test -S /run/dbus/system_bus_socket", "test -S /run/dbus/system_bus_socket"),
        Escape("docker", "curl -s --unix-socket /var/run/docker.sock http://x/", "test -S /var/run/docker.sock"),
        Escape("a job of cron", "echo | crontab -", "command -v crontab"),
        Escape("a job of at", "echo true | at now", "command -v at"),
        Escape("a unit of the user", "systemd-run --user true", "command -v systemd-run"),
    )  # fmt: skip
    yield from (Escape(*each) for each in escapes_by_calls())


def connect(family: str, kind: str, place: str, then: str = "sys.exit(0)") -> str:
    code = _CONNECT.format(family, kind, place, then)
    return f'python3 -c "{code}"'


async def tried(tier: Tier, folder: Path) -> dict[str, str]:
    """Try all in this tier; "held", "NOT HELD" or "not applicable" by name. `folder` is not one for temporary files."""
    home, target, work = (folder / name for name in ("home", "target", "work"))
    for made in (target, work, home / ".local/bin"):
        made.mkdir(parents=True)
    for name in SECRETS:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("token: s3cret\n")
    (target / "file").write_text("x\n")
    with ExitStack() as stack:
        shared = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
        (shared / "file").write_text("s3cret\n")
        udp = stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        asyncio.get_running_loop().add_reader(udp, lambda: udp.sendto(b"x", udp.recvfrom(9)[1]))
        stack.callback(asyncio.get_running_loop().remove_reader, udp)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        places = (shared / "socket", target / "socket", home / ".local/bin/socket", f"\0kimi-tui-{os.getpid()}")
        for place in places:
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(os.fspath(place))
            server.listen()
        known = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "WORK": str(work), "HOME": str(home), "TARGET": str(target), "SHARED": str(shared),
            "OUTER": str(os.getpid()), "PORT": str(tcp.getsockname()[1]), "UDP": str(udp.getsockname()[1]),
        }  # fmt: skip
        return await _tried(tier, work, known)


async def _tried(tier: Tier, work: Path, known: dict[str, str]) -> dict[str, str]:
    find = find_bwrap if tier == "full" else lambda _: None
    sandbox = Sandbox(SandboxConfig(network=False), Workspace(work), find_bwrap=find)
    if not await sandbox.works() or sandbox.tier != tier:
        return {}
    found: dict[str, str] = {}
    everything = list(escapes())
    lines = ["mkdir -p tries"]
    for number, escape in enumerate(everything):
        lines.append(f"mkdir tries/{number}; (cd tries/{number}; timeout 5 bash -c {shlex.quote(escape.script)}) "
                     f">/dev/null 2>&1 </dev/null && echo {number}")  # fmt: skip
    lines.append("python3 -c pass && touch complete")
    (work / "all.sh").write_text("\n".join(lines))
    printed: list[str] = []
    env = sandbox.env({**os.environ, **known})
    [command] = sandbox.wrapped([shutil.which("bash") or "/bin/bash", str(work / "all.sh")], git_alone=False)
    await run(command, cwd=work, env=env, on_text=lambda text: printed.append(text), seconds=120)
    assert (work / "complete").exists(), "".join(printed)
    worked = {int(line) for line in "".join(printed).split() if line.isdigit()}
    for number, escape in enumerate(everything):
        if number in worked:
            found[escape.name] = "NOT HELD"
        else:
            there = await asyncio.create_subprocess_shell(escape.needs, stdout=-3, stderr=-3)
            found[escape.name] = "held" if await there.wait() == 0 else "not applicable"
    return found


async def main() -> None:
    for tier in ("full", "files"):
        folder = Path(tempfile.mkdtemp(dir=Path(__file__).parent))
        os.environ["HOME"] = str(folder / "home")
        os.environ["KIMI_TUI_HOME"] = str(folder / "home/.kimi-tui")
        try:
            found = await tried(tier, folder)
        finally:
            shutil.rmtree(folder)
        for name, state in found.items():
            sys.stdout.write(f"{tier:6} {state:15} {name}\n")
        counts = {state: list(found.values()).count(state) for state in dict.fromkeys(found.values())}
        sys.stdout.write(f"{tier}: {len(found)} escapes, {counts}\n")


if __name__ == "__main__":
    asyncio.run(main())
