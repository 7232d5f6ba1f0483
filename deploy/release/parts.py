#!/usr/bin/env python3
"""Writes the list of a package's parts (CycloneDX 1.5), with their versions and licences.

  deploy/release/parts.py PACKAGE.deb Package.resolved CHECKOUTS > PACKAGE.cdx.json

CHECKOUTS is the folder with the Swift packages' sources, whose licence files it reads. The Debian packages are those that
the package depends on; apt chooses their versions on the user's machine.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

# A sentence of each licence -> its SPDX name.
LICENCES = {"Apache License": "Apache-2.0", "Permission is hereby granted, free of charge": "MIT"}


def licence(folder: pathlib.Path) -> str:
    for path in sorted(folder.glob("LICENSE*")):
        for sentence, name in LICENCES.items():
            if sentence in path.read_text():
                return name
    sys.exit(f"{folder}: no licence that parts.py knows")


def swift_part(pin: dict, checkouts: pathlib.Path) -> dict:
    place = pin["location"].removesuffix(".git")
    owner, name = place.split("/")[-2:]
    version = pin["state"]["version"]
    return {
        "type": "library", "group": owner, "name": name, "version": version,
        "purl": f"pkg:swift/github.com/{owner}/{name}@{version}",
        "licenses": [{"license": {"id": licence(checkouts / name)}}],
        "externalReferences": [{"type": "vcs", "url": place, "comment": pin["state"]["revision"]}],
    }


def debian_part(dependency: str) -> dict:
    name = re.split(r"[ (|:]", dependency.strip())[0]
    return {"type": "library", "name": name, "purl": f"pkg:deb/debian/{name}", "description": dependency.strip()}


def field(package: str, name: str) -> str:
    return subprocess.run(["dpkg-deb", "-f", package, name], check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    package, resolved, checkouts = sys.argv[1:]
    pins = json.loads(pathlib.Path(resolved).read_text())["pins"]
    parts = [swift_part(pin, pathlib.Path(checkouts)) for pin in sorted(pins, key=lambda pin: pin["identity"])]
    parts += [debian_part(one) for one in sorted(field(package, "Depends").split(","))]
    for part in parts:
        part["bom-ref"] = part["purl"]
    whole = "pkg:deb/sondygo2mqtt@" + field(package, "Version")
    json.dump({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {
            "type": "application", "name": "sondygo2mqtt", "version": field(package, "Version"), "bom-ref": whole,
            "licenses": [{"license": {"id": "GPL-3.0-or-later"}}],
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(pathlib.Path(package).read_bytes()).hexdigest()}],
        }},
        "components": parts,
        "dependencies": [{"ref": whole, "dependsOn": [part["bom-ref"] for part in parts]}],
    }, sys.stdout, indent=1)
    print()


main()
