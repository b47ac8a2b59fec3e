"""python-can as oracle for waywarden-can-log.

    read FORMAT FILE    prints each message of FILE as a line
    write FORMAT FILE   reads such lines from standard input and writes FILE

FORMAT is candump, asc, blf, trc, csv, mf4 or sqlite. A line is: microseconds since the first
message, channel, kind (c classic, r remote, f FD, b FD with BRS, e error), ESI (p passive,
- active), identifier in hexadecimal (x behind it for 29 bits), length, direction (R or T), data
in hexadecimal or -. Of an error frame only the time and kind count; the rest is -.
"""

import sys

import can

READERS = {
    "candump": can.CanutilsLogReader,
    "asc": can.ASCReader,
    "blf": can.BLFReader,
    "trc": can.TRCReader,
    "csv": can.CSVReader,
    "mf4": can.MF4Reader,
    "sqlite": can.SqliteReader,
}
WRITERS = {
    "candump": can.CanutilsLogWriter,
    "asc": can.ASCWriter,
    "blf": can.BLFWriter,
    "trc": can.TRCWriter,
    "csv": can.CSVWriter,
    "mf4": can.MF4Writer,
    "sqlite": can.SqliteWriter,
}
# Channels of these readers count from 1, those of the others from 0; CSV has none.
FIRST_CHANNEL = {"trc": 1}


def line(message, start, first_channel=0):
    micros = round(message.timestamp * 1e6) - start
    if message.is_error_frame:
        return f"{micros} - e - - - - -"
    channel = message.channel
    if channel is None:
        channel = 0
    if isinstance(channel, int):
        channel = f"can{channel - first_channel}"
    kind = "c"
    if message.is_remote_frame:
        kind = "r"
    elif message.is_fd:
        kind = "b" if message.bitrate_switch else "f"
    esi = "p" if message.error_state_indicator else "-"
    mark = "x" if message.is_extended_id else ""
    direction = "R" if message.is_rx else "T"
    data = bytes(message.data).hex().upper() or "-"
    identifier = f"{message.arbitration_id:X}{mark}"
    return f"{micros} {channel} {kind} {esi} {identifier} {message.dlc} {direction} {data}"


def message(text, start):
    micros, channel, kind, esi, identifier, dlc, direction, data = text.split()
    # BLF and ASC state the start to the millisecond, so it must lie on one.
    timestamp = start + int(micros) / 1e6
    if kind == "e":
        return can.Message(timestamp=timestamp, is_error_frame=True, channel=0)
    return can.Message(
        timestamp=timestamp,
        channel=int(channel.removeprefix("can")),
        arbitration_id=int(identifier.rstrip("x"), 16),
        is_extended_id=identifier.endswith("x"),
        is_remote_frame=kind == "r",
        is_fd=kind in "fb",
        bitrate_switch=kind == "b",
        error_state_indicator=esi == "p",
        is_rx=direction == "R",
        dlc=int(dlc),
        data=None if kind == "r" else bytes.fromhex(data.strip("-")),
        check=True,
    )


def main():
    command, form, path = sys.argv[1:]
    if command == "read":
        start = None
        for item in READERS[form](path):
            if form == "sqlite":
                # The table has no channel, and no mark of CAN FD: longer frames are.
                item.channel = 0
                item.is_fd = len(item.data) > 8
            if start is None:
                start = round(item.timestamp * 1e6)
            print(line(item, start, FIRST_CHANNEL.get(form, 0)))
    elif command == "write":
        writer = WRITERS[form](path)
        for text in sys.stdin:
            writer.on_message_received(message(text, 1620692699.796))
        writer.stop()


main()
