"""Values that no function of the package is made for.

:class:`Values` draws them from a seed: numbers at the edges of machine words, floats that are no
numbers, texts without a form in UTF-8, buffers of all kinds, containers that hold themselves,
objects whose methods raise or change what is read, paths to everything but a file.
"""

from __future__ import annotations

import array
import ctypes
import datetime
import decimal
import enum
import fractions
import os
import pathlib
import random
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any


class Planted(Exception):
    """Raised by hostile objects themselves."""


def plant(*_: Any, **__: Any) -> Any:
    """Raises what hostile objects raise."""
    raise Planted("planted")


class _Raising:
    """Raises whatever is asked of it."""

    __index__ = __int__ = __float__ = __iter__ = __len__ = __getitem__ = __fspath__ = plant
    __call__ = __bool__ = __eq__ = __hash__ = __bytes__ = __contains__ = plant
    __buffer__ = keys = items = update = total_seconds = plant

    def __getattr__(self, name: str) -> Any:
        raise Planted(name)


class _Wrong:
    """Answers, with values of wrong types."""

    def __index__(self) -> Any:
        return "1"

    def __float__(self) -> Any:
        return None

    def __iter__(self) -> Any:
        return 5

    def __len__(self) -> int:
        return -1

    def __getitem__(self, key: object) -> object:
        return self

    def __fspath__(self) -> Any:
        return 7

    def __str__(self) -> Any:
        return 3

    __repr__ = __str__
    total = total_seconds = utcoffset = arbitration_id = data = dlc = is_fd = "\ud800"


class _Everything:
    """Has every attribute, and each is callable and has every attribute."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __index__(self) -> int:
        return 2**64


class _Int(int):
    def __index__(self) -> Any:
        raise Planted

    __int__ = __float__ = __index__
    __repr__ = __str__ = __format__ = __hash__ = plant  # type: ignore[assignment]


class _Text(str):
    __fspath__ = __str__ = __repr__ = __len__ = __iter__ = encode = __hash__ = plant  # type: ignore[assignment]


class _Bytes(bytes):
    __len__ = __iter__ = __getitem__ = __bytes__ = __hash__ = plant  # type: ignore[assignment]


class _Float(float):
    __float__ = __repr__ = __index__ = plant  # type: ignore[assignment]


class _List(list):  # type: ignore[type-arg]
    __iter__ = __len__ = __getitem__ = plant  # type: ignore[assignment]


class _Dict(dict):  # type: ignore[type-arg]
    __iter__ = __len__ = __getitem__ = keys = items = plant  # type: ignore[assignment]


class _Enum(enum.IntEnum):
    ONE = 1


class _Zone(datetime.tzinfo):
    utcoffset = dst = tzname = plant  # type: ignore[assignment]


class _Growing:
    """A list that is changed while it is iterated, and a buffer that is released."""

    def __init__(self) -> None:
        self.buffer = bytearray(b"\x80\x03\x00" * 5)
        self.listed: list[Any] = [b"\x80\x03\x00"] * 3

    def __iter__(self) -> Iterator[Any]:
        for at in range(6):
            self.buffer.extend(bytes(at << 10))
            self.listed.clear()
            yield self.buffer
            yield self.listed

    def __fspath__(self) -> str:
        self.buffer.clear()
        self.listed.append(self)
        return "none"

    def __index__(self) -> int:
        self.buffer.clear()
        return 1


def _released() -> memoryview:
    view = memoryview(bytes(20))
    view.release()
    return view


def _deep(depth: int, *, mapping: bool) -> Any:
    found: Any = {} if mapping else []
    for _ in range(depth):
        found = {"bus": found} if mapping else [found]
    return found


def _recursive() -> Any:
    found: dict[str, Any] = {}
    listed: list[Any] = [found]
    found["bus"] = found["ecu"] = listed
    listed.append(listed)
    return found


INTEGERS = [0, 1, -1, 2, 3, 7, 8, 16, 20, 63, 64, 65, 127, 128, 129, 255, 256, 2047, 2048, 2302, 0x1FFFFFFF, 10**400]
INTEGERS += [sign * (2**bits + more) for bits in (15, 16, 29, 31, 32, 53, 63, 64, 127, 128) for more in (-1, 0, 1) for sign in (1, -1)]
FLOATS = [0.0, -0.0, 5e-324, -5e-324, 0.5, 1.0, -1.0, 1e-9, 90.1, 180.0, 1e18, 1.8e19, 2.0**53, 2.0**64, 1e308, -1e308]
FLOATS += [float("nan"), float("inf"), float("-inf")]
TEXTS = [
    "", "x", "\0", "a\0b", "\ud800", "a\udfffb", "é", "🚗" * 99, "a" * 100_000, "0" * 70_001, "-", "--", "--help", "-x",
    "%s%n{}", "a/../x", "a/b", "\n", "\r\n", "1s", "-1s", "1e999s", "nan", "inf", "0x", "0x10", "500k", "1M", "0",
    "99999999999999999999", "now", "capture", "generation", "2026-03-01T12:00:00Z", "2026-03-01", "9999-99-99T99:99:99Z",
    "CAM", "36", "any", "point", "file", "radio", "chain", "digest", "autosar-1", "production", "vatican", "leia", "hmac-sha256",
    "123#0011", "123#R9", "123##F", "1FFFFFFF#", "80030081", "gAMA", "none", "all", "virtual", "fifo", "asc", "mf4", "streams",
    "[bus.a]\nbitrate=1", "bus = [[[[", 'x = "' + "[" * 5000, "secoc-jaspar", "8/24", "gke", "car",
]  # fmt: skip
NAMES = ["", "self", "at", "progress", "threads", "seeds", "\ud800", "a\0", "x" * 1000, "strict"]


class Values:
    """Hostile values, drawn from a seed.

    Parameters
    ----------
    seed : int
        Seed of the generator.
    folder : pathlib.Path
        An existing folder, in which files of odd kinds are made.
    """

    def __init__(self, seed: int, folder: pathlib.Path) -> None:
        self.rng = random.Random(seed)
        (folder / "empty").write_bytes(b"")
        (folder / "noise").write_bytes(random.Random(1).randbytes(4000))
        (folder / "text.toml").write_text('seed = 1\n[bus.a]\nbitrate = "x"\n')
        (folder / "folder.log").mkdir(exist_ok=True)
        for suffix in (".log", ".asc", ".blf", ".trc", ".csv", ".mf4", ".db", ".pcapng", ".pcap", ".dbc", ".arxml", ".oer"):
            (folder / f"noise{suffix}").write_bytes(random.Random(2).randbytes(600))
        if not (folder / "pipe").exists():
            os.mkfifo(folder / "pipe")
        # Devices by links: what replaces a file must not replace these.
        for name, target in {"loop": folder / "loop", "null": "/dev/null", "full": "/dev/full", "zero": "/dev/zero"}.items():
            if not (folder / name).is_symlink():
                (folder / name).symlink_to(target)
        odd = ["empty", "noise", "text.toml", "folder.log", "loop", "null", "full", "zero", "pipe", "missing/x", "x" * 300, "\udcff", ""]
        self.paths: list[Any] = [folder / name for name in odd]
        self.paths += [path for path in sorted(folder.glob("noise.*"))]
        self.paths += [os.fspath(self.paths[1]).encode(), "a\0b", "/", "/proc/self/mem", "/" + "a/" * 3000]
        self.kinds: list[Callable[[], Any]] = [
            lambda: self.rng.choice(INTEGERS),
            lambda: self.rng.choice(FLOATS),
            lambda: self.rng.choice(TEXTS),
            self.buffer,
            lambda: self.rng.choice(self.paths),
            self.container,
            self.evil,
            self.other,
        ]

    def any(self) -> Any:
        """Returns a value of any kind."""
        return self.rng.choice(self.kinds)()

    def near(self, value: Any) -> Any:
        """Returns a value that differs a little from a good one; another kind where it has no parts."""
        # Of these types and no other: hostile values may be here already.
        if type(value) is bytes and value:
            changed = bytearray(value[: self.rng.choice([len(value), self.rng.randrange(len(value) + 1)])])
            for _ in range(self.rng.randrange(1, 4) if changed else 0):
                changed[self.rng.randrange(len(changed))] = self.rng.randrange(256)
            return bytes(changed)
        if type(value) is dict and value:
            # A deeper place is as likely as this one.
            key = self.rng.choice(list(value))
            inner = value[key]
            deeper = type(inner) in (dict, list) and self.rng.randrange(5) > 0
            return {**value, key: self.near(inner) if deeper else self.any()}
        if type(value) is list and value:
            at = self.rng.randrange(len(value))
            inner = value[at]
            deeper = type(inner) in (bytes, dict, list) and self.rng.randrange(5) > 0
            return [*value[:at], self.near(inner) if deeper else self.any(), *value[at + 1 :]]
        return self.any()

    def buffer(self) -> Any:
        """Returns bytes, or another object with a buffer."""
        size = self.rng.choice([0, 1, 2, 8, 15, 16, 17, 20, 32, 64, 65, 300, 5000])
        data = self.rng.randbytes(size)
        kinds: list[Callable[[], Any]] = [
            lambda: data,
            lambda: bytearray(data),
            lambda: memoryview(data),
            lambda: memoryview(bytearray(data))[::2],
            lambda: memoryview(data)[::-1],
            lambda: memoryview(bytes(24)).cast("B", (2, 3, 4)),
            lambda: memoryview(bytes(16)).cast("d"),
            lambda: array.array("d", [1.0]),
            lambda: array.array("B", data),
            lambda: (ctypes.c_uint8 * 9)(),
            _released,
            lambda: _Bytes(data),
            lambda: b"\x80\x03\x00" + data,
        ]
        return self.rng.choice(kinds)()

    def container(self) -> Any:
        """Returns a container of hostile values, or one that holds itself."""
        some = [self.rng.choice(self.kinds[:5])() for _ in range(self.rng.randrange(4))]
        kinds: list[Callable[[], Any]] = [
            lambda: some,
            lambda: tuple(some),
            lambda: iter(some),
            lambda: {str(at): one for at, one in enumerate(some)},
            lambda: {self.rng.choice(TEXTS[:6]): one for one in some},
            lambda: {1: 2, None: some},
            lambda: {"bus": {"a": {"bitrate": one} for one in some}, "ecu": some, "seed": self.rng.choice(INTEGERS)},
            lambda: types.MappingProxyType({"bus": some}),
            lambda: set(),
            lambda: range(3),
            lambda: (plant() for _ in range(2)),
            lambda: [[some]] * 3,
            _recursive,
            lambda: _deep(self.rng.choice([3, 20, 900, 50_000]), mapping=bool(self.rng.randrange(2))),
            lambda: _List(some),
            lambda: _Dict(a=some),
            lambda: ["x"] * 3000,
            lambda: (self.rng.choice(FLOATS), self.rng.choice(FLOATS)),
            lambda: (self.rng.choice(INTEGERS), self.rng.choice(INTEGERS)),
        ]
        return self.rng.choice(kinds)()

    def evil(self) -> Any:
        """Returns an object whose methods raise or answer wrongly."""
        kinds: list[Callable[[], Any]] = [
            _Raising, _Wrong, _Everything, _Growing, lambda: _Int(self.rng.choice(INTEGERS)),
            lambda: _Text(self.rng.choice(TEXTS)), lambda: _Float(self.rng.choice(FLOATS)), lambda: _Raising,
            lambda: plant, lambda: type("x\n", (), {}), lambda: _Growing().listed,
        ]  # fmt: skip
        return self.rng.choice(kinds)()

    def other(self) -> Any:
        """Returns an object of the standard library, or a singleton."""
        zone = _Zone()
        kinds: list[Any] = [
            None, True, False, ..., NotImplemented, object(), type, sys, print, _Enum.ONE, 1j, decimal.Decimal("NaN"),
            decimal.Decimal(1), fractions.Fraction(1, 3), datetime.datetime.max, datetime.datetime.min,
            datetime.datetime.max.replace(tzinfo=datetime.timezone.utc), datetime.datetime(2026, 3, 1, tzinfo=zone),
            datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=23))), datetime.date.today(),
            datetime.timedelta.max, datetime.timedelta.min, datetime.timedelta(0), lambda *_: None, plant,
        ]  # fmt: skip
        return self.rng.choice(kinds)
