#!/usr/bin/env bash
# Shows the gateway's main job on the terminal: a simulated flight from launch to landing at sixty times its speed, a
# car that chases it, a private mosquitto, and the messages that a subscriber gets. At the end it prints the error of
# the prediction.
#   deploy/demo.sh [SECONDS]    how long the page stays open after the landing (default 20; 0 until Ctrl-C)
# It takes about a minute and a half. The first run takes about nine minutes more, because it installs packages and
# builds.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-20}"

. deploy/install.sh
install_packages libjs-leaflet libjs-dygraphs node-qrcode-generator mosquitto mosquitto-clients python3
echo "Building sondygo2mqtt (the first time takes some minutes) …"
program="$(deploy/build.sh)/sondygo2mqtt"

log="$(mktemp)"
told="$(mktemp)"
# A low burst makes a short flight.
SONDYGO_PREDICTION_BURST_ALTITUDE=12000 "$program" simulate --id demo --speed 60 --launch-delay 5 --burst 12000 --car >"$log" 2>&1 &
gateway=$!
trap 'kill "$gateway" 2>/dev/null || true; wait "$gateway" 2>/dev/null || true; rm -f "$log" "$told"' EXIT
for _ in $(seq 100); do
    port="$(sed -n 's/.*listens on 127.0.0.1:\([0-9]*\)\..*/\1/p' "$log")"
    [ -n "$port" ] && break
    kill -0 "$gateway" 2>/dev/null || { cat "$log" >&2; exit 69; }
    sleep 0.1
done
[ -n "$port" ] || { cat "$log" >&2; exit 69; }
# Prints the program's own lines without its log. demo_watch shows the events below.
grep -v '^20' "$log" || true

echo
echo "Some messages (mosquitto_sub -p $port -v -t 'sondygo/#'):"
mosquitto_sub -p "$port" -v -t 'sondygo/#' -C 30 | cut -c 1-150
echo
echo "A command (sondygo2mqtt send '{\"mute\":true}'):"
"$program" send --id demo --mqtt-host 127.0.0.1 --mqtt-port "$port" '{"mute":true}'
echo
echo "The flight, as it is said aloud, and where it will land (times of the flight):"
mosquitto_sub -p "$port" -F '%t %p' -t 'sondygo/demo/event' -t 'sondygo/demo/landing' -t 'sondygo/demo/position' |
    timeout 300 python3 deploy/demo_watch.py | tee "$told" || true

printf '\n%s\n' "$(sed -n 's/^The page in the car:/The page in the car is still open:/p' "$log")"
if [ "$seconds" -gt 0 ]; then
    sleep "$seconds"
    kill -TERM "$gateway"
    wait "$gateway" || true
    # These lines should not appear, so show them if they do.
    grep -E ' (warning|error) ' "$log" || true
    echo
    grep -o '“The .*prediction was .*”' "$told" || { echo "The prediction was not judged." >&2; exit 1; }
else
    wait "$gateway"
fi
