#!/usr/bin/env bash
# The figures of the README's limits, measured here and now; takes about three minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/install.sh
swift build -c release --product sondygo2mqtt --static-swift-stdlib --scratch-path .build-static >&2
swift build -c release --product Benchmarks >&2
"$(swift build -c release --show-bin-path)/Benchmarks" "$(swift build -c release --scratch-path .build-static --show-bin-path)/sondygo2mqtt"
