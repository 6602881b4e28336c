#!/bin/sh
# Makes .venv (or goes on with it) and installs exactly what a lock file in requirements/ says, then the project itself.
# usage: tools/env.sh run|dev|bench
set -eu
lock=requirements/$1.txt
venv=.venv

find_python() {
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    echo "Python 3.11 or newer is needed; name it with PYTHON=/path/to/python" >&2
    return 1
}

make_venv() {
    python=$(find_python)
    rm -rf "$venv"
    # Debian keeps what venv needs in a package of its own.
    if ! "$python" -c 'import ensurepip' 2>/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
        echo "installing $version-venv from Debian"
        { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$version-venv"; } >/dev/null 2>&1 || true
    fi
    if ! "$python" -m venv "$venv"; then
        rm -rf "$venv"
        echo "$python cannot make virtual environments: install its venv module (Debian: python3-venv)" >&2
        return 1
    fi
}

"$venv/bin/python" -c '' 2>/dev/null || make_venv
echo "installing $lock into $venv"
# The lock names every package, so nothing is resolved (--no-deps); bytecode is written at first use.
"$venv/bin/python" -m pip install -qq --no-input --disable-pip-version-check --no-deps --no-compile --require-hashes -r "$lock"
if [ ! -x "$venv/bin/xuezhan" ]; then
    "$venv/bin/python" -m pip install -qq --no-input --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
fi
