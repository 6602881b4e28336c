"""Draw the dashboards from a Prometheus, as pictures: `python -m tools.dashboards.draw http://127.0.0.1:9090 --out pictures`.

Where no Grafana is at hand, one sees what its dashboards would show.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.dates import DateFormatter, MinuteLocator
from matplotlib.figure import Figure

from tools.dashboards.boards import BOARDS
from tools.dashboards.panels import Board, Panel

_WIDE: Final = 24
_POINTS: Final = 180
_LETTERS: Final = 32
_SHORT: Final = 22
"""Of legends that three stand beside one another of."""
_GOOD, _BAD, _PLAIN = "#2e8b57", "#c0392b", "#34495e"
_DPI: Final = 80
_HIGH: Final = 2.9
"""Of a graph with its legend, in inches."""
_LEGEND_ROWS: Final = 4
_TICKS: Final = 8


class Line(NamedTuple):
    """A series: its legend, and when it was what."""

    legend: str
    points: list[tuple[float, float]]


Ask = Callable[[str, float, float, float], Sequence[tuple[dict[str, str], list[tuple[float, float]]]]]
"""Answers a query over a time: (expression, start, end, step) -> labels and (time, value) of each series."""


def asking(url: str) -> Ask:
    """Return what asks the Prometheus at a URL."""

    def ask(expression: str, start: float, end: float, step: float) -> list[tuple[dict[str, str], list[tuple[float, float]]]]:
        asked = urllib.parse.urlencode({"query": expression, "start": start, "end": end, "step": step})
        with urllib.request.urlopen(f"{url}/api/v1/query_range?{asked}", timeout=30) as answer:  # noqa: S310 - the URL is ours
            rows = json.load(answer)["data"]["result"]
        return [(row["metric"], [(at, float(value)) for at, value in row["values"]]) for row in rows]

    return ask


def plain(expression: str) -> str:
    """Return a query without variables: all of each."""
    return re.sub(r"\$(\w+)", ".*", expression)


def lines(panel: Panel, ask: Ask, start: float, end: float) -> list[Line]:
    """Return what a panel shows of a time."""
    step = max(1.0, (end - start) / _POINTS)
    found = []
    for query in panel.queries:
        for labels, points in ask(plain(query.expr), start, end, step):
            legend = re.sub(r"{{(\w+)}}", lambda match, labels=labels: labels.get(match[1], ""), query.legend)  # type: ignore[misc]
            found.append(Line(legend, [(at, value) for at, value in points if not math.isnan(value)]))
    return [line for line in found if line.points]


def shown(value: float, unit: str) -> str:
    """Return a number as people read it."""
    if unit == "s":
        return f"{value * 1000:.0f} ms" if 0 < abs(value) < 1 else f"{value:.0f} s" if value < 600 else f"{value / 60:.0f} min"
    if unit == "bytes":
        return f"{value / 2**20:.0f} MiB"
    if unit == "percentunit":
        return f"{value * 100:.0f} %"
    number = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2g}"
    return f"{number}/s" if unit == "ops" else number


def draw(board: Board, ask: Ask, file: Path, *, minutes: float = 30, end: float | None = None, note: str = "") -> None:
    """Draw one dashboard of the last `minutes` into a PNG."""
    end = time.time() if end is None else end
    start = end - minutes * 60
    heights = [1.3 if panels[0].stat else _HIGH * math.ceil(sum(panel.wide for panel in panels) / _WIDE) for _, panels in board.rows]
    figure = plt.figure(figsize=(15, sum(heights) + 0.5 * len(heights) + 0.8), dpi=_DPI)
    total = figure.get_figheight()
    figure.text(0.01, 1 - 0.35 / total, f"{board.title}   {note}", fontsize=15, fontweight="bold")
    top = total - 0.7
    for (heading, panels), height in zip(board.rows, heights, strict=True):
        figure.text(0.01, (top - 0.12) / total, heading, fontsize=11, color="#555555")
        top -= 0.3
        _row(figure, panels, lambda panel: lines(panel, ask, start, end), top, (start, end))
        top -= height + 0.2
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)
    plt.close(figure)


def _row(figure: Figure, panels: Sequence[Panel], read: Callable[[Panel], list[Line]], top: float, span: tuple[float, float]) -> None:
    total = figure.get_figheight()
    across = down = 0
    high = 1.1 if panels[0].stat else _HIGH
    for panel in panels:
        if across + panel.wide > _WIDE:
            across, down = 0, down + 1
        left = 0.01 + 0.98 * across / _WIDE
        wide = 0.98 * panel.wide / _WIDE
        bottom = top - (down + 1) * high
        found = read(panel)
        if panel.stat:
            _number(figure.add_axes((left + 0.003, bottom / total, wide - 0.006, high / total)), panel, found)
        else:
            _graph(figure.add_axes((left + 0.03, (bottom + 0.8) / total, wide - 0.04, (high - 1.15) / total)), panel, found, span)
        across += panel.wide


def _is_bad(panel: Panel, value: float) -> bool:
    return panel.bad is not None and (value < panel.bad if panel.low else value >= panel.bad)


def _number(axes: Any, panel: Panel, found: Sequence[Line]) -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    last = [line.points[-1][1] for line in found]
    worst = (min(last) if panel.low else max(last)) if last else None
    color = _PLAIN if panel.bad is None else _BAD if worst is None or _is_bad(panel, worst) else _GOOD
    axes.set_facecolor(color)
    text = "no data" if worst is None else shown(worst, panel.unit)
    axes.text(0.5, 0.42, text, ha="center", va="center", fontsize=18, color="white", fontweight="bold")
    axes.text(0.5, 0.86, panel.title, ha="center", va="center", fontsize=9, color="white")


def _graph(axes: Any, panel: Panel, found: Sequence[Line], span: tuple[float, float]) -> None:
    axes.set_title(panel.title, fontsize=10, loc="left")
    axes.set_xlim(*(datetime.fromtimestamp(at, UTC) for at in span))
    axes.xaxis.set_major_locator(MinuteLocator(interval=math.ceil((span[1] - span[0]) / 60 / _TICKS)))  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(DateFormatter("%H:%M"))  # type: ignore[no-untyped-call]
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, alpha=0.3)
    if not found:
        axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center", color=_BAD, fontsize=13)
        return
    for line in sorted(found, key=lambda line: _is_over(line, span)):
        points = _with_gaps(line.points, (span[1] - span[0]) / _POINTS)
        times = [datetime.fromtimestamp(at, UTC) for at, _ in points]
        now = "no more" if _is_over(line, span) else shown(line.points[-1][1], panel.unit)
        axes.plot(times, [value for _, value in points], linewidth=1.4, label=f"{line.legend[:_LETTERS]} {now}")
    if panel.bad is not None:
        axes.axhline(panel.bad, color=_BAD, linewidth=0.8, linestyle="--")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: shown(value, panel.unit))
    handles, labels = axes.get_legend_handles_labels()
    columns = 2 if max(map(len, labels)) > _SHORT else 3
    kept = _LEGEND_ROWS * columns
    axes.legend(handles[:kept], labels[:kept], fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns, frameon=False)


def _is_over(line: Line, span: tuple[float, float]) -> bool:
    return line.points[-1][0] < span[1] - 30


def _with_gaps(points: Sequence[tuple[float, float]], step: float) -> list[tuple[float, float]]:
    """Return the points with something that is not drawn wherever there was nothing."""
    found: list[tuple[float, float]] = []
    for at, value in points:
        if found and at - found[-1][0] > 1.5 * max(1.0, step):
            found.append((at, math.nan))
        found.append((at, value))
    return found


def main() -> None:
    """Draw all dashboards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prometheus", help="its URL")
    parser.add_argument("--out", type=Path, default=Path("pictures"), help="the folder of the pictures")
    parser.add_argument("--minutes", type=float, default=30, help="how far back they go")
    asked = parser.parse_args()
    for board in BOARDS:
        draw(board, asking(asked.prometheus), asked.out / f"{board.name}.png", minutes=asked.minutes)


if __name__ == "__main__":
    main()
