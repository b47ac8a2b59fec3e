"""Reads lines "KIND RELEASE HEX JSON": pycrate has to read the bytes, to say the same in JSON, and to
write the same bytes. Prints a line for each that differs, and the number of lines."""

import importlib
import json
import os
import sys

from pycrate_asn1rt.err import ASN1ObjErr

from pycrate_asn1dir import ITS_CAM_2, ITS_DENM_3, ITS_IS


def message(module, name):
    for part in vars(module).values():
        found = getattr(part, name, None)
        if hasattr(found, "from_uper"):
            return found
    raise SystemExit(f"no {name}")


def same(ours, theirs):
    """True if both say the same. pycrate writes defaults that are not there, hexadecimal digits in lower
    case, and a string of bits whose length may be extended as if it could not."""
    if isinstance(ours, dict) and ours.keys() == {"value", "length"} and isinstance(theirs, str):
        return same(ours["value"], theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        defaults = [theirs[name] for name in theirs.keys() - ours.keys()]
        if any(isinstance(one, (dict, list)) for one in defaults):
            return False
        return ours.keys() <= theirs.keys() and all(same(ours[name], theirs[name]) for name in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, str) and isinstance(theirs, str):
        return ours.lower() == theirs.lower()
    return ours == theirs


def written(theirs, data):
    try:
        return theirs.to_uper()
    except IndexError:
        # pycrate 0.8.1 cannot write some lists without bounds that it has read.
        return data


OURS = {("CAM", 1): message(ITS_CAM_2, "CAM"), ("DENM", 1): message(ITS_DENM_3, "DENM")}
OURS |= {(kind, 1): message(ITS_IS, kind) for kind in ("SPATEM", "MAPEM", "IVIM", "SREM", "SSEM")}

# Modules that pycrate has compiled from the ASN.1 of other messages, which it does not bring along.
MODULES = {
    "release2": [("CAM", 2, "CAM"), ("DENM", 2, "DENM"), ("CPM", 2, "CollectivePerceptionMessage"), ("VAM", 2, "VAM")],
    "cpm1": [("CPM", 1, "CPM")],
    "J2735": [("J2735-MessageFrame", 0, "MessageFrame")],
}
if folder := os.environ.get("WAYWARDEN_ASN1_MODULES"):
    sys.path.insert(0, folder)
    for file, messages in MODULES.items():
        module = importlib.import_module(file)
        OURS |= {(kind, release): message(module, name) for kind, release, name in messages}

count, beyond = 0, 0
for line in sys.stdin:
    kind, release, digits, text = line.split(" ", 3)
    theirs, data = OURS[kind, int(release)], bytes.fromhex(digits)
    count += 1
    try:
        theirs.from_uper(data)
        value, again = json.loads(theirs.to_jer()), written(theirs, data)
    except ASN1ObjErr as error:
        # The value is read, and lies outside of what WITH COMPONENTS or a size of UTF-8 permits.
        beyond += "constraint" in str(error)
        if "constraint" not in str(error):
            print(f"{kind} {digits}: {error}")
        continue
    except Exception as error:
        print(f"{kind} {digits}: {type(error).__name__}: {error}")
        continue
    if again != data:
        print(f"{kind} {digits}: written as {again.hex()}")
    elif not same(json.loads(text), value):
        print(f"{kind} {digits}: {json.dumps(value)} is not {text}")
print(f"{count} read, {beyond} beyond constraints that PER does not see")
