"""The card game on the wire: a card's number is its kind plus one, and a play says how it was read."""

from __future__ import annotations

import pytest

from games.crazy_duel.cards import CARD_NAMES, KINDS
from games.crazy_duel.kinds import PlayKind
from games.hand import WATCHERS, Action, Do, Refusal, Why
from services.kit.items import ItemKind, ItemOutcome, Result
from services.table.codec import actions, registry
from services.table.events import Settled
from tests.games.duel import dealt, lay, skip, table
from tests.games.naive_cards import cards
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import mahjong_pb2 as mj
from xuezhan.api.table.v1 import table_pb2 as pb


def numbers(text: str) -> list[cd.Card.ValueType]:
    return [cd.Card.ValueType(card + 1) for card in cards(text)]


def event(happened: object) -> pb.Event:
    return pb.Event.FromString(registry.event(happened, 7))


def test_every_card_has_its_name_in_the_protocol() -> None:
    words = {"w": "SMALL_JOKER", "W": "BIG_JOKER"}
    named = {f"CARD_{words.get(name, name)}": card + 1 for card, name in enumerate(CARD_NAMES)}
    assert dict(cd.Card.items()) == {"CARD_UNSPECIFIED": 0} | named
    assert len(named) == KINDS


def test_every_kind_of_play_has_its_name_in_the_protocol() -> None:
    assert {name for name, number in cd.PlayKind.items() if number} == {f"PLAY_KIND_{kind.name}" for kind in PlayKind}


def test_a_deal_shows_a_seat_its_own_cards_and_watchers_none() -> None:
    hand, events = dealt()
    seen = {one.to: event(one).cards_dealt for one in events}
    assert set(seen) == {1, 2, WATCHERS}
    for seat in range(2):
        assert list(seen[1 << seat].cards) == [card + 1 for card in hand.cards(seat)]
    assert not seen[WATCHERS].cards
    for one in seen.values():
        assert (one.hand, one.shown, one.leader, list(one.counts)) == (7, hand.wall[hand.shown] + 1, hand.leader, [25, 25])


def test_a_play_is_sent_with_its_cards_and_how_it_was_read() -> None:
    hand = table("10S JS QS KS w 9S", "9H")
    (played,) = lay(hand, "10S JS QS KS w")
    assert event(played) == pb.Event(
        cards_played=cd.CardsPlayed(seat=0, play=cd.CardPlay(cards=numbers("10S JS QS KS w"), kind=cd.PLAY_KIND_STRAIGHT, top="A"), left=1)
    )
    (passed,) = skip(hand)
    assert event(passed) == pb.Event(cards_passed=cd.CardsPassed(seat=1))


@pytest.mark.parametrize(
    ("text", "kind", "top", "stars"),
    [("w W", cd.PLAY_KIND_PAIR, "W", 0), ("w w W", cd.PLAY_KIND_THREE_JOKERS, "W", 6), ("9S 9H 9C 9D w", cd.PLAY_KIND_BOMB, "9", 5)],
)
def test_a_plays_top_and_stars_are_written_as_on_the_rules_page(text: str, kind: int, top: str, stars: int) -> None:
    hand = table(f"{text} 2S", "9H")
    play = event(lay(hand, text)[0]).cards_played.play
    assert (play.kind, play.top, play.stars) == (kind, top, stars)


def test_who_leads_is_offered_no_pass_and_nothing_to_beat() -> None:
    hand = table("9S 9H", "10S 10H")
    offer = pb.Event.FromString(registry.offer_event(3, registry.choices(hand.offers[0]), 15_000)).offer
    assert offer == pb.Offer(decision=3, time_left_ms=15_000, cards=cd.CardChoices())
    assert offer.WhichOneof("choices") == "cards"


def test_who_follows_is_told_what_to_beat_and_may_pass() -> None:
    hand = table("9S 9H JS", "10S 10H")
    lay(hand, "9S 9H")
    beaten = cd.CardPlay(cards=numbers("9S 9H"), kind=cd.PLAY_KIND_PAIR, top="9")
    assert registry.offer_message(1, hand.offers[1], 0).cards == cd.CardChoices(may_pass=True, to_beat=beaten)


def test_a_view_holds_ones_own_cards_all_plays_and_what_is_to_be_beaten() -> None:
    hand = table("9S 9H JS", "10S 10H w")
    lay(hand, "9S 9H")
    lay(hand, "10S 10H")
    view = registry.hand_view(hand.view(0), 2).cards
    assert (view.hand, list(view.counts), list(view.cards)) == (2, [1, 1], numbers("JS"))
    assert [list(play.cards) for play in view.played] == [numbers("9S 9H"), numbers("10S 10H")]
    assert list(view.played_by) == [0, 1]
    assert (view.to_beat, view.to_beat_seat_plus_one, view.turn_plus_one) == (view.played[1], 2, 1)
    assert (view.shown, view.leader, len(view.hands)) == (hand.wall[hand.shown] + 1, hand.leader, 0)


def test_a_watchers_view_holds_no_cards_until_the_hand_is_over() -> None:
    hand = table("9S", "10S 10H")
    assert not registry.hand_view(hand.view(None), 1).cards.cards
    lay(hand, "9S")
    view = registry.hand_view(hand.view(None), 1).cards
    assert [list(held.cards) for held in view.hands] == [[], numbers("10S 10H")]
    assert (list(view.points), view.turn_plus_one) == ([1, -1], 0)


def test_acts_are_read_as_plays_passes_and_escapes() -> None:
    play = pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_9S, cd.CARD_BIG_JOKER], play=cd.PLAY_KIND_PAIR)
    assert actions.action_of(play, 1) == Action(1, Do.PLAY, tiles=cards("9S W"), kind="pair")
    unnamed = pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_2D])
    assert actions.action_of(unnamed, 0) == Action(0, Do.PLAY, tiles=cards("2D"))
    assert actions.action_of(pb.Act(do=pb.DO_PASS), 0) == Action(0, Do.PASS)
    assert actions.action_of(pb.Act(do=pb.DO_LEAVE), 0) == Action(0, Do.LEAVE)


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (pb.Act(do=pb.DO_PLAY), Why.MALFORMED),
        (pb.Act(do=pb.DO_PLAY, cards=[99]), Why.MALFORMED),  # type: ignore[list-item]
        (pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_UNSPECIFIED]), Why.MALFORMED),
        (pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_9S], tile=mj.TILE_1M), Why.MALFORMED),
        (pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_9S], kong=mj.MELD_KIND_PUNG), Why.MALFORMED),
        (pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_9S, cd.CARD_9S]), Why.NOT_OFFERED),
        (pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_9S, cd.CARD_10S]), Why.NOT_A_PLAY),
        (pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_9S], play=cd.PLAY_KIND_BOMB), Why.NOT_THAT_KIND),
        (pb.Act(do=pb.DO_PLAY, cards=[cd.CARD_9S]), Why.DOES_NOT_BEAT),
        (pb.Act(do=pb.DO_PASS, cards=[cd.CARD_9S]), Why.MALFORMED),
        (pb.Act(do=pb.DO_LEAVE, cards=[cd.CARD_9S]), Why.MALFORMED),
        (pb.Act(do=pb.DO_DISCARD, tile=mj.TILE_1M), Why.NOT_OFFERED),
    ],
)
def test_what_a_client_sends_is_refused_by_a_stable_name(act: pb.Act, why: Why) -> None:
    hand = table("10H JH", "9S 10S")
    lay(hand, "10H")
    action = actions.action_of(act, 1)
    answer = action if isinstance(action, Refusal) else hand.apply(action)
    assert isinstance(answer, Refusal)
    assert answer.why is why


def test_a_rated_hand_tells_ratings_and_titles_but_of_a_bot_none() -> None:
    outcome = ItemOutcome(seq=2, kind=ItemKind.HAND_END, result=Result.APPLIED, ratings=[120, -1])
    settled = event(Settled(1, "crazy_duel", 1, -1, "hand_end", outcome)).stage_settled
    assert (list(settled.ratings), list(settled.titles)) == ([120, -1], ["一星", ""])
