"""The rules of the SecOC profile `production`, on their own: what a frame's code is computed over,
where its bits are, and what a receiver says of each frame of a log.

Written from what is published of the maker's cars (BIBLIOGRAPHY.toml, OPENDBC), from the annex of
AUTOSAR-SECOC, and for what these leave open from the tables of docs/protocols/secoc.md and
docs/auth.md. It shares no code with Waywarden; AES-CMAC is that of the package cryptography.
"""

from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.cmac import CMAC

SYNCHRONISATION = 0x00F
TRIP_MAX = (1 << 16) - 1
RESET_MAX = (1 << 20) - 1
MESSAGE_MAX = (1 << 8) - 1
CODE_BITS = 28
ATTEMPTS = 4
# How far the epoch of a message may be from the one announced last, in the order they are tried.
RESET_OFFSETS = (0, -1, 1, -2, 2)
TRAILER = 4


class Key:
    """One AES key; its schedule is computed once."""

    def __init__(self, key):
        self.state = CMAC(algorithms.AES(key))

    def code(self, message):
        """The first 28 bits of the code, as a number."""
        state = self.state.copy()
        state.update(message)
        return int.from_bytes(state.finalize()[:4], "big") >> (32 - CODE_BITS)


def synchronisation(key, trip, reset):
    """The 8 bytes that announce trip and reset counter: 16, 20 and 28 bits."""
    message = SYNCHRONISATION.to_bytes(2, "big") + trip.to_bytes(2, "big")
    code = key.code(message + (reset << 4).to_bytes(3, "big"))
    return (trip << 48 | reset << 28 | code).to_bytes(8, "big")


def message_code(key, data_id, payload, position):
    """The code of a message: over data id, payload and the whole freshness value of 48 bits."""
    trip, reset, counter = position
    freshness = trip << 32 | reset << 12 | counter << 4 | (reset & 3) << 2
    return key.code(data_id.to_bytes(2, "big") + payload + freshness.to_bytes(6, "big"))


def secured(key, data_id, payload, position):
    """Payload, the low 2 bits of the message counter, those of the reset counter, the code."""
    _, reset, counter = position
    travels = (counter & 3) << 2 | reset & 3
    code = message_code(key, data_id, payload, position)
    return payload + (travels << CODE_BITS | code).to_bytes(TRAILER, "big")


def candidates(last, announced, travels):
    """The positions that a message may have, likeliest first: above the last one that was taken, of
    the epochs about the one announced whose flag it carries."""
    trip, reset = announced
    low, flag = travels >> 2, travels & 3
    found = []
    for turn in range(ATTEMPTS):
        for offset in RESET_OFFSETS:
            epoch = (trip, reset + offset)
            if not 0 <= epoch[1] <= RESET_MAX or epoch[1] & 3 != flag:
                continue
            if last is not None and last[:2] > epoch:
                continue
            lowest = last[2] + 1 if last is not None and last[:2] == epoch else 0
            counter = lowest + (low - lowest) % 4 + 4 * turn
            if counter <= MESSAGE_MAX:
                found.append((*epoch, counter))
    return found[:ATTEMPTS]


class Receiver:
    """Hears one bus from the start of a trip on."""

    def __init__(self, key, data_ids, first_trip):
        """`data_ids` has the data id of each identifier that is protected; trips before `first_trip`
        are over."""
        self.key = key
        self.data_ids = data_ids
        self.first_trip = first_trip
        self.announced = None
        self.last = {}

    def judge(self, identifier, data):
        """What docs/auth.md calls the verdict on a classic data frame, and the position of one that is
        authentic: trip, reset and message counter, the last not of announcements."""
        if identifier == SYNCHRONISATION:
            verdict = self.judge_announcement(data)
            return verdict, (*self.announced, None) if verdict == "authentic" else None
        if identifier not in self.data_ids:
            return "unknown-id", None
        if len(data) < TRAILER:
            return "wrong-tag", None
        if self.announced is None:
            return "out-of-step", None
        payload, trailer = data[:-TRAILER], int.from_bytes(data[-TRAILER:], "big")
        code = trailer & ((1 << CODE_BITS) - 1)
        verdict = "replay"
        for position in candidates(self.last.get(identifier), self.announced, trailer >> CODE_BITS):
            if message_code(self.key, self.data_ids[identifier], payload, position) == code:
                self.last[identifier] = position
                return "authentic", position
            verdict = "wrong-tag"
        return verdict, None

    def judge_announcement(self, data):
        if len(data) != 8:
            return "wrong-tag"
        value = int.from_bytes(data, "big")
        epoch = (value >> 48, value >> 28 & RESET_MAX)
        if epoch[0] < self.first_trip or (self.announced is not None and epoch <= self.announced):
            return "replay"
        if synchronisation(self.key, *epoch) != data:
            return "wrong-tag"
        self.announced = epoch
        return "authentic"
