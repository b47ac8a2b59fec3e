"""Reads lines "KIND RELEASE HEX JSON": pycrate has to read the bytes, to say the same in JSON, and to
write the same bytes. Prints a line for each that differs, and the number of lines."""

import json
import sys

from pycrate_asn1rt.err import ASN1ObjErr

from pycrate_asn1dir import ITS_CAM_2, ITS_DENM_3, ITS_IS


def message(module, name):
    for part in vars(module).values():
        found = getattr(part, name, None)
        if hasattr(found, "from_uper"):
            return found
    raise SystemExit(f"no {name}")


def plain(value):
    """The same in one form: pycrate writes defaults that are not there, hexadecimal digits in lower case,
    and a string of bits whose length may be extended as if it could not."""
    if isinstance(value, dict):
        if value.keys() == {"value", "length"}:
            return plain(value["value"])
        return {name: plain(one) for name, one in value.items() if (name, one) != ("validityDuration", 600)}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.lower() if isinstance(value, str) else value


OURS = {("CAM", 1): message(ITS_CAM_2, "CAM"), ("DENM", 1): message(ITS_DENM_3, "DENM")}
OURS |= {(kind, 1): message(ITS_IS, kind) for kind in ("SPATEM", "MAPEM", "IVIM", "SREM", "SSEM")}

count, beyond = 0, 0
for line in sys.stdin:
    kind, release, digits, text = line.split(" ", 3)
    theirs, data = OURS[kind, int(release)], bytes.fromhex(digits)
    count += 1
    try:
        theirs.from_uper(data)
        value, again = json.loads(theirs.to_jer()), theirs.to_uper()
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
    elif plain(value) != plain(json.loads(text)):
        print(f"{kind} {digits}: {json.dumps(value)} is not {text}")
print(f"{count} read, {beyond} beyond constraints that PER does not see")
