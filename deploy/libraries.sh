#!/usr/bin/env bash
# Checks that a program calls BlueZ's and mosquitto's libraries, whatever machine it is for: names each function of
# libbluetooth that it must import and does not.
#   deploy/libraries.sh PROGRAM
set -euo pipefail
needed="$(readelf -dW "$1" | grep -oE '\[lib(bluetooth|mosquitto)\.[^]]*' | tr -d '[' | sort | tr '\n' ' ' || true)"
[ "$needed" = "libbluetooth.so.3 libmosquitto.so.1 " ] ||
    { echo "$1 is linked to: ${needed:-neither library}" >&2; exit 1; }
imported="$(readelf --dyn-syms -W "$1" | awk '$7 == "UND" { sub(/@.*/, "", $8); print $8 }')"
missing=""
for name in bachk str2ba ba2str hci_get_route hci_devid hci_for_each_dev hci_devinfo hci_open_dev hci_read_local_version \
    hci_vertostr bt_compidtostr hci_bustostr; do
    grep -qx "$name" <<< "$imported" || missing+=" $name"
done
[ -z "$missing" ] || { echo "$1 does not call:$missing" >&2; exit 1; }
