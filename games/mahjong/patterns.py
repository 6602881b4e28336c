"""Patterns that several games count, as questions to the facts of a reading: the `times` of the rows in their tables."""

from __future__ import annotations

from games.mahjong.fans import Facts, How
from games.mahjong.shapes import SETS


def standard(facts: Facts) -> bool:
    """平胡: four sets and a pair."""
    return not facts.seven_pairs


def all_pungs(facts: Facts) -> bool:
    """碰碰胡, 对对胡: four pungs or kongs and a pair."""
    return facts.all_pungs


def golden_hook(facts: Facts) -> bool:
    """金钩钓: all pungs, all four melded, so that one concealed tile waits for its pair."""
    return facts.melds == SETS


def eighteen_arhats(facts: Facts) -> bool:
    """十八罗汉: a golden hook of four kongs."""
    return facts.kongs == SETS


def seven_pairs(facts: Facts) -> bool:
    """七对."""
    return facts.seven_pairs


def roots(facts: Facts) -> int:
    """根: each kind of which all four copies are in the hand, konged or not."""
    return facts.roots


def kongs(facts: Facts) -> int:
    """杠: each kong."""
    return facts.kongs


def roots_not_konged(facts: Facts) -> int:
    """根, 鬼: each kind of which all four copies are in the hand without a kong."""
    return facts.roots - facts.kongs


def self_draw(facts: Facts) -> bool:
    """自摸."""
    return facts.around.how is How.SELF_DRAW


def kong_draw(facts: Facts) -> bool:
    """杠上开花: self-draw on the replacement after a kong."""
    return facts.around.how is How.SELF_DRAW and facts.around.kongs > 0


def kong_discard(facts: Facts) -> bool:
    """杠上炮: won on the discard right after a replacement."""
    return facts.around.how is How.DISCARD and facts.around.kongs > 0


def robbed_kong(facts: Facts) -> bool:
    """抢杠胡: won on the tile of an added kong."""
    return facts.around.how is How.ROBBED_KONG


def last_draw(facts: Facts) -> bool:
    """海底捞月: self-draw of the wall's last tile."""
    return facts.around.how is How.SELF_DRAW and facts.around.last_tile


def last_discard(facts: Facts) -> bool:
    """海底炮: won on the discard after the wall's last tile."""
    return facts.around.how is How.DISCARD and facts.around.last_tile
