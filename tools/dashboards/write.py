"""Write the dashboards' files: `python -m tools.dashboards.write`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tools.dashboards.boards import BOARDS
from tools.dashboards.panels import GAME, JOB, SERVER, TIER, Board, Panel

FOLDER: Final = Path(__file__).parents[2] / "deploy" / "grafana" / "dashboards"
_SOURCE: Final = {"type": "prometheus", "uid": "prometheus"}
_VARIABLES: Final = {
    GAME: "label_values(xuezhan_table_turn_seconds, game)",
    TIER: 'label_values(xuezhan_table_turn_seconds{game=~"$game"}, tier)',
    JOB: 'label_values(up{job=~"table|matchmaking|settlement|settlement-worker"}, job)',
    SERVER: 'label_values(up{job=~"$job"}, instance)',
}
_COLUMNS: Final = 24
_HIGH: Final = {True: 4, False: 8}


def text_of(board: Board) -> str:
    """Return the file of a dashboard."""
    return json.dumps(_board(board), ensure_ascii=False, indent=1) + "\n"


def _board(board: Board) -> dict[str, Any]:
    return {
        "uid": f"xuezhan-{board.name}",
        "title": board.title,
        "description": board.says,
        "tags": ["xuezhan"],
        "timezone": "browser",
        "refresh": "5s",
        "schemaVersion": 39,
        "time": {"from": "now-30m", "to": "now"},
        "links": [{"type": "dashboards", "tags": ["xuezhan"], "title": "", "asDropdown": False, "keepTime": True}],
        "templating": {"list": [_variable(name) for name in board.variables]},
        "panels": list(_panels(board)),
    }


def _variable(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": _VARIABLES[name], "refId": name},
        "refresh": 2,
        "includeAll": True,
        "multi": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
    }


def _panels(board: Board) -> Iterator[dict[str, Any]]:
    number = down = 0
    for heading, panels in board.rows:
        number += 1
        yield {"id": number, "type": "row", "title": heading, "collapsed": False, "gridPos": {"h": 1, "w": _COLUMNS, "x": 0, "y": down}}
        down += 1
        across = 0
        for panel in panels:
            high = _HIGH[panel.stat]
            if across + panel.wide > _COLUMNS:
                across, down = 0, down + high
            number += 1
            yield _panel(number, panel, {"h": high, "w": panel.wide, "x": across, "y": down})
            across += panel.wide
        down += _HIGH[panels[-1].stat]


def _panel(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    defaults: dict[str, Any] = {"unit": "none" if panel.unit == "coins" else panel.unit, "noValue": "no data"}
    if panel.bad is not None:
        first, then = ("red", "green") if panel.low else ("green", "red")
        defaults["thresholds"] = {"mode": "absolute", "steps": [{"color": first, "value": None}, {"color": then, "value": panel.bad}]}
    else:
        defaults["thresholds"] = {"mode": "absolute", "steps": [{"color": "text", "value": None}]}
    if not panel.stat:
        defaults |= {"min": 0, "custom": {"lineWidth": 1, "fillOpacity": 5, "spanNulls": False}}
        if panel.bad is not None:
            defaults["custom"]["thresholdsStyle"] = {"mode": "line"}
    options: dict[str, Any] = {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}}
    if panel.stat:
        options = {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "background" if panel.bad is not None else "value"}
    targets = [
        {"refId": chr(ord("A") + place), "expr": query.expr, "legendFormat": query.legend or "__auto", "datasource": _SOURCE}
        for place, query in enumerate(panel.queries)
    ]
    return {
        "id": number,
        "type": "stat" if panel.stat else "timeseries",
        "title": panel.title,
        "description": panel.says,
        "datasource": _SOURCE,
        "gridPos": place,
        "targets": targets,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
    }


def main() -> None:
    """Write all files, and remove those of dashboards that are no more."""
    for file in FOLDER.glob("*.json"):
        file.unlink()
    for board in BOARDS:
        (FOLDER / f"{board.name}.json").write_text(text_of(board), encoding="utf-8")


if __name__ == "__main__":
    main()
