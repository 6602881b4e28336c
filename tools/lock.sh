#!/bin/sh
# Resolves pyproject.toml into requirements/{run,dev,bench}.txt: exact versions and the hashes of every platform's files.
# The files name no download host: each machine uses its own package index.
# usage: tools/lock.sh [--upgrade]
set -eu

lock() {
    name=$1
    shift
    echo "resolving requirements/$name.txt"
    CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-annotate \
        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
        --output-file "requirements/$name.txt" "$@" pyproject.toml
}

lock run --extra build "$@"
lock dev --extra build --extra dev --constraint requirements/run.txt "$@"
lock bench --extra bench --constraint requirements/run.txt "$@"
