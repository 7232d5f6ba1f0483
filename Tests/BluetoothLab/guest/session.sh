#!/bin/bash
# Runs inside the guest after the root file system is mounted. Starts the services that each session needs, runs the
# command in /run/lab/command, writes its exit status to /run/lab/status and switches the guest off.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8
cd /

hostname bluelab
echo "127.0.0.1 localhost bluelab" > /etc/hosts
ip link set lo up 2>/dev/null || /run/busybox ifconfig lo 127.0.0.1 up
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null

# Loads Bluetooth and its virtual controllers. The User-Mode Linux kernel has them built in.
if [ -d /run/modules ]; then
    modprobe -a bluetooth hci_vhci uhid uinput
fi

# The command's output goes to this console, the kernel's messages to another one.
console=/dev/ttyS1
! grep -q 'User Mode Linux' /proc/cpuinfo || console=/dev/tty0
stty -F "$console" -onlcr 2>/dev/null
bash /run/lab/command < /dev/null > "$console" 2>&1
echo $? > /run/lab/status
exec /run/busybox poweroff -f
