"""Say by the exit status whether the part in this container serves: 0 if it does. For health checks.

usage: healthy.py rpc PORT        matchmaking, a table server or settlement, as its own health service says
       healthy.py metrics PORT    a worker, which has no other port

By TLS where there is a CA: ca.pem in the role's folder that XUEZHAN_SECRETS names, or XUEZHAN_CA_FILE.
"""

from __future__ import annotations

import os
import ssl
import sys
import urllib.request
from pathlib import Path
from typing import Final

SECONDS: Final = 4.0


def rpc_serves(port: int, ca: Path | None) -> bool:
    """Ask the health service."""
    import grpc  # noqa: PLC0415 - the other way does without
    from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415

    where = f"localhost:{port}"
    secure = ca is not None
    channel = grpc.secure_channel(where, grpc.ssl_channel_credentials(ca.read_bytes())) if secure else grpc.insecure_channel(where)
    try:
        answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=SECONDS)
    except grpc.RpcError:
        return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def metrics_serve(port: int, ca: Path | None) -> bool:
    """Read the metrics: they say what keeps the part from serving."""
    context = None if ca is None else ssl.create_default_context(cafile=str(ca))
    url = f"{'http' if ca is None else 'https'}://localhost:{port}/metrics"
    try:
        with urllib.request.urlopen(url, timeout=SECONDS, context=context) as answer:  # noqa: S310 - it is one of these two
            lines = answer.read().decode().splitlines()
    except OSError:
        return False
    return not any(line.startswith("xuezhan_part_serving_faults{") and float(line.split()[-1]) > 0 for line in lines)


def main() -> int:
    """Return the exit status."""
    way, port = sys.argv[1], int(sys.argv[2])
    ca = Path(os.environ.get("XUEZHAN_CA_FILE") or Path(os.environ["XUEZHAN_SECRETS"], "ca.pem"))
    serves = {"rpc": rpc_serves, "metrics": metrics_serve}[way]
    return 0 if serves(port, ca if ca.is_file() else None) else 1


if __name__ == "__main__":
    sys.exit(main())
