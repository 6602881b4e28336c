"""The files of the project itself, for tests about the house: listed by git in a checkout, read from the folders elsewhere."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from pathspec import GitIgnoreSpec

ROOT = Path(__file__).resolve().parent.parent.parent
_NOT = ":!"


def project_files(*patterns: str) -> list[Path]:
    """Paths of all files that are, or are about to be, in version control; `patterns` as git understands them."""
    listed = listed_by_git if (ROOT / ".git").exists() else listed_by_tree
    return listed(ROOT, patterns)


def listed_by_git(root: Path, patterns: Sequence[str] = ()) -> list[Path]:
    """Ask git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return sorted(path for name in listed.split("\0") if name and (path := root / name).is_file())


def listed_by_tree(root: Path, patterns: Sequence[str] = ()) -> list[Path]:
    """Read the folders, without what the root's .gitignore names."""
    wanted = [pattern for pattern in patterns if not pattern.startswith(_NOT)] or ["*"]
    unwanted = [pattern.removeprefix(_NOT) for pattern in patterns if pattern.startswith(_NOT)]
    names = (path.relative_to(root).as_posix() for path in _walk(root))
    return sorted(root / name for name in names if _fits(name, wanted) and not _fits(name, unwanted))


def _walk(root: Path) -> Iterator[Path]:
    ignored = GitIgnoreSpec.from_lines([".git", *(root / ".gitignore").read_text().splitlines()])
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = [name for name in folders if not ignored.match_file(f"{(here / name).relative_to(root).as_posix()}/")]
        yield from (path for name in files if not ignored.match_file((path := here / name).relative_to(root).as_posix()))


def _fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether git would take a name as one of these: a star stands for slashes too, and a folder for all that is in it."""
    return any(fnmatchcase(name, pattern) or name.startswith(f"{pattern.rstrip('/')}/") for pattern in patterns)
