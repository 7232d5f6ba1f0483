#!/bin/bash
# Tests/package.sh runs this as root in a machine that systemd has booted. /desk holds two versions of the package.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
step() { printf -- '-- %s (%d s)\n' "$1" $SECONDS; }
fail() { echo "FAILED: $1"; journalctl --no-pager -n 40 -u sondygo2mqtt; exit 1; }
# wait_for SECONDS TEXT COMMAND...: repeats COMMAND until it succeeds; fails with TEXT.
wait_for() {
    local end=$((SECONDS + $1)) what="$2"
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "$what"
        sleep 0.2
    done
}
pid() { systemctl show --property=MainPID --value sondygo2mqtt; }
is_new() { [ "$(pid)" != "$1" ] && [ "$(pid)" != 0 ] && systemctl is-active sondygo2mqtt; }
hears() { mosquitto_sub -h localhost -u dashboard -P look -t "$1" -C 1 -W 5; }

step "install"
apt-get update -qq
apt-get install -y -qq --no-install-recommends mosquitto >/dev/null
apt-get install -y -qq --no-install-recommends /desk/sondygo2mqtt_0.0.1_*.deb >/dev/null
systemctl is-enabled sondygo2mqtt
wait_for 60 "active, with the configuration as it comes" systemctl is-active sondygo2mqtt
sondygo2mqtt check-config
depends="$(dpkg-query -W -f '${Depends}' sondygo2mqtt)"
for library in libbluetooth3 libmosquitto1; do
    [[ "$depends" == *"$library"* ]] || fail "the package does not depend on $library: $depends"
done
[ -e /usr/share/man/man1/sondygo2mqtt.1.gz ] || fail "no manual page"
bash -n /usr/share/bash-completion/completions/sondygo2mqtt || fail "the completions"
[ -e /lib/udev/rules.d/60-sondygo2mqtt.rules ] || fail "no udev rule"
! udevadm test /sys/class/mem/null 2>&1 | grep '60-sondygo2mqtt.rules:' || fail "the udev rule"

step "setup, and the page for tablets"
page() { exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET %s HTTP/1.0\r\nHost: %s\r\n%s\r\n' "$1" "$2" "${3:-}" >&3 && cat <&3; }
sondygo2mqtt setup --id car1 --tablets yes --no-questions | tee /tmp/setup
grep -q 'The service has taken it' /tmp/setup || fail "setup does not restart the service"
listens() { grep -q ':1F90 .* 0A ' /proc/net/tcp6; }
wait_for 10 "the page on every interface" listens
page / car.local | grep ' 401 ' >/dev/null || fail "the page needs its key, also from here"
page "/?key=$(cat /etc/sondygo2mqtt/page_key)" car.local | grep 'Open the page' >/dev/null ||
    fail "the page under the box's name, with its key"
sondygo2mqtt setup --id car1 --tablets yes --no-questions > /tmp/setup
grep -q already /tmp/setup || fail "setup can't be repeated"

step "a broker with logins, a configuration, a password"
examples=/usr/share/doc/sondygo2mqtt/examples
cp $examples/mosquitto/sondygo2mqtt.conf /etc/mosquitto/conf.d/
cp $examples/mosquitto/sondygo2mqtt.acl /etc/mosquitto/
mosquitto_passwd -b -c /etc/mosquitto/sondygo2mqtt.users sondygo2mqtt open-sesame
mosquitto_passwd -b /etc/mosquitto/sondygo2mqtt.users crew drive
mosquitto_passwd -b /etc/mosquitto/sondygo2mqtt.users dashboard look
chown mosquitto /etc/mosquitto/sondygo2mqtt.users
systemctl restart mosquitto
(umask 077; echo open-sesame > /etc/sondygo2mqtt/mqtt_password)
cat > /etc/sondygo2mqtt/config.yaml <<'END'
gateway: {id: car1}
mqtt: {username: sondygo2mqtt}
receiver: {transport: simulator}
END
sondygo2mqtt check-config || fail "check-config"
systemctl restart sondygo2mqtt
wait_for 20 "positions on the broker" hears sondygo/car1/position
hears sondygo/car1/position
journal() { journalctl --no-pager -u sondygo2mqtt; }
! journal | grep -q open-sesame || fail "the password is in the journal"
! journal | grep -q 'thread priority' || fail "noise in the journal"

step "the page"
cookie="Cookie: sondygo2mqtt_8080=$(cat /etc/sondygo2mqtt/page_key)"$'\r\n'
page / localhost "$cookie" | grep 'id="drive"' >/dev/null || fail "the page is not served"
page /leaflet/leaflet.js localhost "$cookie" | grep Leaflet >/dev/null || fail "the page has no Leaflet"
page /base/world.bin localhost "$cookie" | grep 406 >/dev/null || fail "no base map"
page /base/boxes/N45E005.bin localhost "$cookie" | grep 406 >/dev/null || fail "no boxes of the base map"
[ -z "$(find /usr/share/sondygo2mqtt/page -name '*.py')" ] || fail "a script that makes the page's data is in the package"

step "the schemas"
[ -s /usr/share/sondygo2mqtt/schemas/position.schema.json ] || fail "the package has no schema of the position"

step "the secrets of alerts, which only root may read"
(umask 077; echo "club: tk_open_sesame" > /etc/sondygo2mqtt/alert_secrets)
cp /etc/sondygo2mqtt/config.yaml /tmp/config.yaml
echo 'alerts: [{url: "http://127.0.0.1:9/{secret}", secret: club}]' >> /etc/sondygo2mqtt/config.yaml
sondygo2mqtt check-config | grep 'alerts    to 127.0.0.1:9' || fail "check-config"
systemctl restart sondygo2mqtt
wait_for 20 "the service reads them" hears sondygo/car1/position
! journal | grep -q tk_open_sesame || fail "a secret is in the journal"
cp /tmp/config.yaml /etc/sondygo2mqtt/config.yaml
rm /etc/sondygo2mqtt/alert_secrets
systemctl restart sondygo2mqtt
# The retained position of the run before says nothing of this one.
wait_for 30 "commands again" sondygo2mqtt send '{"mute":false}'

step "who may command"
mosquitto_rr -V 5 -h localhost -u crew -P drive -t sondygo/car1/command -e reply/crew -m '{"mute":true}' -W 5 |
    grep accepted || fail "the crew gets no answer"
stdbuf -oL mosquitto_sub -d -h localhost -u dashboard -P look -t sondygo/car1/command/response > /tmp/answers &
wait_for 5 "the dashboard listens" grep Subscribed /tmp/answers
order() { mosquitto_pub -h localhost -u "$1" -P "$2" -t sondygo/car1/command -m "{\"mute\":false,\"id\":\"of-$1\"}"; }
order dashboard look
order crew drive
wait_for 10 "the crew's answer" grep '"id":"of-crew"' /tmp/answers
kill $!
! grep of-dashboard /tmp/answers || fail "a dashboard has commanded"
sondygo2mqtt send '{"mute":false}' 2>&1 || fail "send"

step "security"
systemd-analyze security --no-pager sondygo2mqtt | tail -1
systemd-analyze security --no-pager --threshold=20 sondygo2mqtt >/dev/null || fail "exposure above 2.0"
systemd-analyze security --no-pager --offline=true --threshold=30 \
    /usr/share/doc/sondygo2mqtt/examples/speech/sondygo2mqtt-speech.service >/dev/null || fail "the speech unit is exposed"
[ "$(stat -c %U /proc/"$(pid)")" != root ] || fail "runs as root"
grep CapEff /proc/"$(pid)"/status
grep -q '^CapEff:.*0000000000001000$' /proc/"$(pid)"/status || fail "capabilities"

step "the clock, as the unit lets the gateway ask for it"
apt-get install -y -qq --no-install-recommends adjtimex >/dev/null
mapfile -t filter < <(sed -n 's/^SystemCall.*/-p\n&/p' /lib/systemd/system/sondygo2mqtt.service)
systemd-run --quiet --pipe --wait "${filter[@]}" adjtimex --print | grep 'status' || fail "the filter forbids to ask the clock"

step "a wrong key in the configuration"
cp /etc/sondygo2mqtt/config.yaml /tmp/config.yaml
echo 'reciever: {}' >> /etc/sondygo2mqtt/config.yaml
systemctl restart sondygo2mqtt || true
wait_for 20 "the unit has failed" systemctl is-failed sondygo2mqtt
sleep 10
restarts="$(systemctl show --property=NRestarts --value sondygo2mqtt)"
[ "$restarts" = 0 ] || fail "restarted $restarts times for what only a person can change"
cp /tmp/config.yaml /etc/sondygo2mqtt/config.yaml
systemctl reset-failed sondygo2mqtt
systemctl start sondygo2mqtt
wait_for 20 "positions with the right configuration" hears sondygo/car1/position

step "kill -9"
old="$(pid)"
kill -9 "$old"
wait_for 10 "restarted" is_new "$old"
wait_for 20 "positions again" hears sondygo/car1/position

step "frozen: the watchdog"
old="$(pid)"
begin=$SECONDS
kill -STOP "$old"
wait_for 120 "restarted by the watchdog" is_new "$old"
echo "back after $((SECONDS - begin)) s"
journal | grep -q 'Watchdog timeout' || fail "no watchdog"

step "stop"
begin=$SECONDS
systemctl stop sondygo2mqtt
[ $((SECONDS - begin)) -le 5 ] || fail "took $((SECONDS - begin)) s"
[ "$(systemctl show --property=Result --value sondygo2mqtt)" = success ] || fail "not a clean stop"
[ "$(hears sondygo/car1/bridge/state)" = offline ] || fail "not offline"
systemctl start sondygo2mqtt

step "upgrade, from a package whose configuration is a conffile"
new="$(ls /desk/sondygo2mqtt_*.deb | grep -v 0.0.1)"
old="$(pid)"
apt-get install -y -qq "$new" >/dev/null </dev/null || fail "dpkg asks about the configuration"
[ -z "$(ls /etc/sondygo2mqtt | grep dpkg)" ] || fail "dpkg leaves copies of the configuration"
dpkg-query -W -f '${Conffiles}' sondygo2mqtt | grep config.yaml | grep -qv obsolete && fail "still a conffile"
wait_for 20 "the new version runs" is_new "$old"
grep -q 'id: car1' /etc/sondygo2mqtt/config.yaml || fail "the configuration is not kept"
[ -s /var/lib/sondygo2mqtt/gateway.sqlite ] || fail "the store is not kept"
wait_for 20 "positions after the upgrade" hears sondygo/car1/position

step "remove"
apt-get remove -y -qq sondygo2mqtt >/dev/null
! systemctl is-active --quiet sondygo2mqtt || fail "still active"
[ ! -e /usr/bin/sondygo2mqtt ] || fail "the program is still there"
[ -e /etc/sondygo2mqtt/config.yaml ] || fail "remove took the configuration"

step "purge"
purge() {
    apt-get purge -y -qq sondygo2mqtt >/tmp/purge
    grep -q 'remove-retained' /tmp/purge || fail "purge does not say how to clear the broker"
    left="$(find / -xdev -iname '*sondygo2mqtt*' -not -path '/desk/*' -not -path '/etc/mosquitto/*' -not -path '/var/log/*')"
    [ -z "$left" ] || fail "left behind: $left"
}
purge

step "a first installation of this version"
apt-get install -y -qq --no-install-recommends "$new" >/dev/null
cmp /usr/share/sondygo2mqtt/config.yaml /etc/sondygo2mqtt/config.yaml || fail "no configuration"
sondygo2mqtt setup --id car1 --no-questions >/dev/null
apt-get install -y -qq --reinstall "$new" >/dev/null
grep -q car1 /etc/sondygo2mqtt/config.yaml || fail "the configuration is not kept"
purge
systemctl --no-pager --failed | grep -q '0 loaded' || fail "failed units"
echo "package: good"
