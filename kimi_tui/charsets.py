"""Decodes text in the charset that its sender names, if it is one that web pages use.

Not every codec of Python is allowed: some are not charsets and raise, and punycode takes quadratic time.
"""

import codecs

_KNOWN = frozenset(
    {
        *("ascii", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "mac-roman"),
        *("mac-cyrillic", "cp866", "cp874", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "cp932", "cp949"),
        *("cp950", "euc_jp", "euc_kr", "iso2022_jp", "shift_jis", "tis-620"),
        *(f"iso8859-{number}" for number in (*range(1, 12), *range(13, 17))),
        *(f"cp125{digit}" for digit in range(9)),
    }
)


def decode_text(body: bytes, *charsets: str | None) -> str:
    """Decode with the first known charset of `charsets`, else as UTF-8; invalid bytes become U+FFFD."""
    for charset in charsets:
        if charset and _is_known(charset):
            return body.decode(charset, "replace")
    return body.decode("utf-8-sig", "replace")


def _is_known(charset: str) -> bool:
    try:
        return codecs.lookup(charset).name in _KNOWN  # defence: known-charsets
    except (LookupError, ValueError):
        return False
