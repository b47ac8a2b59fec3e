"""The trace as the oracle reads it: events of buses and ECUs, bytes of frames, names of senders.

No field that says which message a frame is, what became of it or whether it was forged passes this
module: `FIELDS` lists what is read. A remark of a node counts for what the node itself knows.
"""

import json
import re

# What is read of each event, besides `t` and `event`.
FIELDS = {
    "boot": ("ecu", "boots"),
    "reset": ("ecu",),
    "requested": ("ecu", "bus", "serial", "frame"),
    "started": ("ecu", "bus", "serial"),
    "sent": ("ecu", "bus", "serial", "started", "frame"),
    "received": ("ecu", "bus", "serial", "frame"),
    "delivered": ("ecu", "bus", "serial", "frame"),
    "overrun": ("ecu", "bus", "serial"),
    "withdrawn": ("ecu", "bus", "serial"),
    "worked": ("ecu", "unit", "task", "from"),
    "fault": ("ecu", "kind", "begins"),
    "error": ("ecu", "bus"),
    "state": ("ecu", "bus", "state"),
    "interfered": ("bus", "by"),
    "noted": ("ecu", "kind", "by", "fact"),
}
# What is read of a node's remark: what it found or did, never the truth about it.
FACTS = ("what", "stream", "frame", "changed", "made_up", "handed_in", "group", "address",
         "attacker", "network", "verifies")
EVENT = re.compile(r'"event":"([a-z-]+)"')
FRAME = re.compile(r"([0-9A-F]+)#(?:#([0-9A-F]))?(R\d*|[0-9A-F]*)$")


class Frame:
    """A frame by its identifier and bytes."""

    __slots__ = ("id", "extended", "fd", "data")

    def __init__(self, text):
        found = FRAME.match(text)
        self.id = int(found[1], 16)
        self.extended = len(found[1]) == 8
        self.fd = found[2] is not None
        self.data = b"" if found[3].startswith("R") else bytes.fromhex(found[3])

    def key(self):
        """The identifier, by which streams are found."""
        return (self.id, self.extended)

    def same(self, other):
        """True if two frames say the same; the flags of the format do not count."""
        return self.key() == other.key() and self.data == other.data


def picoseconds(nanos):
    """A time of the trace in whole picoseconds."""
    return nanos * 1000 if isinstance(nanos, int) else round(nanos * 1000)


def events(lines):
    """Yields each event that is read as (time in picoseconds, name, fields)."""
    frames = {}
    for line in lines:
        name = EVENT.search(line, 0, 80)
        name = name and name[1]
        wanted = FIELDS.get(name)
        if wanted is None:
            continue
        read = json.loads(line)
        fields = {one: read.get(one) for one in wanted}
        if name == "noted":
            fact = fields["fact"]
            fields["fact"] = {one: fact[one] for one in FACTS if one in fact}
        elif "frame" in fields:
            text = fields["frame"]
            frame = frames.get(text)
            if frame is None:
                if len(frames) > 4096:
                    frames.clear()
                frame = frames[text] = Frame(text)
            fields["frame"] = frame
        for key in ("started", "from"):
            if fields.get(key) is not None:
                fields[key] = picoseconds(fields[key])
        yield picoseconds(read["t"]), name, fields
