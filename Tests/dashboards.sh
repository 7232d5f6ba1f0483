#!/usr/bin/env bash
# Runs the dashboards' recipes: a simulated flight, a consumer that follows Telegraf's rules for telegraf.conf, Debian's
# InfluxDB, and each query of grafana.json, which must find rows. Debian has no Telegraf and no Grafana.
#   Tests/dashboards.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/install.sh
install_packages influxdb mosquitto mosquitto-clients prometheus python3
promtool check rules deploy/dashboards/prometheus-rules.yml
exec python3 Tests/dashboards.py "$1"
