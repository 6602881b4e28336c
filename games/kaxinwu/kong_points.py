"""What kongs earn in 血战卡心五, 杠上杠 included (docs/rules/kaxinwu.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.hand import Claim, Stage
from games.mahjong.hooks import HandState
from games.mahjong.melds import Meld, MeldKind

EACH_PAYS: Final[Mapping[MeldKind, int]] = {MeldKind.DIRECT_KONG: 2, MeldKind.ADDED_KONG: 1, MeldKind.CONCEALED_KONG: 2}
IN_A_ROW: Final = 2
"""What every kong of a row but the first is multiplied by."""


def kong(hand: HandState, who: int, meld: Meld) -> Stage:
    """Return what a kong earns: from its discarder, or from every other player whether or not they have won."""
    payers = [meld.source] if meld.kind is MeldKind.DIRECT_KONG else hand.others_playing(who)
    multiple = EACH_PAYS[meld.kind] * (IN_A_ROW if hand.row > 1 else 1)
    return Stage("kong", tuple(Claim(payer, who, multiple) for payer in payers))
