"""Reads the events of stations, a line of JSON each, and checks that what they say of each CAM and
DENM is what pycrate reads in its frame. It shares no code with the stations.

Usage: contents.py EVENTS
"""

import collections
import json
import sys

from pycrate_asn1dir import ITS_CAM_2, ITS_DENM_3
from pycrate_asn1dir import ITS_IEEE1609_2 as SECURITY

CAM = ITS_CAM_2.CAM_PDU_Descriptions.CAM
DENM = ITS_DENM_3.DENM_PDU_Descriptions.DENM
DATA = SECURITY.Ieee1609Dot2.Ieee1609Dot2Data
# Ports of BTP-B, and how long the headers before it are: a single hop, a broadcast to an area.
CAM_PORT, DENM_PORT = (36, 2001), (52, 2002)


def payload(frame):
    DATA.from_coer(frame[18:])
    return DATA.get_val()["content"][1]["tbsData"]["payload"]["data"]["content"][1]


def is_to(packet, place):
    at, port = place
    return packet[at : at + 4] == port.to_bytes(2, "big") + bytes(2)


def same(event, name, value):
    assert abs(event[name] - value) < 1e-9, (name, event[name], value)


def position(event, place):
    same(event, "latitude_degrees", place["latitude"] / 1e7)
    same(event, "longitude_degrees", place["longitude"] / 1e7)


def cam(event, packet):
    CAM.from_uper(packet[CAM_PORT[0] + 4 :])
    cam = CAM.get_val()
    parameters = cam["cam"]["camParameters"]
    fast = parameters["highFrequencyContainer"][1]
    assert event["kind"] == "cam" and event["station_id"] == cam["header"]["stationID"]
    position(event, parameters["basicContainer"]["referencePosition"])
    same(event, "speed_metres_per_second", fast["speed"]["speedValue"] / 100)
    same(event, "heading_degrees", fast["heading"]["headingValue"] / 10)


def denm(event, packet):
    DENM.from_uper(packet[DENM_PORT[0] + 4 :])
    denm = DENM.get_val()
    management = denm["denm"]["management"]
    action, told = management["actionID"], event["road_event"]
    assert event["kind"] == "denm" and event["station_id"] == denm["header"]["stationID"]
    position(event, management["eventPosition"])
    assert told["originating_station_id"] == action["originatingStationID"]
    assert told["sequence_number"] == action["sequenceNumber"]
    assert told["is_over"] == ("termination" in management)
    situation = denm["denm"].get("situation")
    cause = situation and situation["eventType"]["causeCode"]
    assert told.get("cause_code") == cause
    return "over" if told["is_over"] else f"cause {cause}"


def main():
    counts = collections.Counter()
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            if event["event"] != "heard":
                continue
            packet = payload(bytes.fromhex(event["frame"]))
            if is_to(packet, CAM_PORT):
                cam(event, packet)
                counts["cam"] += 1
            else:
                assert is_to(packet, DENM_PORT)
                counts[denm(event, packet)] += 1
    print(json.dumps(counts))


main()
