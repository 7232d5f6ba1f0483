#!/usr/bin/env python3
"""Makes the users of a fleet's servers.

  make_users.py FOLDER ROLE:NAME...

ROLE is car (a gateway's id: writes below its own name, reads its own commands), control (sees all cars and commands
them), watch (sees all cars) or archive (makes and reads the history). FOLDER gets users.conf for the servers and
passwords/NAME for the user. A second run keeps the users and passwords that exist. Needs bcrypt (PyPI, or Debian's
python3-bcrypt).
"""

import json
import os
import pathlib
import re
import secrets
import sys

import bcrypt

COMMANDS = ["command", "frequency.set", "sonde_type.set", "mute.set", "request.settings"]
# An MQTT client's subscriptions with QoS 1 are delivered on these subjects of the server's own.
SESSION = ["$MQTT.sub.>"]
# The stream of flights_stream.py, which it may make and read, not empty or remove.
ARCHIVE = [f"$JS.API.{request}" for stream in ["$MQTT_msgs"] for request in (
    f"STREAM.CREATE.{stream}", f"STREAM.UPDATE.{stream}", f"STREAM.INFO.{stream}", f"CONSUMER.CREATE.{stream}",
    f"CONSUMER.CREATE.{stream}.>", f"CONSUMER.MSG.NEXT.{stream}.>")]


def permissions(role, name):
    if role == "car":
        own = f"sondygo.{name}"
        return {
            "publish": {"allow": [f"{own}.>"], "deny": [f"{own}.{command}" for command in COMMANDS]},
            "subscribe": {"allow": [f"{own}.{command}" for command in COMMANDS] + SESSION}}
    # MQTT's filter sondygo/# is two subjects.
    everything = {"allow": ["sondygo", "sondygo.>"] + SESSION}
    if role == "control":
        return {"publish": {"allow": [f"sondygo.*.{command}" for command in COMMANDS]}, "subscribe": everything}
    if role == "watch":
        return {"publish": {"deny": [">"]}, "subscribe": everything}
    return {"publish": {"allow": ARCHIVE}, "subscribe": {"allow": ["_INBOX.>"]}}


def main(folder, *wanted):
    folder = pathlib.Path(folder)
    passwords = folder / "passwords"
    passwords.mkdir(mode=0o700, parents=True, exist_ok=True)
    book = folder / "users.json"
    users = json.loads(book.read_text()) if book.exists() else {}
    for text in wanted:
        match = re.fullmatch(r"(car|control|watch|archive):([a-z0-9_-]+)", text)
        if not match:
            sys.exit(f"{text}: give ROLE:NAME, ROLE one of car, control, watch, archive; NAME of a-z 0-9 _ -")
        role, name = match.groups()
        if name in users:
            continue
        password = secrets.token_urlsafe(18)
        users[name] = {"role": role, "hash": bcrypt.hashpw(password.encode(), bcrypt.gensalt(11, b"2a")).decode()}
        with open(os.open(passwords / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(password + "\n")
    book.write_text(json.dumps(users, indent=1))
    lines = [
        json.dumps({"user": name, "password": user["hash"], "permissions": permissions(user["role"], name)})
        for name, user in users.items()]
    (folder / "users.conf").write_text("authorization { users: [\n  " + ",\n  ".join(lines) + "\n] }\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
