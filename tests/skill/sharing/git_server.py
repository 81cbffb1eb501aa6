"""A server of Git repositories over https on loopback, and a stand-in for ssh, as the hosts that users name."""

import datetime
import http.server
import ipaddress
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@contextmanager
def git_server(repositories: Path, folder: Path, *hosts: str) -> Iterator[dict[str, str]]:
    """Serve the bare repositories below `repositories` as each of the hosts; yields Git's variables for a user who
    trusts the certificate. `folder` keeps what is made.
    """
    certificate = _certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, repositories))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, name="git server")
    thread.start()
    config, ssh = folder / "gitconfig", folder / "ssh"
    here = f"https://127.0.0.1:{server.server_port}/"
    config.write_text("".join(f'[url "{here}"]\n\tinsteadOf = https://{host}/\n' for host in hosts))
    ssh.write_text(f"#!/bin/sh\nfor last; do :; done\ncd '{repositories}' && exec sh -c \"$last\"\n")
    ssh.chmod(0o700)
    try:
        yield {"GIT_CONFIG_GLOBAL": str(config), "GIT_SSL_CAINFO": str(certificate), "GIT_SSH_COMMAND": str(ssh)}
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    """Passes requests to `git http-backend`."""

    def __init__(self, repositories: Path, *args: object) -> None:
        self._repositories = repositories
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        env = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self._repositories), "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query, "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }  # fmt: skip
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in (*fields.items(), ("Content-Length", str(len(content)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def log_message(self, *args: object) -> None:
        """Nothing: pytest's output is for failures."""


def _certificate(folder: Path) -> Path:
    """A certificate of its own for 127.0.0.1, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "certificate.pem"
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file
