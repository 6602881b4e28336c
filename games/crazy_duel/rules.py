"""The ruleset of 疯狂对杀 (docs/rules/crazy_duel.md)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from games.crazy_duel import targets
from games.crazy_duel.cards import PACK, card_of, names_of
from games.crazy_duel.hand import DEALT, PLAYERS, PUT_AWAY, DuelHand
from games.crazy_duel.options import DEFAULT, OPTIONS, STAKES
from games.crazy_duel.score import ESCAPE_IN_COINS, ESCAPE_RATED, LARGEST
from games.deal import Stream, deal_key, shuffle
from games.fields import FieldError, flag, listed, mapping, member, text, whole
from games.hand import Action, Do, Event, Policy, Refusal, Setup, Why

VERSION = "crazy_duel/1"
_DOES = (Do.PLAY, Do.PASS, Do.LEAVE)


class DuelRules:
    """One room's rules. Immutable and shared by tables (games.hand.Ruleset)."""

    game = OPTIONS.game
    version = VERSION
    players = PLAYERS
    deck = "cards"
    policy = Policy.STAGE
    may_leave = True
    leave_waits = False
    point_unit = 1
    auto_discard = False
    auto_pass = False

    def __init__(self, options: Mapping[str, Any], players: int = PLAYERS) -> None:
        """`options` as resolved. It is a game of two."""
        assert players == PLAYERS, f"{players} players"
        self.options: Mapping[str, Any] = MappingProxyType(dict(options))
        rated: bool = options["rated"]
        self.base = 0 if rated else OPTIONS.room(options["room"]).base or STAKES[DEFAULT].n
        self.escape = ESCAPE_RATED if rated else ESCAPE_IN_COINS
        self.largest_claim = max(LARGEST, self.escape)

    def prepare(self) -> None:
        """Work out what beats each play."""
        targets.prepare()

    def deal(self, setup: Setup) -> tuple[DuelHand, list[Event]]:
        """Shuffle, draw the shown card, ask its holder to lead. `before` is ignored."""
        stream = Stream(deal_key(setup.seed, setup.table, setup.hand, setup.contributions))
        wall = shuffle(stream, PACK)
        hand = DuelHand(wall, PUT_AWAY + stream.uniform(PLAYERS * DEALT), self.escape)
        return hand, hand.open()

    def load(self, dumped: Mapping[str, Any]) -> DuelHand:
        """Rebuild a hand from `DuelHand.dump`."""
        return DuelHand.load(dumped, self.escape)

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """Return the action in the notation of hand records."""
        written: dict[str, Any] = {"seat": action.seat, "do": action.do.value}
        if action.do is Do.PLAY:
            written["cards"] = names_of(action.tiles)
            written["kind"] = action.kind or None
        return written | {"auto": True} if action.auto else written

    def action_from_json(self, value: Mapping[str, Any]) -> Action | Refusal:
        """Read an action in the notation of hand records."""
        try:
            fields = mapping("action", value)
            seat = whole("seat", fields.get("seat"), 0, PLAYERS - 1)
            do = member("do", fields.get("do"), Do)
            if do not in _DOES:
                return Refusal(Why.MALFORMED, f"do: {do} is not of this game")
            auto = flag("auto", fields.get("auto", False))
            if do is not Do.PLAY:
                return Action(seat, do, auto=auto)
            cards = tuple(card_of(text("cards", name)) for name in listed("cards", fields.get("cards")))
            kind = fields.get("kind")
            return Action(seat, do, tiles=cards, kind="" if kind is None else text("kind", kind), auto=auto)
        except FieldError as bad:
            return Refusal(Why.MALFORMED, str(bad))
        except ValueError as bad:
            return Refusal(Why.MALFORMED, f"cards: {bad}")
