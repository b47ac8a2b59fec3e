"""Prints the blocks of vectors/gke.txt, from docs/protocols/gke.md alone.

    gke_vectors.py              prints the blocks of vectors/gke.txt
    gke_vectors.py hybrid FILE  checks the block `hybrid` of vectors/lasan.txt

It shares nothing with the crates: hashes are Python's, P-256, AES, X25519 and ML-KEM those of the
package cryptography, FourQ that of fourq.py beside this file.
"""

import hashlib
import hmac
import sys

import fourq
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

DOMAIN = b"waywarden-gke-1"
SCHEMES = {"tree-without-orchestrator": 2, "symmetric-distribution": 3}
STEPS = ["freshness", "orchestration", "share-a", "share-b", "confirmation-a", "confirmation-b"]
STEPS += ["master-signature", "master-secret", "finish", "acknowledge", "start", None, "end"]
ORCHESTRATOR, ECUS = 0x13, [0x01, 0x0A]


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def hkdf(salt, ikm, info, length):
    key, block, out = mac(salt or bytes(32), ikm), b"", b""
    while len(out) < length:
        block = mac(key, block, info, bytes([len(out) // 32 + 1]))
        out += block
    return out[:length]


def aes_ctr(key, block, data):
    cipher = Cipher(algorithms.AES(key), modes.CTR(block)).encryptor()
    return cipher.update(data) + cipher.finalize()


class FourQ:
    name, code, order = "fourq", 1, fourq.N
    share, extract = staticmethod(fourq.share), staticmethod(fourq.extract)
    sign, public_key = staticmethod(fourq.sign), staticmethod(fourq.public_key)

    @staticmethod
    def scalar(secret):
        return (int.from_bytes(secret, "little") or 1) % fourq.N

    @staticmethod
    def scalar_as_published(half):
        return int.from_bytes(half, "little") or 1


class P256:
    name, code = "p256", 2
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

    @staticmethod
    def scalar(secret):
        wide = hkdf(b"", secret, b"waywarden P-256 scalar", 64)
        return int.from_bytes(wide, "big") % P256.order or 1

    @staticmethod
    def scalar_as_published(half):
        return int.from_bytes(half, "big") or 1

    @staticmethod
    def key(scalar):
        return ec.derive_private_key(scalar, ec.SECP256R1())

    @staticmethod
    def share(scalar):
        return P256.key(scalar).public_key().public_numbers().x.to_bytes(32, "big")

    @staticmethod
    def extract(scalar, share):
        curve = ec.SECP256R1()
        point = ec.EllipticCurvePublicKey.from_encoded_point(curve, b"\x02" + share)
        return P256.key(scalar).exchange(ec.ECDH(), point)

    @staticmethod
    def signing_key(secret):
        return P256.key(int.from_bytes(secret, "big") % P256.order or 1)

    @staticmethod
    def public_key(secret):
        point = P256.signing_key(secret).public_key().public_numbers()
        return point.x.to_bytes(32, "big") + point.y.to_bytes(32, "big")

    @staticmethod
    def sign(secret, message):
        algorithm = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
        r, s = decode_dss_signature(P256.signing_key(secret).sign(message, algorithm))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def draw(seed, index):
    """Draw `index` of an ECU from its seed: local, and only so that a run can be repeated."""
    for number in range(index + 1):
        drawn = mac(seed, b"waywarden entropy", number.to_bytes(8, "big"), b"\0")
        seed = mac(seed, b"waywarden entropy", number.to_bytes(8, "big"), b"\1")
    return drawn


def identifier(step, first, second, result):
    return bytes([STEPS.index(step), first, second, result])


def members(ecus):
    """Who is in the result: bit a % 8 (1 is the least) of byte a / 8 for address a."""
    bits = bytearray(32)
    for address in ecus:
        bits[address // 8] |= 1 << address % 8
    return bytes(bits)


class Network:
    """One agreement from the first order to the acknowledgements."""

    def __init__(self, suite, hardened, scheme):
        self.suite, self.hardened, self.scheme = suite, hardened, scheme
        self.signing = {a: bytes([0x80 + a]) * 32 for a in [*ECUS, ORCHESTRATOR]}
        self.seeds = {a: bytes([a]) * 32 for a in self.signing}
        self.drawn = dict.fromkeys(self.signing, 0)
        self.freshness, self.channels, self.digest = 0, {}, bytes(32)

    def print(self):
        put("kind", "network")
        put("suite", self.suite.name)
        put("profile", "hardened" if self.hardened else "as-published")
        put("scheme", self.scheme)
        put("orchestrator", bytes([ORCHESTRATOR]))
        put("ecus", bytes(ECUS))
        for address, secret in self.signing.items():
            put(f"signing-{address:02x}", secret)
            put(f"public-{address:02x}", self.suite.public_key(secret))
            put(f"seed-{address:02x}", self.seeds[address])
        print()
        if self.scheme == "symmetric-distribution":
            for result, ecu in enumerate(ECUS, 2):
                self.exchange(result, [ecu, ORCHESTRATOR], [ecu, ORCHESTRATOR], [ecu])
            secret, root = self.distribute(), 0
        else:
            first, second = ECUS
            leaf = self.exchange(2, ECUS, ECUS, ECUS)
            sides = [2, ORCHESTRATOR]
            secret = self.exchange(3, sides, [first, ORCHESTRATOR], ECUS, leaf)
            root = 3
        self.end(root, secret)

    def draw(self, address):
        index, self.drawn[address] = self.drawn[address], self.drawn[address] + 1
        return draw(self.seeds[address], index)

    def next_freshness(self):
        self.freshness += self.hardened
        return self.freshness

    def bound(self, name, freshness):
        code = bytes([self.suite.code, SCHEMES[self.scheme]])
        return DOMAIN + code + name + freshness.to_bytes(8, "big")

    def counter_block(self, step, freshness):
        if not self.hardened:
            return bytes(16)
        return bytes([STEPS.index(step)]) + freshness.to_bytes(8, "big") + bytes(7)

    def send(self, step, header, payload):
        put(f"sent-{step}", identifier(step, *header), payload)

    def traffic_key(self, secret, logical):
        if not self.hardened:
            return secret
        return hkdf(DOMAIN, secret, b"traffic key" + bytes([logical]), 32)

    def exchange(self, result, sides, actors, below, lower=None):
        """One exchange; `lower` is the secret of the first side where that is a logical ECU."""
        suite, freshness, header = self.suite, self.next_freshness(), (*sides, result)
        put("kind", "exchange")
        put("result", bytes([result]))
        put("participants", bytes(sides))
        put("actors", bytes(actors))
        stamp = freshness.to_bytes(8, "big")
        put("freshness", stamp)
        order = identifier("orchestration", *header)
        if self.hardened:
            put("who-is-in-the-result", members(below))
            put("bound-orchestration", self.bound(order, freshness))
            message = self.bound(order, freshness) + members(below)
            self.send("freshness", header, stamp)
        else:
            message = order + stamp
        put("signed-orchestration", message)
        self.send("orchestration", header, suite.sign(self.signing[ORCHESTRATOR], message))

        secrets = [lower or self.draw(actors[0]), self.draw(actors[1])]
        scalars = [suite.scalar(secret) for secret in secrets]
        if lower and not self.hardened:
            scalars[0] = suite.scalar_as_published(lower[:16])
        shares = [suite.share(scalar) for scalar in scalars]
        for side in (0, 1):
            put(f"secret-{'ab'[side]}", secrets[side])
            put(f"scalar-{'ab'[side]}", (scalars[side] % suite.order).to_bytes(32, "big"))
            self.send(f"share-{'ab'[side]}", header, shares[side])
        agreed = suite.extract(scalars[0], shares[1])
        assert agreed == suite.extract(scalars[1], shares[0])
        put("z", agreed)
        salt = bytes(32)
        if self.hardened:
            salted = self.bound(identifier("share-a", *header), freshness) + bytes(actors)
            salted += shares[0] + shares[1]
            put("salted", salted)
            salt = sha256(salted)
        put("salt", salt)
        k, channel = (hkdf(salt, agreed, info, 16) for info in (b"confirmation", b"channel"))
        secret = hkdf(salt, agreed, b"secret", 32 if self.hardened else 16).ljust(32, b"\0")
        put("k", k)
        put("channel", channel)
        put("secret", secret)
        put("traffic-key", self.traffic_key(secret, result))

        for side in (0, 1):
            step, signer, reader = f"confirmation-{'ab'[side]}", actors[side], actors[1 - side]
            message = shares[side] + shares[1 - side]
            if self.hardened:
                begin = self.bound(identifier(step, *header), freshness)
                message = begin + bytes([signer, reader]) + message
            signature = suite.sign(self.signing[signer], message)
            block = self.counter_block(step, freshness)
            put(f"signed-{step}", message)
            put(f"signature-{step}", signature)
            put(f"counter-{step}", block)
            self.send(step, header, aes_ctr(k, block, signature))
        if self.scheme == "symmetric-distribution":
            self.channels[actors[0]] = channel
            self.digest = sha256(self.digest, bytes([actors[0]]), sha256(*shares))
            put("d", self.digest)
        print()
        return secret

    def distribute(self):
        """The master secret for each ECU; returns the secret of the group."""
        freshness, header = self.next_freshness(), (ORCHESTRATOR, 0, 0)
        put("kind", "distribution")
        put("freshness", freshness.to_bytes(8, "big"))
        if self.hardened:
            self.send("freshness", header, freshness.to_bytes(8, "big"))
        master = self.draw(ORCHESTRATOR)
        message = master + self.digest
        if self.hardened:
            name = identifier("master-signature", *header)
            message = self.bound(name, freshness) + message
        signature = self.suite.sign(self.signing[ORCHESTRATOR], message)
        put("msk", master)
        put("d", self.digest)
        put("signed-master", message)
        put("signature-master", signature)
        for step in ("master-signature", "master-secret"):
            put(f"counter-{step}", self.counter_block(step, freshness))
        for leaf, ecu in enumerate(ECUS, 2):
            for step, clear in (("master-signature", signature), ("master-secret", master)):
                block = self.counter_block(step, freshness)
                sealed = aes_ctr(self.channels[ecu], block, clear)
                name = identifier(step, ORCHESTRATOR, ecu, leaf)
                put(f"sent-{step}-{ecu:02x}", name, sealed)
        secret = hkdf(self.digest, master, b"group secret", 32)
        put("secret", secret)
        print()
        return secret

    def end(self, root, secret):
        epoch, header = self.freshness.to_bytes(8, "big"), (ORCHESTRATOR, 0, root)
        key = self.traffic_key(secret, root)
        put("kind", "end")
        put("root", bytes([root]))
        put("secret", secret)
        put("traffic-key", key)
        if self.hardened:
            put("epoch", epoch)
            label = b"waywarden-gke-1 proof"
            tag = mac(key, label, bytes([ORCHESTRATOR]), epoch)[:16]
            self.send("finish", header, epoch + tag)
            message = self.bound(identifier("end", *header), self.freshness) + tag
            put("signed-end", message)
            self.send("end", header, self.suite.sign(self.signing[ORCHESTRATOR], message))
            for ecu in ECUS:
                name = identifier("acknowledge", ecu, 0, root)
                put(f"sent-acknowledge-{ecu:02x}", name, mac(key, label, bytes([ecu]), epoch)[:8])
        if root and self.hardened:
            start = self.bound(identifier("start", *header), 1) + members(ECUS)
            put("signed-start", start)
        print()


def put(name, *values):
    words = [value if isinstance(value, str) else value.hex() for value in values]
    print(f"{name:26}{' '.join(words)}")


def check_hybrid(path):
    """The ciphertext is taken as it is, for m cannot be chosen here; all else is computed."""
    blocks = open(path).read().split("\n\n")
    fields = next(dict(line.split() for line in block.splitlines())
                  for block in blocks if block.startswith("kind") and " hybrid\n" in block)
    given = {name: bytes.fromhex(value) for name, value in fields.items() if name != "kind"}
    label = b"waywarden X25519MLKEM768 random"
    initiator, responder = (hkdf(b"", given[name], label, 64)
                            for name in ("initiator-random", "responder-random"))
    scalar = x25519.X25519PrivateKey.from_private_bytes
    mine, theirs = scalar(initiator[32:]), scalar(responder[32:])
    seed = hkdf(b"", initiator[:32], b"waywarden ML-KEM key", 64)
    kem = mlkem.MLKEM768PrivateKey.from_seed_bytes(seed)
    computed = {"initiator-ml-kem-seed": seed, "initiator-scalar": initiator[32:]}
    computed |= {"responder-m": responder[:32], "responder-scalar": responder[32:]}
    offer = kem.public_key().public_bytes_raw() + mine.public_key().public_bytes_raw()
    ciphertext = given["answer"][:1088]
    answer = ciphertext + theirs.public_key().public_bytes_raw()
    k, z = kem.decapsulate(ciphertext), mine.exchange(theirs.public_key())
    transcript = sha256(sha256(offer), answer)
    secret = hkdf(b"", k + z, b"X25519MLKEM768" + transcript, 32)
    computed |= {"offer": offer, "answer": answer, "k": k, "z": z}
    computed |= {"transcript": transcript, "secret": secret}
    for name, value in computed.items():
        if given.get(name) != value:
            print(f"{name:26}{value.hex()}")


if sys.argv[1:2] == ["hybrid"]:
    check_hybrid(sys.argv[2])
else:
    for suite in (FourQ, P256):
        for hardened in (True, False):
            for scheme in SCHEMES:
                Network(suite, hardened, scheme).print()
