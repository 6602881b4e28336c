from __future__ import annotations

from alembic import context

from services.matchmaking.schema import META

context.configure(connection=context.config.attributes["connection"], target_metadata=META)
with context.begin_transaction():
    context.run_migrations()
