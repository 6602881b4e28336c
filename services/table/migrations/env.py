"""Runs this service's migrations on the connection that services.kit.database.migrate hands over."""

from __future__ import annotations

from alembic import context

from services.table.store import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
