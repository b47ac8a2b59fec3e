"""Verifies, decrypts, signs, encrypts and issues IEEE 1609.2 with pycrate and cryptography, from
the standard alone. Lines of a command and its parts in; for each a line "ok PART..." or "no WHY".
A part is hexadecimal or a name; "-" stands for nothing; commas separate certificates, whose issuers
come first: the first issues itself and is trusted."""

import copy
import hashlib
import hmac
import os
import sys
from types import SimpleNamespace

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from pycrate_asn1dir import ITS_IEEE1609_2

BASE = ITS_IEEE1609_2.Ieee1609Dot2BaseTypes
DATA = ITS_IEEE1609_2.Ieee1609Dot2

HASHES = {"sha256": (hashlib.sha256, hashes.SHA256()), "sha384": (hashlib.sha384, hashes.SHA384())}


class Refused(Exception):
    """What does not hold."""


def demand(holds, why):
    if not holds:
        raise Refused(why)


def curve(name, own, p, a, b, n, g):
    size = (p.bit_length() + 7) // 8
    return SimpleNamespace(
        name=name, own=own, p=p, a=a, b=b, n=n, g=g, size=size,
        hash="sha256" if size == 32 else "sha384",
    )


# FIPS 186-5 and RFC 5639.
P256_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
P256 = curve(
    "NistP256", ec.SECP256R1(), P256_P, P256_P - 3,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5),
)
BRAINPOOL256 = curve(
    "BrainpoolP256r1", ec.BrainpoolP256R1(),
    0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377,
    0x7D5A0975FC2C3057EEF67530417AFFE7FB8055C126DC5C6CE94A4B44F330B5D9,
    0x26DC5C6CE94A4B44F330B5D9BBD77CBF958416295CF7E1CE6BCCDC18FF8C07B6,
    0xA9FB57DBA1EEA9BC3E660A909D838D718C397AA3B561A6F7901E0E82974856A7,
    (0x8BD2AEB9CB7E57CB2C4B482FFC81B7AFB9DE27E1E3BD23C23A4453BD9ACE3262,
     0x547EF835C3DAC4FD97F8461A14611DC9C27745132DED8E545C1D54C72F046997),
)
# No implicit certificates on curves of 384 bits: only the sizes.
BRAINPOOL384 = curve("BrainpoolP384r1", ec.BrainpoolP384R1(), 2**384 - 1, 0, 0, 0, None)
P384 = curve("NistP384", ec.SECP384R1(), 2**384 - 1, 0, 0, 0, None)
CURVES = {one.name: one for one in (P256, BRAINPOOL256, BRAINPOOL384, P384)}


def add(own, left, right):
    """The sum of two points; None is the point at infinity."""
    if left is None or right is None:
        return left or right
    if left[0] == right[0]:
        if (left[1] + right[1]) % own.p == 0:
            return None
        slope = (3 * left[0] ** 2 + own.a) * pow(2 * left[1], -1, own.p)
    else:
        slope = (right[1] - left[1]) * pow(right[0] - left[0], -1, own.p)
    x = (slope * slope - left[0] - right[0]) % own.p
    return x, (slope * (left[0] - x) - left[1]) % own.p


def multiply(own, number, point):
    total = None
    while number:
        if number & 1:
            total = add(own, total, point)
        point, number = add(own, point, point), number >> 1
    return total


def sec1(point):
    """A compressed or uncompressed point of pycrate, by SEC 1."""
    kind, value = point
    if kind.startswith("uncompressed"):
        return b"\4" + value["x"] + value["y"]
    demand(kind.startswith("compressed-y"), "not a point: " + kind)
    return bytes([2 + int(kind[-1])]) + value


def wire_point(bytes_):
    return ("compressed-y-" + str(bytes_[0] - 2), bytes_[1:])


def public_key(own, bytes_):
    return ec.EllipticCurvePublicKey.from_encoded_point(own.own, bytes_)


def private_key(text):
    name, digits = text.split(":")
    own = CURVES[name]
    return own, int(digits, 16), ec.derive_private_key(int(digits, 16), own.own)


def compressed(key):
    numbers = key.public_numbers()
    size = (key.key_size + 7) // 8
    return bytes([2 + (numbers.y & 1)]) + numbers.x.to_bytes(size, "big")


def read(schema, bytes_):
    schema.from_coer(bytes_)
    return copy.deepcopy(schema._val)


def write(schema, value):
    schema.set_val(copy.deepcopy(value))
    return schema.to_coer()


def hashed(name, bytes_):
    return HASHES[name][0](bytes_).digest()


def check_signature(own, key, digest, r, s):
    signature = utils.encode_dss_signature(int.from_bytes(r, "big"), int.from_bytes(s, "big"))
    algorithm = ec.ECDSA(utils.Prehashed(HASHES[own.hash][1]))
    try:
        public_key(own, key).verify(signature, digest, algorithm)
    except InvalidSignature:
        raise Refused("signature") from None


def check_wire_signature(own, key, digest, signature):
    kind, parts = signature
    demand(kind == "ecdsa" + own.name + "Signature", "a signature of another curve: " + kind)
    form, r = parts["rSig"]
    demand(form == "x-only" or form.startswith("compressed-y"), "rSig is " + form)
    check_signature(own, key, digest, r, parts["sSig"])


def canonical(certificate):
    """What is hashed: here all keys are compressed already; rSig becomes an x-coordinate."""
    certificate = copy.deepcopy(certificate)
    if certificate.get("signature"):
        parts = certificate["signature"][1]
        parts["rSig"] = ("x-only", parts["rSig"][1])
    return certificate


class Certificate:
    """A certificate whose chain holds, and its key."""

    def __init__(self, bytes_, known):
        value = read(DATA.CertificateBase, bytes_)
        self.value = value
        own = value["toBeSigned"]
        contents = write(DATA.ToBeSignedCertificate, own)
        demand(contents in bytes_, "toBeSigned is not written as pycrate writes it")
        whole = write(DATA.CertificateBase, canonical(value))
        kind, issuer = value["issuer"]
        indicator, key = own["verifyKeyIndicator"]
        if kind == "self":
            self.issuer, function, above = None, issuer, hashed(issuer, b"")
        else:
            function = kind.removesuffix("AndDigest")
            self.issuer = known[issuer]
            above = hashed(function, self.issuer.bytes)
        digest = hashed(function, hashed(function, contents) + above)
        if value["type"] == "implicit":
            demand(indicator == "reconstructionValue" and self.issuer, "verifyKeyIndicator")
            demand("signature" not in value, "an implicit certificate with a signature")
            demand(function == "sha256", "an implicit certificate's issuer")
            self.curve = self.issuer.curve
            self.key = self.extract(digest, sec1(key))
        else:
            demand(indicator == "verificationKey", "verifyKeyIndicator")
            self.curve = CURVES[key[0].removeprefix("ecdsa")]
            self.key = sec1(key[1])
            signer = self.issuer or self
            demand(signer.curve.hash == function, "the hash of the issuer's curve")
            check_wire_signature(signer.curve, signer.key, digest, value["signature"])
        self.bytes = whole
        name = "sha256" if value["type"] == "implicit" else self.curve.hash
        self.id = hashed(name, whole)[-8:]

    def extract(self, digest, value):
        """Q = e P + C [1609.2 5.3.2]."""
        own = self.curve
        points = [public_key(own, one).public_numbers() for one in (value, self.issuer.key)]
        value, issuer = [(one.x, one.y) for one in points]
        x, y = add(own, multiply(own, int.from_bytes(digest, "big") % own.n, value), issuer)
        return bytes([2 + (y & 1)]) + x.to_bytes(own.size, "big")


def chain(text):
    """Certificates by their names; the last one, too."""
    known, last = {}, None
    for digits in text.split(","):
        last = Certificate(bytes.fromhex(digits), known)
        demand(last.issuer or not known, "two certificates that issue themselves")
        known[last.id] = last
    return known, last


def message_digest(function, tbs, signer):
    return hashed(function, hashed(function, tbs) + hashed(function, signer))


def verify(certificates, message):
    """Verifies a signed message; gives back its payload."""
    message = bytes.fromhex(message)
    known, _ = chain(certificates)
    kind, data = read(DATA.Ieee1609Dot2Data, message)["content"]
    demand(kind == "signedData", "not signed")
    tbs = write(DATA.ToBeSignedData, data["tbsData"])
    demand(tbs in message, "tbsData is not written as pycrate writes it")
    form, name = data["signer"]
    if form == "certificate":
        for one in reversed(name):
            signer = Certificate(write(DATA.CertificateBase, one), known)
            known[signer.id] = signer
    else:
        demand(form == "digest", "signer is " + form)
        signer = known[name]
    demand(data["hashId"] == signer.curve.hash, "hashId")
    psids = [one["psid"] for one in signer.value["toBeSigned"]["appPermissions"]]
    demand(data["tbsData"]["headerInfo"]["psid"] in psids, "psid")
    digest = message_digest(data["hashId"], tbs, signer.bytes)
    check_wire_signature(signer.curve, signer.key, digest, data["signature"])
    payload = data["tbsData"]["payload"]
    if "extDataHash" in payload:
        return [payload["extDataHash"][1]]
    kind, inner = payload["data"]["content"]
    demand(kind == "unsecuredData", "the payload is " + kind)
    return [inner]


def ecdsa(name, key, tbs, signer, r, s):
    """Verifies a signature whose parts another program has read."""
    own = CURVES[name]
    key, tbs, signer, r, s = (bytes.fromhex(one.strip("-")) for one in (key, tbs, signer, r, s))
    check_signature(own, key, message_digest(own.hash, tbs, signer), r, s)
    return []


def own(name, key, message):
    """Verifies a message that has no certificate, with a key that came otherwise."""
    data = read(DATA.Ieee1609Dot2Data, bytes.fromhex(message))["content"][1]
    demand(data["signer"][0] == "self", "signer")
    curve_, tbs = CURVES[name], write(DATA.ToBeSignedData, data["tbsData"])
    demand(data["hashId"] == curve_.hash and tbs in bytes.fromhex(message), "hashId or tbsData")
    digest = message_digest(curve_.hash, tbs, b"")
    check_wire_signature(curve_, bytes.fromhex(key), digest, data["signature"])
    return []


def certificate(certificates):
    """Verifies a chain; gives back the last one's key."""
    return [chain(certificates)[1].key]


def symmetric_id(key):
    return hashed("sha256", write(BASE.SymmetricEncryptionKey, ("aes128Ccm", key)))[-8:]


def kdf2(secret, parameter, length):
    blocks = [secret + i.to_bytes(4, "big") + parameter for i in range(1, length // 32 + 2)]
    return b"".join(hashed("sha256", block) for block in blocks)[:length]


def ecies(secret, p1):
    """The key that is added, and the function that makes the tag."""
    keys = kdf2(secret, p1, 48)
    tag = lambda text: hmac.new(keys[16:], text, hashlib.sha256).digest()[:16]
    return keys[:16], tag


def exclusive_or(left, right):
    return bytes(one ^ other for one, other in zip(left, right))


def named(kind, context):
    """Field, name, P1 and public encryption key of a recipient."""
    if kind == "certificate":
        value = read(DATA.CertificateBase, context)
        whole = write(DATA.CertificateBase, canonical(value))
        indicator, key = value["toBeSigned"]["verifyKeyIndicator"]
        is_long = indicator == "verificationKey" and "384" in key[0]
        name = hashed("sha384" if is_long else "sha256", whole)[-8:]
        own = value["toBeSigned"]["encryptionKey"]
        return "certRecipInfo", name, hashed("sha256", whole), own
    if kind == "signed":
        header = read(DATA.Ieee1609Dot2Data, context)["content"][1]["tbsData"]["headerInfo"]
        digest = hashed("sha256", context)
        return "signedDataRecipInfo", digest[-8:], digest, header["encryptionKey"][1]
    own = read(BASE.PublicEncryptionKey, context)
    return "rekRecipInfo", hashed("sha256", context)[-8:], hashed("sha256", b""), own


def decrypt(kind, key, context, message):
    """Decrypts what is for a key that has a context: certificate, message, or its encoding."""
    return [open_message(kind, key, context, message)[0]]


def open_message(kind, key, context, message):
    """What was encrypted, and the key that it was encrypted under."""
    value = read(DATA.Ieee1609Dot2Data, bytes.fromhex(message))
    demand(value["content"][0] == "encryptedData", "not encrypted")
    data = value["content"][1]
    if kind == "symmetric":
        wanted, opened = ("pskRecipInfo", symmetric_id(bytes.fromhex(key))), bytes.fromhex(key)
        demand(wanted in data["recipients"], "pskRecipInfo")
    elif kind == "wrapped":
        name = symmetric_id(bytes.fromhex(key))
        mine = [own for of, own in data["recipients"] if of == "symmRecipInfo"]
        demand(len(mine) == 1 and mine[0]["recipientId"] == name, "symmRecipInfo")
        algorithm, inner = mine[0]["encKey"]
        demand(algorithm == "aes128ccm", "encKey is " + algorithm)
        own = AESCCM(bytes.fromhex(key))
        try:
            opened = own.decrypt(inner["nonce"], inner["ccmCiphertext"], None)
        except InvalidTag:
            raise Refused("encKey") from None
    else:
        field, name, p1, _ = named(kind, bytes.fromhex(context))
        mine = [own for of, own in data["recipients"] if of == field and own["recipientId"] == name]
        demand(mine, "no recipient " + field)
        own, _, private = private_key(key)
        algorithm, parts = mine[0]["encKey"]
        demand(algorithm == "ecies" + own.name, "encKey is " + algorithm)
        shared = private.exchange(ec.ECDH(), public_key(own, sec1(parts["v"])))
        mask, tag = ecies(shared, p1)
        demand(hmac.compare_digest(tag(parts["c"]), parts["t"]), "t")
        opened = exclusive_or(mask, parts["c"])
    kind, cipher = data["ciphertext"]
    demand(kind == "aes128ccm", "ciphertext")
    try:
        plain = AESCCM(opened).decrypt(cipher["nonce"], cipher["ccmCiphertext"], None)
    except InvalidTag:
        raise Refused("ccmCiphertext") from None
    return plain, opened


def encrypt(kind, context, plain):
    """Encrypts to a recipient."""
    context, opened, nonce = bytes.fromhex(context), os.urandom(16), os.urandom(12)
    if kind == "symmetric":
        opened, recipient = context, ("pskRecipInfo", symmetric_id(context))
    elif kind == "wrapped":
        # The key of the message under a key that both have, without a header [1609.2 6.3.33].
        inner = {"nonce": os.urandom(12)}
        inner["ccmCiphertext"] = AESCCM(context).encrypt(inner["nonce"], opened, None)
        name, inner = symmetric_id(context), ("aes128ccm", inner)
        recipient = ("symmRecipInfo", {"recipientId": name, "encKey": inner})
    else:
        field, name, p1, key = named(kind, context)
        algorithm, point = key["publicKey"]
        own = CURVES[algorithm.removeprefix("ecies")]
        ephemeral = ec.generate_private_key(own.own)
        mask, tag = ecies(ephemeral.exchange(ec.ECDH(), public_key(own, sec1(point))), p1)
        c = exclusive_or(mask, opened)
        parts = {"v": wire_point(compressed(ephemeral.public_key())), "c": c, "t": tag(c)}
        recipient = (field, {"recipientId": name, "encKey": (algorithm, parts)})
    cipher = AESCCM(opened).encrypt(nonce, bytes.fromhex(plain.strip("-")), None)
    cipher = ("aes128ccm", {"nonce": nonce, "ccmCiphertext": cipher})
    data = {"recipients": [recipient], "ciphertext": cipher}
    return [write(DATA.Ieee1609Dot2Data, {"protocolVersion": 3, "content": ("encryptedData", data)})]


def signature(key, digest, form):
    own, _, private = private_key(key)
    made = private.sign(digest, ec.ECDSA(utils.Prehashed(HASHES[own.hash][1])))
    r, s = (one.to_bytes(own.size, "big") for one in utils.decode_dss_signature(made))
    demand(form == "x-only", "a form that cryptography does not give")
    return ("ecdsa" + own.name + "Signature", {"rSig": ("x-only", r), "sSig": s})


def sign(certificates, key, form, psid, time, payload):
    """Signs a message as the last certificate."""
    _, signer = chain(certificates)
    data = {"protocolVersion": 3, "content": ("unsecuredData", bytes.fromhex(payload.strip("-")))}
    header = {"psid": int(psid), "generationTime": int(time)}
    tbs = {"payload": {"data": data}, "headerInfo": header}
    digest = message_digest(signer.curve.hash, write(DATA.ToBeSignedData, tbs), signer.bytes)
    name = ("digest", signer.id) if form == "digest" else ("certificate", [signer.value])
    value = {
        "hashId": signer.curve.hash, "tbsData": tbs, "signer": name,
        "signature": signature(key, digest, "x-only"),
    }
    return [write(DATA.Ieee1609Dot2Data, {"protocolVersion": 3, "content": ("signedData", value)})]


def contents_of(template, issuer, indicator):
    """The contents of a certificate, with another key, and their hash with the issuer."""
    contents = read(DATA.CertificateBase, bytes.fromhex(template))["toBeSigned"]
    contents["verifyKeyIndicator"] = indicator
    function = issuer.curve.hash
    own = hashed(function, write(DATA.ToBeSignedCertificate, contents))
    return contents, hashed(function, own + hashed(function, issuer.bytes))


def issue(certificates, key, template, public):
    """Issues an explicit certificate with the contents of another one."""
    _, issuer = chain(certificates)
    own = issuer.curve
    indicator = ("verificationKey", ("ecdsa" + own.name, wire_point(bytes.fromhex(public))))
    contents, digest = contents_of(template, issuer, indicator)
    value = {
        "version": 3, "type": "explicit", "issuer": (own.hash + "AndDigest", issuer.id),
        "toBeSigned": contents, "signature": signature(key, digest, "x-only"),
    }
    return [write(DATA.CertificateBase, value)]


def implicit(certificates, key, template, request):
    """Issues an implicit certificate for a request; gives back r, too."""
    _, issuer = chain(certificates)
    own, private, _ = private_key(key)
    numbers = public_key(own, bytes.fromhex(request)).public_numbers()
    k = int.from_bytes(os.urandom(40), "big") % (own.n - 1) + 1
    x, y = add(own, (numbers.x, numbers.y), multiply(own, k, own.g))
    value = wire_point(bytes([2 + (y & 1)]) + x.to_bytes(own.size, "big"))
    contents, e = contents_of(template, issuer, ("reconstructionValue", value))
    r = (int.from_bytes(e, "big") * k + private) % own.n
    made = {
        "version": 3, "type": "implicit", "issuer": ("sha256AndDigest", issuer.id),
        "toBeSigned": contents,
    }
    return [write(DATA.CertificateBase, made), r.to_bytes(own.size, "big")]


COMMANDS = (verify, own, ecdsa, certificate, decrypt, encrypt, sign, issue, implicit)


def main(commands):
    commands = {command.__name__: command for command in commands}
    for line in sys.stdin:
        name, *parts = line.split()
        try:
            print("ok", *(part.hex() or "-" for part in commands[name](*parts)))
        except (Refused, KeyError, ValueError) as error:
            print("no", type(error).__name__, error)


if __name__ == "__main__":
    main(COMMANDS)
