"""What both seats of a hand of 疯狂对杀 may be told, rebuilt from the published record alone.

Like `deals`, a second reading of the rules page: cards are dealt from the wall, laid, and gone; it is always the other's turn. How a play
was read (its kind, top and stars) is no secret and is not looked at.
"""

from __future__ import annotations

import base64
from collections import Counter
from typing import Any

from tests.secrecy.deals import ASKED, Told

RANKS = ["9", "10", "J", "Q", "K", "A", "2"]
JOKERS = {"w": "SMALL_JOKER", "W": "BIG_JOKER"}
PUT_AWAY, DEALT = 10, 25


def enum(card: str) -> str:
    """The card as the protocol names it."""
    return f"CARD_{JOKERS.get(card, card)}"


def order(card: str) -> tuple[int, int]:
    """Rank, then suits in the order S H C D, then the jokers."""
    return (len(RANKS), "wW".index(card)) if card in JOKERS else (RANKS.index(card[:-1]), "SHCD".index(card[-1]))


def told_duel(record: dict[str, Any]) -> dict[int, list[Told]]:
    """The events of each seat, in order."""
    wall: list[str] = record["wall"]
    hands = [Counter(wall[PUT_AWAY + DEALT * seat : PUT_AWAY + DEALT * (seat + 1)]) for seat in (0, 1)]
    leader = (record["shown"] - PUT_AWAY) // DEALT
    told: dict[int, list[Told]] = {0: [], 1: []}

    def both(name: str, **what: Any) -> None:
        for seat in (0, 1):
            told[seat].append((name, what))

    commitment = base64.b64encode(bytes.fromhex(record["commitment"])).decode()
    begun = {"commitment": commitment, "contribution_hashes": [""] * 2, "options": record["options"], "money": record["money"]}
    both("hand_committed", hand=record["hand"], **begun, record=record)
    both("deal_signed", hand=record["hand"], record=record)
    for seat in (0, 1):
        cards = [enum(card) for card in _held(hands[seat])]
        shown = enum(wall[record["shown"]])
        told[seat].append(("cards_dealt", {"hand": record["hand"], "cards": cards, "shown": shown, "leader": leader, "counts": [25, 25]}))
    turn = leader
    to_beat: list[str] = []
    for action in record["actions"]:
        if action["do"] == "leave":
            told[turn].append((ASKED, {"kind": "cards", "to_beat": to_beat}))
            break
        assert action["seat"] == turn
        told[turn].append((ASKED, {"kind": "cards", "to_beat": to_beat}))
        to_beat = [enum(card) for card in action.get("cards", [])]
        if to_beat:
            hands[turn] -= Counter(action["cards"])
            both("cards_played", seat=turn, play={"cards": to_beat}, left=hands[turn].total())
        else:
            both("cards_passed", seat=turn)
        turn = 1 - turn
    (stage,) = record["stages"]
    claims = [{"payer": payer, "payee": payee, "multiple": multiple} for payer, payee, multiple in stage["claims"]]
    both("stage_claimed", hand=record["hand"], stage=0, cause=stage["cause"], claims=claims, points=record["points"])
    concealed = [" ".join(_held(hand)) for hand in hands]
    both("hand_over", hand=record["hand"], points=record["points"], concealed=concealed)
    return told


def _held(hand: Counter[str]) -> list[str]:
    return sorted(hand.elements(), key=order)
