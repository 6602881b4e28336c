"""What kongs earn 刮风下雨, hand over 杠上炮 and give back 退税 (docs/rules/happy_sichuan.md).

Law: all of it is read from the stages of the hand. The kong that is handed over is the last one before its transfer: between a replacement
and the win on the discard after it there is no other.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Final

from games.hand import Claim, Stage
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind

KONG: Final = "kong"
KONG_TRANSFER: Final = "kong_transfer"
REFUND: Final = "refund"
EACH_PAYS: Final[Mapping[MeldKind, int]] = {MeldKind.DIRECT_KONG: 1, MeldKind.ADDED_KONG: 1, MeldKind.CONCEALED_KONG: 2}


def kong(hand: HandState, who: int, meld: Meld) -> Stage:
    """Return what a kong earns: from its discarder, or from all others that have not won."""
    payers = [meld.source] if meld.kind is MeldKind.DIRECT_KONG else hand.others_playing(who)
    return Stage(KONG, tuple(Claim(payer, who, EACH_PAYS[meld.kind]) for payer in payers))


def transfer(hand: HandState, winners: Sequence[int], source: int) -> Stage:
    """Return what the discarder hands over: to each winner all that the last kong earned, whoever paid it."""
    last = next(stage for stage in reversed(hand.stages) if stage.cause == KONG)
    earned = sum(claim.multiple for claim in last.claims)
    return Stage(KONG_TRANSFER, tuple(Claim(source, winner, earned) for winner in winners))


def refund(stages: Sequence[Stage], not_ready: Container[int], gone: Container[int]) -> Stage:
    """Return what players who are not ready give back: each kong payment that they kept, to who paid it and is not `gone`."""
    kept: list[Stage] = []
    for stage in stages:
        if stage.cause == KONG:
            kept.append(stage)
        elif stage.cause == KONG_TRANSFER:
            kept.pop()
    paid = [claim for stage in kept for claim in stage.claims if claim.payee in not_ready and claim.payer not in gone]
    return Stage(REFUND, tuple(Claim(claim.payee, claim.payer, claim.multiple) for claim in paid))
