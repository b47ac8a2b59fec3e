"""Compares `waywarden.can.load` with python-can and asammdf: load_speed.py [FRAMES].

`load` reads a log and computes the exact duration of every frame, bit by bit; the peers only read it, as
messages or, asammdf, as arrays. So does `open_log`, as tables. Each round has all of them in an order that
changes, on one core; the seconds are those of the processor. A median ratio below its bar is an error.
"""

import os
import pathlib
import statistics
import sys
import tempfile
import time
import warnings

import can
from asammdf import MDF

from waywarden import can as logs

ROUNDS = int(os.environ.get("WAYWARDEN_LOG_ROUNDS", "3"))
#: Ending, peer, least ratio to `load` and to `open_log`.
BARS = [
    ("log", "python-can", 3.0, 10.0),
    ("asc", "python-can", 3.0, 10.0),
    ("blf", "python-can", 2.0, 10.0),
    ("mf4", "asammdf", 0.1, 0.5),
]


def make(folder, frames):
    """Writes the log in each format."""
    source = folder / "frames.log"
    with open(source, "w", encoding="ascii") as file:
        for number in range(frames):
            at, data = 1_700_000_000_000_000 + number * 230, (number * 0x9E3779B97F4A7C15) % 2**64
            file.write(f"({at // 1_000_000}.{at % 1_000_000:06}) can0 {0x100 + number % 97:03X}#{data:016X}\n")
    for ending, *_ in BARS[1:]:
        assert logs.convert(source, source.with_suffix(f".{ending}")) == frames


def load(path):
    return logs.load(path, bitrate="500k").frames


def read(path):
    return sum(len(table) for table in logs.open_log(path))


def with_can(path):
    reader = {".log": can.CanutilsLogReader, ".asc": can.ASCReader, ".blf": can.BLFReader}[path.suffix]
    return sum(1 for _ in reader(path))


def with_asammdf(path):
    with MDF(path) as mdf:
        groups = range(len(mdf.groups))
        return sum(len(mdf.get("CAN_DataFrame", group=group, raw=True).samples) for group in groups)


def timed(read, path, frames):
    begun = time.process_time()
    found = read(path)
    took = time.process_time() - begun
    assert found == frames, f"{path}: {found} frames, not {frames}"
    return took


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    # A trigger block of ASC is no frame.
    warnings.simplefilter("ignore")
    slow = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make(folder, frames)
        seconds = {}
        for number in range(ROUNDS):
            for ending, peer, *_ in BARS:
                reads = {"load": load, "open_log": read, peer: with_can if peer == "python-can" else with_asammdf}
                path = folder / f"frames.{ending}"
                order = list(reads)[:: 1 if number % 2 else -1]
                seconds.setdefault(ending, []).append({one: timed(reads[one], path, frames) for one in order})
        for ending, peer, *bars in BARS:
            for ours, bar in zip(("load", "open_log"), bars):
                columns = zip(*((took[peer] / took[ours], took[ours], took[peer]) for took in seconds[ending]))
                ratio, own, theirs = (statistics.median(column) for column in columns)
                print(f"{ending:<4} {peer:<10} {theirs:7.3f} s, {ours:<8} {own:6.3f} s: {ratio:5.1f}, bar {bar:g}")
                if ratio < bar:
                    slow.append(f"{ours} of {ending} beside {peer}")
    if slow:
        sys.exit("too slow: " + ", ".join(slow))


main()
