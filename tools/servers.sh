#!/bin/sh
# Installs the servers that the tests start for themselves (PostgreSQL, RabbitMQ, Prometheus with promtool).
# Works on Debian as root; elsewhere it names what is missing. With CI=true something missing is an error.
# usage: tools/servers.sh [postgresql] [rabbitmq-server] [prometheus]    (all without arguments)
set -eu
names=${*:-postgresql rabbitmq-server prometheus}

present() {
    case $1 in
    postgresql) command -v postgres || ls /usr/lib/postgresql/*/bin/postgres ;;
    rabbitmq-server) ls /usr/lib/rabbitmq/bin/rabbitmq-server || command -v rabbitmq-server ;;
    prometheus) command -v prometheus && command -v promtool ;;
    *) echo "unknown server: $1" >&2 && exit 2 ;;
    esac >/dev/null 2>&1
}

missing() {
    for name in $names; do
        present "$name" || echo "$name"
    done
}

install() {
    # The tests start their own servers on ports of their own: the packages' must not start.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
        trap 'rm -f "$policy"' EXIT
    fi
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    echo "installing from Debian: $*"
    if ! { apt-get update -q && apt-get install -q -y --no-install-recommends "$@"; } >"$log" 2>&1; then
        tail -n 30 "$log"
        echo "apt-get could not install: $*"
    fi
    rm -f "$log"
}

wanted=$(missing)
if [ -n "$wanted" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # shellcheck disable=SC2086  # one word a package
    install $wanted
    wanted=$(missing)
fi

for name in $wanted; do
    echo "missing: $name; tests that need it are skipped (on Debian: apt-get install $name)"
done
if [ -n "$wanted" ] && [ "${CI:-}" = true ]; then
    echo "CI=true: every server must be there" >&2
    exit 1
fi
