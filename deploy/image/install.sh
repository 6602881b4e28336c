#!/bin/sh
# Installs everything that runs into one folder: the steps of the image, and of a machine without Docker.
# usage: deploy/image/install.sh SOURCE PREFIX      e.g. deploy/image/install.sh . /opt/xuezhan
set -eu
[ $# = 2 ] || { echo "usage: $0 SOURCE PREFIX" >&2; exit 2; }
source=$(cd "$1" && pwd)
prefix=$2
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name it with PYTHON=..." >&2; exit 1; }
"$python" -m venv "$prefix"
pip() { "$prefix/bin/python" -m pip --quiet --no-input --disable-pip-version-check "$@"; }

# Exactly what the lock file says, hashes checked.
pip install --no-deps --require-hashes -r "$source/requirements/run.txt"

# Built from a copy, so that the source stays as it is; the API is generated from the protos on the way.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in pyproject.toml README.md LICENSE games services xuezhan protos tools; do
    cp -R "$source/$part" "$work/$part"
done
"$prefix/bin/python" "$work/tools/protos.py"
pip install --no-deps --no-build-isolation --no-index "$work"
"$prefix/bin/xuezhan" --version
