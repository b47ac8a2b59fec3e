"""Logs and message databases of CAN buses, read fast and by column.

::

    from waywarden import can

    frames = can.read_log("drive.blf")            # all formats, plain or gzip; a Table
    frames.to_pandas()                            # or polars.DataFrame(frames)
    can.load("drive.blf", bitrate="500k").report  # the exact load of the bus
    can.bits("123#1122").report                   # a frame bit by bit
    can.check_log("drive.log", config="auth.toml")        # true if the log is authentic
    can.import_matrix("car.dbc", assume="100ms")          # the text of a vehicle file
"""

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

__all__ = [
    "Bits",
    "Load",
    "LogCheck",
    "LogReader",
    "Table",
    "bits",
    "check_log",
    "convert",
    "import_matrix",
    "load",
    "open_log",
    "read_log",
]
