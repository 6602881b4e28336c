"""Law: one `make` for everything, and it explains itself."""

import re
import subprocess

from tests.support.source import ROOT


def test_make_help_explains_every_target() -> None:
    targets = set(re.findall(r"^\.PHONY: (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE))
    printed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    explained = set(re.findall(r"^ +make (\S+) +\S", printed, re.MULTILINE))
    assert explained == targets
    assert {"help", "env", "run", "test", "lint", "bench"} <= targets
