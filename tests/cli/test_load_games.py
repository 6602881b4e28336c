"""Load players of every game choose from what their seat was sent, and a run over several games shares its tables out."""

from __future__ import annotations

import random
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.bots import bot
from games.hand import Refusal, Setup
from games.registry import ruleset
from services.table.codec import actions, registry
from tests.cli.command import here
from tests.support.keyring import Keyring
from xuezhan.api.matchmaking.v1 import matchmaking_pb2 as mm
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.cli.errors import CommandError
from xuezhan.cli.load.brain import Brain, make_brain
from xuezhan.cli.load.plan import Plan, check_rooms, named, room_of
from xuezhan.cli.load.player import ack_key, record_key
from xuezhan.cli.load.tally import Tally
from xuezhan.client import Heard, acts, card_named

PLAYED: list[tuple[str, dict[str, Any], int]] = [
    ("crazy_duel", {}, 2),
    ("happy_sichuan", {}, 4),
    ("kaxinwu", {}, 4),
    ("kaxinwu", {"three_suits": True, "must_kong": True}, 2),
]


class Table:
    """A hand whose seats are shown only what the protocol sends them."""

    def __init__(self, game: str, options: dict[str, Any], players: int, name: str, seed: int) -> None:
        self.rules = ruleset(game, options, players)
        self.brains: list[Brain] = [make_brain(game, name, Random(seed + seat)) for seat in range(players)]
        self.hand, events = self.rules.deal(Setup("t", 1, bytes([seed]) * 32, (None,) * players))
        for seat, brain in enumerate(self.brains):
            brain.hear(Heard(0, "attached", pb.Attached(seat=seat, seats=[pb.SeatAssignment()] * players)))
        self.tell(events)

    def tell(self, events: list[Any]) -> None:
        for event in events:
            if event.name not in {"stage_claimed", "hand_over"}:
                sent = pb.Event.FromString(registry.event(event, 1))
                name = sent.WhichOneof("what") or ""
                for seat, brain in enumerate(self.brains):
                    if event.to >> seat & 1:
                        brain.hear(Heard(1, name, getattr(sent, name)))

    def step(self) -> Any:
        """Let one asked seat answer; the action must be legal."""
        hand = self.hand
        seat = next(seat for seat, offer in enumerate(hand.offers) if offer is not None)
        if hand.offers[seat].at_once:
            action = hand.default(seat)
        else:
            offer = registry.offer_message(1, hand.offers[seat], 0)
            read = actions.action_of(self.brains[seat].choose(offer), seat)
            assert not isinstance(read, Refusal)
            action = read
        told = hand.apply(action)
        assert not isinstance(told, Refusal), (action, told)
        self.tell(told)
        return action


@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize(("game", "options", "players"), PLAYED)
def test_players_of_every_game_play_legal_hands(game: str, options: dict[str, Any], players: int, name: str) -> None:
    for seed in range(2):
        table = Table(game, options, players, name, seed)
        while not table.hand.over:
            table.step()


def test_the_greedy_card_player_plays_as_the_games_bot_that_sees_no_more() -> None:
    table = Table("crazy_duel", {}, 2, "greedy", 3)
    mind = bot("crazy_duel", "greedy", random.Random(0))
    while not table.hand.over:
        expected = mind.choose(table.hand, table.hand.turn)
        assert table.step() == expected


def test_a_card_player_who_came_late_plays_from_the_view() -> None:
    table = Table("crazy_duel", {}, 2, "greedy", 5)
    for _ in range(4):
        table.step()
    seat = table.hand.turn
    late = make_brain("crazy_duel", "greedy", Random(0))
    late.hear(Heard(0, "attached", pb.Attached(seat=seat, seats=[pb.SeatAssignment()] * 2)))
    late.hear(Heard(0, "view", registry.hand_view(table.hand.view(seat), 1)))
    offer = registry.offer_message(1, table.hand.offers[seat], 0)
    assert late.choose(offer) == table.brains[seat].choose(offer)


def test_a_play_and_its_place_in_a_record_have_one_key() -> None:
    act = acts.play([card_named(name) for name in ("10S", "W", "10H")], cd.PLAY_KIND_TRIPLE)
    assert ack_key(act) == record_key({"do": "play", "cards": ["10H", "10S", "W"], "kind": "triple"})
    assert ack_key(acts.leave()) == record_key({"do": "leave"})


def test_tables_are_spread_over_the_games() -> None:
    plan = Plan(games=("a", "b", "c"), rooms=(), tables=8, hands=1, run="r")
    assert [plan.tables_of(place) for place in range(3)] == [3, 3, 2]
    assert [Plan(games=("a", "b"), rooms=(), tables=1, hands=1, run="r").tables_of(place) for place in range(2)] == [1, 0]


def test_games_are_named_by_repeating_the_option_or_with_commas() -> None:
    assert named(["kaxinwu,crazy_duel", "crazy_xuezhan", "kaxinwu"]) == ("kaxinwu", "crazy_duel", "crazy_xuezhan")
    with pytest.raises(CommandError, match="'go'"):
        named(["kaxinwu,go"])


ROOMS = [mm.Room(room_id="kaxinwu/coins"), mm.Room(room_id="kaxinwu/points")]


@pytest.mark.parametrize(
    ("wanted", "room"),
    [((), "coins"), (("points",), "points"), (("kaxinwu/points", "crazy_duel/rating"), "points"), (("crazy_duel/rating",), "coins")],
)
def test_a_room_is_the_one_named_for_its_game_or_the_first(wanted: tuple[str, ...], room: str) -> None:
    assert room_of("kaxinwu", wanted, ROOMS).room_id == f"kaxinwu/{room}"


def test_a_room_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(CommandError, match=r"kaxinwu has no room 'mayou' here; rooms: kaxinwu/coins, kaxinwu/points"):
        room_of("kaxinwu", ("mayou",), ROOMS)
    with pytest.raises(CommandError, match="rooms: none"):
        room_of("kaxinwu", (), [])


def test_a_room_of_a_game_that_is_not_played_is_refused() -> None:
    check_rooms(("points", "kaxinwu/coins"), [ROOMS])
    with pytest.raises(CommandError, match=r"'crazy_duel/rating'; rooms: kaxinwu/coins, kaxinwu/points"):
        check_rooms(("points", "crazy_duel/rating"), [ROOMS])


def test_a_folder_for_traces_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "traces"
    ran = here("load", "--game", "crazy_duel", "--tables", 1, "--traces", folder, "--secrets", Keyring(tmp_path / "s").folder)
    assert (ran.status, ran.err) == (2, f"xuezhan: --traces: {folder}: Not a directory\n")


def test_the_tally_of_all_games_is_the_sum_of_theirs() -> None:
    one, two, total = Tally(players=4, accepted=10), Tally(players=2, accepted=5), Tally()
    one.hands, two.hands = {("a", 1)}, {("b", 1)}
    one.coins.won, two.coins.won = 7, 8
    one.refusals["stale"] = two.refusals["stale"] = 1
    one.latencies.append(0.1)
    two.latencies.append(0.2)
    two.error("wrong")
    total.error("late")
    total.add(one)
    total.add(two)
    report = total.report()
    assert (report["players"], report["hands"], report["actions_accepted"], report["coins"]["won"]) == (6, 2, 15, 15)
    assert (report["refusals"], report["errors"], report["error_count"]) == ({"stale": 2}, ["late", "wrong"], 2)
    assert list(total.latencies) == [0.1, 0.2]
    assert (one.good, total.good) == (True, False)
