"""A hand of 疯狂对杀 from the deal to its end."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from games.crazy_duel.cards import PACK, TOP_NAMES, format_cards
from games.crazy_duel.events import CardsDealt, CardsPassed, CardsPlayed, CardView
from games.crazy_duel.hand import DuelHand
from games.events import PUBLIC, HandOver, StageClaimed
from games.hand import WATCHERS, Action, Claim, Do, Event, Refusal, Setup, Stage, Why
from games.registry import ruleset
from tests.games.naive_cards import cards

RULES = ruleset("crazy_duel", {})
RATING = ruleset("crazy_duel", {"room": "rating"})


def dealt(number: int = 1, rules: Any = RULES) -> tuple[DuelHand, list[Event]]:
    hand, events = rules.deal(Setup("t", number, bytes(range(32)), (None, bytes(16))))
    return hand, events


def table(zero: str, one: str, *, leads: int = 0, rules: Any = RULES) -> DuelHand:
    """A hand in which the seats hold these cards and nothing else."""
    hand: DuelHand = dealt(rules=rules)[0]
    hand.offers = [None, None]
    hand.held = [[cards(text).count(card) for card in range(30)] for text in (zero, one)]
    hand.left = [len(cards(zero)), len(cards(one))]
    hand.turn = leads
    hand.asked = [0, 0]
    hand.open()
    return hand


def lay(hand: DuelHand, text: str, kind: str = "", *, seat: int | None = None) -> list[Event]:
    events = hand.apply(Action(hand.turn if seat is None else seat, Do.PLAY, tiles=cards(text), kind=kind))
    assert not isinstance(events, Refusal), events
    return events


def skip(hand: DuelHand) -> list[Event]:
    events = hand.apply(Action(hand.turn, Do.PASS))
    assert not isinstance(events, Refusal), events
    return events


def refused(hand: DuelHand, action: Action) -> Why:
    """The reason; and nothing happened."""
    before = json.dumps(hand.dump()), [hand.view(seat) for seat in (None, 0, 1)], list(hand.offers)
    answer = hand.apply(action)
    assert isinstance(answer, Refusal), answer
    assert before == (json.dumps(hand.dump()), [hand.view(seat) for seat in (None, 0, 1)], list(hand.offers))
    return answer.why


def play(seat: int, text: str, kind: str = "") -> Action:
    return Action(seat, Do.PLAY, tiles=cards(text), kind=kind)


# The deal.


def test_ten_cards_are_put_away_and_each_seat_gets_twenty_five() -> None:
    hand, _ = dealt()
    assert Counter(hand.wall) == Counter(PACK)
    assert hand.cards(0) == tuple(sorted(hand.wall[10:35]))
    assert hand.cards(1) == tuple(sorted(hand.wall[35:60]))


def test_who_holds_the_shown_card_leads_its_twin_does_not_matter() -> None:
    leaders = Counter()
    for number in range(60):
        hand, _ = dealt(number)
        assert 10 <= hand.shown < 60
        leader = 0 if hand.shown < 35 else 1
        assert hand.leader == hand.turn == leader
        assert hand.offers[leader].to_beat is None
        assert hand.offers[1 - leader] is None
        leaders[leader] += 1
    assert min(leaders.values()) > 15


def test_the_same_setup_deals_the_same_and_memory_of_the_hand_before_is_ignored() -> None:
    setup = Setup("t", 2, bytes(32), (None, None))
    one, _ = RULES.deal(setup)
    other, _ = RULES.deal(Setup("t", 2, bytes(32), (None, None), {"dealer": 1}))
    assert one.dump() == other.dump()
    assert one.carry() == {}


def test_a_deal_can_be_computed_by_hand() -> None:
    """docs/rules/deal.md once more, in the plainest way."""
    import hashlib
    import hmac

    seed = bytes(range(32))
    key = hmac.new(seed, b"xuezhan/1\0t\0" + b"1\0" + bytes(16) + bytes(16), hashlib.sha256).digest()
    blocks = b"".join(hmac.new(key, i.to_bytes(8, "big"), hashlib.sha256).digest() for i in range(20))
    words = iter([int.from_bytes(blocks[i : i + 4], "big") for i in range(0, len(blocks), 4)])

    def uniform(n: int) -> int:
        return next(word % n for word in words if word < 2**32 - 2**32 % n)

    wall = [*range(30), *range(30)]
    for i in range(59, 0, -1):
        j = uniform(i + 1)
        wall[i], wall[j] = wall[j], wall[i]
    hand, _ = dealt(1)
    assert list(hand.wall) == wall
    assert hand.shown == 10 + uniform(50)


def test_a_seat_is_shown_its_own_cards_alone_and_watchers_none() -> None:
    hand, events = dealt()
    shown = hand.wall[hand.shown]
    assert events == [
        CardsDealt(1, hand.cards(0), shown, hand.leader, (25, 25)),
        CardsDealt(2, hand.cards(1), shown, hand.leader, (25, 25)),
        CardsDealt(WATCHERS, (), shown, hand.leader, (25, 25)),
    ]


# Turns.


def test_who_leads_must_play() -> None:
    hand = table("9S 10S", "JS QS")
    assert not hand.offers[0].may_pass
    assert refused(hand, Action(0, Do.PASS)) is Why.NOT_OFFERED


def test_who_follows_is_told_what_to_beat_and_may_pass_also_when_able_to_beat() -> None:
    hand = table("9S 10S", "JS QS")
    lay(hand, "9S")
    offer = hand.offers[1]
    assert offer.may_pass
    assert (offer.to_beat.seat, offer.to_beat.cards, TOP_NAMES[offer.to_beat.play.top]) == (0, cards("9S"), "9")
    assert hand.offers[0] is None
    assert skip(hand) == [CardsPassed(WATCHERS | 3, 1)]


def test_after_a_pass_the_other_leads_anything() -> None:
    hand = table("9S 10S 10H", "JS QS")
    lay(hand, "9S")
    skip(hand)
    assert hand.turn == 0
    assert hand.offers[0].to_beat is None
    assert refused(hand, Action(0, Do.PASS)) is Why.NOT_OFFERED
    lay(hand, "10S 10H")


def test_play_goes_to_and_fro_until_one_passes() -> None:
    hand = table("9S JS KS", "10S QS AS")
    for card in ("9S", "10S", "JS", "QS", "KS"):
        lay(hand, card)
    assert hand.over
    assert hand.winner == 0


def test_a_play_is_shown_to_all_with_its_reading_and_how_many_cards_are_left() -> None:
    hand = table("10S JS QS KS w 9H", "9S")
    (event,) = lay(hand, "w KS 10S QS JS")
    assert isinstance(event, CardsPlayed)
    assert event.to == WATCHERS | 3
    assert (event.seat, event.cards, event.play.kind, TOP_NAMES[event.play.top], event.left) == (
        0,
        cards("w KS 10S QS JS"),
        "straight",
        "A",
        1,
    )


def test_each_seat_counts_its_own_offers_from_one() -> None:
    hand = table("9S JS KS 2S", "10S QS AS")
    assert hand.offers[0].number == 1
    lay(hand, "9S")
    assert hand.offers[1].number == 1
    lay(hand, "10S")
    assert hand.offers[0].number == 2
    skip(hand)
    assert hand.offers[1].number == 2
    assert not hand.offers[1].at_once
    assert not hand.offers[1].lapses


def test_a_follower_who_names_no_kind_gets_the_first_that_beats() -> None:
    hand = table("10S 10H JS JH QS QH 9S", "JC QC KC w w W 9H")
    lay(hand, "10S 10H JS JH QS QH")
    (event,) = lay(hand, "JC QC KC w w W")
    assert isinstance(event, CardsPlayed)
    assert event.play.kind == "pair_row"


# Refusals.


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (play(0, "9S 10S"), Why.NOT_A_PLAY),
        (play(0, "9S 9H", "single"), Why.NOT_THAT_KIND),
        (play(0, "9S 9H", "bomb"), Why.NOT_THAT_KIND),
        (play(0, "9S 10S", "pair"), Why.NOT_A_PLAY),
        (play(0, "JS"), Why.NOT_OFFERED),  # the other's card
        (play(0, "9S 9S"), Why.NOT_OFFERED),  # a copy it does not have
        (play(0, "2S"), Why.NOT_OFFERED),
        (play(0, ""), Why.MALFORMED),
        (play(0, "9S", "solo"), Why.MALFORMED),
        (Action(0, Do.PLAY, 3, cards("9S")), Why.MALFORMED),
        (Action(0, Do.PLAY, tiles=(30,)), Why.MALFORMED),
        (Action(0, Do.PLAY, tiles=(-1,)), Why.MALFORMED),
        (Action(0, Do.PASS), Why.NOT_OFFERED),
        (Action(0, Do.PASS, tiles=cards("9S")), Why.MALFORMED),
        (Action(0, Do.DISCARD, 3), Why.NOT_OFFERED),
        (Action(0, Do.WIN), Why.NOT_OFFERED),
        (play(1, "JS"), Why.NOT_YOUR_TURN),
        (Action(1, Do.PASS), Why.NOT_YOUR_TURN),
        (Action(2, Do.PASS), Why.MALFORMED),
        (Action(-1, Do.LEAVE), Why.MALFORMED),
        (Action(1, Do.LEAVE, tiles=cards("JS")), Why.MALFORMED),
        (Action(0, Do.LEAVE, kind="single"), Why.MALFORMED),
    ],
)
def test_what_is_not_legal_for_a_leader_is_refused_and_nothing_happens(action: Action, why: Why) -> None:
    assert refused(table("9S 9H 10S", "JS JH"), action) is why


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (play(1, "10S 10H"), Why.DOES_NOT_BEAT),
        (play(1, "JC JD"), Why.DOES_NOT_BEAT),  # an equal pair
        (play(1, "KS"), Why.DOES_NOT_BEAT),
        (play(1, "KS KH KC"), Why.DOES_NOT_BEAT),
        (play(1, "10S KS"), Why.NOT_A_PLAY),
        (play(1, "KS KH", "triple"), Why.NOT_THAT_KIND),
        (play(0, "9S"), Why.NOT_YOUR_TURN),
    ],
)
def test_what_does_not_beat_is_refused_and_nothing_happens(action: Action, why: Why) -> None:
    hand = table("JS JH 9S", "10S 10H JC JD KS KH KC")
    lay(hand, "JS JH")
    assert refused(hand, action) is why


def test_an_offer_judges_without_changing_anything() -> None:
    hand = table("9S 9H", "JS")
    offer = hand.offers[0]
    assert offer.check(play(0, "9S 9H")) is None
    assert offer.check(play(0, "9S JS")) == Refusal(Why.NOT_OFFERED, "not held")
    assert offer.check(Action(0, Do.PASS)) == Refusal(Why.NOT_OFFERED, "who leads must play")
    assert hand.left == [2, 1]


def test_nothing_is_taken_after_the_hand() -> None:
    hand = table("9S", "JS")
    lay(hand, "9S")
    for action in (play(1, "JS"), Action(0, Do.PASS), Action(1, Do.LEAVE)):
        assert refused(hand, action) is Why.HAND_OVER


# The server's answers.


def test_by_default_a_follower_passes() -> None:
    hand = table("9S 10S", "2S 2H")
    lay(hand, "9S")
    assert hand.default(1) == Action(1, Do.PASS, auto=True)


@pytest.mark.parametrize(
    ("held", "lowest"),
    [
        ("KS 10D 9D 9H 2S", "9H"),
        ("10D 10C 10H 10S", "10S"),
        ("10D 10C 10H", "10H"),
        ("10D 10C", "10C"),
        ("W w 2D 2S", "2S"),
        ("W w", "w"),
        ("W W", "W"),
    ],
)
def test_by_default_a_leader_plays_its_lowest_single_by_rank_then_spades_hearts_clubs_diamonds(held: str, lowest: str) -> None:
    hand = table(held, "JS")
    action = hand.default(0)
    assert (action.do, format_cards(action.tiles), action.kind, action.auto) == (Do.PLAY, lowest, "single", True)
    assert not isinstance(hand.apply(action), Refusal)


def test_a_hand_played_by_defaults_alone_ends() -> None:
    hand, _ = dealt()
    steps = 0
    while not hand.over:
        assert not isinstance(hand.apply(hand.default(hand.turn)), Refusal)
        steps += 1
    # The leader plays 25 singles, the other passes after each but the last.
    assert steps == 25 + 24


# The end.


def test_the_hand_ends_the_moment_the_last_card_is_played() -> None:
    hand = table("9S 9H", "2S 2H 2C 2D")
    events = lay(hand, "9S 9H")
    stage = Stage("showdown", (Claim(1, 0, 1),))
    everyone = WATCHERS | 3
    assert events[1:] == [
        StageClaimed(everyone, stage),
        HandOver(everyone, "showdown", ((), cards("2S 2H 2C 2D")), (1, -1)),
    ]
    assert hand.over
    assert hand.offers == [None, None]
    assert hand.stages == [stage]
    assert hand.points() == [1, -1]
    assert hand.seat_done(0)
    assert hand.seat_done(1)


def many(count: int) -> str:
    return format_cards(range(count))


@pytest.mark.parametrize(("left", "score"), [(1, 1), (5, 1), (6, 2), (10, 2), (11, 3), (20, 3), (21, 4), (25, 4)])
def test_the_winner_gets_the_basic_score_of_what_the_loser_holds(left: int, score: int) -> None:
    hand = table("9S", many(left))
    lay(hand, "9S")
    assert hand.stages == [Stage("showdown", (Claim(1, 0, score),))]


def test_the_best_bomb_the_winner_played_multiplies_once() -> None:
    hand = table("9S 9S 9H 9H 9C 9C 10S 10S 10H 10H 10C 10C 10D KS", "JS QS AS 2S 2H")
    lay(hand, "9S 9S 9H 9H 9C 9C")  # 6 stars: 2
    skip(hand)
    lay(hand, "10S 10S 10H 10H 10C 10C 10D")  # 7 stars: 4
    skip(hand)
    lay(hand, "KS")
    assert hand.points() == [4, -4]
    assert hand.result() == {
        "ended": "showdown",
        "winner": 0,
        "loser": 1,
        "left": [0, 5],
        "multiple": 4,
        "basic": 1,
        "name": "小杀",
        "stars": 7,
        "times": 4,
    }


def test_a_bomb_that_was_led_counts_like_one_that_followed() -> None:
    led = table("9S 9S 9H 9H 9C 9C", "JS")
    lay(led, "9S 9S 9H 9H 9C 9C")
    followed = table("9S 9S 9H 9H 9C 9C", "JS QS", leads=1)
    lay(followed, "JS")
    lay(followed, "9S 9S 9H 9H 9C 9C")
    assert led.points() == followed.points() == [2, -2]


def test_a_bomb_played_as_the_last_play_counts() -> None:
    hand = table("9S w w W W", "JS")
    lay(hand, "w W w W 9S")  # five of a kind
    assert hand.points() == [1, -1]
    hand = table("w w W W", "JS")
    lay(hand, "w W w W")
    assert hand.points() == [4, -4]


@pytest.mark.parametrize(("jokers", "by"), [("w w W", 2), ("w w W W", 4)])
def test_three_and_four_jokers_count_as_six_and_seven_stars(jokers: str, by: int) -> None:
    hand = table(f"{jokers} 9S", "JS")
    lay(hand, jokers)
    skip(hand)
    lay(hand, "9S")
    assert hand.points() == [by, -by]


def test_the_losers_bombs_do_not_count() -> None:
    hand = table("9S 9S 9H 9H 9C 9C 10S", "w w W 2S")
    lay(hand, "9S 9S 9H 9H 9C 9C", "bomb")
    assert refused(hand, play(1, "w w W")) is Why.DOES_NOT_BEAT
    skip(hand)
    lay(hand, "10S")
    assert hand.points() == [2, -2]
    hand = table("10S w w W 9H", "9S 9S 9H 9H 9C 9C KS")
    lay(hand, "w w W")
    lay(hand, "9S 9S 9H 9H 9C 9C")
    skip(hand)
    lay(hand, "KS")
    assert hand.points() == [-2, 2]


def test_jokers_played_as_a_row_are_no_bomb_for_times() -> None:
    hand = table("9S w w W W 10H", "JS")
    lay(hand, "9S w w W W", "straight")
    skip(hand)
    lay(hand, "10H")
    assert hand.points() == [1, -1]


def test_twelve_stars_against_a_full_hand_are_the_largest_score() -> None:
    hand = table("9S 9S 9H 9H 9C 9C 9D 9D w w W W", many(25))
    lay(hand, "9S 9S 9H 9H 9C 9C 9D 9D w w W W")
    assert hand.points() == [80, -80]


# Escape.


@pytest.mark.parametrize("escaper", [0, 1])
@pytest.mark.parametrize(("rules", "multiple"), [(RULES, 100), (RATING, 80)])
def test_either_seat_escapes_at_any_time_without_being_asked(escaper: int, rules: Any, multiple: int) -> None:
    for plays in range(3):
        hand = table("w w W 9S 9H", "9C 9C 9D 9D 10S 10S", rules=rules)
        for text in ("w w W",)[:plays]:
            lay(hand, text)
        if plays == 2:
            skip(hand)
        events = hand.apply(Action(escaper, Do.LEAVE))
        assert not isinstance(events, Refusal)
        assert [type(event) for event in events] == [StageClaimed, HandOver]
        # Cards left and bombs played do not matter.
        assert hand.stages == [Stage("escape", (Claim(escaper, 1 - escaper, multiple),))]
        assert hand.points()[escaper] == -multiple
        assert hand.points()[1 - escaper] == multiple
        assert hand.over
        assert hand.offers == [None, None]
        result = hand.result()
        assert (result["ended"], result["winner"], result["multiple"]) == ("escape", 1 - escaper, multiple)


def test_leaving_has_a_meaning_in_this_game() -> None:
    assert RULES.may_leave


# What each may know.


def test_a_view_holds_the_viewers_cards_and_of_the_other_only_how_many() -> None:
    hand = table("9S 10S JS", "QS KS")
    lay(hand, "9S")
    own, other, public = hand.view(0), hand.view(1), hand.view(None)
    assert own.cards == cards("10S JS")
    assert other.cards == cards("QS KS")
    assert public.cards == ()
    assert (own.to, other.to, public.to) == (1, 2, WATCHERS)
    assert (own.seat, other.seat, public.seat) == (0, 1, PUBLIC)
    for view in (own, other, public):
        assert view.counts == (2, 2)
        assert view.hands == ()
        assert view.turn == 1
        assert view.to_beat == view.played[-1]
        assert [(laid.seat, laid.cards) for laid in view.played] == [(0, cards("9S"))]


def test_after_the_hand_everybodys_cards_are_shown() -> None:
    hand = table("9S", "QS KS")
    lay(hand, "9S")
    for seat in (None, 0, 1):
        view = hand.view(seat)
        assert isinstance(view, CardView)
        assert view.hands == ((), cards("QS KS"))
        assert view.turn == -1
        assert view.points == (1, -1)


# Storage and records.


@pytest.mark.parametrize("plays", range(9))
def test_a_hand_is_rebuilt_from_its_dump_at_any_moment(plays: int) -> None:
    hand, _ = dealt(3)
    for step in range(plays):
        hand.apply(hand.default(hand.turn) if step % 3 else play(hand.turn, format_cards(hand.cards(hand.turn)[:1])))
    if plays == 8:
        hand.apply(Action(1, Do.LEAVE))
    dumped = json.loads(json.dumps(hand.dump()))
    again = RULES.load(dumped)
    assert again.dump() == hand.dump()
    for seat in (None, 0, 1):
        assert again.view(seat) == hand.view(seat)
    assert again.offers == hand.offers
    assert (again.stages, again.points(), again.over) == (hand.stages, hand.points(), hand.over)
    if not hand.over:
        answer = hand.default(hand.turn)
        assert again.apply(answer) == hand.apply(answer)


def test_a_dump_of_a_finished_hand_keeps_how_it_ended() -> None:
    hand, _ = dealt(4)
    while not hand.over:
        hand.apply(hand.default(hand.turn))
    again = RULES.load(json.loads(json.dumps(hand.dump())))
    assert again.result() == hand.result()


def test_the_record_names_the_wall_and_the_index_of_the_shown_card_and_no_dealer() -> None:
    hand, _ = dealt()
    record = hand.record()
    assert record == {"dealer": None, "dealer_from": None, "wall": [format_cards([card]) for card in hand.wall], "shown": hand.shown}


@pytest.mark.parametrize(
    ("action", "written"),
    [
        (play(0, "9S w", "pair"), {"seat": 0, "do": "play", "cards": ["9S", "w"], "kind": "pair"}),
        (play(1, "10H"), {"seat": 1, "do": "play", "cards": ["10H"], "kind": None}),
        (Action(1, Do.PASS, auto=True), {"seat": 1, "do": "pass", "auto": True}),
        (Action(0, Do.LEAVE), {"seat": 0, "do": "leave"}),
    ],
)
def test_actions_are_written_and_read_in_the_notation_of_records(action: Action, written: dict[str, Any]) -> None:
    assert RULES.action_to_json(action) == written
    assert RULES.action_from_json(written) == action


@pytest.mark.parametrize(
    ("written", "field"),
    [
        ({"do": "pass"}, "seat"),
        ({"seat": 2, "do": "pass"}, "seat"),
        ({"seat": True, "do": "pass"}, "seat"),
        ({"seat": 0}, "do"),
        ({"seat": 0, "do": "discard", "tile": "1m"}, "do"),
        ({"seat": 0, "do": "fold"}, "do"),
        ({"seat": 0, "do": "pass", "auto": 1}, "auto"),
        ({"seat": 0, "do": "play"}, "cards"),
        ({"seat": 0, "do": "play", "cards": "9S"}, "cards"),
        ({"seat": 0, "do": "play", "cards": [9]}, "cards"),
        ({"seat": 0, "do": "play", "cards": ["9X"]}, "cards"),
        ({"seat": 0, "do": "play", "cards": ["9S"], "kind": 3}, "kind"),
        ([], "action"),
    ],
)
def test_an_action_that_cannot_be_read_is_malformed_and_the_field_named(written: Any, field: str) -> None:
    answer = RULES.action_from_json(written)
    assert isinstance(answer, Refusal)
    assert answer.why is Why.MALFORMED
    assert answer.detail.startswith(f"{field}: ")


def test_it_is_a_game_of_two() -> None:
    assert RULES.players == 2
    with pytest.raises(ValueError, match="players"):
        ruleset("crazy_duel", {}, 3)
