#!/usr/bin/env bash
# Boots a throw-away Linux with Bluetooth and runs one command there.
#
#   boot.sh [options] [--] COMMAND [ARGUMENT...]
#
#   --qemu, --uml    Debian's own kernel under qemu's software emulation, or the kernel of build-uml.sh
#                    (default: the latter if it is built, otherwise qemu)
#   --real-time      let idle time pass; otherwise the guest's clock jumps ahead to the next timer
#   --timeout SEC    give up after this many seconds of real time (default 600)
#   --memory MB      the guest's memory (default 1024)
#   --log FILE       write the kernel's messages to FILE
#
# The guest sees this machine's file system below a throw-away layer. So the programs installed here are there, too, and
# nothing that the guest writes stays. Its /run and /dev are its own. The command starts in the current folder. This
# script prints the command's output and returns its exit status; 124 if the time ran out, 125 if the guest failed
# before the command ended.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cache.sh"
engine=qemu
[ ! -x "$cache/linux.uml" ] || engine=uml
fast=1
limit=600
memory=1024
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

# The desk: the folder with the guest's orders.
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir "$room/desk"
cp "$here/guest/session.sh" "$room/desk/"
{ printf 'cd %q\n' "$PWD"; printf '%q ' "$@"; echo; } > "$room/desk/command"
log=${log:-$room/console}
quiet="quiet loglevel=4 panic=-1"
# qemu lets an idle guest's clock jump to the next timer, even while the guest waits for files from this machine. With a
# tick each jump is only 4 ms, so a busy machine can't use up the minutes that a step has in the guest.
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
