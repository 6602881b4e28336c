"""What a dashboard is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SERVER: Final = "server"
JOB: Final = "job"
GAME: Final = "game"
TIER: Final = "tier"


@dataclass(frozen=True)
class Query:
    """A query in PromQL. `legend`: what to call a series, with {{label}} for its labels."""

    expr: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """One panel. `bad`: from this value on it is red, or below it where `low`. `unit`: of Grafana, or coins.

    `idle`: it shows something only while tables are played.
    """

    title: str
    queries: tuple[Query, ...]
    unit: str = "short"
    says: str = ""
    bad: float | None = None
    low: bool = False
    stat: bool = False
    wide: int = 8
    idle: bool = True


@dataclass(frozen=True)
class Board:
    """One dashboard: rows of panels, each row with a heading. `variables`: names of labels that one can choose among."""

    name: str
    title: str
    says: str
    rows: tuple[tuple[str, tuple[Panel, ...]], ...]
    variables: tuple[str, ...] = ()

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels, in order."""
        return tuple(panel for _, panels in self.rows for panel in panels)


def stat(
    title: str, expr: str, *, bad: float | None = None, low: bool = False, unit: str = "short", says: str = "", legend: str = ""
) -> Panel:
    """Return a panel with one number a series, of now."""
    return Panel(title, (Query(expr, legend),), unit, says, bad, low, stat=True, wide=4)


def graph(title: str, *queries: tuple[str, str], unit: str = "short", says: str = "", bad: float | None = None, idle: bool = True) -> Panel:
    """Return a panel with lines over time, each query with its legend."""
    return Panel(title, tuple(Query(expr, legend) for expr, legend in queries), unit, says, bad, idle=idle)
