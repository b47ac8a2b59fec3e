"""Readers and writers of logs for python-can: the formats that it lacks, and tolerant ones of those
that it has.

python-can finds them by itself: ``can.LogReader("drive.pcapng")`` and
``can.Logger("drive.pcapng")`` work once this package is installed. The endings are ``.pcapng``,
``.pcap``, ``.cap``, ``.crtd`` and ``.candump`` to read, ``.pcapng`` and ``.candump`` to write, each
with ``.gz``, too.

Other formats share an ending with one that python-can reads. `Reader` tells them by their
content, and `prefer` has python-can take it for an ending::

    import can
    from waywarden import can_io

    for message in can_io.Reader("savvycan.csv"):     # GVRET, BUSMASTER, MF4 without asammdf, ...
        print(message)
    can_io.prefer(".mf4", ".csv")
    can.LogReader("savvycan.csv")

A damaged line does not end a recording: it is skipped, and a warning at the end tells of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import can
from can.io import player
from can.io.generic import BinaryIOMessageReader, BinaryIOMessageWriter

from . import _native

__all__ = ["CandumpWriter", "PcapngWriter", "Reader", "Writer", "prefer"]

#: Messages that are read at once.
_BATCH = 4096

_Reading = _native.can.MessageReader
_Writing = _native.can.MessageWriter


class Reader(BinaryIOMessageReader):
    """Reads a log of any format that `waywarden.can.read_log` reads, plain or gzip.

    Parameters
    ----------
    file : path or binary file object
        The log; its content tells the format.
    strict : bool, optional
        Refuse a damaged log. Without it, what is damaged is skipped, and a warning tells of it.

    Other arguments, which are for other readers, are ignored.

    Raises
    ------
    waywarden.errors.LogError
        For a log that cannot be read, also while it is read.
    """

    def __init__(self, file: Any, *, strict: bool = False, **others: Any) -> None:
        super().__init__(file, mode="rb")
        name = _name(file)
        try:
            self._log = _Reading(name, None if _is_path(file) else self.file, strict=strict)
        except BaseException:
            if _is_path(file):
                self.file.close()
            raise

    def __iter__(self) -> Iterator[can.Message]:
        """Returns the messages. Timestamps are seconds since 1970 where the log has a date."""
        while batch := self._log.next(_BATCH):
            for at, number, extended, remote, error, fd, brs, esi, length, data, name, rx in batch:
                yield can.Message(
                    timestamp=at,
                    arbitration_id=number,
                    is_extended_id=extended,
                    is_remote_frame=remote,
                    is_error_frame=error,
                    is_fd=fd,
                    bitrate_switch=brs,
                    error_state_indicator=esi,
                    dlc=length,
                    data=None if remote else data,
                    channel=name,
                    is_rx=rx,
                )

    def stop(self) -> None:
        """Closes the log."""
        self._log.close()
        super().stop()


class Writer(BinaryIOMessageWriter):
    """Writes messages as a log: candump, ASC, BLF, TRC, python-can's CSV, pcapng or MF4.

    Parameters
    ----------
    file : path or binary file object
        The log; BLF and MF4 need an object that can seek.
    to : str, optional
        The format, whatever the ending says: "candump", "asc", "blf", "trc", "csv", "pcapng" or
        "mf4".
    channel : str, optional
        Name of the channel of messages without one. A number n is channel "cann".
    nanoseconds : bool, optional
        Keep nanoseconds in candump and TRC, which other programs may not read.

    Other arguments, which are for other writers, are ignored.

    Raises
    ------
    ValueError
        For ``append=True``: a log is written from its beginning.
    waywarden.errors.ParameterError
        For a format that is not written.
    """

    _format: str | None = None

    def __init__(
        self,
        file: Any,
        *,
        to: str | None = None,
        channel: str = "can0",
        nanoseconds: bool = False,
        append: bool = False,
        **others: Any,
    ) -> None:
        if append:
            raise ValueError("append=True: this format is written from its beginning; leave it out")
        self._channel = channel
        _Writing(_name(file), None, to=to or self._format)  # refuses before a file is emptied
        super().__init__(file, mode="wb")
        self._log = _Writing(
            _name(file), self.file, to=to or self._format, nanoseconds=nanoseconds
        )

    def on_message_received(self, msg: can.Message) -> None:
        """Writes a message.

        Raises
        ------
        waywarden.errors.Error
            For a message that the log cannot have, and a file that cannot be written.
        """
        self._log.write(msg, self._channel)

    def stop(self) -> None:
        """Completes the log and closes its file. A warning tells what the format has no place for.
        A second call does nothing.
        """
        try:
            self._log.finish()
        finally:
            super().stop()


class PcapngWriter(Writer):
    """Writes a pcapng capture, as Wireshark opens it; of python-can's messages it keeps all."""

    _format = "pcapng"


class CandumpWriter(Writer):
    """Writes candump's log form."""

    _format = "candump"


def prefer(*endings: str) -> None:
    """Has ``can.LogReader`` read files of these endings by `Reader`, in this process.

    Parameters
    ----------
    *endings : str
        Endings such as ".mf4" or ".csv".

    Raises
    ------
    ValueError
        For an ending that does not begin with a dot.
    """
    for ending in endings:
        if not ending.startswith(".") or len(ending) < 2:
            raise ValueError(f"{ending!r} is no ending of files; give one such as '.mf4'")
    for ending in endings:
        player.MESSAGE_READERS[ending.lower()] = Reader


def _is_path(file: Any) -> bool:
    return isinstance(file, (str, os.PathLike))


def _name(file: Any) -> str:
    """Returns the path of a log, or a name of a file object."""
    if _is_path(file):
        return os.fspath(file)  # type: ignore[no-any-return]
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else "the log"
