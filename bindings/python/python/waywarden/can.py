"""Logs and message databases of CAN buses, read fast and by column.

::

    from waywarden import can

    frames = can.read_log("drive.blf")            # all formats, plain or gzip; a Table
    frames.to_pandas()                            # or polars.DataFrame(frames)
    can.load("drive.blf", bitrate="500k").report  # the exact load of the bus
    can.bits("123#1122").report                   # a frame bit by bit
    can.check_log("drive.log", config="auth.toml")        # true if the log is authentic
    can.import_matrix("car.dbc", assume="100ms")          # the text of a vehicle file
    can.import_database(cantools.database.load_file("car.kcd"))    # the same
"""

from __future__ import annotations

from typing import Any

from ._native import can as _can

Bits = _can.Bits
Load = _can.Load
LogCheck = _can.LogCheck
LogReader = _can.LogReader
Table = _can.Table
bits = _can.bits
check_log = _can.check_log
convert = _can.convert
import_matrix = _can.import_matrix
load = _can.load
open_log = _can.open_log
read_log = _can.read_log


def import_database(
    db: Any,
    *,
    name: str = "imported",
    log: Any = None,
    channel: str | None = None,
    assume: Any = None,
    fast_cycles: bool = False,
    board: str | None = None,
    bus: str = "main",
    bitrate: int | str | None = None,
    data_bitrate: int | str | None = None,
    strict: bool = False,
) -> str:
    """Makes the text of a vehicle file of a database that cantools has loaded, from whichever format.

    Each bus of the database is one of the vehicle. What a message has is taken from it:
    identifier, length, cycle time, senders, receivers, CAN FD; of a DBC file its attributes, too.
    SecOC of an ARXML file is not: `import_matrix` reads it from the file.

    Parameters
    ----------
    db : cantools.database.can.Database
        The database; it is not changed.
    name : str
        Name of the vehicle.
    log, channel, assume, fast_cycles, board, bus, bitrate, data_bitrate, strict
        As `import_matrix`.

    Returns
    -------
    str
        For `waywarden.vehicle.Vehicle`. What is skipped is a warning.

    Raises
    ------
    LogError
        For a database of which no message becomes a stream.
    TypeError
        For an object that is no such database.

    Examples
    --------
    >>> db = cantools.database.load_file("car.sym")  # doctest: +SKIP
    >>> Vehicle(can.import_database(db, assume="100ms"))  # doctest: +SKIP
    """
    if not hasattr(db, "as_dbc_string") or not hasattr(db, "messages"):
        raise TypeError(f"db: {type(db).__name__} is no database of CAN messages of cantools")
    rates = {one.name: (one.baudrate, one.fd_baudrate) for one in db.buses}
    groups: dict[str | None, list[Any]] = {}
    for message in db.messages:
        groups.setdefault(message.bus_name, []).append(message)
    if db.dbc is not None:
        # Of a DBC file, which is one bus; its attributes say the rest, as `import_matrix` has it.
        groups = {None: db.messages}
    elif list(groups) == [None] and len(rates) == 1:
        groups = {next(iter(rates)): db.messages}
    parts = []
    for own_name, messages in groups.items():
        own = db
        if len(groups) > 1:
            named = {sender for one in messages for sender in one.senders}
            named |= {receiver for one in messages for receiver in one.receivers}
            own = type(db)(
                messages=messages,
                nodes=[node for node in db.nodes if node.name in named],
                dbc_specifics=db.dbc,
                strict=False,
                sort_signals=None,
            )
        own_rate, own_data_rate = rates.get(own_name, (None, None))
        parts.append(
            {
                "name": own_name,
                "bitrate": own_rate,
                "data_bitrate": own_data_rate,
                "text": own.as_dbc_string(sort_signals=None, shorten_long_names=False),
                "messages": [
                    (one.frame_id, one.is_extended_frame, one.is_fd, one.cycle_time)
                    for one in messages
                ],
            }
        )
    return _can.import_parts(  # type: ignore[no-any-return]
        name,
        parts,
        log=log,
        channel=channel,
        assume=assume,
        fast_cycles=fast_cycles,
        board=board,
        bus=bus,
        bitrate=bitrate,
        data_bitrate=data_bitrate,
        strict=strict,
    )


__all__ = [
    "Bits",
    "Load",
    "LogCheck",
    "LogReader",
    "Table",
    "bits",
    "check_log",
    "convert",
    "import_database",
    "import_matrix",
    "load",
    "open_log",
    "read_log",
]
