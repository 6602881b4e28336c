"""Claims on a discard or an announced kong: who is asked, which answers are awaited, what they come to.

Law: nothing happens before every answer that can still matter is in, and then all at once. A win always matters: each winner is paid. A
pung or kong (at most one seat can have it: there are four copies) matters unless the wins known so far already rule it out for good; what
that takes is the game's (`MahjongHooks.meld_stands`). So the seat that could only meld is the last to be awaited, and is not awaited in
vain.
"""

from __future__ import annotations

from games.hand import Action, Do, Event
from games.mahjong import kongs, wins
from games.mahjong.draws import draw, offer_turn
from games.mahjong.events import KongRobbed, Melded
from games.mahjong.fans import How
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.offers import ClaimOffer
from games.mahjong.state import Question
from games.mahjong.tiles import Tile

_WIN = Do.WIN


def ask(hand: HandState, source: int, tile: Tile, out: list[Event], *, robbing: bool = False) -> None:
    """Ask every seat that may claim the tile that `source` discarded, or added to a pung (`robbing`); go on if there is none."""
    rules, seats = hand.rules, hand.seats
    bit = 1 << tile
    offers: dict[int, ClaimOffer] = {}
    for who in rules.after[source]:
        seat = seats[who]
        if not seat.out and (seat.waits & bit or seat.concealed.counts[tile] >= 2):
            offer = rules.claim_offer(hand, who, source, tile, robbing=robbing)
            if offer is not None:
                offers[who] = offer
    if offers:
        hand.question = Question(tuple(offers), offers, {}, source, tile, robbing, hand.row)
        for who, offer in offers.items():
            hand.offers[who] = offer
    else:
        _nobody(hand, source, tile, out, robbing=robbing)


def answer(hand: HandState, question: Question, action: Action, out: list[Event]) -> None:
    """Keep a seat's answer; when all that matter are in, carry them out."""
    question.answers[action.seat] = action
    if _decided(hand, question):
        _carry_out(hand, question, out)


def winners_of(question: Question) -> list[int]:
    """Return the seats that have answered with a win, in order from the source on."""
    answers = question.answers
    return [who for who in question.order if who in answers and answers[who].do is _WIN]


def _decided(hand: HandState, question: Question) -> bool:
    awaited = [who for who in question.order if who not in question.answers]
    if not awaited:
        return True
    if any(question.offers[who].win for who in awaited):
        return False
    return not hand.rules.meld_stands(hand, winners_of(question))


def _carry_out(hand: HandState, question: Question, out: list[Event]) -> None:
    source, tile, robbing = question.source, question.tile, question.robbing
    hand.question = None
    for who in question.order:
        hand.offers[who] = None
    hand.rules.answered(hand, question)
    winners = winners_of(question)
    melds = hand.rules.meld_stands(hand, winners)
    claimer = next((action for action in question.answers.values() if action.do in {Do.PUNG, Do.KONG}), None)
    if winners:
        if robbing:
            out.append(KongRobbed(hand.rules.all, source, tile))
        how = How.ROBBED_KONG if robbing else How.DISCARD
        if wins.take(hand, winners, tile, how, out, source=source, kongs=0 if robbing else question.kongs):
            return
    if claimer is not None and melds:
        _meld(hand, claimer, source, tile, out)
    elif winners:
        draw(hand, hand.rules.draws_after_wins(hand, winners, source), out)
    else:
        _nobody(hand, source, tile, out, robbing=robbing)


def _meld(hand: HandState, action: Action, source: int, tile: Tile, out: list[Event]) -> None:
    """Carry out a pung or direct kong: the tile leaves the river, and the turn goes on with the claimer."""
    who = action.seat
    seat = hand.seats[who]
    hand.seats[source].river.pop()
    hand.row = 0
    for _ in range(3 if action.do is Do.KONG else 2):
        seat.concealed.remove(tile)
    if action.do is Do.KONG:
        kongs.complete(hand, who, Meld(MeldKind.DIRECT_KONG, tile, source), out)
        return
    meld = Meld(MeldKind.PUNG, tile, source)
    seat.melds.append(meld)
    seat.pungs |= 1 << tile
    hand.melded = True
    out.append(Melded(hand.rules.all, who, meld))
    offer_turn(hand, who)


def _nobody(hand: HandState, source: int, tile: Tile, out: list[Event], *, robbing: bool) -> None:
    """Go on after a tile that nobody claimed."""
    if robbing:
        kongs.complete_added(hand, source, tile, out)
    else:
        draw(hand, hand.next_active(source), out)
