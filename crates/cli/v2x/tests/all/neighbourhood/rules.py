"""Reads a recording of stations, and checks the generation rules of CAMs [EN 302 637-2 §6.1.3] and
when they carry the certificate [TS 103 097 §7.1.1]. It shares no code with the stations.

Usage: rules.py CAPTURE
"""

import collections
import math
import struct
import sys

from pycrate_asn1dir import ITS_CAM_2
from pycrate_asn1dir import ITS_IEEE1609_2 as SECURITY

CAM = ITS_CAM_2.CAM_PDU_Descriptions.CAM
DATA = SECURITY.Ieee1609Dot2.Ieee1609Dot2Data


def packets(path):
    """Yields the time, in microseconds, and the bytes of each packet of a pcapng file."""
    with open(path, "rb") as file:
        rest = file.read()
    while rest:
        kind, length = struct.unpack("<II", rest[:8])
        body, rest = rest[8 : length - 4], rest[length:]
        if kind == 1:
            # The last option that counts: 9, the resolution as a power of ten.
            at = body.find(struct.pack("<HH", 9, 1))
            divisor = 10 ** (body[at + 4] - 6)
        if kind == 6:
            _, high, low, kept, _ = struct.unpack("<IIIII", body[:20])
            yield (high << 32 | low) // divisor, body[20 : 20 + kept]


def message(frame):
    """Returns whether the certificate is in a frame, the generation time, and the CAM."""
    assert frame[12:14] == b"\x89\x47"
    assert frame[14] & 0x0F == 2, "a secured packet"
    DATA.from_coer(frame[18:])
    content = DATA.get_val()["content"]
    assert content[0] == "signedData"
    signed = content[1]
    header = signed["tbsData"]["headerInfo"]
    assert header["psid"] == 36
    payload = signed["tbsData"]["payload"]["data"]["content"][1]
    # The common header, the extended header of a single hop, BTP-B.
    assert payload[1] == 0x50, "single hop broadcast"
    assert payload[36:40] == struct.pack(">HH", 2001, 0), "BTP-B to the port of CAM"
    CAM.from_uper(payload[40:])
    return signed["signer"][0] == "certificate", header["generationTime"], CAM.get_val()


def main():
    stations = collections.defaultdict(list)
    for time, frame in packets(sys.argv[1]):
        with_certificate, made, cam = message(frame)
        parameters = cam["cam"]["camParameters"]
        position = parameters["basicContainer"]["referencePosition"]
        fast = parameters["highFrequencyContainer"][1]
        stations[cam["header"]["stationID"]].append(
            {
                "time": time,
                "made": made,
                "certificate": with_certificate,
                "low": "lowFrequencyContainer" in parameters,
                "place": (position["latitude"] / 1e7, position["longitude"] / 1e7),
                "heading": fast["heading"]["headingValue"] / 10,
                "speed": fast["speed"]["speedValue"] / 100,
            }
        )
    count = 0
    firsts = [one[0]["time"] for one in stations.values()]
    for one in stations.values():
        count += len(one)
        check(one, firsts)
    print(f"{len(stations)} stations, {count} messages, all by the rules")


def distance(one, other):
    north = (one[0] - other[0]) * 111_195
    east = (one[1] - other[1]) * 111_195 * math.cos(math.radians(one[0]))
    return math.hypot(north, east)


def agree(is_there, since, due):
    """The clock of a recording and that of a station differ by some microseconds."""
    return is_there == (since >= due) or abs(since - due) < 1e-4


def check(messages, firsts):
    """The rules are looked at each 10 ms: so much later than due a message may be. `firsts` has the
    times of all stations' first messages."""
    step = 0.010
    assert messages[0]["certificate"] and messages[0]["low"]
    certificate, low = messages[0]["time"], messages[0]["time"]
    # How many messages came by time alone since the last one by movement, and the period. Where
    # rounding hides what a message came by, both are followed.
    states = {(0, 1.0)}
    for before, now in zip(messages, messages[1:]):
        gap = (now["time"] - before["time"]) / 1e6
        assert 0.0999 <= gap <= 1.0 + step, gap
        turn = abs((now["heading"] - before["heading"] + 180) % 360 - 180)
        moved = distance(now["place"], before["place"])
        faster = abs(now["speed"] - before["speed"])
        # A tenth of a degree, a decimetre and a centimetre a second are lost by rounding.
        may_be_motion = turn > 3.9 or moved > 3.9 or faster > 0.49
        is_motion = turn > 4.1 or moved > 4.1 or faster > 0.51
        followed = {(0, max(0.1, gap))} if may_be_motion else set()
        for by_time, period in states:
            if not is_motion and gap >= period - 1e-4:
                followed.add((by_time + 1, 1.0 if by_time >= 2 else period))
        assert followed, (gap, states)
        states = followed
        # Nothing was put off: just before, no rule demanded a message.
        if gap > 0.1 + step:
            share = 1 - step / gap
            assert moved * share <= 4.2 and faster * share <= 0.55 and turn * share <= 4.3
        # The certificate, once a second has passed, and earlier in the next message after a new
        # station's first one alone: no station asks, as each first message has the certificate.
        since = (now["time"] - certificate) / 1e6
        is_answer = any(before["time"] < first < now["time"] for first in firsts)
        assert now["certificate"] if is_answer else agree(now["certificate"], since, 1.0), since
        if now["certificate"]:
            certificate = now["time"]
        assert agree(now["low"], (now["time"] - low) / 1e6, 0.5)
        if now["low"]:
            low = now["time"]


main()
