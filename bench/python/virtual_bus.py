"""Messages through python-can's virtual bus: virtual_bus.py NODES MESSAGES RECEIVERS.

Each message is received by the RECEIVERS nodes after its sender; where that is not everyone, by
python-can's own filters.

Prints {"cpu_ns", "sent", "received"} as JSON. Only the loop is timed: importing, opening the buses
and a short warm-up are not.
"""

import json
import sys
import time

import can


def exchange(buses, messages, first):
    """Sends `messages` in turn from every bus; takes each at every other one. Counts both."""
    received = 0
    for number in range(first, first + messages):
        sender = number % len(buses)
        data = number.to_bytes(8, "little")
        message = can.Message(arbitration_id=0x100 + sender, is_extended_id=False, data=data)
        buses[sender].send(message)
        for place, bus in enumerate(buses):
            if place != sender and bus.recv(timeout=0) is not None:
                received += 1
    return received


def main():
    nodes, messages, receivers = (int(word) for word in sys.argv[1:])
    buses = [can.Bus(interface="virtual", channel="bench") for _ in range(nodes)]
    if receivers < nodes - 1:
        for place, bus in enumerate(buses):
            wanted = ((place - behind) % nodes for behind in range(1, receivers + 1))
            bus.set_filters([{"can_id": 0x100 + sender, "can_mask": 0x7FF} for sender in wanted])
    exchange(buses, 20, 0)
    start = time.process_time_ns()
    received = exchange(buses, messages, 20)
    spent = time.process_time_ns() - start
    for bus in buses:
        bus.shutdown()
    print(json.dumps({"cpu_ns": spent, "sent": messages, "received": received}))


main()
