"""What a role's folder may hold besides its keys: where its database and broker are, its certificate, and whom it believes.

So a part needs to be told of nothing but its folder. Whatever is set goes before what stands there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

DATABASE: Final = "database.url"
BROKER: Final = "broker.url"
CERTIFICATE: Final = "tls.pem"
CERTIFICATE_KEY: Final = "tls.key"
CA: Final = "ca.pem"

_SETTINGS: Final = (
    (("database_url_file",), (DATABASE,), ("database_url", "database_url_file")),
    (("broker_url_file",), (BROKER,), ("broker_url", "broker_url_file")),
    (
        ("tls_certificate_file", "tls_key_file"),
        (CERTIFICATE, CERTIFICATE_KEY),
        ("tls_certificate_file", "tls_key_file"),
    ),
    (("ca_file",), (CA,), ("ca_file",)),
)
"""Settings, the files that they are in, and the settings by which one says otherwise."""


def settings(folder: Path, given: Mapping[str, Any]) -> dict[str, Path]:
    """Return the settings that are found in a role's folder and are not given. All files of a row, or none."""
    found: dict[str, Path] = {}
    for names, files, others in _SETTINGS:
        paths = [folder / file for file in files]
        # os.path: it says no of what may not be looked at, where pathlib raises.
        if not any(name in given for name in others) and all(map(os.path.exists, paths)):
            found |= zip(names, paths, strict=True)
    return found
