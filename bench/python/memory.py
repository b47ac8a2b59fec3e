"""Memory of the Python package over many calls: memory.py CALLS [KIND ...].

For each kind of call the resident memory after a warm-up is compared with that after CALLS more. Growth
by more than 2 MiB for a million calls is an error; of a few calls 1 MiB is taken for noise.
"""

import atexit
import gc
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from waywarden import can as logs
from waywarden import paired, secoc, v2x

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
MIB = 1 << 20


def verify():
    """A message that is refused as a replay, one that is damaged, and what is none."""
    records = [record.data for record in v2x.records(EXAMPLES / "v2x/messages.hex")]
    verifier = v2x.Verifier(EXAMPLES / "v2x/trust", at="generation", messages=64, certificates=64)
    damaged = bytearray(records[0])
    damaged[-1] ^= 1
    messages = itertools.cycle([*records, bytes(damaged), b"\3"])

    def call():
        verdict = verifier.verify(next(messages))
        return verdict.code, verdict.reason

    return call


def sign():
    """A message that is signed, and accepted by a receiver that remembers 64."""
    folder = pathlib.Path(tempfile.mkdtemp()) / "pki"
    for words in (["init", folder, "--no-passphrase"], ["issue", folder, "--name", "car"]):
        command = [sys.executable, "-m", "waywarden", "--quiet", "pki", *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    pki = v2x.Pki(folder)
    signer, verifier = pki.signer("car"), v2x.Verifier(pki.trust(), messages=64, certificates=64)
    numbers = itertools.count()

    def call():
        payload = next(numbers).to_bytes(8, "big")
        verdict = verifier.verify(signer.sign(payload, "CAM"))
        assert verdict and verdict.payload == payload, verdict
        return verdict.signer

    return call


def verify_many():
    records = list(v2x.records(EXAMPLES / "v2x/messages.hex"))[:8]

    def call():
        # Each is accepted.
        verifier = v2x.Verifier(TRUST, at="generation", messages=64, certificates=64, threads=1)
        return verifier.verify_many(records)

    return call


def inspect():
    messages = [record.data for record in v2x.records(EXAMPLES / "v2x/messages.hex")]
    each = itertools.cycle([*messages[:20], messages[0][:50], b""])
    return lambda: v2x.inspect(next(each))


def protect():
    """A message that is protected and taken, with counters retained, and one that is refused."""
    stream = secoc.Stream(0x120, profile="autosar-1", key=bytes(16), length=4)
    kept = [0, 0]
    sender = secoc.Sender(stream, retain=lambda value: kept.__setitem__(0, value))
    receiver = secoc.Receiver(stream, retain=lambda value: kept.__setitem__(1, value))
    cmac = secoc.Cmac(bytes(16))

    def call():
        (frame,) = sender.protect(b"40 %")
        assert receiver.accept(frame).payload == b"40 %"
        assert not receiver.accept(frame)
        return cmac.verify(b"40 %", cmac.tag(b"40 %"))

    return call


def pairs():
    stream = paired.Stream(0x120, form="leia", key=bytes(16))
    sender, receiver = paired.Sender(stream, retain=None), paired.Receiver(stream, ask_id=0x700)
    sender.receive(receiver.outgoing())
    while (answer := sender.outgoing()) is not None:
        receiver.accept(answer)

    def call():
        return [receiver.accept(frame) for frame in sender.protect(b"40 %")]

    return call


def frame():
    numbers = itertools.cycle(range(0x800))

    def call():
        frame = secoc.Frame(next(numbers), b"12345678")
        return frame.data, hash(frame), repr(frame), frame == frame

    return call


def bits():
    frames = itertools.cycle(["123#1122334455667788", "18FEF100##1AABB", "123#R4"])
    return lambda: len(logs.bits(next(frames)))


def refused():
    """What is raised, with its message."""

    def call():
        for wrong in (lambda: logs.bits("123#1"), lambda: secoc.Cmac(b""), lambda: secoc.Frame(0x800)):
            try:
                wrong()
            except ValueError as error:
                assert str(error)

    return call


def log():
    with tempfile.NamedTemporaryFile("w", suffix=".log", delete=False) as file, open(EXAMPLES / "drive.log") as source:
        file.writelines(itertools.islice(source, 20))

    def call():
        return logs.read_log(file.name).to_dict(), logs.load(file.name, bitrate="500k").json()

    return call


def bus():
    import can

    one, other = (can.Bus(interface="waywarden", channel="memory", clock="virtual") for _ in range(2))
    atexit.register(one.shutdown)
    atexit.register(other.shutdown)
    message = can.Message(arbitration_id=0x123, is_extended_id=False, data=bytes(8))

    def call():
        one.send(message)
        received = other.recv(timeout=1)
        assert received is not None
        return one.load

    return call


TRUST = v2x.Trust(EXAMPLES / "v2x/trust")
#: Calls of each kind, and their share of CALLS: what does many things in one call.
KINDS = {
    "verify": (verify, 1),
    "sign": (sign, 1),
    "verify_many": (verify_many, 8),
    "inspect": (inspect, 1),
    "protect": (protect, 1),
    "pairs": (pairs, 1),
    "frame": (frame, 1),
    "bits": (bits, 1),
    "refused": (refused, 1),
    "log": (log, 20),
    "bus": (bus, 1),
}


def resident():
    """Returns the resident memory of this process, in bytes."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    calls, wanted = int(sys.argv[1]), sys.argv[2:] or list(KINDS)
    grown = []
    for kind in wanted:
        make, share = KINDS[kind]
        call, count = make(), max(calls // share, 1)
        for _ in range(max(count // 10, 200)):
            call()
        before, begun = resident(), time.monotonic()
        for _ in range(count):
            call()
        growth, took = resident() - before, time.monotonic() - begun
        print(f"{kind:<12} {count:>8} calls, {1e6 * took / count:7.1f} us each: {growth / MIB:+.2f} MiB", flush=True)
        if growth > max(2 * MIB * calls // 1_000_000, MIB):
            grown.append(kind)
    if grown:
        sys.exit("memory grows: " + ", ".join(grown))


main()
