"""Compares how fast logs are read: ours in Rust with python-can, sqlite3 and asammdf.

    log_speed.py PROGRAM FRAMES     PROGRAM is the example log_speed of waywarden-can-log
    log_speed.py --read PEER FILE   one reading, printed as frames and seconds of the processor

Each round reads each log with both, on one core. The seconds are those of the processor in user and
system mode from opening the file to its last frame, so that other work on the machine counts little.
A median ratio below its bar is an error.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("WAYWARDEN_LOG_ROUNDS", "5"))

# File, peer, least ratio. The readers of python-can make objects of messages, as ours does. sqlite3
# gives rows, and asammdf arrays. The aim is 20 for text and BLF.
BARS = [
    ("log", "can", 20.0),
    ("asc", "can", 20.0),
    ("trc", "can", 20.0),
    ("csv", "can", 20.0),
    ("blf", "can", 20.0),
    ("mf4", "asammdf", 1.0),
    ("sqlite", "sqlite3", 1.0),
]


def read_with_can(path):
    import can

    readers = {
        "log": can.CanutilsLogReader,
        "asc": can.ASCReader,
        "trc": can.TRCReader,
        "csv": can.CSVReader,
        "blf": can.BLFReader,
        "mf4": can.MF4Reader,
        "sqlite": can.SqliteReader,
    }
    reader = readers[path.rsplit(".", 1)[1]]
    return lambda: sum(1 for _ in reader(path))


def read_with_sqlite3(path):
    import sqlite3

    query = "SELECT * FROM messages"
    return lambda: sum(1 for _ in sqlite3.connect(path).execute(query))


def read_with_asammdf(path):
    from asammdf import MDF

    def count():
        frames = 0
        with MDF(path) as mdf:
            for group in range(len(mdf.groups)):
                frames += len(mdf.get("CAN_DataFrame", group=group, raw=True).samples)
        return frames

    return count


def read(peer, path):
    count = {
        "can": read_with_can,
        "sqlite3": read_with_sqlite3,
        "asammdf": read_with_asammdf,
    }[peer](path)
    begun = time.process_time()
    frames = count()
    print(frames, time.process_time() - begun)


def timed(command, frames):
    """Runs a reading of so many frames and returns its seconds."""
    found, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    if int(found) != frames:
        sys.exit(f"{command}: {found} frames, not {frames}")
    return float(seconds)


def make_sqlite(source, path):
    """Writes the rows that python-can writes, without its threads."""
    import sqlite3

    import can

    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE messages (ts REAL, arbitration_id INTEGER, extended INTEGER, "
            "remote INTEGER, error INTEGER, dlc INTEGER, data BLOB)"
        )
        rows = (
            (m.timestamp, m.arbitration_id, m.is_extended_id, False, False, m.dlc, bytes(m.data))
            for m in can.CanutilsLogReader(source)
        )
        database.executemany("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def compare(program, frames):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "make", folder, str(frames)], check=True)
        path = {name: os.path.join(folder, f"frames.{name}") for name, _, _ in BARS}
        make_sqlite(path["log"], path["sqlite"])
        seconds = {}
        for _ in range(ROUNDS):
            for name, peer, _ in BARS:
                ours = timed([program, "read", path[name]], frames)
                command = [sys.executable, __file__, "--read", peer, path[name]]
                theirs = timed(command, frames)
                seconds.setdefault((name, peer), []).append((theirs / ours, ours, theirs))
        for name, peer, bar in BARS:
            columns = zip(*seconds[name, peer])
            ratio, ours, theirs = (statistics.median(column) for column in columns)
            print(f"{name:<7} {peer:<8} {theirs:8.3f} s, ours {ours:6.3f} s: {ratio:6.1f}, bar {bar:g}")
            if ratio < bar:
                failed.append(f"{name} against {peer}")
    if failed:
        sys.exit("too slow: " + ", ".join(failed))


if sys.argv[1] == "--read":
    read(*sys.argv[2:])
else:
    compare(sys.argv[1], int(sys.argv[2]))
