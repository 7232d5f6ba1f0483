#!/usr/bin/env bash
# Makes an authority of the fleet's own and a certificate for each server.
#   deploy/fleet/make-certs.sh FOLDER HOST...
# FOLDER gets ca.crt, which every car and every server needs, and HOST.crt and HOST.key for each server. ca.key makes
# further certificates: keep it off the servers. A second run keeps the authority.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 64; }
umask 077
mkdir -p "$1"
cd "$1"
# What openssl says is shown only if it fails.
exec 3>&2 2> openssl.log
trap '[ $? = 0 ] || cat openssl.log >&3; rm -f openssl.log new.key new.crt' EXIT
new_key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
[ -f ca.crt ] || {
    openssl req -x509 "${new_key[@]}" -days 3650 -subj '/CN=fleet authority' \
        -addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out new.crt
    mv new.crt ca.crt
}
for host in "${@:2}"; do
    [[ "$host" =~ ^[0-9.]+$|: ]] && name="IP:$host" || name="DNS:$host"
    # A server is also the client of its neighbours.
    openssl req "${new_key[@]}" -subj "/CN=$host" -keyout new.key |
        openssl x509 -req -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -out new.crt -extfile <(
            printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$name")
    mv new.key "$host.key"
    mv new.crt "$host.crt"
done
chmod 644 ./*.crt
