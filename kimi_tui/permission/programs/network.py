"""Network programs; none of them is read-only, since requests leave this machine."""

import re

from kimi_tui.permission.programs.options import Options, Parsed
from kimi_tui.permission.programs.program import ANYTHING, Program, names, stored_settings

_CURL = Options(
    "",
    "-sSfLvIigGkN460 -m: -X: -H: -A: -w: -d: -u: -r: -e: -b: -y: -Y: --silent --show-error --fail --fail-with-body "
    "--fail-early --location --verbose --head --progress-bar --no-progress-meter --no-buffer --globoff --ipv4 --ipv6 "
    "--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --tlsv1 --tlsv1.2 --tlsv1.3 --tls-max= --range= "
    "--referer= --cookie= --user= --basic --digest --anyauth --oauth2-bearer= --retry-delay= --retry-max-time= "
    "--retry-connrefused --retry-all-errors --max-redirs= --max-filesize= --limit-rate= --speed-limit= --speed-time= "
    "--keepalive-time= --no-keepalive --path-as-is --raw --post301 --post302 --post303 --url-query= --tcp-nodelay "
    "--include --get --insecure --max-time= --request= --header= --user-agent= --write-out= "
    "--data= --data-raw= --json= "
    "--url= --compressed --retry= --connect-timeout=",
)
_WGET = Options(
    "",
    "-qvScnN46 -T: -t: -U: -w: -Q: --quiet --verbose --timeout= --tries= --spider --no-verbose --server-response "
    "--user-agent= --header= --referer= --method= --no-check-certificate --continue --no-clobber --timestamping "
    "--wait= --random-wait --waitretry= --limit-rate= --max-redirect= --retry-connrefused --connect-timeout= "
    "--read-timeout= --dns-timeout= --inet4-only --inet6-only --no-cache --no-cookies --no-dns-cache --no-hsts "
    "--compression= --content-on-error --show-progress --no-proxy --quota= --version",
)
_SCP = Options("", "-rpqvC46 -P: -l:")


def _writes_out(parsed: Parsed) -> list[int]:
    """Find formats of curl that write a file, or that are read from one."""
    words = [(option.name, option.at, option.value or "") for option in parsed.options]
    words += (("", at, word) for at, word in parsed.operands)
    return [at for name, at, text in words if _is_output(name, text)]  # defence: curl-writes-out


def _is_output(name: str, text: str) -> bool:
    return "%output" in text or (name in ("-w", "--write-out") and text.startswith("@"))


_WEB_ADDRESS = re.compile(
    r"(?:https?://)?(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?(?:[/?#].*)?",
    re.IGNORECASE,
)
"""The address of a page, whose host is plain to see: no user name, and nothing that curl expands before its path."""


def _not_web(parsed: Parsed) -> list[int]:
    """Find addresses other than those of pages: to curl `file:///a%62` is the file `/ab`, and behind
    `http://localhost:1@` is the name of another host.
    """
    words = [
        *parsed.operands,
        *((option.at, option.value or "") for option in parsed.options if option.name == "--url"),
    ]
    return [at for at, word in words if not _WEB_ADDRESS.fullmatch(word)]  # defence: addresses-of-pages


def _dangers_of_curl(parsed: Parsed) -> list[int]:
    return [*_writes_out(parsed), *_not_web(parsed)]


_METHOD = re.compile(r"--request(?:=.*)?|-[sSfLvIigGkN]*X.*", re.DOTALL)
_GH_COMMANDS = names(
    "list view diff checks status create close edit comment merge review ready reopen checkout delete fork "
    "rename sync set upload download rerun cancel enable disable lock unlock pin unpin transfer archive issues "
    "prs repos code commits login logout refresh "
)


def _for_git(parsed: Parsed) -> list[int]:
    """Find the words behind `--`, which Git gets."""
    return [] if parsed.dashes is None else [parsed.dashes]


def _gh(danger: str = "-w --web -D: --dir= -O: --output=") -> Program:
    """Make a group of commands. An option that opens a browser or writes elsewhere, and a command unknown here, has to
    be named.
    """
    return Program(
        options=Options(stops=True),
        subs=dict.fromkeys(_GH_COMMANDS, Program(options=Options(danger=danger), dangerous=_for_git)),
        plugins=True,
    )


PROGRAMS: dict[str, Program] = {
    "curl": Program(options=_CURL, strict=True, dangerous=_dangers_of_curl, once=(_METHOD,)),
    "wget": Program(options=_WGET, strict=True, dangerous=_not_web),
    "wget2": Program(options=_WGET, strict=True, dangerous=_not_web),
    "aria2c": Program(options=Options("", "-cqn -x: -s: -j: -k:"), strict=True),
    "http": Program(
        options=Options("", "-vhb --verbose --headers --body --json --form --follow --ignore-stdin"),
        strict=True,
    ),
    "ssh": ANYTHING,
    "mosh": ANYTHING,
    "autossh": ANYTHING,
    "scp": Program(options=_SCP, strict=True),
    "sftp": Program(options=Options("", "-pqrvC46 -P: -l:"), strict=True),
    "ftp": ANYTHING,
    "lftp": ANYTHING,
    "telnet": ANYTHING,
    **dict.fromkeys(("nc", "ncat", "netcat"), Program(options=Options("", "-vzulnkN46 -w: -p:"), strict=True)),
    "socat": ANYTHING,
    "openssl": Program(
        options=Options(
            "",
            "-noout -text -in= -inform= -outform= -connect= -servername= -showcerts -subject -issuer -dates -enddate "
            "-fingerprint -serial -pubkey -modulus -hex -base64 -sha256 -sha512 -a -d",
            single=True,
        ),
        strict=True,
    ),
    "nmap": Program(options=Options("", "-nvPpFTO46 -p:"), strict=True),
    "tcpdump": Program(options=Options("", "-nvqXAelDt -i: -c: -s:"), strict=True),
    "dig": Program(options=Options("", "", "-f: -k:")),
    "gh": Program(
        options=Options(stops=True),
        subs={
            **dict.fromkeys(("pr", "issue", "run", "workflow", "release", "repo", "search", "label", "gist"), _gh()),
            "auth": _gh("-t --show-token -w --web"),
            "config": Program(dangerous=stored_settings),
            **dict.fromkeys(("api", "cache", "org", "project", "status", "help", "version"), Program()),
        },
        plugins=True,
    ),
    "glab": Program(options=Options(stops=True), plugins=True),
    **dict.fromkeys(("aws", "gcloud", "az"), Program(options=Options(stops=True), plugins=True)),
}
