#!/usr/bin/env bash
# Makes a signed apt repository of Debian packages.
#   deploy/release/apt-repository.sh PACKAGES FOLDER     PACKAGES: the folder with the .deb files
# APT_SIGNING_KEY holds a secret OpenPGP key without a passphrase, ASCII-armoured.
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"
packages="$(cd "$1" && pwd)"
folder="$(mkdir -p "$2" && cd "$2" && pwd)"
. "$scripts/../install.sh"
install_packages apt-utils gnupg

GNUPGHOME="$(mktemp -d)"
export GNUPGHOME
trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
gpg --batch --quiet --import <<< "${APT_SIGNING_KEY:?}"
"$scripts/check-key.sh"

cd "$folder"
rm -rf pool dists
mkdir -p pool dists/stable
cp "$packages"/*.deb pool/
for arch in amd64 arm64; do
    lists="dists/stable/main/binary-$arch"
    mkdir -p "$lists"
    apt-ftparchive --arch "$arch" packages pool > "$lists/Packages"
    [ -s "$lists/Packages" ] || { echo "There is no package for $arch." >&2; exit 1; }
    gzip --keep --no-name "$lists/Packages"
done
apt-ftparchive -o APT::FTPArchive::Release::Origin=sondygo2mqtt -o APT::FTPArchive::Release::Suite=stable \
    -o APT::FTPArchive::Release::Codename=stable -o APT::FTPArchive::Release::Components=main \
    -o APT::FTPArchive::Release::Architectures='amd64 arm64' release dists/stable > Release
mv Release dists/stable/
gpg --batch --quiet --clear-sign --output dists/stable/InRelease dists/stable/Release
gpg --batch --quiet --armor --detach-sign --output dists/stable/Release.gpg dists/stable/Release
gpg --batch --quiet --yes --export --output sondygo2mqtt.gpg
cat > index.html <<'END'
<!DOCTYPE html>
<title>sondygo2mqtt for Debian 12 and 13, amd64 and arm64</title>
<pre>
url=https://sondygo2mqtt.github.io/sondygo2mqtt
sudo wget -O /usr/share/keyrings/sondygo2mqtt.gpg $url/sondygo2mqtt.gpg
echo "deb [signed-by=/usr/share/keyrings/sondygo2mqtt.gpg] $url stable main" | sudo tee /etc/apt/sources.list.d/sondygo2mqtt.list
sudo apt update
sudo apt install sondygo2mqtt
</pre>
END
