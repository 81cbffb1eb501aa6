"""Names of variables, settings and fields that hold secrets."""

import re
from fnmatch import translate
from functools import lru_cache

SECRET_NAMES = (
    "*API_KEY*",
    "*APIKEY*",
    "*TOKEN*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*CREDENTIAL*",
    "*CREDS*",
    "*PRIVATE_KEY*",
    "*ACCESS_KEY*",
    "*_AUTH",
    "*_DSN",
    "DSN",
    "*_SK",
    "*_PWD",
    "*_PASS",
    "*DBPASS",
    "*SMTPPASS",
    "*_PW",
    "*_PAT",
    "*_PIN",
    "*COOKIE*",
    "*BEARER*",
    "*SIGNING_KEY*",
    "*ENCRYPTION_KEY*",
    "*_KEY",
    "*CONNECTION_STRING*",
    "*WEBHOOK*",
    "*_HEADERS",
    "*AUTHORIZATION*",
    "*AUTH_HEADER*",
    "*JWT*",
    "*MNEMONIC*",
    "*_SAS",
    "DATABASE_URL",
)
_SECRET_NAME = re.compile("|".join(map(translate, SECRET_NAMES)))
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST = 200


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a secret has such a name, in any spelling: `API_KEY`, `api-key`, `apiKey`."""
    words = _WORD_START.sub("_", name[-_LONGEST:]).replace("-", "_")
    return _SECRET_NAME.match(words.upper()) is not None
