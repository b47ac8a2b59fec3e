"""Messages of ETSI ITS and SAE J2735: read into dicts, written again, and faults with their places."""

from __future__ import annotations

import copy
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from waywarden import v2x
from waywarden.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
#: A CAM by itself.
CAM = bytes.fromhex(
    "0202f37248b4ea00005a8ac678ce175997623022c6de3e239658ad00e0defe02c68a3f33f401ffba203fff945980"
)
#: A CPM of release 2 with one container.
CPM = "020e00000007000000000005ad2748035a4e9000008008000c3507800180000000"
#: A DENM that both releases can read, each in its way.
DIFFERING = bytes.fromhex(
    "0201000000009000000000000000000000000000000000035a4e9006b49d200000000000186a"
    "00000a080804000000303c00000000200040"
)
KINDS = v2x.message_kinds()
#: Numbers of the kinds in the header of ETSI ITS.
NUMBERS = {
    "DENM": 1, "CAM": 2, "SPATEM": 4, "MAPEM": 5, "IVIM": 6, "SREM": 9, "SSEM": 10, "RTCMEM": 13,
    "CPM": 14, "VAM": 16,
}  # fmt: skip


def least(kind: str, release: Any, protocol: Any = None) -> bytes:
    """Returns a short message of a kind: zeros behind the number of the kind, as many as it has."""
    if (kind, release) == ("CPM", 2):
        return bytes.fromhex(CPM)
    for length in range(1, 200):
        head = [0, 20, length] if protocol is None else [protocol, NUMBERS[kind]]
        data = bytes(head) + bytes(length)
        try:
            v2x.decode_message(data, kind, release)
        except InputError:
            continue
        return data
    raise AssertionError(f"no {kind} of zeros")


def test_kinds_are_listed_with_releases_standards_and_ports() -> None:
    names = {one["kind"] for one in KINDS}
    assert {"CAM", "DENM", "SPATEM", "MAPEM", "IVIM", "SREM", "SSEM", "CPM", "VAM"} < names
    assert {one["release"] for one in KINDS if one["kind"] == "CAM"} == {1, 2}
    frame = next(one for one in KINDS if one["kind"] == "J2735-MessageFrame")
    assert frame == {
        "kind": "J2735-MessageFrame", "release": None, "protocol": None,
        "standard": "SAE J2735 201603", "port": None,
    }  # fmt: skip
    assert all(one["port"] == 2001 for one in KINDS if one["kind"] == "CAM")


@pytest.mark.parametrize("one", KINDS, ids=lambda one: f"{one['kind']}-{one['release']}")
def test_every_kind_is_written_as_it_was_read(one: Any) -> None:
    kind, release = one["kind"], one["release"]
    data = least(kind, release, one["protocol"])
    read = 0
    for seed in range(300):
        rng = random.Random(seed)
        changed = bytearray(data)
        for _ in range(seed % 8):
            # The first byte is the version of the protocol, which chooses the layout.
            changed[rng.randrange(1, len(changed))] ^= 1 << rng.randrange(8)
        try:
            decoded = v2x.decode_message(changed, kind, release)
        except InputError:
            continue
        read += 1
        has_layout = "has no layout" not in (decoded.remark or "")
        standard = one["standard"] if has_layout else None
        assert (decoded.kind, decoded.release, decoded.standard) == (kind, release, standard)
        is_other_kind = release is not None and changed[1] != NUMBERS[kind]
        is_too_long = "characters are not within" in (decoded.remark or "")
        if is_other_kind or is_too_long:
            with pytest.raises(InputError):
                v2x.encode_message(kind, decoded.value, release)
            continue
        assert v2x.encode_message(kind, decoded.value, release) == changed
    assert read > 10


def test_header_names_the_kind_and_other_releases_are_told() -> None:
    record = next(v2x.records(ROOT / "examples/v2x/messages.hex"))
    for data in (CAM, bytearray(CAM), memoryview(CAM), CAM.hex()):
        decoded = v2x.decode_message(data)
        assert decoded.kind == "CAM" and decoded.release in (1, 2)
        assert decoded.value["header"]["messageID" if decoded.release == 1 else "messageId"] == 2
        assert set(decoded.other_releases) == {1, 2} - {decoded.release}
        assert decoded.remark and str(decoded.release) in repr(decoded)
        assert v2x.encode_message("CAM", decoded.value) == CAM
        whole = decoded.to_dict()
        assert whole["value"] == decoded.value and whole["remark"] == decoded.remark
        assert json.loads(json.dumps(whole)) == whole
    with pytest.raises(InputError):
        v2x.decode_message(record)


def test_releases_that_differ_are_not_guessed() -> None:
    with pytest.raises(InputError, match="DENM of release 1 .* DENM of release 2") as caught:
        v2x.decode_message(DIFFERING, "DENM")
    assert caught.value.code == "releases-differ" and caught.value.remedy == "give the release"
    for release in (1, 2):
        decoded = v2x.decode_message(DIFFERING, "DENM", release)
        assert decoded.release == release
        assert decoded.other_releases == {3 - release: "different"}
        assert decoded.remark and "into other fields" in decoded.remark


def test_faults_have_place_and_remedy() -> None:
    for call, code, place in (
        (lambda: v2x.decode_message(b"\xff\xff"), "no-header", "data"),
        (lambda: v2x.decode_message(CAM, "BSM"), "kind", "data"),
        (lambda: v2x.decode_message(CAM, "J2735-MessageFrame", 1), "release", "data"),
        (lambda: v2x.decode_message(CAM[:20]), "not-read", "byte "),
        (lambda: v2x.decode_message(CAM, release=3), "argument", "release"),
        (lambda: v2x.encode_message("CAM", {}, release=True), "argument", "release"),
        (lambda: v2x.encode_message("nothing", {}), "kind", "value"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.code == code and str(caught.value.place).startswith(place), code
    decoded = v2x.decode_message(CAM)
    station = "stationID" if decoded.release == 1 else "stationId"
    for path, value, reason in (
        (("header", station), -1, "-1 is not within 0..4294967295"),
        (("header", station), 1 << 70, "a whole number is expected"),
        (("header", station), "7", "a whole number is expected"),
        (("header", station), None, "a whole number is expected"),
        (("header",), [], "an object is expected, not a list without elements"),
        (("header", "more"), 1, "more is not known"),
    ):
        changed: Any = copy.deepcopy(decoded.value)
        inner = changed
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = value
        with pytest.raises(InputError, match=reason) as error:
            v2x.encode_message("CAM", changed, decoded.release)
        assert error.value.code == "value"
        assert ".".join(path).startswith(str(error.value.place)), error.value.place


def test_values_that_are_no_json_are_refused() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"header": deep}
    with pytest.raises(InputError, match="too deep"):
        v2x.encode_message("CAM", deep)
    own: dict[str, Any] = {}
    own["header"] = own
    for value in (own, {"header": float("nan")}):
        with pytest.raises(ValueError):
            v2x.encode_message("CAM", value)
    others: tuple[Any, ...] = ({"header": b"1"}, {b"header": 1}, [], None, "CAM")
    for other in others:
        with pytest.raises(TypeError):
            v2x.encode_message("CAM", other)


def test_verdicts_have_the_values_of_messages(tmp_path: Path) -> None:
    pki = v2x.Pki.create(tmp_path / "pki", shape="american", unencrypted=True)
    pki.issue("car", ["BSM"], validity="1w")
    data = least("J2735-MessageFrame", None)
    signed = pki.signer("car").sign(data, "BSM", location=(48.1, 11.5))
    verdict = v2x.Verifier(pki.trust(), payload_check=False).verify(signed)
    assert verdict and verdict.payload == data
    (layer,) = verdict.decoded
    assert (layer["kind"], layer["standard"]) == ("J2735-MessageFrame", "SAE J2735 201603")
    assert v2x.encode_message(layer["kind"], layer["value"]) == data


def test_a_basic_safety_message_of_the_corpus_is_read_and_written() -> None:
    folder = Path(os.environ.get("WAYWARDEN_CORPUS", ROOT / "none")) / "v2x/us_field"
    if not folder.exists():
        pytest.skip("WAYWARDEN_CORPUS has no V2X files")
    counted = dict.fromkeys(("BasicSafetyMessage", "other"), 0)
    for record in v2x.records(folder / "signed.hex"):
        inspected = v2x.inspect(record)
        for layer in inspected.get("payload", []) if inspected else []:
            if layer["kind"] != "J2735-MessageFrame" or "value" not in layer:
                continue
            value = layer["value"]
            data = v2x.encode_message("J2735-MessageFrame", value)
            decoded = v2x.decode_message(data)
            assert decoded.kind == "J2735-MessageFrame" and decoded.release is None
            assert decoded.value == value and decoded.remark is None
            assert data in record.data
            is_basic = value["messageId"] == 20
            counted["BasicSafetyMessage" if is_basic else "other"] += 1
            assert not is_basic or len(value["value"]["coreData"]["id"]) == 8
    assert counted["BasicSafetyMessage"] > 0, counted
