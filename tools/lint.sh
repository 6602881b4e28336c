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

if [ -d deploy ]; then
    check promtool tools/servers.sh prometheus
    if command -v promtool >/dev/null 2>&1; then
        # A configuration names its rule files as they lie in the image: check both where they lie here.
        for file in $(find deploy -name 'prometheus*.yml' -o -name 'prometheus*.yaml'); do
            check "$file" promtool check config --syntax-only "$file"
        done
        for file in $(find deploy -path '*rules*' \( -name '*.yml' -o -name '*.yaml' \)); do
            check "$file" promtool check rules "$file"
        done
    fi
fi

if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
echo "all checks passed"
