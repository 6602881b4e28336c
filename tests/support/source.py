"""The files of the project itself, for tests about the house."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def project_files(*patterns: str) -> list[Path]:
    """Paths of all files that are, or are about to be, in version control; `patterns` as git understands them."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())
