#!/usr/bin/env python3
"""Frames of the corpus through a unit under FMPy: python3 fmpy_frames.py UNIT FRAMES CORPUS

The unit has one bus, with CAN FD. Its nodes all send at one time; the frames follow each other by
identifier with three bits between them, and each ends where its bits do. CORPUS is frame_bits.csv,
in which an outside program counted them.
"""

import csv
import pathlib
import random
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "fmi"))
import nodes

CONFIRM = 0x20
# The longest frame at 500 kbit/s and 2 Mbit/s takes less than this.
ROOM = nodes.PICOSECONDS // 1000


def read(path, nominal, data):
    """Returns frames: base identifier, identifier, operation, time on the wire."""
    frames = []
    with open(path, encoding="ascii") as file:
        for line in csv.DictReader(file):
            identifier, extended = int(line["id"], 16), line["ext"] == "1"
            payload = bytes.fromhex(line["data"])
            if line["kind"] == "classic":
                operation = nodes.transmit(identifier, payload, extended)
            elif line["kind"] == "fd-iso":
                switched, passive = line["brs"] == "1", line["esi"] == "1"
                operation = nodes.transmit_fd(identifier, payload, extended, switched, passive)
            else:
                continue
            length = int(line["nominal_bits"]) * nominal + int(line["data_bits"]) * data
            base = identifier >> 18 if extended else identifier
            frames.append((base, identifier, operation, length))
    return frames


def main():
    """Plans the frames, sends them, and compares the times."""
    path, count, corpus = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    bus = nodes.Bus(path)
    name = next(name for name in bus.references if name.endswith(".bitRate"))[: -len(".bitRate")]
    rates = bus.unit.getUInt32([bus.references[f"{name}.{of}"] for of in ("bitRate", "dataBitRate")])
    nominal, data = [nodes.PICOSECONDS // rate for rate in rates]
    frames = read(corpus, nominal, data)
    chosen = random.Random(1)
    terminals = len(bus.terminals)
    rounds = count // terminals
    expected = []

    def plan():
        for number in range(1, rounds + 1):
            at = number * terminals * ROOM
            own = {}
            while len(own) < terminals:
                frame = chosen.choice(frames)
                own.setdefault(frame[0], frame)
            senders = list(range(terminals))
            chosen.shuffle(senders)
            end = at - 3 * nominal
            for terminal, base in zip(senders, sorted(own)):
                end += 3 * nominal + own[base][3]
                expected.append((end, terminal, own[base][1]))
            yield at, {
                terminal: own[base][2] for terminal, base in zip(senders, sorted(own))
            }

    compared = received = 0

    def receive(at, terminal, buffer):
        nonlocal compared, received
        for code, arguments in nodes.operations(buffer):
            if code != CONFIRM:
                received += 1
                continue
            got = (at, terminal, struct.unpack("<I", arguments)[0])
            wanted = expected[compared]
            if got != wanted:
                sys.exit(f"fmpy_frames: frame {compared}: {got} instead of {wanted}")
            expected[compared] = None
            compared += 1

    began = time.monotonic()
    bus.run((rounds + 1) * terminals * ROOM, plan(), receive)
    took = time.monotonic() - began
    lost = bus.figure(f"{name}.arbitrationsLost")
    bus.close()
    if compared != rounds * terminals or received != compared * (terminals - 1):
        sys.exit(f"fmpy_frames: {compared} frames sent, {received} received")
    print(
        f"{terminals} nodes: {compared} frames end at their exact picosecond, {lost} arbitrations"
        f" lost; {took:.0f} s, {1e6 * took / compared:.0f} us a frame"
    )


if __name__ == "__main__":
    main()
