"""A Prometheus of the tests' own."""

import contextlib
import json
import shutil
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.process import Process, wait_until
from tests.support.server import Server


class Sample(NamedTuple):
    """One series of an instant query."""

    labels: dict[str, str]
    value: float


class Prometheus(Server):
    """A Prometheus that scrapes given addresses every second."""

    def __init__(self, targets: Mapping[str, Sequence[str]], ca: Path | None = None) -> None:
        """Describe the server: `targets` are the addresses ("127.0.0.1:9100") of each job, scraped by TLS if a CA is given."""
        super().__init__()
        self._targets = targets
        self._scheme: dict[str, Any] = {} if ca is None else {"scheme": "https", "tls_config": {"ca_file": str(ca)}}

    @classmethod
    def missing(cls) -> str | None:
        """What must be installed first; None when nothing."""
        return None if shutil.which("prometheus") else "Prometheus (Debian: apt-get install prometheus)"

    def wait_scraped(self, *, seconds: float = 30) -> None:
        """Return once every target has been scraped (Prometheus takes its targets up every five seconds)."""

        def scraped() -> bool:
            errors = self.scrape_errors().values()
            return len(errors) == sum(map(len, self._targets.values())) and "not yet" not in errors

        wait_until(scraped, seconds=seconds, what="every target scraped")

    def query(self, expression: str) -> list[Sample]:
        """The result of an instant query that gives a vector."""
        rows = self._get("query", query=expression)["result"]
        return [Sample(row["metric"], float(row["value"][1])) for row in rows]

    def scrape_errors(self) -> dict[str, str]:
        """What was wrong with the last scrape of each target ("" when nothing); a target not scraped yet says "not yet"."""
        targets = self._get("targets", state="active")["activeTargets"]
        return {target["scrapeUrl"]: "not yet" if target["health"] == "unknown" else target["lastError"] for target in targets}

    def _get(self, path: str, **parameters: str) -> dict[str, Any]:
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            data: dict[str, Any] = json.load(answer)["data"]
            return data

    def _prepare(self) -> Process:
        config = {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "scrape_configs": [
                {"job_name": job, **self._scheme, "static_configs": [{"targets": list(addresses)}]}
                for job, addresses in self._targets.items()
            ],
        }
        (self.folder / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
        command = [
            "prometheus",
            f"--config.file={self.folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={self.folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{self.port}",
        ]
        return Process(command, log=self.folder / "log", cwd=self.folder)

    def _ready(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=5) as answer:
            return bool(answer.status == 200)
        return False
