#!/usr/bin/env bash
# Tests the arm64 package on this amd64 machine: builds it, runs the program under qemu beside a real mosquitto, compares
# a flight's events with this machine's own program, and installs the package in an arm64 Debian 12 and 13.
#   Tests/arm64.sh              about 25 minutes at first on 2 cores; needs root
# PROGRAM names an arm64 program and NATIVE one of this machine that are already built. MIRROR names Debian's archive.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
install_packages mmdebstrap arch-test qemu-user-static mosquitto mosquitto-clients python3 lintian
[ "$(id -u)" -eq 0 ] || { echo "Not tested: chroot needs root." >&2; exit 77; }
mirror="${MIRROR:-http://deb.debian.org/debian}"
step() { printf '\n== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }
fail() { echo "FAILED: $1" >&2; exit 1; }

room="$(mktemp -d)" broker='' binfmt=''
finish() {
    [ -z "$broker" ] || kill "$broker" 2> /dev/null || true
    [ -z "$binfmt" ] || echo -1 > "$binfmt/qemu-aarch64-test" 2> /dev/null || true
    [ -z "$binfmt" ] || umount "$binfmt" "$room"/*/proc 2> /dev/null || true
    wait 2> /dev/null || true
    rm -rf --one-file-system "$room"
}
trap finish EXIT

step "this machine's own program"
NATIVE="${NATIVE:-$(deploy/build.sh)/sondygo2mqtt}"

step "the package"
# With this machine's program for the manual page the build emulates nothing.
HELP_PROGRAM="$NATIVE" deploy/build-deb.sh --arch arm64 "$room/deb"
package="$(ls "$room"/deb/sondygo2mqtt_*_arm64.deb)"
cp "$package" "$(mkdir -p .build/deb && cd .build/deb && pwd)"
dpkg-deb -f "$package" Package Version Architecture Depends Installed-Size
ls -l "$package"
dpkg-deb --fsys-tarfile "$package" | tar -x -C "$room" ./usr/bin/sondygo2mqtt
deploy/libraries.sh "$room/usr/bin/sondygo2mqtt"
lintian --allow-root --fail-on error,warning "$package"
arm="${PROGRAM:-.build/arm64/build/aarch64-unknown-linux-gnu/release/sondygo2mqtt}"
newest="$(objdump -T "$arm" 2> /dev/null | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -1)"
echo "newest symbol of glibc: $newest"
[ "$(printf '%s\nGLIBC_2.36\n' "$newest" | sort -V | tail -1)" = GLIBC_2.36 ] || fail "Debian 12 has glibc 2.36"

step "the pinned packages"
# Asks sdk.sh with a changed pin. Everything is there already, so it only compares.
pinned() { # sed's command
    mkdir -p "$room/pins/deploy/arm64" "$room/pins/.build/arm64"
    cp deploy/arm64/* "$room/pins/deploy/arm64"
    cp .build/arm64/packages .build/arm64/*.done "$room/pins/.build/arm64"
    sed "$1" .build/arm64/packages > "$room/pins/deploy/arm64/packages"
    "$room/pins/deploy/arm64/sdk.sh" > "$room/pins/said" 2>&1
}
pinned '' && [ ! -s "$room/pins/said" ] || fail "unchanged packages"
pinned '/^zlib1g /s/ [^ ]* \([^ ]*\)$/ 1.0 \1/' && grep -q '^< zlib1g ' "$room/pins/said" ||
    fail "a moved version: $(cat "$room/pins/said")"
! pinned '/^zlib1g /s/[^ ]*$/0/' && grep -q '^Refused.*zlib1g=' "$room/pins/said" || fail "another hash is not refused"

emulated=(qemu-aarch64-static -L .build/arm64/sdks/debian.artifactbundle/arm64/sysroot "$arm")

step "version, configuration, doctor"
export SONDYGO_SONDEHUB_ENABLED=false SONDYGO_DASHBOARD_ENABLED=false
[ "$("${emulated[@]}" --version)" = "$("$NATIVE" --version)" ] || fail "the version"
diff <("$NATIVE" --experimental-dump-help) <("${emulated[@]}" --experimental-dump-help) || fail "the help"
"${emulated[@]}" check-config --config deploy/config.example.yaml > "$room/checked"
grep -q 'configuration ok' "$room/checked" || fail "check-config"
"${emulated[@]}" doctor --transport simulator > "$room/doctor" || [ $? -eq 1 ] || fail "doctor"
cat "$room/doctor"
grep -q 'state' "$room/doctor" || fail "doctor"

step "200 frames through mosquitto, and a command"
port="$(Tests/ports.py)"
printf 'user root\nlistener %s 127.0.0.1\nallow_anonymous true\n' "$port" > "$room/mosquitto.conf"
PATH="$PATH:/usr/sbin" mosquitto -c "$room/mosquitto.conf" 2> /dev/null &
broker=$!
for _ in $(seq 100); do mosquitto_pub -p "$port" -t test -m 1 2> /dev/null && break; sleep 0.1; done
to_broker=(--mqtt-host 127.0.0.1 --mqtt-port "$port")
stdbuf -oL mosquitto_sub -p "$port" -q 1 -t sondygo/arm/position -C 200 -W 120 > "$room/positions" &
listener=$!
SONDYGO_RECEIVER_SPEED=10 SONDYGO_GATEWAY_STATE_DIRECTORY="$room/relay" \
    "${emulated[@]}" run --id arm --transport simulator "${to_broker[@]}" > "$room/relay.log" 2>&1 &
gateway=$!
for _ in $(seq 300); do [ -s "$room/positions" ] && break; sleep 0.1; done
for mute in true false; do
    "${emulated[@]}" send --id arm "${to_broker[@]}" "{\"mute\":$mute}" | tee "$room/answer"
    grep -q '"confirmed"' "$room/answer" || { cat "$room/relay.log"; fail "the command is not confirmed"; }
done
wait "$listener" || { cat "$room/relay.log"; fail "200 positions"; }
[ "$(wc -l < "$room/positions")" -eq 200 ] || fail "200 positions"
kill -TERM "$gateway"
wait "$gateway" || fail "not a clean stop"

# Simulates a flight to its landing. Writes the names of its events, and leaves the store.
fly() { # name, program
    local name="$1" pid
    shift
    stdbuf -oL mosquitto_sub -p "$port" -q 1 -F '%p' -t "sondygo/$name/event" > "$room/$name.events" &
    local listener=$!
    sleep 0.5
    # A low burst makes a short flight.
    SONDYGO_GATEWAY_STATE_DIRECTORY="$room/$name" "$@" simulate --id "$name" "${to_broker[@]}" --speed 60 \
        --launch-delay 120 --burst 12000 --seed 7 > "$room/$name.log" 2>&1 &
    pid=$!
    for _ in $(seq 3000); do
        ! grep -q '"event":"landed"' "$room/$name.events" || break
        kill -0 "$pid" 2> /dev/null || { cat "$room/$name.log"; fail "$name ended"; }
        sleep 0.1
    done
    kill -TERM "$pid"
    wait "$pid" || fail "$name: not a clean stop"
    kill "$listener"
    # At 60 times the speed, moments of real time decide whether the receiver or the broker is there first, how often the
    # predicted landing point moves, and which sentence waits until it is said.
    grep -oE '"event":"[a-z0-9_]+"' "$room/$name.events" |
        grep -vE 'receiver_online|state_changed|landing_moved|said' | sed '/"landed"/q' > "$room/$name.names"
}

step "a flight from launch to landing, here and on arm64"
fly native "$NATIVE"
fly arm64 "${emulated[@]}"
diff "$room/native.names" "$room/arm64.names" || fail "other events than on this machine"
tr '\n' ' ' < "$room/arm64.names"

step "its export"
serial="$(SONDYGO_GATEWAY_STATE_DIRECTORY="$room/arm64" "${emulated[@]}" flights | grep -oE '[A-Z][0-9]{7}' | head -1)"
for format in gpx kml csv geojson; do
    SONDYGO_GATEWAY_STATE_DIRECTORY="$room/arm64" "${emulated[@]}" export "$serial" --format "$format" > "$room/flight.$format"
done
python3 - "$room" <<'END'
import json, pathlib, sys, xml.etree.ElementTree as tree
room = pathlib.Path(sys.argv[1])
points = len(tree.parse(room / "flight.gpx").getroot().findall(".//{*}trkpt"))
tree.parse(room / "flight.kml"), json.loads((room / "flight.geojson").read_text())
print(points, "points")
assert points > 500 and len((room / "flight.csv").read_text().splitlines()) > points
END

step "installed in an arm64 Debian 12 and 13"
# The kernel runs arm64 programs until this script ends. Debian's own entry for them keeps argv[0] in a way in which the
# Swift runtime finds no arguments, so this entry comes before it.
binfmt="$room/binfmt"
mkdir "$binfmt"
mount -t binfmt_misc binfmt_misc "$binfmt"
sed -E 's/^:qemu-aarch64:/:qemu-aarch64-test:/; s#/usr/libexec/[^:]*:.*#/usr/bin/qemu-aarch64-static:OCF#' \
    /usr/lib/binfmt.d/qemu-aarch64.conf > "$binfmt/register"
apt-config dump --format '%F "%v";%n' Acquire | grep -vE ' "";$|^Acquire::IndexTargets' > "$room/acquire" || true
for suite in bookworm trixie; do
    mmdebstrap --quiet --architectures=arm64 --variant=apt --aptopt="$room/acquire" --aptopt='Acquire::Languages "none"' \
        --include=ca-certificates "$suite" "$room/$suite" "deb $mirror $suite main"
    cp "$package" "$room/$suite/tmp/"
    cp "$room/acquire" "$room/$suite/etc/apt/apt.conf.d/90-fetching"
    cp /etc/resolv.conf "$room/$suite/etc/" 2> /dev/null || true
    # Without it the program finds no arguments.
    mount -t proc proc "$room/$suite/proc"
    chroot "$room/$suite" bash -euc 'export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends /tmp/*.deb > /tmp/log 2>&1 || { cat /tmp/log; exit 1; }
        tail -4 /tmp/log
        echo "$(. /etc/os-release; echo "$PRETTY_NAME") $(dpkg --print-architecture):" sondygo2mqtt "$(sondygo2mqtt --version)"
        sondygo2mqtt check-config > /dev/null
        sondygo2mqtt setup --id car1 --no-questions
        apt-get purge -y -qq sondygo2mqtt > /dev/null 2>&1
        ! ls /etc/sondygo2mqtt 2> /dev/null' || fail "$suite"
    umount "$room/$suite/proc"
    rm -rf --one-file-system "${room:?}/$suite"
done

step "done"
