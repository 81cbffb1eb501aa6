"""Names of files that hold secrets. Pass real paths, since a symbolic link may have a harmless name."""

import re
from fnmatch import translate
from pathlib import PurePath

_EXEMPT = ("*.example", "*.sample", "*.template", "*.pub", ".env[-_]example", ".env[-_]sample")  # defence: exempt-names
_NAMES = (
    ".env",
    ".env[._-]*",
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
    "token.json",
    "client_secret*.json",
    "*firebase-adminsdk*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.y*ml",
    "secrets.json",
    "secrets.toml",
    "shadow",
    "gshadow",
    ".credentials.json",
    "oauth_creds.json",
    ".vault-token",
    ".s3cfg",
    ".boto",
    "rclone.conf",
    ".dockercfg",
    ".dev.vars",
    "kubeconfig",
    "*.ovpn",
    "*.ppk",
    "*.tfstate",
    "*.tfvars",
    "*.tfvars.json",
    ".*_history",
)
_TEXTS_OF_SCREENS = re.compile(r"/(?:i18n|lang|langs|languages|locale|locales|messages|translations)/")
_ENDS = (
    ".aws/config",
    ".docker/config.json",
    ".kube/config",
    ".ssh/config",
    ".config/gh/hosts.yml",
    ".config/gcloud/application_default_credentials.json",
    ".terraform.d/credentials.tfrc.json",
    ".cargo/credentials.toml",
    "huggingface/token",
    ".config/gcloud/credentials.db",
    ".config/gcloud/access_tokens.db",
    "github-copilot/apps.json",
    "github-copilot/hosts.json",
    ".m2/settings.xml",
)
_WITHIN = (".gnupg", ".ssh", ".aws", ".azure", ".password-store")  # defence: folders-of-secrets
_OPEN_IN_SSH = ("known_hosts*", "authorized_keys*")
_PROCESS = re.compile(r"/proc/(?:\d+|self|thread-self)/(?:task/\d+/)?(?:environ|mem|maps|auxv)$")


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)) or r"(?!)")


_IS_EXEMPT, _IS_NAMED, _IS_OPEN_IN_SSH = _any_of(_EXEMPT), _any_of(_NAMES), _any_of(_OPEN_IN_SSH)
_ROOTED_ENDS = tuple(f"/{end}" for end in _ENDS)


def is_sensitive(path: PurePath | str) -> bool:
    """Whether the file's name marks it as a secret; case is ignored."""
    text = str(path).replace("\\", "/").lower()  # defence: names-in-any-case
    name = text.rstrip("/").rpartition("/")[2].rstrip(". ")
    if _IS_EXEMPT.match(name):
        return False
    if _IS_NAMED.match(name):
        return True
    rooted = f"/{text}"
    if name == "auth.json":  # Composer's tokens, where it is no translation
        return _TEXTS_OF_SCREENS.search(rooted) is None
    if rooted.endswith(_ROOTED_ENDS):
        return True
    if "/.ssh/" in rooted and _IS_OPEN_IN_SSH.match(name):
        return False
    return any(f"/{folder}/" in rooted for folder in _WITHIN) or _PROCESS.search(text) is not None
