#!/usr/bin/env python3
"""Two nodes on a bus simulation of `waywarden fmu`, with FMPy (pip install fmpy) as the importer.

    waywarden fmu examples/fmi/two-nodes.toml -o bus.fmu
    python3 examples/fmi/nodes.py bus.fmu

Both nodes send at the same time once a millisecond; the lower identifier wins. `Bus` is what an
importer does: it steps to the next tick of a clock, hands over what nodes send, and fetches what
the bus has for them. Nodes are Python here, and would be units of their own elsewhere.
"""

import ctypes
import shutil
import struct
import sys
import xml.etree.ElementTree as ElementTree

import fmpy
import fmpy.fmi3

CHANGED = 2
PICOSECONDS = 10**12


def transmit(identifier, data, extended=False):
    """Returns the operation CAN Transmit."""
    head = struct.pack("<IIIBBH", 0x10, 16 + len(data), identifier, extended, False, len(data))
    return head + bytes(data)


def transmit_fd(identifier, data, extended=False, switched=True, passive=False):
    """Returns the operation CAN FD Transmit; `switched` is BRS, and `passive` ESI."""
    length = 17 + len(data)
    head = struct.pack(
        "<IIIBBBH", 0x11, length, identifier, extended, switched, passive, len(data)
    )
    return head + bytes(data)


def operations(buffer):
    """Yields code and arguments of each operation."""
    at = 0
    while at < len(buffer):
        code, length = struct.unpack_from("<II", buffer, at)
        yield code, buffer[at + 8 : at + length]
        at += length


class Bus:
    """A unit, stepped from tick to tick. Times are in picoseconds."""

    def __init__(self, path):
        self.folder = fmpy.extract(path)
        description = fmpy.read_model_description(self.folder)
        references = {one.name: one.valueReference for one in description.modelVariables}
        self.references = references
        self.terminals = []
        tree = ElementTree.parse(f"{self.folder}/terminalsAndIcons/terminalsAndIcons.xml")
        for terminal in tree.getroot().find("Terminals"):
            members = {
                one.get("memberName"): references[one.get("variableName")]
                for one in terminal.findall("TerminalMemberVariable")
            }
            self.terminals.append((terminal.get("name"), members))
        self.unit = fmpy.fmi3.FMU3Slave(
            guid=description.instantiationToken,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="bus",
        )
        self.unit.instantiate(eventModeUsed=True, loggingOn=True)
        self.unit.enterInitializationMode()
        self.unit.exitInitializationMode()
        count = len(self.terminals)
        self.now = 0
        self.ticks = [None] * count
        self.clocks = (ctypes.c_uint32 * count)(
            *[members["Tx_Clock"] for _, members in self.terminals]
        )
        self.counters = (ctypes.c_uint64 * count)()
        self.resolutions = (ctypes.c_uint64 * count)()
        self.qualifiers = (ctypes.c_int * count)()
        self.end_event({}, None)

    def close(self):
        """Ends the unit."""
        self.unit.terminate()
        self.unit.freeInstance()
        shutil.rmtree(self.folder)

    def figure(self, name):
        """Returns a figure of 64 bits, such as main.frames."""
        return self.unit.getUInt64([self.references[name]])[0]

    def run(self, end, sends, receive):
        """Runs to `end`.

        `sends` yields a time, and operations by terminal, in order of time; `receive(time,
        terminal, bytes)` takes what the bus has for a node.
        """
        planned = next(sends, None)
        while True:
            times = [tick for tick in self.ticks if tick is not None and tick <= end]
            if planned is not None and planned[0] <= end:
                times.append(planned[0])
            target = min(times, default=end)
            self.unit.doStep(self.now / PICOSECONDS, (target - self.now) / PICOSECONDS)
            self.now = target
            if not times:
                return
            self.unit.enterEventMode()
            handed_in = {}
            if planned is not None and planned[0] == target:
                handed_in = planned[1]
                planned = next(sends, None)
            self.end_event(handed_in, receive)

    def end_event(self, handed_in, receive):
        """Hands operations in, and has clocks tick until none is due now."""
        for terminal, operation in handed_in.items():
            members = self.terminals[terminal][1]
            self.unit.setClock([members["Rx_Clock"]], [True])
            self.unit.setBinary([members["Rx_Data"]], [operation])
        while True:
            due = [terminal for terminal, tick in enumerate(self.ticks) if tick == self.now]
            if due:
                members = [self.terminals[terminal][1] for terminal in due]
                self.unit.setClock([one["Tx_Clock"] for one in members], [True] * len(due))
                data = self.unit.getBinary([one["Tx_Data"] for one in members])
                for terminal, one in zip(due, data):
                    self.ticks[terminal] = None
                    if one:
                        receive(self.now, terminal, one)
            self.unit.updateDiscreteStates()
            self.unit.getIntervalFraction(
                self.clocks, self.counters, self.resolutions, self.qualifiers
            )
            for terminal, qualifier in enumerate(self.qualifiers):
                if qualifier == CHANGED:
                    self.ticks[terminal] = self.now + self.counters[terminal]
            if self.now not in self.ticks:
                break
        self.unit.enterStepMode()


def main():
    """Sends ten frames from each node."""
    bus = Bus(sys.argv[1])
    millisecond = PICOSECONDS // 1000

    def receive(time, terminal, data):
        for code, arguments in operations(data):
            identifier = struct.unpack_from("<I", arguments)[0]
            name = {0x10: "receives", 0x20: "has sent"}.get(code, hex(code))
            print(f"{time / 1e6:12.3f} us  {bus.terminals[terminal][0]} {name} 0x{identifier:X}")

    plan = (
        (at * millisecond, {0: transmit(0x200, [at]), 1: transmit(0x100, [at, at])})
        for at in range(1, 11)
    )
    bus.run(12 * millisecond, plan, receive)
    print(bus.figure("main.frames"), "frames,", bus.figure("main.arbitrationsLost"), "lost")
    bus.close()


if __name__ == "__main__":
    main()
