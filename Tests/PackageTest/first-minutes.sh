#!/bin/bash
# Tests/first-minutes.sh runs this in a machine that systemd has booted, with the package in /home/pi.
set -euo pipefail
fail() { echo "FAILED: $1"; journalctl --no-pager -n 40 -u sondygo2mqtt; exit 1; }
# Shows a command of the user pi, and what it prints.
types() {
    printf '\npi@car:~$ %s\n' "$1"
    runuser -u pi -- bash -c "cd && $1" 2>&1 | tee /tmp/seen
}
seen() { grep -q -- "$1" /tmp/seen || fail "$2"; }
# Prints the status with which the page answers the tablet: 000 if it does not.
tablet() {
    echo "$1" > /ask.new
    rm -f /answer
    mv /ask.new /ask
    until [ -e /answer ]; do sleep 0.1; done
    cat /answer
}
# Types an answer when a question stands there.
setup() { # answers
    local number=0
    printf '\npi@car:~$ sudo sondygo2mqtt setup\n'
    rm -f /tmp/keys
    : > /tmp/seen
    mkfifo /tmp/keys
    script -qfec 'sudo sondygo2mqtt setup' /tmp/seen < /tmp/keys &
    local asked=$!
    exec 4> /tmp/keys
    for answer; do
        number=$((number + 1))
        until [ "$(grep -c '\]:' /tmp/seen)" -ge "$number" ]; do
            kill -0 "$asked" 2> /dev/null || fail "setup ended"
            sleep 0.1
        done
        echo "$answer" >&4
    done
    wait "$asked" || fail "setup"
    exec 4>&-
}
begin=$SECONDS
. /etc/os-release
echo "== $PRETTY_NAME, $(dpkg --print-architecture)"

types "DEBIAN_FRONTEND=noninteractive sudo -E apt-get install -y -qq ./sondygo2mqtt_*.deb > installed 2>&1 || cat installed; tail -4 installed"
seen 'sudo sondygo2mqtt setup' "doctor does not say what to do next"
for service in mosquitto avahi-daemon sondygo2mqtt gpsd.socket; do
    systemctl is-active --quiet "$service" || fail "$service does not run"
done
[ "$(tablet http://car.local:8080/)" = 000 ] || fail "the page is open to the network before anybody said so"

setup de '' '' car1 first 52.52,13.40 '' ja none ''
seen 'The service has taken it' "setup does not restart the service"
key="$(grep -oE '[?#&]key=[^[:space:]]+' /tmp/seen | head -1)"
for _ in $(seq 100); do [ "$(tablet http://car.local:8080/)" = 000 ] || break; sleep 0.2; done
types "getent hosts car.local"
printf '\ntablet: http://car.local:8080/ answers %s, with the key %s\n' "$(tablet http://car.local:8080/)" \
    "$(tablet "http://car.local:8080/$key")"
[ "$(tablet "http://car.local:8080/$key")" = 200 ] || fail "the page does not answer a tablet with the key"

types "sudo sondygo2mqtt doctor || true"
types "mosquitto_sub -v -t 'sondygo/#' -W 3 | cut -c 1-110 || true"
seen 'sondygo/car1/bridge/state online' "nothing on the broker"
setup '' '' '' '' '' '' '' '' '' ''
seen 'all answers are in force already' "setup can't be repeated"
types "sudo sondygo2mqtt setup --place 48.2,11.6 --language en --no-questions"
echo
echo "== $((SECONDS - begin)) s"
