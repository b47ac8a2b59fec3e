"""Makes examples/v2x/scms: lists of IEEE 1609.2.1 by an encoder and a signer that are not ours.

asn1tools (0.169.0) writes the shapes of lists.asn in OER, pyca/cryptography (50.0.2) signs. Run it
once, with the folder as its argument; keys are new each time, and are thrown away.
"""

import hashlib
import pathlib
import sys

import asn1tools
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

HERE = pathlib.Path(__file__).parent
OER = asn1tools.compile_files(str(HERE / "lists.asn"), "oer")
START = 700_000_000
GROUP = b"example\x01"


class Holder:
    """A key and a certificate; without an issuer it issues itself."""

    def __init__(self, name, bits, issuer=None, years=10, app=None, issues=None):
        self.bits = bits
        self.key = ec.generate_private_key(ec.SECP384R1() if bits == 384 else ec.SECP256R1())
        public = self.key.public_key().public_numbers()
        size = bits // 8
        point = (f"compressed-y-{public.y & 1}", public.x.to_bytes(size, "big"))
        own = {
            "id": ("name", name),
            "cracaId": b"\0\0\0" if issuer is None else issuer.digest()[-3:],
            "crlSeries": 0 if issuer is None else 1,
            "validityPeriod": {"start": START, "duration": ("years", years)},
            "verifyKeyIndicator": ("verificationKey", (f"ecdsaNistP{bits}", point)),
        }
        if app is not None:
            own["appPermissions"] = [{"psid": psid, "ssp": ("opaque", ssp)} for psid, ssp in app]
        if issues is not None:
            all_of = {"subjectPermissions": ("all", None), "chainLengthRange": issues}
            own["certIssuePermissions"] = [all_of]
        if issuer is None:
            name_of = ("self", f"sha{bits}")
        else:
            name_of = (f"sha{issuer.bits}AndDigest", issuer.digest()[-8:])
        signer = issuer or self
        above = b"" if issuer is None else issuer.encoded
        signature = signer.sign(OER.encode("ToBeSignedCertificate", own), above)
        self.certificate = {
            "version": 3,
            "type": "explicit",
            "issuer": name_of,
            "toBeSigned": own,
            "signature": signature,
        }
        self.encoded = OER.encode("Certificate", self.certificate)

    def hash(self, data):
        return (hashlib.sha384 if self.bits == 384 else hashlib.sha256)(data).digest()

    def digest(self):
        return self.hash(self.encoded)

    def sign(self, tbs, above):
        digest = self.hash(self.hash(tbs) + self.hash(above))
        function = hashes.SHA384() if self.bits == 384 else hashes.SHA256()
        signed = self.key.sign(digest, ec.ECDSA(utils.Prehashed(function)))
        r, s = utils.decode_dss_signature(signed)
        size = self.bits // 8
        value = {"rSig": ("x-only", r.to_bytes(size, "big")), "sSig": s.to_bytes(size, "big")}
        return (f"ecdsaNistP{self.bits}Signature", value)

    def spdu(self, psid, payload, time=None, by_digest=False):
        header = {"psid": psid}
        if time is not None:
            header["generationTime"] = time * 1_000_000
        tbs = {"payload": {"data": unsecured(payload)}, "headerInfo": header}
        if by_digest:
            signer = ("digest", self.digest()[-8:])
        else:
            signer = ("certificate", [self.certificate])
        return {
            "protocolVersion": 3,
            "content": (
                "signedData",
                {
                    "hashId": f"sha{self.bits}",
                    "tbsData": tbs,
                    "signer": signer,
                    "signature": self.sign(OER.encode("ToBeSignedData", tbs), self.encoded),
                },
            ),
        }


def unsecured(payload):
    return {"protocolVersion": 3, "content": ("unsecuredData", payload)}


def scms(choice, value):
    return OER.encode("ScmsPdu", {"version": 2, "content": ("cert", (choice, value))})


def ctl(number, electors, removed, roots, signers, quorum):
    """A trust list; the last signer names itself by its digest."""
    tbs = OER.encode(
        "FullIeeeTbsCtl",
        {
            "type": 1,
            "electorGroupId": GROUP,
            "sequenceNumber": number,
            "effectiveDate": START + 100 * number,
            "electorApprove": [hashlib.sha384(one.encoded).digest() for one in electors],
            "electorRemove": [hashlib.sha384(one.encoded).digest() for one in removed],
            "rootCaApprove": [one.digest()[-32:] for one in roots],
            "rootCaRemove": [],
            "quorum": quorum,
        },
    )
    signature = {
        "electorGroupId": GROUP,
        "ctlType": 1,
        "sequenceNumber": number,
        "tbsCtlHash": hashlib.sha384(tbs).digest(),
    }
    signature = scms("tbsCtlSignature", signature)
    time = START + 100 * number - 10
    certificates = [one.certificate for one in electors + roots]
    return unsecured(
        scms(
            "multiSignedCtl",
            {
                "type": 1,
                "tbsCtl": tbs,
                "unsigned": OER.encode("SequenceOfCertificate", certificates),
                "signatures": [
                    one.spdu(35, signature, time, by_digest=one is signers[-1])
                    for one in signers
                ],
            },
        )
    )


def crl(root, signer):
    contents = {
        "version": 1,
        "crlSeries": 1,
        "crlCraca": root.digest()[-8:],
        "issueDate": START + 300,
        "nextCrl": START + 300 + 86_400,
        "priorityInfo": {},
        "typeSpecific": (
            "fullHashCrl",
            {"crlSerial": 4, "entries": [{"id": b"0123456789", "expiry": START + 900_000}]},
        ),
    }
    return signer.spdu(256, OER.encode("CrlContents", contents))


def main(folder):
    role = lambda name: OER.encode("ScmsSsp", (name, {"version": 2}))
    elector = [(35, role("elector"))]
    # The second one has a key of 256 bits, and is named by SHA-384 all the same.
    keys = [("elector1", 384), ("elector2", 256), ("elector3", 384)]
    electors = [Holder(name, bits, app=elector) for name, bits in keys]
    root = Holder("root", 256, app=[(35, role("root"))], issues=-1)
    ica = Holder("ica", 256, root, 8, app=[(35, role("ica"))], issues=-1)
    series = {"version": 1, "associatedCraca": "issuerIsCraca", "crls": [1]}
    signer = Holder("crlg", 256, root, 5, app=[(256, OER.encode("CrlSsp", series))])
    first = ctl(1, electors, [], [root], electors, 2)
    # The third elector is removed by the two others.
    second = ctl(2, electors[:2], electors[2:], [root], electors[:2], 2)
    chain = scms("certificateChain", {"homeCtl": first, "others": [ica.certificate]})
    lists = scms("compositeCrl", {"crl": [crl(root, signer)], "homeCtl": second})
    data = lambda value: OER.encode("Ieee1609Dot2Data", value)
    files = {f"elector{number}.oer": one.encoded for number, one in enumerate(electors, 1)}
    files |= {"ctl.oer": data(first), "next-ctl.oer": data(second)}
    files |= {"ccf.oer": data(unsecured(chain)), "composite-crl.oer": data(unsecured(lists))}
    for name, octets in files.items():
        (pathlib.Path(folder) / name).write_bytes(octets)


main(sys.argv[1])
