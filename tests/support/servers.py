"""Real servers on private ports of the loopback address, each with its data in a folder of its own.

    with Postgres() as postgres, RabbitMQ() as rabbitmq:
        url = postgres.new_database("settlement")
        broker = rabbitmq.new_vhost()
        postgres.kill()  # SIGKILL, like a lost machine
        postgres.start()  # the same port, the same data

Each class says by `missing()` what the machine lacks for it.
"""

from tests.support.postgres import Postgres
from tests.support.prometheus import Prometheus
from tests.support.rabbitmq import RabbitMQ

__all__ = ["Postgres", "Prometheus", "RabbitMQ"]
