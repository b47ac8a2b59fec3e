"""Reads IEEE 1609.2, IEEE 1609.2.1 and ETSI TS 102 941 with pycrate: lines of a type and of bytes in
hexadecimal in; for each the bytes that it writes of what it read ("-" behind a type with a question
mark), and its leaves as "path=value", in order."""

import sys

from pycrate_asn1dir import ITS_IEEE1609_2

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
import shapes

MODULE = ITS_IEEE1609_2.Ieee1609Dot2
TYPES = {"data": MODULE.Ieee1609Dot2Data, "certificate": MODULE.CertificateBase}
# Of IEEE 1609.2.1.
OTHERS = {
    "scms": "ScmsPdu",
    "request": "SignedCertificateRequest",
    "list": "FullIeeeTbsCtl",
    "role": "ScmsSsp",
}
# A name that changed in 2022: the country of CountryAndSubregions.
RENAMED = {"country": "countryOnly"}


def schema_of(name):
    if name in OTHERS and name not in TYPES:
        module = shapes.compiled("dot2dot1.asn", "Dot2Dot1")
        TYPES.update({key: getattr(module, each) for key, each in OTHERS.items()})
    if name not in TYPES:
        module = shapes.compiled("ts102941.asn", "WaywardenTs102941")
        TYPES.update({each: getattr(module, each) for each in module._type_})
    return TYPES[name]


def leaves(path, value):
    """Yields the leaves of a value: lists are numbered, alternatives named."""
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = [(str(at), part) for at, part in enumerate(value)]
    elif isinstance(value, tuple) and isinstance(value[0], str):
        parts = [value]
    else:
        yield "/".join(path) + "=" + text(value)
        return
    if not parts:
        yield "/".join(path) + "="
    for name, part in parts:
        if name != "contributedExtensions":
            yield from leaves(path + [RENAMED.get(name, name)], part)


def text(value):
    if isinstance(value, tuple):
        number, bits = value
        return number.to_bytes(bits // 8, "big").hex()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool):
        return str(value).upper()
    return str(value)


def plain(schema, value):
    """The value with texts as octets, NULL as nothing, and without values that are defaults."""
    kind = schema.TYPE
    if kind == "SEQUENCE":
        kept = {}
        for name, part in value.items():
            if name.startswith("_ext_"):
                continue
            inner = schema._cont[name]
            if inner._def is not None and part == inner._def:
                continue
            kept[name] = plain(inner, part)
        return kept
    if kind == "SEQUENCE OF":
        return [plain(schema._cont, part) for part in value]
    if kind == "CHOICE":
        name, part = value
        return (name, plain(schema._cont[name], part))
    if kind == "NULL":
        return {}
    if kind in ("UTF8String", "IA5String"):
        return value.encode()
    return value


def main():
    for line in sys.stdin:
        of_type, digits = line.split()
        schema = schema_of(of_type.rstrip("?"))
        schema.from_coer(bytes.fromhex(digits))
        value = plain(schema, schema._val)
        again = "-" if of_type.endswith("?") else schema.to_coer().hex()
        print(again, " ".join(sorted(leaves([], value))))


main()
