"""Feeds InfluxDB with a simulated flight by the rules of deploy/dashboards/telegraf.conf, and asks it what the Grafana
dashboard asks. Run by Tests/dashboards.sh."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.parse
import urllib.request
from datetime import datetime, timezone

from ports import free_port

RECIPES = pathlib.Path("deploy/dashboards")


def flat(value, prefix=""):
    """Telegraf's JSON parser: members of objects and lists are joined with "_"; only numbers and texts are left."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return {prefix[:-1]: value}
    fields = {}
    for name, member in items:
        fields |= flat(member, f"{prefix}{name}_")
    return fields


def line(consumer, topic, payload):
    """The line of InfluxDB for one message; none if Telegraf would drop it."""
    levels = topic.split("/")
    members = json.loads(payload)
    fields = flat(members)
    stamp = time.time_ns()
    if "json_time_key" in consumer:
        told = fields.pop(consumer["json_time_key"], None)
        if told is None:
            return None
        stamp = int(datetime.strptime(told, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp() * 1e3) * 1_000_000
    tags = {"id": levels[1]} | {key: fields.pop(key) for key in consumer["tag_keys"] if fields.get(key)}
    kept = {}
    for name, value in fields.items():
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, (int, float)):
            kept[name] = f"{float(value)!r}"
        elif name in consumer.get("json_string_fields", []):
            kept[name] = json.dumps(value)
    if not kept:
        return None
    head = ",".join([levels[-1]] + [f"{key}={value}" for key, value in sorted(tags.items())])
    return f"{head} {','.join(f'{key}={value}' for key, value in kept.items())} {stamp}"


def main(program):
    recipe = tomllib.loads((RECIPES / "telegraf.conf").read_text())
    consumers = recipe["inputs"]["mqtt_consumer"]
    folder = tempfile.TemporaryDirectory()
    port, meta = free_port(), free_port()
    conf = pathlib.Path(folder.name, "influxdb.conf")
    conf.write_text(
        f'reporting-disabled = true\nbind-address = "127.0.0.1:{meta}"\n[meta]\ndir = "{folder.name}/meta"\n'
        f'[data]\ndir = "{folder.name}/data"\nwal-dir = "{folder.name}/wal"\n'
        f'[http]\nbind-address = "127.0.0.1:{port}"\nlog-enabled = false\n'
    )
    database = subprocess.Popen(["influxd", "-config", conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    flight = subprocess.Popen(
        [program, "simulate", "--id", "car1", "--speed", "60", "--burst", "12000", "--launch-delay", "5", "--car"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    heard = None
    try:
        broker = next(int(found[1]) for text in flight.stdout if (found := re.search(r"listens on 127.0.0.1:(\d+)", text)))
        ask(port, "CREATE DATABASE sondygo", post=True)
        topics = [part for consumer in consumers for topic in consumer["topics"] for part in ("-t", topic)]
        heard = subprocess.Popen(
            ["mosquitto_sub", "-p", str(broker), "-F", "%t %p", *topics], stdout=subprocess.PIPE, text=True
        )
        lines, until = [], time.monotonic() + 60
        while time.monotonic() < until:
            topic, _, payload = heard.stdout.readline().partition(" ")
            for consumer in consumers:
                if any(re.fullmatch(wish.replace("+", "[^/]+"), topic) for wish in consumer["topics"]):
                    lines.append(line(consumer, topic, payload))
        body = "\n".join(one for one in lines if one).encode()
        url = f"http://127.0.0.1:{port}/write?db=sondygo"
        with urllib.request.urlopen(urllib.request.Request(url, data=body)) as answer:
            assert answer.status == 204, answer.status
        print(f"{len(lines)} messages, {sum(one is not None for one in lines)} lines written, none refused")
        board = json.loads((RECIPES / "grafana.json").read_text())
        for panel in board["panels"]:
            for target in panel["targets"]:
                query = target["query"].replace("$timeFilter", "time > now() - 3d").replace("$__interval", "10s")
                series = ask(port, query)["results"][0].get("series", [])
                rows = sum(len(one["values"]) for one in series)
                print(f"{panel['title']:24} {target['refId']} {rows:6} rows")
                assert rows > 0, query
    finally:
        for process in (heard, flight, database):
            if process:
                process.terminate()
                process.wait()
        folder.cleanup()


def ask(port, query, post=False):
    """The database's answer, once it is up."""
    url = f"http://127.0.0.1:{port}/query?" + urllib.parse.urlencode({"db": "sondygo", "q": query})
    until = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(url, method="POST" if post else "GET")) as answer:
                return json.load(answer)
        except urllib.error.HTTPError:
            raise
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    main(sys.argv[1])
