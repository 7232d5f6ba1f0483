#!/usr/bin/env python3
"""Makes the users of a fleet's servers.

  make_users.py FOLDER ROLE:NAME...
  make_users.py FOLDER renew:NAME...      gives a user a new password

ROLE is car (a gateway's id: writes its topics of bridge-car.conf, reads its own commands), control (sees all cars and
commands them), watch (sees all cars), keeper (makes the history) or archive (reads it). FOLDER gets users.conf for the
servers, first.conf with the keeper alone, and passwords/NAME for the user. A second run keeps the users and passwords that
exist. Needs bcrypt (PyPI, or Debian's python3-bcrypt).
"""

import json
import os
import pathlib
import re
import secrets
import sys

import bcrypt

COMMANDS = ["command", "frequency.set", "sonde_type.set", "mute.set", "request.settings"]
# The subjects on which a car may publish, without its name.
TOPICS = [topic.replace("/", ".") for topic in re.findall(
    r"(?m)^(?:topic|notification_topic) sondygo/car1/(\S+)(?: out \d)?$",
    (pathlib.Path(__file__).resolve().parent / "bridge-car.conf").read_text())]
# An MQTT client's subscriptions with QoS 1 are delivered on these subjects of the server's own.
SESSION = ["$MQTT.sub.>"]
# The stream of flights_stream.py.
REQUESTS = {
    "keeper": ["STREAM.CREATE.$MQTT_msgs", "STREAM.UPDATE.$MQTT_msgs", "STREAM.INFO.$MQTT_msgs"],
    "archive": ["STREAM.INFO.$MQTT_msgs", "CONSUMER.CREATE.$MQTT_msgs", "CONSUMER.CREATE.$MQTT_msgs.>",
                "CONSUMER.MSG.NEXT.$MQTT_msgs.>"]}


def permissions(role, name):
    if role == "car":
        own = f"sondygo.{name}"
        return {
            "publish": {"allow": [f"{own}.{topic}" for topic in TOPICS]},
            "subscribe": {"allow": [f"{own}.{command}" for command in COMMANDS] + SESSION}}
    # MQTT's filter sondygo/# is two subjects.
    everything = {"allow": ["sondygo", "sondygo.>"] + SESSION}
    if role == "control":
        return {"publish": {"allow": [f"sondygo.*.{command}" for command in COMMANDS]}, "subscribe": everything}
    if role == "watch":
        return {"publish": {"deny": [">"]}, "subscribe": everything}
    return {"publish": {"allow": [f"$JS.API.{request}" for request in REQUESTS[role]]}, "subscribe": {"allow": ["_INBOX.>"]}}


def write(path, text):
    """Writes the file as a whole or not at all."""
    new = path.with_name(path.name + ".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    new.replace(path)


def configuration(users):
    # A car's password must not open the port on which other programs read the servers' streams.
    return "authorization { users: [\n  " + ",\n  ".join(
        json.dumps({
            "user": name, "password": user["hash"], "permissions": permissions(user["role"], name),
            "allowed_connection_types": ["STANDARD" if user["role"] in REQUESTS else "MQTT"]})
        for name, user in users.items()) + "\n] }\n"


def main(folder, *wanted):
    folder = pathlib.Path(folder)
    passwords, book = folder / "passwords", folder / "users.json"
    users = json.loads(book.read_text()) if book.exists() else {}
    new = {}
    for text in wanted:
        match = re.fullmatch(r"(car|control|watch|keeper|archive|renew):([a-z0-9_-]+)", text)
        if not match:
            sys.exit(f"{text}: give ROLE:NAME, ROLE one of car, control, watch, keeper, archive; NAME of a-z 0-9 _ -")
        role, name = match.groups()
        known = new.get(name) or users.get(name, {}).get("role")
        if role == "renew" and not known:
            sys.exit(f"{text}: there is no such user")
        if role != "renew" and known and known != role:
            sys.exit(f"{text}: {name} is a user of the role {known}")
        if role == "renew" or not known:
            new[name] = known or role
    passwords.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, role in new.items():
        password = secrets.token_urlsafe(18)
        # The lowest cost: a random password needs no slow hash, and 500 cars log in at once when a server has died.
        users[name] = {"role": role, "hash": bcrypt.hashpw(password.encode(), bcrypt.gensalt(4, b"2a")).decode()}
        write(passwords / name, password + "\n")
    write(book, json.dumps(users, indent=1))
    write(folder / "users.conf", configuration(users))
    write(folder / "first.conf", configuration({name: user for name, user in users.items() if user["role"] == "keeper"}))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
