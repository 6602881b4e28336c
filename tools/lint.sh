#!/bin/sh
# Runs every check of the source and says at the end which of them failed.
set -u
bin=.venv/bin
failed=

check() {
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed $name"
}

check ruff "$bin/ruff" check .
check format "$bin/ruff" format --check .
check mypy "$bin/mypy"
check imports "$bin/lint-imports" --no-logo
check protos "$bin/buf" lint
check contracts "$bin/buf" breaking --against protos/baseline.binpb

check servers tools/servers.sh prometheus
if command -v promtool >/dev/null 2>&1; then
    # Checks the rule files it names, too.
    check prometheus promtool check config deploy/prometheus/prometheus.yml
    # Examples of what each alert fires on and what not.
    for file in $(find deploy/prometheus -name '*test*.yml'); do
        check "$file" promtool test rules "$file"
    done
fi

if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
echo "all checks passed"
