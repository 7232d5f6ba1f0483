"""Validates messages against the JSON Schemas: validate.py SCHEMA_FOLDER MESSAGES.jsonl

Prints a line for each violation, and last the number of checked messages."""
import json
import pathlib
import sys

import jsonschema

# Topics for which an empty retained message removes the old one.
TAKEN_BACK = {"position", "radio", "tracker", "chase", "doctor"}
PLAIN = {"bridge/state": {"online", "offline"}, "receiver/state": {"online", "offline"}}


def main():
    folder = pathlib.Path(sys.argv[1])
    validators = {}
    for path in folder.glob("*.schema.json"):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[path.name.removesuffix(".schema.json")] = jsonschema.Draft202012Validator(schema)
    checked = 0
    for line in open(sys.argv[2], encoding="utf-8"):
        if not line.strip():
            continue
        message = json.loads(line)
        topic, payload = message["topic"], message["payload"]
        checked += 1
        if topic in PLAIN:
            if payload not in PLAIN[topic]:
                print(f"{topic}: {payload!r} is not one of {sorted(PLAIN[topic])}")
            continue
        if payload == "" and topic in TAKEN_BACK:
            continue
        # Messages in the history have the form of live ones.
        topic = topic.removeprefix("history/")
        name = "command_response" if topic.startswith("command/response") else topic.replace("/", "_")
        if name not in validators:
            print(f"{topic}: no schema")
            continue
        try:
            value = json.loads(payload, parse_constant=lambda word: sys.exit(f"{topic}: {word} in {payload}"))
        except ValueError as error:
            print(f"{topic}: not JSON: {error}: {payload!r}")
            continue
        for error in validators[name].iter_errors(value):
            print(f"{topic}: {error.json_path}: {error.message}")
    print(f"checked {checked}")


main()
