"""What ran on what."""

from __future__ import annotations

import os
import platform
import sqlite3
import tempfile
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final

_PACKAGES: Final = ("grpcio", "protobuf", "uvloop", "kombu", "celery", "psycopg", "sqlalchemy", "pydantic", "mahjong", "rlcard", "numpy")


def ran_on() -> dict[str, Any]:
    """Return what a figure depends on: processor, system, versions, how busy the machine was with other things."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.release()}",
        "data_on": f"{tempfile.gettempdir()} ({_file_system(Path(tempfile.gettempdir()))})",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "load_before": os.getloadavg()[0],
    }


def cores() -> list[int]:
    """Return the processor cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


def text(about: dict[str, Any]) -> str:
    """Return it in a few lines."""
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    return (
        f"{about['processor']}, {len(about['cores'])} cores, load {about['load_before']:.1f} before; {about['system']}\n"
        f"data on {about['data_on']}; "
        f"{about['python']}, SQLite {about['sqlite']}, {packages}\n{about['at']}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _file_system(path: Path) -> str:
    """Return the kind of file system a folder is on: what a durable write costs depends on it."""
    found, kind = "", "unknown"
    for line in Path("/proc/mounts").read_text("utf-8").splitlines():
        _device, mounted, name, *_ = line.split()
        if path.is_relative_to(mounted) and len(mounted) > len(found):
            found, kind = mounted, name
    return kind
