"""What each dashboard shows."""

from __future__ import annotations

from typing import Final

from tools.dashboards.panels import GAME, JOB, SERVER, TIER, Board, Panel, graph, stat

_ROOM: Final = 'game=~"$game",tier=~"$tier"'
_AT: Final = 'instance=~"$server"'


def _quantiles(metric: str, where: str = "") -> tuple[tuple[str, str], ...]:
    rate = f"sum by (le) (rate({metric}_bucket{{{where}}}[1m]))"
    return tuple((f"histogram_quantile({share}, {rate})", f"p{share * 100:.0f}") for share in (0.5, 0.99))


_OLDEST: Final = (
    "max(xuezhan_table_outbox_oldest_seconds) or max(xuezhan_table_oldest_item_seconds) or max(xuezhan_settlement_oldest_unsettled_seconds)"
)
_ACT: Final[tuple[Panel, ...]] = (
    stat(
        "Alerts that wake somebody",
        'count(ALERTS{alertstate="firing",severity="page"}) or vector(0)',
        bad=1,
        says="0: nobody must act now.",
    ),
    stat("Parts that do not answer", 'count(up{job!="load"} == 0) or vector(0)', bad=1, says="The page PartDown says what to do."),
    stat("Database reached", "min(xuezhan_part_database_reachable)", bad=1, low=True, says="0: a part does not reach PostgreSQL."),
    stat("Broker reached", "min(xuezhan_part_broker_connected)", bad=1, low=True, says="0: a part does not reach RabbitMQ."),
    stat(
        "Tables standing still", "sum(xuezhan_table_standing_still)", bad=1, says="Something has been due there for more than two seconds."
    ),
    stat("Oldest unsettled coin", _OLDEST, unit="s", bad=60, says="Wherever it waits: at a table, the broker or the workers."),
)

OVERVIEW: Final = Board(
    "overview",
    "xuezhan: overview",
    "The first row says whether anybody must act; the second why; the rest how it is played.",
    (
        ("Must anybody act?", _ACT),
        (
            "Why",
            (
                graph(
                    "Alerts that fire",
                    (
                        'sum by (alertname) (ALERTS{alertstate="firing"}) or label_replace(vector(0), "alertname", "none", "", "")',
                        "{{alertname}}",
                    ),
                    says="Each has a page in docs/runbook.",
                ),
                graph("Parts that answer", ('sum by (job) (up{job!="load"})', "{{job}}")),
                graph(
                    "Database and broker reached",
                    ("min by (job) (xuezhan_part_database_reachable)", "database, {{job}}"),
                    ("min by (job) (xuezhan_part_broker_connected)", "broker, {{job}}"),
                    says="1: all processes of the kind reach it.",
                ),
            ),
        ),
        (
            "Play",
            (
                graph("Actions a second", ("sum(rate(xuezhan_table_actions_total[30s]))", "actions"), unit="ops"),
                graph(
                    "Seats and tables",
                    ("sum(xuezhan_table_seats_connected)", "seats connected"),
                    ("sum(xuezhan_table_seats)", "seats"),
                    ("sum(xuezhan_table_tables)", "tables"),
                ),
                graph(
                    "From an action to its durable answer",
                    *_quantiles("xuezhan_table_action_durable_seconds"),
                    unit="s",
                    bad=0.25,
                    says="Without claim windows and other waits that are rules.",
                    idle=False,
                ),
                graph("Tickets waiting", ("max(sum by (instance) (xuezhan_matchmaking_tickets_waiting))", "tickets")),
                graph("Items settled a second", ("sum(rate(xuezhan_settlement_items_total[30s]))", "items"), unit="ops", idle=False),
                graph("Longest pause of a process", ("max by (job) (xuezhan_part_loop_lag_max_seconds)", "{{job}}"), unit="s", bad=1),
            ),
        ),
    ),
)

TABLES: Final = Board(
    "tables",
    "xuezhan: tables",
    "What is played, by room.",
    (
        (
            "Now",
            (
                stat("Live tables", f"sum(xuezhan_table_tables{{{_ROOM}}})"),
                stat("Seats connected", f"sum(xuezhan_table_seats_connected{{{_ROOM}}})"),
                stat("Seats on auto", f"sum(xuezhan_table_seats_on_auto{{{_ROOM}}})"),
                stat("Standing still", f"sum(xuezhan_table_standing_still{{{_ROOM}}})", bad=1),
                stat("Set aside", "max(xuezhan_table_set_aside)", bad=1, says="Three servers in turn could not take each up."),
                stat("Faults of fairness", "sum(xuezhan_client_fairness_faults_total) or vector(0)", bad=1, says="Seen by load runs."),
            ),
        ),
        (
            "Play",
            (
                graph("Tables by room", (f"sum by (game, tier) (xuezhan_table_tables{{{_ROOM}}})", "{{game}}/{{tier}}")),
                graph("Actions a second", ("sum by (instance) (rate(xuezhan_table_actions_total[30s]))", "{{instance}}"), unit="ops"),
                graph(
                    "Refusals a second",
                    (
                        'sum by (reason) (rate(xuezhan_table_refusals_total[1m])) or label_replace(vector(0), "reason", "none", "", "")',
                        "{{reason}}",
                    ),
                    unit="ops",
                    idle=False,
                ),
                graph("Hands a minute", ("sum by (end) (rate(xuezhan_table_hands_total[2m])) * 60", "{{end}}"), idle=False),
                graph(
                    "Turns that the clock ended, a minute",
                    (
                        'sum by (why) (rate(xuezhan_table_timers_total[2m])) * 60 or label_replace(vector(0), "why", "none", "", "")',
                        "{{why}}",
                    ),
                    idle=False,
                ),
                graph("To the durable answer", *_quantiles("xuezhan_table_action_durable_seconds"), unit="s", bad=0.25, idle=False),
            ),
        ),
        (
            "Moves between servers",
            (
                graph("Tables by server", ("sum by (instance) (xuezhan_table_tables)", "{{instance}}")),
                graph(
                    "Adopted and handed over, a minute",
                    ("sum(rate(xuezhan_table_adopted_total[1m])) * 60", "adopted"),
                    ("sum(rate(xuezhan_table_handed_over_total[1m])) * 60", "handed over"),
                ),
                graph(
                    "Rebuilt, a minute",
                    (
                        'sum by (why) (rate(xuezhan_table_rebuilt_total[2m])) * 60 or label_replace(vector(0), "why", "none", "", "")',
                        "{{why}}",
                    ),
                    idle=False,
                ),
            ),
        ),
    ),
    (GAME, TIER),
)

MATCHMAKING: Final = Board(
    "matchmaking",
    "xuezhan: matchmaking",
    "How long players wait for a seat, and what keeps them.",
    (
        (
            "Now",
            (
                stat("Tickets waiting", "max(sum by (instance) (xuezhan_matchmaking_tickets_waiting))"),
                stat("Oldest ticket", "max(xuezhan_matchmaking_oldest_ticket_seconds)", unit="s", bad=120),
                stat("Watch calls", "sum(xuezhan_matchmaking_watchers)"),
                stat("Failed steps, 5 min", "sum(increase(xuezhan_matchmaking_seating_failures_total[5m])) or vector(0)", bad=10),
            ),
        ),
        (
            "Rooms",
            (
                graph(
                    "Waiting, by room",
                    (f"max by (game, tier) (xuezhan_matchmaking_tickets_waiting{{{_ROOM}}})", "{{game}}/{{tier}}"),
                    idle=False,
                ),
                graph("Wait until matched", *_quantiles("xuezhan_matchmaking_match_wait_seconds", _ROOM), unit="s", bad=60, idle=False),
                graph(
                    "Oldest ticket, by room",
                    (f"max by (game, tier) (xuezhan_matchmaking_oldest_ticket_seconds{{{_ROOM}}})", "{{game}}/{{tier}}"),
                    unit="s",
                    idle=False,
                ),
            ),
        ),
        (
            "Seating",
            (
                graph("Matches a minute", ("sum(rate(xuezhan_matchmaking_matches_total[1m])) * 60", "matches"), idle=False),
                graph("From match to seats", *_quantiles("xuezhan_matchmaking_seating_seconds"), unit="s", idle=False),
                graph(
                    "Tickets ended a minute",
                    ("sum by (state) (rate(xuezhan_matchmaking_tickets_ended_total[1m])) * 60", "{{state}}"),
                    idle=False,
                ),
            ),
        ),
    ),
    (GAME, TIER),
)

SETTLEMENT: Final = Board(
    "settlement",
    "xuezhan: settlement",
    "Coins on their way, and the proof of the ledger.",
    (
        (
            "Now",
            (
                stat("Oldest unsettled coin", _OLDEST, unit="s", bad=60),
                stat("Stuck tables", "max(xuezhan_settlement_stuck_tables)", bad=1),
                stat("Workers at the broker", "max(xuezhan_table_workers)", bad=1, low=True),
                stat("Coins that the ledger is off", "max(abs(xuezhan_settlement_ledger_imbalance_coins))", bad=1),
                stat(
                    "Ledger checked",
                    "time() - max(xuezhan_settlement_ledger_checked_timestamp_seconds > 0)",
                    unit="s",
                    bad=3600,
                    says="Seconds ago.",
                ),
                stat("Messages nobody believes", 'sum(rabbitmq_queue_messages{queue="xuezhan.settlement.dead"}) or vector(0)', bad=1),
            ),
        ),
        (
            "Work",
            (
                graph("Items a second", ("sum by (kind) (rate(xuezhan_settlement_items_total[30s]))", "{{kind}}"), unit="ops", idle=False),
                graph("A batch takes", *_quantiles("xuezhan_settlement_batch_seconds"), unit="s", bad=5, idle=False),
                graph("Messages at the broker", ('sum by (queue) (rabbitmq_queue_messages{queue=~"xuezhan.*"})', "{{queue}}")),
            ),
        ),
        (
            "Coins",
            (
                graph("Coins paid a second", ("sum(rate(xuezhan_settlement_coins_paid_total[1m]))", "paid"), unit="coins", idle=False),
                graph(
                    "Coins that nobody had, a second",
                    ("sum(rate(xuezhan_settlement_coins_short_total[1m]))", "short"),
                    unit="coins",
                    idle=False,
                ),
                graph("Findings of the last check", ("max by (check) (xuezhan_settlement_ledger_findings)", "{{check}}"), bad=1),
            ),
        ),
    ),
)

SERVER_BOARD: Final = Board(
    "server",
    "xuezhan: one process",
    "One process of any part: choose it above. Without a choice all are shown together.",
    (
        (
            "Now",
            (
                stat("Answers Prometheus", f'min(up{{job=~"$job",{_AT}}})', bad=1, low=True),
                stat(
                    "Lease, seconds left",
                    f"min(xuezhan_table_lease_seconds{{{_AT}}})",
                    unit="s",
                    bad=1,
                    low=True,
                    says="Table servers only.",
                ),
                stat("Database reached", f'min(xuezhan_part_database_reachable{{job=~"$job",{_AT}}})', bad=1, low=True),
                stat("Broker reached", f'min(xuezhan_part_broker_connected{{job=~"$job",{_AT}}}) or vector(1)', bad=1, low=True),
                stat("Does not serve", f'max(xuezhan_part_serving_faults{{job=~"$job",{_AT}}}) or vector(0)', bad=1),
                stat(
                    "Certificate, days left",
                    f'(min(xuezhan_part_certificate_expires_timestamp_seconds{{job=~"$job",{_AT}}}) - time()) / 86400 or vector(-1)',
                    says="-1: it has none.",
                ),
            ),
        ),
        (
            "The process",
            (
                graph("Processor", (f'rate(process_cpu_seconds_total{{job=~"$job",{_AT}}}[30s])', "{{instance}}"), unit="percentunit"),
                graph("Memory", (f'process_resident_memory_bytes{{job=~"$job",{_AT}}}', "{{instance}}"), unit="bytes"),
                graph("Longest pause", (f'xuezhan_part_loop_lag_max_seconds{{job=~"$job",{_AT}}}', "{{instance}}"), unit="s", bad=1),
            ),
        ),
        (
            "Calls",
            (
                graph(
                    "Calls a second",
                    (f'sum by (grpc_method) (rate(grpc_server_handled_total{{job=~"$job",{_AT}}}[1m]))', "{{grpc_method}}"),
                    unit="ops",
                    idle=False,
                ),
                graph(
                    "Refused by a limit, a second",
                    (
                        (
                            f'sum by (limit) (rate(xuezhan_part_limited_total{{job=~"$job",{_AT}}}[1m]))'
                            ' or label_replace(vector(0), "limit", "none", "", "")'
                        ),
                        "{{limit}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Tasks and threads",
                    (f'xuezhan_part_tasks{{job=~"$job",{_AT}}}', "tasks {{instance}}"),
                    (f'xuezhan_part_threads{{job=~"$job",{_AT}}}', "threads {{instance}}"),
                ),
            ),
        ),
        (
            "Of a table server",
            (
                graph("What waits", (f"sum by (what) (xuezhan_table_waiting{{{_AT}}})", "{{what}}")),
                graph("Storing a batch", *_quantiles("xuezhan_table_journal_commit_seconds", _AT), unit="s", bad=0.5, idle=False),
                graph(
                    "Streams and watchers",
                    (f"sum(xuezhan_table_streams{{{_AT}}})", "streams"),
                    (f"sum(xuezhan_table_watchers{{{_AT}}})", "watchers"),
                ),
            ),
        ),
    ),
    (JOB, SERVER),
)

BOARDS: Final = (OVERVIEW, TABLES, MATCHMAKING, SETTLEMENT, SERVER_BOARD)
