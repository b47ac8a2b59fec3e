"""SecOC of AUTOSAR: messages on CAN and CAN FD with freshness and a code.

One stream from its sender to a receiver, and a replay::

    from waywarden.secoc import FileStore, Receiver, Sender, Stream

    stream = Stream(0x120, profile="autosar-1", key=bytes.fromhex("2b" * 16), length=4)
    sender = Sender(stream, retain=FileStore("sender.counter"))
    receiver = Receiver(stream, retain=FileStore("receiver.counter"))

    (frame,) = sender.protect(b"40 %")        # frame.to_can() is a can.Message
    outcome = receiver.accept(frame)
    assert outcome and outcome.payload == b"40 %"
    assert not receiver.accept(frame)         # the same frame again

Counters must survive a reset, or recorded messages are authentic once more. So both ends ask for a
place to keep theirs, ``retain``: it is called before a counter is in use.

Profiles with trip and reset counters need a freshness master: :class:`FreshnessMaster` announces,
each other ECU has one :class:`FreshnessFollower`.
"""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

from . import _native

Announcements = _native.secoc.Announcements
Cmac = _native.secoc.Cmac
Frame = _native.secoc.Frame
FreshnessFollower = _native.secoc.FreshnessFollower
FreshnessMaster = _native.secoc.FreshnessMaster
Outcome = _native.secoc.Outcome
Profile = _native.secoc.Profile
Receiver = _native.secoc.Receiver
Sender = _native.secoc.Sender
Stream = _native.secoc.Stream

__all__ = [
    "Announcements",
    "Cmac",
    "FileStore",
    "Frame",
    "FreshnessFollower",
    "FreshnessMaster",
    "Outcome",
    "Profile",
    "Receiver",
    "Sender",
    "Stream",
]


class FileStore:
    """Keeps a counter in a file: what ``retain`` asks for.

    A call returns once the value is on the disk. The file is replaced as a whole, so that it has
    the old value or the new one. One file serves one end of one stream.

    Parameters
    ----------
    path : str or os.PathLike
        The file. It need not exist; its folder must.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path)

    def __call__(self, value: Any) -> None:
        """Stores a counter: a number, or a tuple of numbers.

        Raises
        ------
        waywarden.errors.ParameterError
            Another value, or a device or a folder in the place of the file.
        """
        from .errors import ParameterError

        numbers = value if isinstance(value, tuple) else (value,)
        if not numbers or not all(type(number) is int for number in numbers):
            raise ParameterError("value: a counter is an int or a tuple of them", place="value")
        self._check()
        temporary = self.path.with_name(self.path.name + ".new")
        with open(temporary, "w", encoding="ascii") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.path)
        if hasattr(os, "O_DIRECTORY"):
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _check(self) -> None:
        """Raises ParameterError for what must not be replaced, and may have no end."""
        from .errors import ParameterError

        if self.path.exists() and not self.path.is_file():
            raise ParameterError(f"{self.path}: no regular file: name one", place=str(self.path))

    def read(self) -> Any:
        """Returns the value that was stored last; None if there is no file.

        Raises
        ------
        waywarden.errors.InputError
            The file has no value in it. Starting at 0 instead would make old messages authentic.
        """
        from .errors import InputError

        self._check()
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            value = json.loads(data.decode("ascii"))
        except ValueError as error:
            raise InputError(
                f"{self.path}: no counter in it: restore the file, or use a fresh key",
                code="counter",
                place=str(self.path),
                remedy="restore the file, or use a fresh key",
            ) from error
        return tuple(value) if isinstance(value, list) else value

    def __repr__(self) -> str:
        return f"FileStore({str(self.path)!r})"
