"""cantools as oracle for the signals of waywarden-can-dbc.

Arguments: DBC file, then a file of lines `IDENTIFIER DATA` (hexadecimal, x behind an identifier of
29 bits). Prints for each line the signals as `NAME=RAW:PHYSICAL:LABEL`, sorted and joined by
blanks, or `-` for a frame of no message or without a value.
"""

import sys

import cantools

base = cantools.database.load_file(sys.argv[1], strict=False, encoding="utf-8")
by_id = {(m.frame_id, m.is_extended_frame): m for m in base.messages}


def number(value):
    return repr(float(value))


for line in open(sys.argv[2]):
    identifier, data = line.split()
    key = (int(identifier.rstrip("x"), 16), identifier.endswith("x"))
    message = by_id.get(key)
    if message is None:
        print("-")
        continue
    data = bytes.fromhex(data.strip("-"))
    options = {"allow_truncated": True, "allow_excess": True}
    try:
        raw = message.decode(data, decode_choices=False, scaling=False, **options)
        physical = message.decode(data, decode_choices=False, **options)
        named = message.decode(data, decode_choices=True, **options)
    except cantools.database.DecodeError:
        print("-")
        continue
    fields = []
    for name in sorted(raw):
        label = str(named[name]) if hasattr(named[name], "value") else ""
        label = label.encode().hex()
        fields.append(f"{name}={number(raw[name])}:{number(physical[name])}:{label}")
    print(" ".join(fields) or "-")
