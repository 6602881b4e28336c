"""Programs of Node, installed apart from the project from their own lock file and run as children of the bench."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from bench import rig
from bench.processes import Child

SOURCES: Final = Path(__file__).parent / "node"
_COMPLETE: Final = "complete"
_INSTALL_SECONDS: Final = 300
_UNREACHABLE: Final = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|E40[1347]|E5\d\d"
)
"""What npm says when its registry cannot be had."""


class NotHereError(Exception):
    """The machine lacks what a peer needs; the message says what."""


class InstallError(Exception):
    """npm failed though its registry answered; the message ends with what it printed."""


def install() -> Path:
    """Return a folder with our programs and the packages of the lock file, made once for each version of it.

    Raises NotHereError without Node or where npm's registry cannot be had, InstallError where npm fails otherwise.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NotHereError("no node")
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    for path in SOURCES.iterdir():
        shutil.copy(path, folder)
    if not is_installed():
        _npm_ci(npm, folder)
        (folder / _COMPLETE).touch()
    return folder


def is_installed() -> bool:
    """Whether there is Node, and the packages are there."""
    return shutil.which("node") is not None and (_folder() / _COMPLETE).exists()


def _folder() -> Path:
    """Return where the packages of this lock file go: beside the environment's own."""
    asked = b"".join((SOURCES / name).read_bytes() for name in ("package.json", "package-lock.json"))
    return Path(sys.prefix) / "bench-peers" / hashlib.sha256(asked).hexdigest()[:16]


def _npm_ci(npm: str, folder: Path) -> None:
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise NotHereError(f"npm installed nothing within {_INSTALL_SECONDS} s") from None
    if done.returncode:
        found = _UNREACHABLE.search(done.stderr)
        if found is not None:
            raise NotHereError(f"npm's registry cannot be had ({found.group()})")
        raise InstallError(done.stderr[-3000:])


def node_version() -> str:
    """Return the version of the machine's Node."""
    return subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def package_version(package: str) -> str:
    """Return the version of a package in the lock file."""
    lock = json.loads((SOURCES / "package-lock.json").read_text("utf-8"))
    return str(lock["packages"][f"node_modules/{package}"]["version"])


class NodeChild(Child):
    """A program of Node as a child on one core."""

    def __init__(self, program: Path, core: int, log: Path, **settings: Any) -> None:
        # Node cannot choose its core: it inherits ours.
        with rig.on_core(core):
            super().__init__(str(program), core, log, **settings)

    def _command(self, module: str, _core: int, settings: dict[str, Any]) -> list[str]:
        return ["node", module, json.dumps(settings)]
