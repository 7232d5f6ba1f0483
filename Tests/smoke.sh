#!/usr/bin/env bash
# Starts the program repeatedly. Each time it must relay a simulated flight and stop cleanly. A fault before the
# first frame may appear in only one of three starts.
#   Tests/smoke.sh PROGRAM [STARTS]      default 20
set -euo pipefail
cd "$(dirname "$0")/.."
# Tests/quick.sh runs it on a contributor's machine, which has what deploy/demo.sh installs.
. deploy/install.sh
install_packages mosquitto mosquitto-clients python3
program="$1" starts="${2:-20}"

room="$(mktemp -d)"
port="$(Tests/ports.py)" page="$(Tests/ports.py)"
printf 'user root\nlistener %s 127.0.0.1\nallow_anonymous true\n' "$port" > "$room/mosquitto.conf"
PATH="$PATH:/usr/sbin" mosquitto -c "$room/mosquitto.conf" 2>/dev/null &
broker=$!
gateway=
finish() {
    kill -9 $gateway $broker 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$room"
}
trap finish EXIT

fail() {
    echo "start $number of $starts: $1" >&2
    cat "$room/log" >&2
    exit 1
}

deadline=$((SECONDS + 20))
until mosquitto_pub -p "$port" -t smoke -m 1 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || { echo "the broker does not listen" >&2; exit 1; }
    sleep 0.1
done

for number in $(seq "$starts"); do
    SONDYGO_RECEIVER_SPEED=10 SONDYGO_RECEIVER_SEED="$number" SONDYGO_DASHBOARD_PORT="$page" \
        SONDYGO_GATEWAY_STATE_DIRECTORY="$room/state-$number" \
        "$program" run --id "smoke-$number" --transport simulator --mqtt-host 127.0.0.1 --mqtt-port "$port" \
        > "$room/log" 2>&1 &
    gateway=$!
    mosquitto_sub -p "$port" -q 1 -t "sondygo/smoke-$number/position" -C 5 -W 20 > "$room/positions" 2>/dev/null || true
    [ "$(wc -l < "$room/positions")" -eq 5 ] || fail "no five positions"
    kill -TERM $gateway
    status=0
    wait $gateway || status=$?
    gateway=
    [ "$status" -eq 0 ] || fail "exit code $status"
done
echo "$starts starts, each with five positions and a clean stop"
