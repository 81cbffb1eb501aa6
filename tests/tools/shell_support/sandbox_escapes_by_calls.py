# ruff: noqa: E501 - a script a line
"""Escapes by system calls, namespaces, and sockets of other kinds."""

from collections.abc import Iterator

_PRELUDE = (
    "import ctypes,fcntl,os,socket,struct,sys,time;L=ctypes.CDLL(None,use_errno=True);L.syscall.restype=ctypes.c_long;"
    "c=ctypes.c_char_p;O=int(os.environ['OUTER']);T=os.environ['TARGET'];"
)
_CALLS = (
    ("trace our process by seize", "sys.exit(L.ptrace(0x4206,O,0,0)!=0)"),
    ("a pidfd of our process", "sys.exit(L.syscall(434,O,0)<0)"),
    (
        "read our memory by process_vm_readv",
        "b=ctypes.create_string_buffer(8);v=(ctypes.c_void_p*2)(ctypes.addressof(b),8);sys.exit(L.syscall(310,O,v,1,v,1,0)<=0)",
    ),
    (
        "a handle of the target's file",
        "h=ctypes.create_string_buffer(136);struct.pack_into('I',h,0,128);m=ctypes.c_int();L.syscall(303,-100,c(T.encode()+b'/file'),h,ctypes.byref(m),0);d=os.open('/',os.O_RDONLY);f=L.syscall(304,d,h,os.O_WRONLY);sys.exit(f<0)",
    ),
    ("clone the tree of mounts", "sys.exit(L.syscall(428,-100,c(b'/'),1)<0)"),
    ("a new tmpfs by fsopen", "sys.exit(L.syscall(430,c(b'tmpfs'),0)<0)"),
    ("write by mount_setattr", "a=struct.pack('QQQQ',0,1,0,0);sys.exit(L.syscall(442,-100,c(T.encode()),0,a,32)!=0)"),
    ("pivot the root", "os.mkdir('p');sys.exit(L.syscall(155,c(b'.'),c(b'p'))!=0)"),
    ("change the root", "os.chroot('/')"),
    ("a mount namespace", "sys.exit(L.unshare(0x20000)!=0)"),
    (
        "a user namespace by clone3",
        "a=struct.pack('11Q',0x10000000,0,0,0,17,0,0,0,0,0,0);p=L.syscall(435,a,88);(p==0) and os._exit(0);sys.exit(p<0)",
    ),
    ("a network namespace", "sys.exit(L.unshare(0x40000000)!=0)"),
    ("the parent of our user namespace", "d=os.open('/proc/self/ns/user',0);fcntl.ioctl(d,0xb702)"),
    ("the owner of the network", "d=os.open('/proc/self/ns/net',0);fcntl.ioctl(d,0xb701)"),
    (
        "the owner of the mounts",
        "d=os.open('/proc/self/ns/mnt',0);f=fcntl.ioctl(d,0xb701);f=fcntl.ioctl(f,0xb702);sys.exit(L.setns(f,0)!=0)",
    ),
    ("join the first process' mounts", "d=os.open('/proc/1/ns/mnt',0);sys.exit(L.setns(d,0)!=0)"),
    ("load a program of bpf", "a=struct.pack('IIQQ',8,2,0,0)+b'\\0'*104;sys.exit(L.syscall(321,5,a,128)<0)"),
    ("make a map of bpf", "a=struct.pack('IIIII',2,4,4,1,0)+b'\\0'*100;sys.exit(L.syscall(321,0,a,120)<0)"),
    (
        "count events of our process",
        "a=struct.pack('IIQQQQ',1,112,0,0,0,0)+b'\\0'*72;sys.exit(L.syscall(298,a,O,-1,-1,0)<0)",
    ),
    ("read the kernel's log", "b=ctypes.create_string_buffer(99);sys.exit(L.klogctl(3,b,99)<=0)"),
    ("set the clock", "sys.exit(L.clock_settime(0,struct.pack('qq',int(time.time()),0))!=0)"),
    ("account for processes", "sys.exit(L.acct(c(b'x'))!=0)"),
    ("swap", "sys.exit(L.swapon(c(b'x'),0)!=0)"),
    ("a port of the hardware", "sys.exit(L.iopl(3)!=0)"),
    ("watch all files by fanotify", "f=L.syscall(300,0,0);sys.exit(f<0 or L.syscall(301,f,0x11,8,-100,c(b'/'))!=0)"),
    (
        "the user's keyring",
        "sys.exit(L.syscall(250,11,-4,0,0)<=0 or L.syscall(250,6,-4,ctypes.create_string_buffer(64),64)<=4)",
    ),
    (
        "the user's keyring by its number",
        "k=[int(l.split()[0],16) for l in open('/proc/keys') if ' _uid.' in l];sys.exit(not any(L.syscall(250,8,n,-3)==0 for n in k))",
    ),
    ("make a key", "sys.exit(L.syscall(248,c(b'user'),c(b'x'),c(b'x'),1,-1)<0)"),
    ("a raw socket", "socket.socket(socket.AF_INET,socket.SOCK_RAW,1)"),
    ("a packet socket", "socket.socket(socket.AF_PACKET,socket.SOCK_RAW,0)"),
    (
        "a socket to the host of a virtual machine",
        "s=socket.socket(40,1);s.settimeout(2);e=s.connect_ex((2,1));sys.exit(e in (97,1,13))",
    ),
    ("a vsock listener", "s=socket.socket(40,1);s.bind((0xffffffff,54321));s.listen(1)"),
    ("bluetooth", "socket.socket(31,3,1)"),
    (
        "a netlink socket that changes routes",
        "s=socket.socket(16,3,0);s.send(struct.pack('IHHII',32,16,5,1,0)+struct.pack('BBHiII',0,0,1,1,0,1)[:16]);r=s.recv(999);sys.exit(struct.unpack_from('i',r,16)[0]!=0)",
    ),
    (
        "audit",
        "s=socket.socket(16,3,9);s.send(struct.pack('IHHII',16,1000,5,1,0));r=s.recv(999);sys.exit(struct.unpack_from('H',r,4)[0]!=1000)",
    ),
    (
        "file capabilities",
        "open('f','w').close();os.setxattr('f','security.capability',struct.pack('<IIIII',0x02000001,0xffffffff,0,0,0))",
    ),
    ("trusted attributes", "open('f','w').close();os.setxattr('f','trusted.x',b'1')"),
    ("another user by setresuid", "os.setresuid(1000,1000,1000)"),
    ("another group", "os.setgroups([0,999])"),
    ("give a file to another user", "open('f','w').close();os.chown('f',1000,1000)"),
    ("raise limits of ours", "import resource;resource.prlimit(O,resource.RLIMIT_NOFILE,(1000,1000))"),
    ("a better priority of ours", "os.setpriority(os.PRIO_PROCESS,O,5)"),
    ("lower the score of ours", "open(f'/proc/{O}/oom_score_adj','w').write('1')"),
)
_SHELL = (
    ("see the session's private folder", "ls -d /tmp/kimi-tui-*/tmp"),
    ("write the prepared home", "touch ~/.x 2>/dev/null || touch ~/.gitconfig"),
    ("change a shown setting", "echo x >> ~/.gitconfig"),
    ("replace the prepared home", "mv ~ ~.moved"),
    (
        "write through the first process' descriptors",
        "ls /proc/1/fd | while read n; do : > /proc/1/fd/$n/../x; done; ls /proc/1/fd/3",
    ),
    ("the kernel's memory", "head -c1 /proc/kcore | grep -q ."),
    ("devices of disks by number", "for d in /sys/block/*/dev; do mknod dd b $(tr : ' ' < $d) && exit 0; done; exit 1"),
    (
        "debugging of the kernel",
        "ls /sys/kernel/debug/* || ls /sys/kernel/tracing/trace && echo > /sys/kernel/tracing/trace",
    ),
    (
        "freeze ourselves by cgroup",
        "for f in $(find /sys/fs/cgroup -name cgroup.freeze); do echo 0 > $f && exit 0; done; exit 1",
    ),
    ("remount the workspace with set-user-id", "mount -o remount,bind,suid $WORK"),
    ("unmount a guard", "mkdir -p g/.git; umount -l ~; umount -l /run && ls /run/* | grep -q ."),
    ("a link to what is hidden", "ln -s ~/.netrc n; grep -q s3cret n"),
    ("direct TCP by IPv6", "python3 -c \"import socket;socket.create_connection(('::1',$PORT),1)\""),
    (
        "a broadcast",
        "python3 -c \"import socket;s=socket.socket(2,2);s.setsockopt(1,6,1);s.sendto(b'x',('192.0.2.255',9))\"",
    ),
    ("another loopback address", "python3 -c \"import socket;socket.create_connection(('127.8.8.8',$PORT),1)\""),
    ("a device of the network", "ip link add d0 type dummy || ip addr add 192.0.2.1/24 dev lo"),
    ("rules of the network", "iptables -L || nft list ruleset | grep -q ."),
)


def escapes_by_calls() -> Iterator[tuple[str, str, str]]:
    """The name, the script and what it needs of each; the scripts get what those of `sandbox_escapes` get."""
    for name, code in _CALLS:
        yield name, f"cat > x.py <<'E'\n{_PRELUDE}{code}\nE\npython3 x.py", "test $(uname -m) = x86_64"
    yield from ((name, script, "true") for name, script in _SHELL)
