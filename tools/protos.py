"""Generates `xuezhan/api/` from `protos/`: messages, gRPC stubs and, where mypy-protobuf is installed, their type stubs.

Files that did not change are left alone, so that a running process or a type checker's cache is not disturbed.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
GENERATED = Path("xuezhan/api")
PACKAGE_DOC = '"""Generated from protos/ by tools/protos.py; not edited."""\n'


def main() -> int:
    """Generate everything anew; returns the exit status."""
    # What stands beside ours is for programmers of clients: here it is a library's.
    sources = sorted(str(path.relative_to(PROTOS)) for path in (PROTOS / "xuezhan").rglob("*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        status = protoc.main(["protoc", *_arguments(fresh), *sources])
        if status == 0:
            _add_packages(fresh / GENERATED)
            _sync(fresh / GENERATED, ROOT / GENERATED)
        return int(status)


def _arguments(out: Path) -> list[str]:
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    arguments = [f"--proto_path={PROTOS}", f"--proto_path={well_known}", f"--python_out={out}", f"--grpc_python_out={out}"]
    for plugin, options in (("mypy", "quiet"), ("mypy_grpc", "quiet,only_async")):
        program = Path(sys.executable).parent / f"protoc-gen-{plugin}"
        if program.exists():
            arguments += [f"--plugin=protoc-gen-{plugin}={program}", f"--{plugin}_out={options}:{out}"]
    return arguments


def _add_packages(top: Path) -> None:
    for folder in [top, *(path for path in top.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").write_text(PACKAGE_DOC)


def _sync(fresh: Path, kept: Path) -> None:
    wanted = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    for path in sorted(wanted):
        target = kept / path
        if not target.exists() or target.read_bytes() != (fresh / path).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(fresh / path, target)
    for target in kept.rglob("*.py*"):
        if target.is_file() and "__pycache__" not in target.parts and target.relative_to(kept) not in wanted:
            target.unlink()


if __name__ == "__main__":
    sys.exit(main())
