"""Writes a CycloneDX 1.5 bill of materials of a program or library, from `cargo metadata` on standard input.

Only what it is linked with is listed: normal dependencies, followed from its package.
Arguments: the version, and the package: waywarden-cli, waywarden-c-v2x or waywarden-python.
"""

import json
import os
import sys
import tomllib
from datetime import datetime, timezone


def checksums():
    """The SHA-256 of each package of the registry, from Cargo.lock."""
    with open("Cargo.lock", "rb") as file:
        packages = tomllib.load(file)["package"]
    return {(one["name"], one["version"]): one.get("checksum") for one in packages}


def linked(metadata, root):
    """The packages that are reached from `root` by normal dependencies, with those that each needs."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    needs, waiting = {}, [root]
    while waiting:
        package = waiting.pop()
        if package in needs:
            continue
        normal = [
            dep["pkg"]
            for dep in nodes[package]["deps"]
            if any(kind["kind"] is None for kind in dep["dep_kinds"])
        ]
        needs[package] = sorted(normal)
        waiting.extend(normal)
    return needs


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, sums):
    entry = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package["license"]:
        # Slashes are an old way to write OR.
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["description"]:
        entry["description"] = " ".join(package["description"].split())
    checksum = sums.get((package["name"], package["version"]))
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return entry


# Type and name of what a package is released as.
RELEASED = {
    "waywarden-cli": ("application", "waywarden"),
    "waywarden-c-v2x": ("library", "libwaywarden"),
    "waywarden-python": ("library", "waywarden"),
}


def main():
    version, name = sys.argv[1:]
    kind, released = RELEASED[name]
    metadata = json.load(sys.stdin)
    packages = {package["id"]: package for package in metadata["packages"]}
    root = next(one for one in packages.values() if one["name"] == name)
    needs, sums = linked(metadata, root["id"]), checksums()
    time = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc)
    command = component(root, sums) | {"type": kind, "name": released, "version": version}
    others = sorted((packages[one] for one in needs if one != root["id"]), key=reference)
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": command},
        "components": [component(one, sums) for one in others],
        "dependencies": [
            {"ref": reference(packages[one]), "dependsOn": [reference(packages[own]) for own in needs[one]]}
            for one in sorted(needs, key=lambda one: reference(packages[one]))
        ],
    }
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
