"""V2X messages (IEEE 1609.2, ETSI TS 103 097): verified, inspected, signed and encrypted.

>>> from waywarden import v2x
>>> verifier = v2x.Verifier("examples/v2x/trust", at="generation")
>>> for verdict in verifier.verify_many(v2x.records("examples/v2x/messages.hex")):
...     print(verdict.accepted, verdict.code, verdict.signer)

A verifier may be used from any number of threads at a time, and releases the interpreter's lock
while it works. What it says of a record is, byte for byte in JSON, what the command
``waywarden verify`` says.
"""

from ._native import v2x as _native

DecodedMessage = _native.DecodedMessage
Pki = _native.Pki
Record = _native.Record
Records = _native.Records
Signer = _native.Signer
Trust = _native.Trust
Verdict = _native.Verdict
Verifier = _native.Verifier
decode_message = _native.decode_message
decrypt = _native.decrypt
encode_message = _native.encode_message
encrypt = _native.encrypt
inspect = _native.inspect
message_kinds = _native.message_kinds
records = _native.records

__all__ = [
    "DecodedMessage",
    "Pki",
    "Record",
    "Records",
    "Signer",
    "Trust",
    "Verdict",
    "Verifier",
    "decode_message",
    "decrypt",
    "encode_message",
    "encrypt",
    "inspect",
    "message_kinds",
    "records",
]
