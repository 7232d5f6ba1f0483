#!/bin/bash
# Runs inside the guest once the root file system is there: starts what every
# session needs, runs the command that boot.sh left in /run/lab/command, writes its
# exit status to /run/lab/status and switches off.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8
cd /

hostname bluelab
echo "127.0.0.1 localhost bluelab" > /etc/hosts
ip link set lo up 2>/dev/null || /run/busybox ifconfig lo 127.0.0.1 up
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null

# Bluetooth and its virtual controllers; built into the User-Mode Linux kernel.
if [ -d /run/modules ]; then
    modprobe -a bluetooth hci_vhci uhid uinput
fi

# The console for the command's output; the kernel's messages go to another one.
console=/dev/ttyS1
! grep -q 'User Mode Linux' /proc/cpuinfo || console=/dev/tty0
stty -F "$console" -onlcr 2>/dev/null
bash /run/lab/command < /dev/null > "$console" 2>&1
echo $? > /run/lab/status
exec /run/busybox poweroff -f
