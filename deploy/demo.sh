#!/usr/bin/env bash
# The main job, live on the terminal: a simulated receiver, a private mosquitto, every message as a subscriber sees it.
#   deploy/demo.sh [SECONDS]    how long (default 60; 0 until Ctrl-C)
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-60}"

. Tests/install.sh
echo "Building sondygo2mqtt (the first time takes some minutes) …"
swift build -c release --product sondygo2mqtt
program="$(swift build -c release --show-bin-path)/sondygo2mqtt"

log="$(mktemp)"
"$program" simulate --id demo --speed 2 --launch-delay 5 >"$log" 2>&1 &
gateway=$!
trap 'kill "$gateway" ${subscriber:-} 2>/dev/null || true; wait "$gateway" 2>/dev/null || true; rm -f "$log"' EXIT
for _ in $(seq 100); do
    port="$(sed -n 's/.*listens on 127.0.0.1:\([0-9]*\)\..*/\1/p' "$log")"
    [ -n "$port" ] && break
    kill -0 "$gateway" 2>/dev/null || { cat "$log" >&2; exit 69; }
    sleep 0.1
done
[ -n "$port" ] || { cat "$log" >&2; exit 69; }
cat "$log"

echo
echo "Live messages (mosquitto_sub -p $port -v -t 'sondygo/#'):"
mosquitto_sub -p "$port" -v -t 'sondygo/#' &
subscriber=$!
sleep 6
echo
echo "A command (sondygo2mqtt send '{\"mute\":true}'):"
"$program" send --id demo --mqtt-host 127.0.0.1 --mqtt-port "$port" '{"mute":true}'
echo
if [ "$seconds" -gt 0 ]; then
    sleep "$seconds"
    kill -TERM "$gateway"
    wait "$gateway" || true
    echo
    echo "The gateway's own log:"
    cat "$log"
else
    wait "$gateway"
fi
