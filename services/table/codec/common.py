"""What happens at any table, whatever its game, as messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from games.ratings import title
from services.kit.items import ItemOutcome
from services.table.events import Claimed, Closed, Committed, DealSigned, Ended, Revealed, SeatChanged, SeatTaken, Settled
from services.table.phases import Phase
from services.table.signer import Signed
from xuezhan.api.table.v1 import table_pb2 as pb

STATES: Final = {
    Phase.OPENING: pb.TABLE_STATE_OPEN,
    Phase.GATHERING: pb.TABLE_STATE_OPEN,
    Phase.REVEALING: pb.TABLE_STATE_OPEN,
    Phase.PLAYING: pb.TABLE_STATE_OPEN,
    Phase.BREAK: pb.TABLE_STATE_OPEN,
    Phase.SETTLING: pb.TABLE_STATE_SETTLING,
    Phase.CLOSED: pb.TABLE_STATE_CLOSED,
    Phase.CALLED_OFF: pb.TABLE_STATE_CALLED_OFF,
}


def committed(event: Committed) -> pb.HandCommitted:
    """Return the message of a commitment."""
    return pb.HandCommitted(
        hand=event.hand,
        commitment=event.commitment,
        contribution_hashes=event.hashes,
        options=event.options,
        money=event.money,
        signed=None if event.signed is None else _signed(event.signed),
    )


def _signed(statement: Signed) -> pb.Signed:
    return pb.Signed(statement=statement.text, signature=statement.signature, key_id=statement.key_id)


def deal_signed(event: DealSigned) -> pb.DealSigned:
    """Return the message of the statement about a deal."""
    return pb.DealSigned(hand=event.hand, signed=_signed(event.signed))


def _revealed(event: Revealed) -> pb.Event:
    return pb.Event(contribution_revealed=pb.ContributionRevealed(seat=event.seat, contribution=event.contribution))


def _seat_changed(event: SeatChanged) -> pb.Event:
    return pb.Event(seat_changed=pb.SeatChanged(seat=event.seat, on_auto=event.on_auto, left=event.left))


def _seat_taken(event: SeatTaken) -> pb.Event:
    return pb.Event(seat_taken=pb.SeatTaken(seat=event.seat, player_id=event.player, money=event.money))


def _claimed(event: Claimed) -> pb.Event:
    claims = [pb.Claim(payer=claim.payer, payee=claim.payee, multiple=claim.multiple) for claim in event.stage.claims]
    stage = pb.StageClaimed(hand=event.hand, stage=event.place, cause=event.stage.cause, claims=claims, points=event.points)
    return pb.Event(stage_claimed=stage)


def _settled(event: Settled) -> pb.Event:
    outcome: ItemOutcome = event.outcome
    return pb.Event(
        stage_settled=pb.StageSettled(
            hand=event.hand,
            stage=max(event.place, 0),
            cause=event.cause,
            moves=[pb.Move(payer=move.payer, payee=move.payee, coins=move.coins) for move in outcome.moves],
            money=outcome.money,
            change=outcome.change,
            short=[pb.Short(seat=short.seat, owed=short.owed, paid=short.paid) for short in outcome.short],
            ratings=outcome.ratings,
            titles=[title(event.game, rating) if rating >= 0 else "" for rating in outcome.ratings],
        )
    )


def ended(event: Ended) -> pb.HandOver:
    """Return the message of a hand's end."""
    return pb.HandOver(
        hand=event.hand,
        concealed=event.concealed,
        points=event.points,
        seed=event.seed,
        contributions=[given or b"" for given in event.contributions],
        result=event.result,
        called_off=event.called_off,
        called_off_by=event.by,
    )


def _closed(event: Closed) -> pb.Event:
    return pb.Event(table_closed=pb.TableClosed(state=STATES[Phase(event.phase)], reason=event.reason))


EVENTS: Final[dict[type, Callable[[Any], pb.Event]]] = {
    Committed: lambda event: pb.Event(hand_committed=committed(event)),
    DealSigned: lambda event: pb.Event(deal_signed=deal_signed(event)),
    Revealed: _revealed,
    SeatChanged: _seat_changed,
    SeatTaken: _seat_taken,
    Claimed: _claimed,
    Settled: _settled,
    Ended: lambda event: pb.Event(hand_over=ended(event)),
    Closed: _closed,
}
"""Encoders by the type of the event."""
