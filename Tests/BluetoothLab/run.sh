#!/usr/bin/env bash
# Runs the Bluetooth scenarios with the built gateway, each in its own guest with a real kernel.
#
#   run.sh [options of boot.sh] [SCENARIO...]
#
# Without names it runs all scenarios. LAB_REPEAT=20 repeats each loss that often. LAB_FRAMES=86400 turns the hour into
# a day (with --memory 6000 --timeout 5000). LAB_GATEWAY names another program to test.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
options=()
while [ $# -gt 0 ]; do
    case $1 in
    --timeout | --memory | --log) options+=("$1" "$2"); shift 2 ;;
    -*) options+=("$1"); shift ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || set -- connect neighbours losses adapter bluetoothd commands scan hour

make -s -C "$here/air" OUT="$PWD/.build/air" || exit 1
failures=0
for name in "$@"; do
    started=$SECONDS
    echo "$name"
    if "$here/boot.sh" "${options[@]}" env LAB_REPEAT="${LAB_REPEAT:-1}" LAB_FRAMES="${LAB_FRAMES:-3600}" \
        LAB_GATEWAY="${LAB_GATEWAY:-$PWD/.build/debug/sondygo2mqtt}" python3 "$here/scenarios/$name.py"; then
        echo "$name: good, $((SECONDS - started)) s"
    else
        echo "$name: BAD ($?)"
        failures=$((failures + 1))
    fi
done
exit $((failures > 0))
