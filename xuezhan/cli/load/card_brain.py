"""Players of a load run at the card game: the game's own bots, looking at what the seat was shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from games.crazy_duel.cards import KINDS, TOP_NAMES, Card
from games.crazy_duel.kinds import Laid, Play, PlayKind
from games.crazy_duel.offers import CardOffer
from games.hand import Action, Bot, Do
from xuezhan.api.table.v1 import cards_pb2 as cd
from xuezhan.api.table.v1 import table_pb2 as pb
from xuezhan.client import CardTableModel, Heard, acts

_PREFIX: Final = "PLAY_KIND_"


@dataclass
class Shown:
    """What the bot looks at: its offer and cards, and how many cards each seat holds."""

    offers: list[Any]
    left: list[int]

    def cards(self, seat: int) -> tuple[Card, ...]:
        """Return what the seat holds, sorted."""
        held = self.offers[seat].held
        return tuple(card for card, count in enumerate(held) for _ in range(count))


class CardBrain:
    """Keeps a picture of the table and asks a bot."""

    def __init__(self, bot: Bot) -> None:
        self._table = CardTableModel()
        self._bot = bot

    def hear(self, heard: Heard) -> None:
        """Keep the picture up."""
        if heard.name == "attached":
            if self._table.me is None:
                self._table = CardTableModel(len(heard.what.seats), heard.what.seat)
        else:
            self._table.hear(heard.name, heard.what)

    def choose(self, offer: pb.Offer) -> pb.Act:
        """Answer an offer."""
        table, me = self._table, self._table.me or 0
        held = [0] * KINDS
        for card in table.seats[me].cards:
            held[card - 1] += 1
        shown = Shown([None] * len(table.seats), [seat.count for seat in table.seats])
        shown.offers[me] = CardOffer(me, 1, held, _to_beat(offer.cards, 1 - me))
        return _act(self._bot.choose(shown, me))


def _to_beat(choices: cd.CardChoices, by: int) -> Laid | None:
    if not choices.HasField("to_beat"):
        return None
    play = choices.to_beat
    kind = PlayKind(cd.PlayKind.Name(play.kind).removeprefix(_PREFIX).lower())
    return Laid(by, tuple(card - 1 for card in play.cards), Play(kind, TOP_NAMES.index(play.top), play.stars, len(play.cards)))


def _act(action: Action) -> pb.Act:
    if action.do is Do.PASS:
        return acts.skip()
    return acts.play([card + 1 for card in action.tiles], cd.PlayKind.Value(f"{_PREFIX}{action.kind.upper()}"))
