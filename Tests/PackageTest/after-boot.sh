#!/usr/bin/env bash
# Lets a machine that systemd boots run one command. Other scripts source it.

# The machine writes the command's output to FOLDER/output and its status to FOLDER/status, and powers itself off.
runs_after_boot() { # the machine's root, command, FOLDER in the machine
    cat > "$1/etc/systemd/system/after-boot.service" <<END
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c '$2 > $3/output 2>&1; echo \$? > $3/status; systemctl poweroff --no-block'
[Install]
WantedBy=multi-user.target
END
    ln -s /etc/systemd/system/after-boot.service "$1/etc/systemd/system/multi-user.target.wants/"
}
