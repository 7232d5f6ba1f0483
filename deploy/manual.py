#!/usr/bin/env python3
"""Writes the manual page from the help of the program's argument parser.

  sondygo2mqtt --experimental-dump-help | deploy/manual.py VERSION > sondygo2mqtt.1
"""
import json
import sys


def plain(text: str) -> str:
    """The text as roff shows it unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def argument(one: dict) -> list[str]:
    value = one["valueName"]
    if one["kind"] == "positional":
        head = f"\\fI{plain(value)}\\fR"
    else:
        names = [("\\-\\-" if name["kind"] == "long" else "\\-") + plain(name["name"]) for name in one["names"]]
        head = ", ".join(f"\\fB{name}\\fR" for name in names)
        head += f" \\fI{plain(value)}\\fR" if one["kind"] == "option" else ""
    text = one.get("abstract", "")
    default = one.get("defaultValue")
    return [".TP", head, plain(text + (f" (default: {default})" if default else ""))]


def shown(arguments: list[dict]) -> list[dict]:
    """Without --help and --version, which each command has."""
    return [one for one in arguments if one["shouldDisplay"] and one.get("valueName") not in ("help", "version")]


def commands_of(command: dict, above: str = "") -> list[dict]:
    """All commands with their whole names: `maps fetch` stands for `maps`."""
    found = []
    for one in command.get("subcommands", []):
        if not one["shouldDisplay"] or one["commandName"] == "help":
            continue
        one["commandName"] = above + one["commandName"]
        found += commands_of(one, one["commandName"] + " ") or [one]
    return found


def main() -> None:
    root = json.load(sys.stdin)["command"]
    commands = commands_of(root)
    lines = [
        f'.TH SONDYGO2MQTT 1 "" "sondygo2mqtt {sys.argv[1]}" "User Commands"',
        ".SH NAME", f"sondygo2mqtt \\- {plain(root['abstract'][0].lower() + root['abstract'][1:].rstrip('.'))}",
        ".SH SYNOPSIS", "\\fBsondygo2mqtt\\fR [\\fIcommand\\fR] [\\fIoptions\\fR]",
        ".SH DESCRIPTION", ".nf", plain(root["discussion"]), ".fi",
    ]
    for command in commands:
        lines += [f".SH \"{plain(command['commandName']).upper()}\"", plain(command["abstract"])]
        if command.get("discussion"):
            lines += [".PP", plain(command["discussion"])]
        for one in shown(command.get("arguments", [])):
            lines += argument(one)
    lines += [
        ".SH FILES", ".TP", ".I /etc/sondygo2mqtt/config.yaml", "The configuration.",
        ".TP", ".I /usr/share/doc/sondygo2mqtt/examples/config.example.yaml", "Every key with its meaning.",
        ".SH \"EXIT STATUS\"",
        "0 after a clean stop, 1 if the answer is no, 64 for a wrong command line, 69 if something needed is away,",
        "78 for a wrong configuration.",
    ]
    print("\n".join(lines))


main()
