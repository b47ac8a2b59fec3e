"""Linkage values from the definition, with the package cryptography.

Reads lines "la1 seed1 la2 seed2 periods j" (la2 and seed2 "-" for one seed), all hexadecimal but the
number of periods, and prints a value for each."""

import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def sha256(data):
    digest = hashes.Hash(hashes.SHA256())
    digest.update(data)
    return digest.finalize()


def contribution(la, seed, periods, j):
    for _ in range(periods):
        seed = sha256(la + seed + bytes(14))[:16]
    block = la + j + bytes(10)
    encryptor = Cipher(algorithms.AES(seed), modes.ECB()).encryptor()
    encrypted = encryptor.update(block) + encryptor.finalize()
    return int.from_bytes(encrypted[:9], "big") ^ int.from_bytes(block[:9], "big")


for line in sys.stdin:
    la1, seed1, la2, seed2, periods, j = line.split()
    periods, j = int(periods), bytes.fromhex(j)
    value = contribution(bytes.fromhex(la1), bytes.fromhex(seed1), periods, j)
    if seed2 != "-":
        value ^= contribution(bytes.fromhex(la2), bytes.fromhex(seed2), periods, j)
    print(value.to_bytes(9, "big").hex())
