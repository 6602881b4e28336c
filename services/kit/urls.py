"""URLs of databases and brokers, which hold passwords: read from where `ps` does not show them, checked, and never repeated.

Law: a password is never in an error or a log line.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

from services.kit import key_files
from services.kit.secrets import SecretsError

DATABASES: Final = {"sqlite": "sqlite:///PATH", "postgresql": "postgresql://...", "postgresql+psycopg": ""}
BROKERS: Final = {"memory": "memory://", "amqp": "amqp://...", "amqps": "amqps://..."}
"""Schemes, and how each is told of."""
_MAX_CHARS: Final = 4096
_STDIN: Final = Path("-")
_PASSWORD: Final = re.compile(r"(\w://[^\s:/@]*):[^\s]+@")


def without_passwords(text: str) -> str:
    """Return a text with the passwords of all URLs in it left out."""
    return _PASSWORD.sub(r"\1:***@", text)


def read_url(path: Path) -> str:
    """Return the URL in a file, or on standard input for `-`. Raises ValueError when there is none, or the file is somebody else's.

    Says so on standard error when others may read the file.
    """
    if path != _STDIN and path.is_file():
        try:
            complaint = key_files.check_beside(path)
        except SecretsError as error:
            raise ValueError(str(error)) from None
        if complaint:
            sys.stderr.write(f"xuezhan: {complaint}\n")
    try:
        text = (sys.stdin.read(_MAX_CHARS + 1) if path == _STDIN else path.read_text("utf-8")).strip()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: it is not UTF-8") from None
    if not text or len(text) > _MAX_CHARS or len(text.split()) != 1:
        raise ValueError(f"{path}: one line with a URL is needed")
    return text


def checked(url: str, schemes: Mapping[str, str]) -> str:
    """Return a URL of one of these schemes. Raises ValueError, which does not repeat it."""
    if url.partition("://")[0] not in schemes:
        raise ValueError("neither " + " nor ".join(filter(None, schemes.values())))
    try:
        parts = urlsplit(url)
        # Looking at the port reads it.
        readable = parts.netloc.count("@") <= 1 and parts.port != 0
    except ValueError:
        readable = False
    if not readable:
        raise ValueError("no URL that can be read: write %2F for /, %40 for @ and %23 for # in a password")
    return url


def with_ca(url: str, ca_file: Path | None) -> str:
    """Return a URL that says which CA to believe, where it asks for TLS and does not say so itself."""
    scheme = url.partition("://")[0]
    parameter = "cacertfile" if scheme == "amqps" else "sslrootcert"
    wanted = scheme == "amqps" or (scheme.startswith("postgresql") and "sslmode=verify-" in url)
    if ca_file is None or not wanted or f"{parameter}=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}{parameter}={quote(str(ca_file))}"
