#!/usr/bin/env bash
# Clears what the servers keep of a car that has left: its values on every board.
#   forget-car.sh FOLDER CAR HOST [PORT]
# FOLDER has ca.crt and passwords/CAR.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 64; }
sed -nE "s#^(topic|notification_topic) sondygo/car1/([^ ]+)( out.*)?\$#sondygo/$2/\2#p" "$(dirname "$0")/bridge-car.conf" |
    while read -r topic; do
        mosquitto_pub -h "$3" -p "${4:-8883}" --cafile "$1/ca.crt" -u "$2" -P "$(cat "$1/passwords/$2")" -q 1 -r -n -t "$topic"
    done
