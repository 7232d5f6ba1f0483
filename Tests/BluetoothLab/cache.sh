# Where built kernels are kept: outside the checkout, so that a fresh clone need not build them again. Sourced.
cache=${SONDYGO_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sondygo2mqtt/lab}
mkdir -p "$cache"
step() { printf '%(%H:%M:%S)T  %s\n' -1 "$*"; }
