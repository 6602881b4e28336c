"""Alembic runs on the connection that services.kit.database.migrate opened."""

from alembic import context

from services.settlement.store import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
