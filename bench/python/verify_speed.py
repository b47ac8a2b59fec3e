"""Compares verification by the Python package with the same calls of Rust, and with Python's peers.

    verify_speed.py PROGRAM    PROGRAM is the example calls of waywarden-v2x-receiver

The package and the program are built alike. Each round verifies the same messages by both, one by one
and together, in an order that changes; each receiver begins with the authorities alone. The figures are
those of the processor, on one core. `cryptography` verifies an ECDSA signature on P-256 alone, with a
key that is loaded; pycrate decodes a message, encodes what was signed, and has `cryptography` verify.

A median ratio beyond its bar is an error: `verify` at most 1.10 times the call of Rust, `verify_many` at
least 0.95 of Rust's rate.
"""

import hashlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from pycrate_asn1dir import ITS_IEEE1609_2

from waywarden import v2x

ROUNDS = int(os.environ.get("WAYWARDEN_VERIFY_ROUNDS", "21"))
MESSAGES = 2_000
#: pycrate needs a millisecond each.
OF_PYCRATE = 100
DATA = ITS_IEEE1609_2.Ieee1609Dot2


def timed(work, count):
    """Returns nanoseconds of the processor for each of so many messages."""
    begun = time.process_time_ns()
    accepted = work()
    took = time.process_time_ns() - begun
    assert accepted == count, f"{accepted} of {count} accepted"
    return took / count


def ours(folder, messages):
    """Returns the calls of the package."""
    trust = v2x.Trust(folder / "root.oer", folder / "authority.oer")

    def verifier():
        return v2x.Verifier(trust, at="generation", threads=1)

    def one(verify):
        return sum(1 for message in messages if verify(message))

    def many(verify_many):
        return sum(map(bool, verify_many(messages, threads=1)))

    return {
        "one": lambda: (lambda own: timed(lambda: one(own.verify), len(messages)))(verifier()),
        "many": lambda: (lambda own: timed(lambda: many(own.verify_many), len(messages)))(verifier()),
    }


def of_rust(program, folder):
    """Returns the calls of Rust, in a process that waits for its turn."""
    process = subprocess.Popen(
        [program, "run", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def turn(kind):
        process.stdin.write(kind + "\n")
        process.stdin.flush()
        return int(process.stdout.readline()) / MESSAGES

    return {kind: (lambda kind=kind: turn(kind)) for kind in ("one", "many")}, process


def of_cryptography():
    """Returns the verification of signatures by 50 keys."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(50)]
    texts = [bytes(at.to_bytes(2, "big") * 60) for at in range(500)]
    algorithm = ec.ECDSA(hashes.SHA256())
    signed = [(keys[at % 50].public_key(), keys[at % 50].sign(text, algorithm), text) for at, text in enumerate(texts)]

    def verify():
        for key, signature, text in signed:
            key.verify(signature, text, algorithm)
        return len(signed)

    return lambda: timed(verify, len(signed))


def of_pycrate(messages):
    """Returns verification by pycrate and cryptography, whose signers are known."""
    known = {}
    for message in messages:
        DATA.Ieee1609Dot2Data.from_coer(message)
        kind, signer = DATA.Ieee1609Dot2Data._val["content"][1]["signer"]
        if kind != "certificate":
            continue
        DATA.CertificateBase.set_val(signer[0])
        encoded = DATA.CertificateBase.to_coer()
        form, x = signer[0]["toBeSigned"]["verifyKeyIndicator"][1][1]
        point = bytes([2 + int(form[-1])]) + x
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        digest = hashlib.sha256(encoded).digest()
        known[digest[-8:]] = digest, key
    algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()))

    def verify():
        for message in messages[-OF_PYCRATE:]:
            DATA.Ieee1609Dot2Data.from_coer(message)
            signed = DATA.Ieee1609Dot2Data._val["content"][1]
            certificate, key = known[signed["signer"][1]]
            parts = signed["signature"][1]
            r, s = (int.from_bytes(one, "big") for one in (parts["rSig"][1], parts["sSig"]))
            DATA.ToBeSignedData.set_val(signed["tbsData"])
            inner = hashlib.sha256(DATA.ToBeSignedData.to_coer()).digest()
            digest = hashlib.sha256(inner + certificate).digest()
            key.verify(utils.encode_dss_signature(r, s), digest, algorithm)
        return OF_PYCRATE

    return lambda: timed(verify, OF_PYCRATE)


def main():
    program = sys.argv[1]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([program, "make", folder, str(MESSAGES)], check=True)
        lines = (folder / "messages.hex").read_text().split()
        messages = [bytes.fromhex(line) for line in lines]
        python = ours(folder, messages)
        rust, process = of_rust(program, folder)
        with process:
            contestants = {
                "rust one": rust["one"], "python one": python["one"],
                "rust many": rust["many"], "python many": python["many"],
                "cryptography": of_cryptography(), "pycrate": of_pycrate(messages),
            }  # fmt: skip
            for call in contestants.values():
                call()
            rounds = []
            for number in range(ROUNDS):
                order = list(contestants)[:: 1 if number % 2 else -1]
                rounds.append({name: contestants[name]() for name in order})
            process.stdin.close()
    report(rounds)


def report(rounds):
    def median(of):
        return statistics.median(of(one) for one in rounds)

    for name in rounds[0]:
        print(f"{name:<13} {median(lambda one: one[name]) / 1e3:8.1f} us a message")
    call = median(lambda one: one["python one"] / one["rust one"])
    rate = median(lambda one: one["rust many"] / one["python many"])
    print(f"verify: {call:.3f} times the call of Rust, bar 1.10")
    print(f"verify_many: {rate:.3f} of Rust's rate, bar 0.95")
    for peer in ("cryptography", "pycrate"):
        ratios = [median(lambda one, kind=kind: one[peer] / one[f"python {kind}"]) for kind in ("one", "many")]
        print(f"{peer}: {ratios[0]:.2f} times verify, {ratios[1]:.2f} times verify_many")
    if call > 1.10 or rate < 0.95:
        sys.exit("the package is too slow beside Rust")


main()
