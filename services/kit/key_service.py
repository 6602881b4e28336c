"""KeyService: which installation this is and with which keys its parts sign, told to anybody before they send a token."""

from __future__ import annotations

from typing import Any, Final

from services.kit.keys import RoleKeys, TableKeys
from services.kit.roles import Role
from xuezhan.api.keys.v1 import keys_pb2 as pb
from xuezhan.api.keys.v1.keys_pb2_grpc import KeyServiceServicer, add_KeyServiceServicer_to_server

FULL_NAME: Final = pb.DESCRIPTOR.services_by_name["KeyService"].full_name
_SIGN_FOR_OTHERS: Final = frozenset({Role.MATCHMAKING, Role.TABLE, Role.SETTLEMENT, Role.WORKER, Role.GATEWAY})
"""People's keys are nobody's business."""
_RECORD: Final = "record"


class KeyServicer(KeyServiceServicer):
    """Answers with what stands in the trust file; a table server also with the keys of statements and records, retired ones too."""

    def __init__(self, keys: RoleKeys) -> None:
        found = [
            pb.PublicKey(key_id=one.key.key_id, name=one.name, role=one.role, pem=one.key.pem().decode())
            for one in keys.trust.keys
            if one.role in _SIGN_FOR_OTHERS
        ]
        if isinstance(keys, TableKeys):
            signs = keys.records.signing().key_id
            found += [
                pb.PublicKey(key_id=one.key_id, name=_RECORD, role=keys.role, pem=one.pem().decode(), retired=one.key_id != signs)
                for one in keys.records.public()
            ]
        self._answer = pb.GetKeysResponse(installation=keys.installation, keys=found)

    def register(self, server: Any) -> None:
        """Add the service."""
        add_KeyServiceServicer_to_server(self, server)

    async def GetKeys(self, _request: pb.GetKeysRequest, _context: Any) -> pb.GetKeysResponse:  # noqa: N802 - gRPC's name
        """Say whose installation this is."""
        return self._answer
