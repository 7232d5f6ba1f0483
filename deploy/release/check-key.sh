#!/usr/bin/env bash
# Checks that the secret key in GNUPGHOME can sign, and that its signatures count for 30 days more. Warns half a year
# before its end: apt refuses what an expired key has signed, and each user must fetch the extended key by hand.
#   deploy/release/check-key.sh
set -euo pipefail
remedy="Extend it (gpg --quick-set-expire) and store it anew as APT_SIGNING_KEY."
signed="$(gpg --batch --quiet --clear-sign <<< test 2> /dev/null)" ||
    { echo "::error::The signing key can't sign; has it expired? $remedy" >&2; exit 1; }
counts_in() { # DAYS
    gpg --batch --status-fd 1 --faked-system-time "$(date -u -d "+$1 days" +%Y%m%dT%H%M%S)" --verify <<< "$signed" \
        2> /dev/null | grep -q '^\[GNUPG:\] GOODSIG'
}
counts_in 30 || { echo "::error::The signing key expires within 30 days. $remedy" >&2; exit 1; }
counts_in 180 || echo "::warning::The signing key expires within 180 days. $remedy"
