"""What clients are really sent, against a model of what each seat may know, rebuilt from the published record alone."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.installation import Embedded, report, trace_lines
from tests.secrecy.audit import audit

pytestmark = pytest.mark.timeout(300)

Lines = list[dict[str, Any]]
Traced = list[tuple[list[dict[str, Any]], Lines]]


ROOMS = """
[all]
claim_window_ms = 0
contribution_seconds = 1
break_seconds = 0.3
bots = { pause_ms = 0 }
[[room]]
game = "crazy_xuezhan"
id = "mayou"
name = "麻友"
base = 1
[[room]]
game = "happy_sichuan"
id = "open"
name = "不封顶"
base = 1
[[room]]
game = "kaxinwu"
id = "coins"
name = "金币场"
base = 1
[[room]]
game = "kaxinwu"
id = "points"
name = "积分场"
base = 0
lock = 0
hands = 2
players = 3
options = { three_suits = true, must_kong = true }
[[room]]
game = "crazy_duel"
id = "beginner"
name = "初级场"
players = 2
hands = 2
base = 100
lock = 10_000
"""
RUNS = {"random": ("--tables", 24, "--hands", 1), "greedy": ("--tables", 20, "--hands", 2, "--room", "kaxinwu/points", "--leave", 0.001)}
GAMES = ("crazy_xuezhan", "happy_sichuan", "kaxinwu", "crazy_duel")
MAHJONG = GAMES[:3]


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Traced:
    """Records and traces of some tables, whose players know their game or do not."""
    folder = tmp_path_factory.mktemp("secrecy")
    rooms = folder / "rooms.toml"
    rooms.write_text(ROOMS)
    found: Traced = []
    with Embedded(folder, "--rooms", rooms) as up:
        for bots, options in RUNS.items():
            with up.load("--bots", bots, *options, "--traces", folder / bots, game=",".join(GAMES)) as load:
                assert report(load, seconds=120)["ok"]
            traces = trace_lines(folder / bots)
            found += zip(up.records([table for table, _ in traces]), [lines for _, lines in traces], strict=True)
    return found


def test_every_seat_is_told_exactly_what_the_record_says_it_may_know(traced: Traced) -> None:
    hands = Counter(record["game"] for records, _ in traced for record in records)
    assert min(hands[game] for game in GAMES) >= 16
    assert [finding for records, lines in traced for finding in audit(records, lines)] == []


def _reveal_a_draw(lines: Lines) -> None:
    """A draw of another seat with its tile."""
    own = next(line for line in lines if line.get("event") == "drew" and "tile" in line["what"])
    other = next(line for line in lines if line["seat"] != own["seat"] and line.get("event") == "drew" and "tile" not in line["what"])
    other["what"]["tile"] = own["what"]["tile"]


def _leave_a_gap(lines: Lines) -> None:
    """An event that a seat was not sent though it was counted."""
    lines.remove([line for line in lines if line["seat"] == 0 and line.get("event") == "discarded"][3])


def _ask_one_more(lines: Lines) -> None:
    """An offer about somebody's discard to a seat that could not claim it."""
    place = next(at for at, line in enumerate(lines) if line["seat"] == 1 and line.get("event") == "drew" and "tile" not in line["what"])
    offer = {"decision": 99, "mahjong": {"may_pass": True, "tile": "TILE_1M", "from_seat_plus_one": 1}}
    lines.insert(place, {**lines[place], "event": "offer", "what": offer})


def _show_a_hand(lines: Lines) -> None:
    """A view with another seat's tiles."""
    view = next(line for line in lines if line.get("event") == "view")
    seats: list[dict[str, Any]] = [{} for _ in range(4)]
    seats[(view["seat"] + 1) % 4] = {"concealed": ["TILE_1M"]}
    view["what"]["mahjong"] = {"phase": "play", "seats": seats}


def _tell_one_seat_more(lines: Lines) -> None:
    """A public event that only one seat hears."""
    settled = [line for line in lines if line.get("event") == "table_closed" or line.get("event") == "stage_settled"]
    line = settled[0]
    line["what"] = {**line["what"], "cause": "other"}


def _deal_a_card_more(lines: Lines) -> None:
    """The other seat's cards in the deal."""
    dealt = [line for line in lines if line.get("event") == "cards_dealt"]
    dealt[0]["what"]["cards"] = next(line["what"]["cards"] for line in dealt if line["seat"] != dealt[0]["seat"])


def _show_all_cards(lines: Lines) -> None:
    """A view of a hand that is not over with everybody's cards."""
    view = next(line for line in lines if line.get("event") == "view")
    view["what"]["cards"] = {"turn_plus_one": 1, "hands": [{"cards": ["CARD_9S"]}]}


@pytest.mark.parametrize("leak", [_deal_a_card_more, _show_all_cards])
def test_a_leak_of_cards_is_found(traced: Traced, leak: Callable[[Lines], None]) -> None:
    records, lines = next((records, lines) for records, lines in traced if records[0]["game"] == "crazy_duel")
    doctored = copy.deepcopy(lines)
    leak(doctored)
    assert audit(records, doctored) != []


def _count_the_offers_of_others(lines: Lines) -> None:
    """Decision numbers that count what another seat was asked."""
    offer = [line for line in lines if line["seat"] == 0 and line.get("event") == "offer"][-1]
    offer["what"]["decision"] += 1


@pytest.mark.parametrize("game", MAHJONG)
@pytest.mark.parametrize(
    "leak", [_reveal_a_draw, _leave_a_gap, _ask_one_more, _show_a_hand, _tell_one_seat_more, _count_the_offers_of_others]
)
def test_a_leak_put_into_a_trace_is_found(traced: Traced, leak: Callable[[Lines], None], game: str) -> None:
    records, lines = next((records, lines) for records, lines in traced if records[0]["game"] == game and any(records[0]["points"]))
    doctored = copy.deepcopy(lines)
    leak(doctored)
    assert audit(records, doctored) != []
