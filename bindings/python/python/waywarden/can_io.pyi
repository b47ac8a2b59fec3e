"""Readers and writers of logs for python-can."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedIOBase
from os import PathLike
from typing import Any, BinaryIO, Literal

import can
from can.io.generic import BinaryIOMessageReader, BinaryIOMessageWriter

__all__ = ["CandumpWriter", "PcapngWriter", "Reader", "Writer", "prefer"]

_File = str | PathLike[str] | BinaryIO | BufferedIOBase
_Format = Literal["candump", "asc", "blf", "trc", "csv", "pcapng", "mf4"]

class Reader(BinaryIOMessageReader):
    def __init__(self, file: _File, *, strict: bool = False, **others: Any) -> None: ...
    def __iter__(self) -> Iterator[can.Message]: ...
    def stop(self) -> None: ...

class Writer(BinaryIOMessageWriter):
    def __init__(
        self,
        file: _File,
        *,
        to: _Format | None = None,
        channel: str = "can0",
        nanoseconds: bool = False,
        append: bool = False,
        **others: Any,
    ) -> None: ...
    def on_message_received(self, msg: can.Message) -> None: ...
    def stop(self) -> None: ...

class PcapngWriter(Writer): ...
class CandumpWriter(Writer): ...

def prefer(*endings: str) -> None: ...
