"""A picture kept up from events is, after every one of them, the picture that a full view gives: in every game, for seats and watchers."""

from __future__ import annotations

import random
from typing import Any

import pytest

from games.bots import bot
from games.events import HandOver, StageClaimed
from games.hand import WATCHERS, Refusal, Setup
from games.registry import ruleset
from services.table.codec import registry
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import CardTableModel, TableModel, table_model

GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("crazy_xuezhan", {}, 4),
    ("crazy_xuezhan", {"phases": "exchange_void"}, 4),
    ("happy_sichuan", {}, 4),
    ("happy_sichuan", {"mode": "single"}, 4),
    ("kaxinwu", {}, 4),
    ("kaxinwu", {"three_suits": True}, 3),
    ("kaxinwu", {"must_kong": True}, 2),
    ("crazy_duel", {}, 2),
]


def picture(model: Any) -> dict[str, Any]:
    """What a view can tell too."""
    if isinstance(model, CardTableModel):
        seats = [(seat.count, sorted(seat.cards)) for seat in model.seats]
        plays = [(seat, play) for seat, play in model.plays if play is not None]
        return {"seats": seats, "plays": plays, "turn": model.turn, "to_beat": model.to_beat, "shown": (model.shown, model.leader)}
    tables = [(seat.count, sorted(seat.tiles), seat.melds, seat.discards, seat.void, seat.wins) for seat in model.seats]
    return {"seats": tables, "wall": model.wall_left, "dealer": model.dealer}


def hear(models: dict[int | None, Any], events: list[Any]) -> None:
    for event in events:
        if isinstance(event, HandOver | StageClaimed):
            continue
        sent = pb.Event.FromString(registry.event(event, 1))
        name = sent.WhichOneof("what") or ""
        for viewer, model in models.items():
            if event.to & (WATCHERS if viewer is None else 1 << viewer):
                model.hear(name, getattr(sent, name))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("game", "options", "players"), GAMES)
def test_a_picture_kept_up_from_events_is_what_a_view_shows(game: str, options: dict[str, Any], players: int, seed: int) -> None:
    rules = ruleset(game, options, players)
    hand, events = rules.deal(Setup("t", 1, bytes([seed]) * 32, (None,) * players))
    mind = bot(game, "greedy" if seed % 2 else "random", random.Random(seed))
    models = {viewer: table_model(f"{game}/x", players, viewer) for viewer in (None, players - 1)}
    hear(models, events)
    while not hand.over:
        seat = next(seat for seat, offer in enumerate(hand.offers) if offer is not None)
        told = hand.apply(mind.choose(hand, seat))
        assert not isinstance(told, Refusal)
        hear(models, told)
        if hand.over:
            break
        for viewer, model in models.items():
            seen = table_model(f"{game}/x", players, viewer)
            seen.hear("view", registry.hand_view(hand.view(viewer), 1))
            assert picture(model) == picture(seen), (viewer, told)


def test_the_picture_fits_the_room() -> None:
    assert isinstance(table_model("crazy_duel/beginner", 2, None), CardTableModel)
    assert isinstance(table_model("kaxinwu/coins", 3, 1), TableModel)
