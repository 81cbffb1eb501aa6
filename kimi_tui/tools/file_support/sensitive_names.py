"""Names of files that hold secrets. Pass real paths, since a symbolic link may have a harmless name."""

import re
from fnmatch import fnmatchcase
from pathlib import PurePath

_EXEMPT = ("*.example", "*.sample", "*.template", "*.pub")  # defence: exempt-names
_NAMES = (
    ".env",
    ".env.*",
    "*.env",  # defence: list-of-secrets
    ".envrc",
    "id_rsa*",
    "id_ed25519*",
    "id_ecdsa*",
    "id_dsa*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.keystore",
    "*.jks",
    "*.kdbx",
    ".npmrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".pypirc",
    ".htpasswd",
    "credentials",
    "credentials.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.y*ml",
    "secrets.json",
    "secrets.toml",
    "shadow",
    "gshadow",
)
_ENDS = (
    ".aws/config",
    ".docker/config.json",
    ".kube/config",
    ".ssh/config",
    ".config/gh/hosts.yml",
    ".config/gcloud/application_default_credentials.json",
    ".terraform.d/credentials.tfrc.json",
    ".cargo/credentials.toml",
)
_WITHIN = (".gnupg",)
_PROCESS = re.compile(r"/proc/(?:\d+|self|thread-self)/(?:task/\d+/)?(?:environ|mem|maps|auxv)$")


def is_sensitive(path: PurePath | str) -> bool:
    """Whether the file's name marks it as a secret; case is ignored."""
    text = str(path).replace("\\", "/").lower()  # defence: names-in-any-case
    name = text.rstrip("/").rpartition("/")[2].rstrip(". ")
    if any(fnmatchcase(name, pattern) for pattern in _EXEMPT):
        return False
    if any(fnmatchcase(name, pattern) for pattern in _NAMES):
        return True
    rooted = f"/{text}"
    if any(rooted.endswith(f"/{end}") for end in _ENDS):
        return True
    return any(f"/{folder}/" in rooted for folder in _WITHIN) or _PROCESS.search(text) is not None
