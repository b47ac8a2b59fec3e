"""Goes through exchanges of ETSI TS 102 941 with pycrate and cryptography, from the standard alone:
opens each message, verifies each signature, and reads and writes each structure. Lines in and out
as those of oracle.py."""

import hashlib
import hmac
import os
import sys

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../../../../../v2x/wire/tests/all/oracles"))

import oracle
import shapes
from oracle import BASE, CURVES, DATA, Certificate, chain, demand, hashed, read, sec1, write

ETSI = shapes.compiled("ts102941.asn", "WaywardenTs102941")
APPLICATION = 623


def check_header(tbs):
    header = tbs["headerInfo"]
    demand(set(header) == {"psid", "generationTime"}, "headerInfo")
    demand(header["psid"] == APPLICATION, "psid")


def content(bytes_):
    """Alternative and value of a message; pycrate writes it as it was."""
    kind, value = read(ETSI.EtsiTs102941Data, bytes_)["content"]
    # Signed data whose payload has signed data is read, and not written (pycrate 0.8.1).
    if kind != "enrolmentRequest":
        again = write(ETSI.EtsiTs102941Data, {"version": 1, "content": (kind, value)})
        demand(again == bytes_, kind + " is not written as pycrate writes it")
    return kind, value


def self_signed(bytes_, name, key):
    """Verifies data that is signed without a certificate; gives back its payload."""
    oracle.own(name, key.hex(), bytes_.hex())
    data = read(DATA.Ieee1609Dot2Data, bytes_)["content"][1]
    check_header(data["tbsData"])
    kind, inner = data["tbsData"]["payload"]["data"]["content"]
    demand(kind == "unsecuredData", "payload")
    return inner


def by_certificate(bytes_, certificates):
    """Verifies data that is signed by the last certificate; gives back its payload or hash."""
    data = read(DATA.Ieee1609Dot2Data, bytes_)["content"][1]
    check_header(data["tbsData"])
    demand(data["signer"] == ("digest", chain(certificates)[1].id), "signer")
    return oracle.verify(certificates, bytes_.hex())[0]


def opened(key, certificate, message):
    """What is encrypted to a certificate alone, and the key of the message."""
    value = read(DATA.Ieee1609Dot2Data, bytes.fromhex(message))["content"][1]
    demand(len(value["recipients"]) == 1, "recipients")
    return oracle.open_message("certificate", key, certificate, message)


def response(kind, key, certificates, request, message):
    """The response to a request, verified."""
    plain, _ = oracle.open_message("symmetric", key.hex(), "-", message)
    found, value = content(by_certificate(plain, certificates))
    demand(found == kind, found)
    demand(value["requestHash"] == hashed("sha256", request)[:16], "requestHash")
    return value


def verification_key(keys):
    name, point = keys["verificationKey"]
    return name.removeprefix("ecdsa"), sec1(point)


def issued(value, certificates, key):
    """The certificate of a response, verified against its issuer, and for the key."""
    demand(value["responseCode"] == "ok", value["responseCode"])
    made = write(DATA.CertificateBase, value["certificate"])
    demand(Certificate(made, chain(certificates)[0]).key == key, "another key")
    return made


def last(certificates):
    return certificates.split(",")[-1]


def enrolment(certificates, key, canonical, its_id, request, answer):
    """An enrolment: the chain of the authority, its key, the station's canonical key and
    identifier, request and response. Gives back the credential."""
    plain, message_key = opened(key, last(certificates), request)
    name, canonical = canonical.split(":")
    kind, possession = content(self_signed(plain, name, bytes.fromhex(canonical)))
    demand(kind == "enrolmentRequest", kind)
    possession = write(DATA.Ieee1609Dot2Data, possession)
    demand(possession in plain, "the inner data is not written as pycrate writes it")
    tbs = read(DATA.Ieee1609Dot2Data, possession)["content"][1]["tbsData"]
    inner = tbs["payload"]["data"]["content"][1]
    value = read(ETSI.InnerEcRequest, inner)
    demand(write(ETSI.InnerEcRequest, value) == inner, "InnerEcRequest")
    demand(value["itsId"] == bytes.fromhex(its_id), "itsId")
    name, key = verification_key(value["publicKeys"])
    self_signed(possession, name, key)
    value = response("enrolmentResponse", message_key, certificates, plain, answer)
    return [issued(value, certificates, key)]


def authorization(ea, ea_key, aa, aa_key, credential, *messages):
    """An authorization: chains and keys of both authorities, the chain of the credential, request,
    validation request, its answer, response. Gives back the ticket."""
    request, asked, answered, answer = messages
    plain, message_key = opened(aa_key, last(aa), request)
    data = read(DATA.Ieee1609Dot2Data, plain)["content"]
    carried = data[1] if data[0] == "unsecuredData" else (
        data[1]["tbsData"]["payload"]["data"]["content"][1])
    kind, value = content(carried)
    demand(kind == "authorizationRequest", kind)
    name, key = verification_key(value["publicKeys"])
    if data[0] == "signedData":
        self_signed(plain, name, key)
    shared, signature = value["sharedAtRequest"], value["ecSignature"]
    # The tag of the keys, as they are encoded.
    keys = write(BASE.PublicVerificationKey, value["publicKeys"]["verificationKey"])
    if "encryptionKey" in value["publicKeys"]:
        keys += write(BASE.PublicEncryptionKey, value["publicKeys"]["encryptionKey"])
    tag = hmac.new(value["hmacKey"], keys, hashlib.sha256).digest()[:16]
    demand(shared["keyTag"] == tag, "keyTag")
    demand(shared["eaId"] == chain(ea)[1].id, "eaId")
    signed, own_key = opened(ea_key, last(ea), asked)
    kind, passed = content(by_certificate(signed, aa))
    demand(kind == "authorizationValidationRequest", kind)
    demand(passed == {"sharedAtRequest": shared, "ecSignature": signature}, "passed on otherwise")
    # The credential signs the hash of the shared part.
    kind, signature = signature
    signature = write(DATA.Ieee1609Dot2Data, signature)
    if kind == "encryptedEcSignature":
        signature, _ = opened(ea_key, last(ea), signature.hex())
    digest = by_certificate(signature, credential)
    demand(digest == hashed("sha256", write(ETSI.SharedAtRequest, shared)), "extDataHash")
    value = response("authorizationValidationResponse", own_key, ea, signed, answered)
    demand(value["responseCode"] == "ok" and "confirmedSubjectAttributes" in value, "not confirmed")
    value = response("authorizationResponse", message_key, aa, plain, answer)
    return [issued(value, aa, key)]


oracle.main((enrolment, authorization))
