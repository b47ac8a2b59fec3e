"""Verifies and reads the lists of a root of ETSI TS 102 941 with pycrate and cryptography, from the
standard alone, and writes them as they were. Lines in and out as those of oracle.py; an answer is
what the list says, as text."""

import os
import sys

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../../../../../v2x/wire/tests/all/oracles"))

import oracle
import shapes
from oracle import DATA, chain, demand, read, write

ETSI = shapes.compiled("ts102941.asn", "WaywardenTs102941")
CERTIFICATE = DATA.CertificateBase


def opened(root, made, message, application, expected):
    """What a list says, once its signature, header and signer are as they should be."""
    inner = oracle.verify(root, message)[0]
    data = read(DATA.Ieee1609Dot2Data, bytes.fromhex(message))["content"][1]
    header = data["tbsData"]["headerInfo"]
    demand(header == {"psid": application, "generationTime": int(made)}, "headerInfo")
    demand(data["signer"] == ("digest", chain(root)[1].id), "signer")
    value = read(ETSI.EtsiTs102941Data, inner)
    demand(write(ETSI.EtsiTs102941Data, value) == inner, "is not written as pycrate writes it")
    kind, value_ = value["content"]
    demand(value["version"] == 1 and kind == expected, kind)
    return value_


def added(kind, entry):
    if kind == "ea":
        certificate = write(CERTIFICATE, entry["eaCertificate"]).hex()
        return [certificate, entry["aaAccessPoint"], entry.get("itsAccessPoint", "-")]
    if kind == "aa":
        return [write(CERTIFICATE, entry["aaCertificate"]).hex(), entry["accessPoint"]]
    demand(kind == "dc", kind)
    return [entry["url"], ",".join(one.hex() for one in entry["cert"])]


def deleted(kind, entry):
    return [entry.hex() if kind == "cert" else entry]


def ctl(root, made, message):
    value = opened(root, made, message, 624, "certificateTrustListRca")
    form = "full" if value["isFullCtl"] else "delta"
    lines = [f"{value['version']} {value['nextUpdate']} {form} {value['ctlSequence']}"]
    for command, (kind, entry) in value["ctlCommands"]:
        words = added(kind, entry) if command == "add" else deleted(kind, entry)
        lines.append(" ".join([command, kind, *words]))
    return ["\n".join(lines).encode()]


def crl(root, made, message):
    value = opened(root, made, message, 622, "certificateRevocationList")
    lines = [f"{value['version']} {value['thisUpdate']} {value['nextUpdate']}"]
    lines += [one.hex() for one in value["entries"]]
    return ["\n".join(lines).encode()]


oracle.main((ctl, crl))
