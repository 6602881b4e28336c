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


class Alert(NamedTuple):
    """An alert as Prometheus holds it now."""

    name: str
    firing: bool
    labels: dict[str, str]


class Prometheus(Server):
    """A Prometheus that scrapes given addresses every second, or as it is told."""

    def __init__(
        self,
        targets: Mapping[str, Sequence[str]],
        ca: Path | None = None,
        *,
        rules: Path | None = None,
        every: str = "1s",
        paths: Mapping[str, str] | None = None,
    ) -> None:
        """Describe the server: `targets` are the addresses ("127.0.0.1:9100") of each job, scraped by TLS if a CA is given.

        `rules`: the folder of its rules. `every`: how often it scrapes and evaluates. `paths`: of jobs whose metrics are elsewhere.
        """
        super().__init__()
        self._targets = targets
        self._rules, self._every, self._paths = rules, every, paths or {}
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

    def query_range(self, expression: str, start: float, end: float, step: float) -> list[tuple[dict[str, str], list[tuple[float, float]]]]:
        """The series of a query over a time: labels, and (time, value) every `step` seconds."""
        rows = self._get("query_range", query=expression, start=str(start), end=str(end), step=str(step))["result"]
        return [(row["metric"], [(at, float(value)) for at, value in row["values"]]) for row in rows]

    def alerts(self) -> list[Alert]:
        """The alerts that fire or are about to."""
        found = self._get("alerts")["alerts"]
        return [Alert(one["labels"]["alertname"], one["state"] == "firing", one["labels"]) for one in found]

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
            "global": {"scrape_interval": self._every, "scrape_timeout": self._every, "evaluation_interval": self._every},
            "rule_files": [] if self._rules is None else [f"{self._rules}/*.yml"],
            "scrape_configs": [
                {
                    "job_name": job,
                    "metrics_path": self._paths.get(job, "/metrics"),
                    **self._scheme,
                    "static_configs": [{"targets": list(addresses)}],
                }
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
