#!/usr/bin/env bash
# Steps of a run: their names and durations, steps in the background, and an end that leaves no process behind. Other
# scripts source it.
export NO_COLOR=1

# The suites that open nothing.
pure='(ReceiverProtocol|ReceiverSimulator|FlightMath|GatewayReports|Gateway|MQTTPublishing|FleetBoard|BluetoothProtocol'
pure+='|SondeHubProtocol|Rules)Tests\.'
# The tests that measure a promised time, or read tens of megabytes within one. Others beside them would spoil it.
alone='^(AdapterTests\.((SondeHubMemory|BrokerList)Tests/|OnlineMapTests/aBadTileServer|ClashTests/reconnectsSoon)'
alone+='|ProgramTests\.(SlowDiskTests/|FaultsEndToEndTests/(killedASecondAfterAFrame|aStopDoesNot|aFloodDuring)))'

# Runs the script again in a PID namespace of its own, and ends with its status. When that namespace's first process ends,
# the kernel ends all others: browsers, brokers and gateways too. It needs root; other users go on without it.
enclosed() { # script, its arguments
    [ -z "${ENCLOSED:-}" ] && [ "$(id -u)" -eq 0 ] && unshare --pid --fork --mount-proc true 2> /dev/null || return 0
    local status=0
    # A shell's background process ignores Ctrl-C, and so would all its children.
    ENCLOSED=1 setpriv --pdeathsig KILL env --default-signal=INT,QUIT unshare --pid --fork --kill-child --mount-proc "$@" &
    trap "kill -KILL $! 2> /dev/null" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    wait $! || status=$?
    trap - EXIT
    exit "$status"
}

# All folders that tests make lie in this one. Brokers and apt run as users of their own, so it is as open as /tmp.
room="$(mktemp -d)"
chmod 1777 "$room"
export TMPDIR="$room"
declare -A begun=() begun_at=()
descendants() { # process
    local child
    for child in $(cat "/proc/$1/task/"*/children 2> /dev/null); do
        descendants "$child"
        echo "$child"
    done
}
leave() {
    local job
    for job in "${begun[@]}"; do kill $(descendants "$job") "$job" 2> /dev/null || true; done
    # A test that was ended may have left a disk mounted.
    rm -rf --one-file-system "$room" || true
}
trap leave EXIT

# Runs a step in the background. joined prints its output.
beside() { # name, command
    begun_at[$1]=$SECONDS
    (
        status=0
        "${@:2}" || status=$?
        echo "$SECONDS" > "$room/$1.ended"
        exit "$status"
    ) > "$room/$1" 2>&1 &
    begun[$1]=$!
}
joined() { # name
    local status=0
    wait "${begun[$1]}" || status=$?
    unset "begun[$1]"
    cat "$room/$1"
    took "$1 (beside others)" $(($(cat "$room/$1.ended") - begun_at[$1]))
    [ "$status" -eq 0 ]
}
# Lowest priority: nice orders processes within a session, and the autogroup orders sessions.
meek=(setsid --wait bash -c 'echo 19 2> /dev/null > /proc/self/autogroup || true; exec nice -n 19 "$@"' meek)

# A step that hangs is named within its limit.
limited() { # seconds, command
    timeout --kill-after=10 "$@" || { local status=$?; [ $status -ne 124 ] || echo "not done within $1 s: $2"; return $status; }
}

durations=() current=
took() { durations+=("$(printf '%5d s  %s' "$2" "$1")"); } # name, seconds
step() { # name
    [ -z "$current" ] || took "$current" $((SECONDS - step_began))
    current="$1" step_began=$SECONDS
    [ -z "$1" ] || printf '\n== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}
# Ends the last step, and prints all durations.
table() {
    step ""
    printf '%s\n' "${durations[@]}"
}

# A file of durations has lines as `table` prints them. These compare one with the file of the shortest ones, which grows with
# each green night: compared with the last night, what grows slowly would never have doubled.
doubled() { # durations, shortest
    [ -e "$2" ] || : > "$2"
    awk '{ text = $0; sub(/^ *[0-9]+ s  /, "", text) }
        FILENAME == ARGV[1] { if (!(text in before)) before[text] = $1; next }
        { mark = text in before && $1 >= 20 && $1 >= 2 * before[text] ? "  has doubled: " before[text] " s before" : ""; print $0 mark }' "$2" "$1"
}
keep_shortest() { # durations, shortest
    sort -n "$1" "$2" | awk '{ text = $0; sub(/^ *[0-9]+ s  /, "", text) } !(text in seen) { seen[text] = 1; print }' > "$2.new"
    mv "$2.new" "$2"
}
