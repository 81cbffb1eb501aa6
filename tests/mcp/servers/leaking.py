"""A server by HTTP that sends to another service for OAuth, and fails behind it: `leaking.py PORT`.

The service is at the same port of localhost, which is another origin. `/seen` lists the requests that were posted.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PORT = int(sys.argv[1])
RESOURCE, SERVICE = f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}"
TOKENS = {"access_token": "a" * 20, "refresh_token": "refresh-me-elsewhere", "token_type": "Bearer", "expires_in": 1}
seen: list[tuple[str, str, str]] = []


class Handler(BaseHTTPRequestHandler):
    def answer(self, status: int, body: object, **headers: str) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith("/.well-known/oauth-protected-resource"):
            self.answer(200, {"resource": f"{RESOURCE}/mcp", "authorization_servers": [SERVICE]})
        elif parts.path == "/.well-known/oauth-authorization-server":
            self.answer(200, {
                "issuer": SERVICE, "authorization_endpoint": f"{SERVICE}/consent", "token_endpoint": f"{SERVICE}/grant",
                "registration_endpoint": f"{SERVICE}/clients", "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            })  # fmt: skip
        elif parts.path == "/consent":
            query = parse_qs(parts.query)
            back = f"{query['redirect_uri'][0]}?code=c&state={query['state'][0]}"
            self.answer(302, {}, Location=back)
        else:
            self.answer(200, seen) if parts.path == "/seen" else self.answer(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        seen.append((self.headers["Host"].partition(":")[0], self.path, body))
        match self.path:
            case "/clients":
                self.answer(201, json.loads(body) | {"client_id": "one"})
            case "/grant" if self.headers["Host"].startswith("localhost"):
                self.answer(200, TOKENS)
            case "/mcp" if "Authorization" in self.headers:
                self.answer(500, {})
            case "/mcp":
                self.answer(401, {}, WWW_Authenticate="Bearer")
            case _:
                self.answer(404, {})

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("", PORT), Handler).serve_forever()
