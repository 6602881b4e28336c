"""Whether and whom to believe at the other end of a connection, and what it means when that fails."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Final

import grpc

from xuezhan.client.errors import ClientError

CA_VARIABLE: Final = "XUEZHAN_CA_FILE"
"""The environment variable that names the CA file where a program does not."""


def credentials(ca: str | Path | None) -> grpc.ChannelCredentials | None:
    """Return with what to open channels: TLS that believes the CA file `ca`; None: without TLS, for "" or where nothing names a CA.

    Raises ClientError when the file cannot be used.
    """
    path = os.environ.get(CA_VARIABLE, "") if ca is None else str(ca)
    if not path:
        return None
    try:
        ssl.create_default_context(cafile=path)
        return grpc.ssl_channel_credentials(Path(path).read_bytes())
    except ssl.SSLError:
        raise ClientError("ca_file", f"{path} holds no certificate (PEM)") from None
    except OSError as error:
        raise ClientError("ca_file", f"{path}: {error.strerror}") from None
