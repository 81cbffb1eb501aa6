"""A network namespace that the commands of a session share. A program, not a module to import.

python -I -S netns.py make SOCKET
    Makes it, with a loopback device and a port that listens there, sends the listening socket over the Unix socket
    SOCKET, and keeps the namespaces until the other end of SOCKET is closed.
python -I -S netns.py join USER NETWORK PROGRAM ARGUMENT...
    Runs a command in it; USER and NETWORK are files of the namespaces. `supervisor.py` does that between fork and exec.

The files are those of the process that made the namespaces: commands cannot open the descriptors of kimi-tui, which
denies other processes access to itself. bubblewrap cannot join a network namespace by itself.
"""

import os
import sys

if __package__:
    from kimi_tui.tools.shell_support import libc, socket_filter
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes long to load
    import libc
    import socket_filter

_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
_BACKLOG = 64


def join(user: str, network: str) -> None:
    """Move this process, which has one thread, and block sockets that bypass the namespace. Raises OSError."""
    spaces = [(os.open(user, os.O_RDONLY | os.O_CLOEXEC), _CLONE_NEWUSER)]
    spaces.append((os.open(network, os.O_RDONLY | os.O_CLOEXEC), _CLONE_NEWNET))
    for descriptor, kind in spaces:
        libc.call("setns", descriptor, kind)
        os.close(descriptor)
    socket_filter.refuse_other_sockets()  # defence: no-other-sockets


def make(channel: int) -> None:
    """Make the namespaces in this process, and keep them until the other end of this Unix socket is closed. Raises
    OSError.
    """
    import array
    import fcntl
    import socket  # each command joins, and this takes longer than all the rest of that
    import struct

    user, group = os.geteuid(), os.getegid()
    libc.call("unshare", _CLONE_NEWUSER | _CLONE_NEWNET)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib takes long to load
            file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.bind(("127.0.0.1", 0))
    server.listen(_BACKLOG)
    sent = array.array("i", [server.fileno()])
    with socket.socket(fileno=channel) as other:
        other.sendmsg([b"made"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
        server.close()
        other.recv(1)


if __name__ == "__main__":
    try:
        if sys.argv[1] == "make":
            make(int(sys.argv[2]))
        else:
            join(sys.argv[2], sys.argv[3])
            os.execvp(sys.argv[4], sys.argv[4:])
    except OSError as error:
        os.write(2, f"sandbox: {error.strerror}\n".encode())
        sys.exit(126)
