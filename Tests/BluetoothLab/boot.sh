#!/usr/bin/env bash
# Boots a throw-away Linux with Bluetooth in it and runs one command there.
#
#   boot.sh [options] [--] COMMAND [ARGUMENT...]
#
#   --qemu, --uml    Debian's own kernel under qemu's software emulation, or the kernel of build-uml.sh
#                    (default: that one if it has been built, else qemu)
#   --real-time      let idle time pass; without it the guest's clocks jump ahead to whatever is due next
#   --timeout SEC    give up after so many seconds of real time (default 600)
#   --memory MB      the guest's memory (default 768)
#   --log FILE       keep the kernel's messages there
#
# This machine's own file system is the guest's, under a throw-away layer: whatever is installed here is there, and
# nothing that the guest writes stays; /run and /dev are its own. The command starts in the current folder; its output comes out here, its exit
# status becomes this script's. 124: time ran out; 125: the guest did not get as far as running the command to its end.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cache.sh"
engine=qemu
[ ! -x "$cache/linux.uml" ] || engine=uml
fast=1
limit=600
memory=768
log=
while [ $# -gt 0 ]; do
    case $1 in
    --uml) engine=uml; shift ;;
    --qemu) engine=qemu; shift ;;
    --real-time) fast=0; shift ;;
    --timeout) limit=$2; shift 2 ;;
    --memory) memory=$2; shift 2 ;;
    --log) log=$2; shift 2 ;;
    --) shift; break ;;
    -*) sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || { echo "boot.sh: no command" >&2; exit 2; }
"$here/build-kernel.sh"

# The desk: the folder through which the guest gets its orders.
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir "$room/desk"
cp "$here/guest/session.sh" "$room/desk/"
{ printf 'cd %q\n' "$PWD"; printf '%q ' "$@"; echo; } > "$room/desk/command"
log=${log:-$room/console}
quiet="quiet loglevel=4 panic=-1"
# qemu lets an idle guest's clock jump to whatever is due next, also while the guest waits for its files, which come from
# here. With a tick those jumps are 4 ms each, so that a busy machine here can't use up the minutes that a step has there.
ticks="nohz=off"

status=0
case $engine in
qemu)
    clock=(-accel "tcg,tb-size=256")
    [ $fast -eq 0 ] || clock=(-accel "tcg,thread=single,tb-size=256" -icount shift=0,sleep=off -rtc clock=vm)
    folder() { echo "local,path=$1,mount_tag=$2,security_model=none,multidevs=remap$3"; }
    timeout --foreground -k 5 "$limit" qemu-system-x86_64 \
        -M q35,usb=off,sata=off,smbus=off,vmport=off,hpet=off "${clock[@]}" \
        -cpu max -smp "1" -m "$memory" \
        -nodefaults -no-user-config -no-reboot -display none -bios qboot.rom \
        -kernel "$cache/vmlinux" -initrd "$initrd" \
        -append "console=ttyS0 $quiet $ticks nokaslr mitigations=off audit=0 apparmor=0 random.trust_cpu=on tsc=reliable" \
        -serial "file:$log" -serial stdio \
        -virtfs "$(folder / root ,readonly=on)" \
        -virtfs "$(folder "$room/desk" desk "")" \
        < /dev/null || status=$?
    ;;
uml)
    clock=
    [ $fast -eq 0 ] || clock=time-travel=inf-cpu
    timeout --foreground -k 5 "$limit" "$cache/linux.uml" mem="${memory}M" initrd="$initrd" \
        lab.root=/ lab.desk="$room/desk" \
        con=null con0=null,fd:1 con1=null,fd:2 console=tty1 $quiet $clock \
        < /dev/null 2> "$log" || status=$?
    ;;
esac

if [ -s "$room/desk/status" ]; then
    exit "$(cat "$room/desk/status")"
fi
[ $status -ne 124 ] || { echo "boot.sh: no time left" >&2; exit 124; }
echo "boot.sh: the guest died; its last words:" >&2
tail -n 20 "$log" >&2
exit 125
