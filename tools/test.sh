#!/usr/bin/env bash
# Runs all tests. Those of games/ only compute and are measured for full branch coverage; they run beside the others, which mostly wait.
# usage: tools/test.sh [TEST...]    (with arguments: only these, without coverage)
set -u
cd "$(dirname "$0")/.." || exit 1
if [ $# -gt 0 ]; then
    exec .venv/bin/pytest "$@"
fi
log=$(mktemp)
trap 'kill "$games" 2>/dev/null; rm -f "$log"' EXIT
trap 'exit 130' INT TERM

nice -n 10 .venv/bin/pytest tests/games --cov --cov-report=term-missing:skip-covered >"$log" 2>&1 &
games=$!
.venv/bin/pytest --ignore=tests/games
others=$?
printf '\nThe tests of games/, which ran beside these:\n'
tail --pid="$games" -n +1 -f "$log"
wait "$games"
status=$?
[ "$others" -eq 0 ] && exit "$status"
exit "$others"
