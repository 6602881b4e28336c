#!/usr/bin/env bash
# Runs all tests: those of the parts, those of tables, those of the whole and those of games/ beside each other. The first three mostly
# wait; the last only compute, give way to the others, and are measured for full branch coverage.
# usage: tools/test.sh [TEST...]    (with arguments: only these, without coverage)
set -u
cd "$(dirname "$0")/.." || exit 1
if [ $# -gt 0 ]; then
    exec .venv/bin/pytest "$@"
fi
whole=(tests/cli tests/e2e tests/deploy tests/bench tests/house)
tables=(tests/table tests/upgrade)

logs=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM

nice -n 10 .venv/bin/pytest tests/games --cov --cov-report=term-missing:skip-covered >"$logs/games" 2>&1 &
games=$!
.venv/bin/pytest "${whole[@]}" >"$logs/whole" 2>&1 &
together=$!
.venv/bin/pytest "${tables[@]}" >"$logs/tables" 2>&1 &
at_tables=$!
.venv/bin/pytest --ignore=tests/games "${whole[@]/#/--ignore=}" "${tables[@]/#/--ignore=}"
status=$?

# Shows what ran beside the others, from its beginning to its end, and remembers the first that failed.
show() {
    printf '\n%s, which ran beside these:\n' "$1"
    tail --pid="$3" -n +1 -f "$logs/$2"
    wait "$3" || { [ "$status" -eq 0 ] && status=1; }
}
show "The tests of tables" tables "$at_tables"
show "The tests of the whole" whole "$together"
show "The tests of games/" games "$games"
exit "$status"
