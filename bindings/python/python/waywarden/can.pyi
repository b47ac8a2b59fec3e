from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from os import PathLike
from typing import Any, Literal, Protocol, final

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

class _Bar(Protocol):
    def update(self, n: float = ...) -> Any: ...

class _Message(Protocol):
    @property
    def arbitration_id(self) -> int: ...
    @property
    def data(self) -> Any: ...
    @property
    def dlc(self) -> int: ...

_Progress = Callable[[float], object] | _Bar | bool | None
_Path = str | PathLike[str]
_Rate = int | str

@final
class Table:
    @property
    def column_names(self) -> list[str]: ...
    @property
    def column_types(self) -> dict[str, str]: ...
    def column(self, name: str) -> list[Any]: ...
    def to_dict(self) -> dict[str, list[Any]]: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def _repr_html_(self) -> str: ...

@final
class LogReader:
    @property
    def column_names(self) -> list[str]: ...
    def __iter__(self) -> Iterator[Table]: ...
    def __next__(self) -> Table: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Load:
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def load(self) -> float | None: ...
    @property
    def frames(self) -> int: ...
    @property
    def duration(self) -> float: ...
    @property
    def channels(self) -> Table: ...
    @property
    def ids(self) -> Table: ...
    def _repr_html_(self) -> str: ...

@final
class Bits:
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def table(self) -> Table: ...
    @property
    def duration_us(self) -> float: ...
    def __len__(self) -> int: ...
    def _repr_html_(self) -> str: ...

@final
class LogCheck:
    @property
    def ok(self) -> bool: ...
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def streams(self) -> Table: ...
    @property
    def verdicts(self) -> Table | None: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

def read_log(
    path: _Path, *, channel: str | None = None, strict: bool = False, progress: _Progress = None
) -> Table: ...
def open_log(
    path: _Path, *, channel: str | None = None, strict: bool = False, batch: int = 65536
) -> LogReader: ...
def load(
    path: _Path,
    *,
    bitrate: _Rate,
    data_bitrate: _Rate | None = None,
    sample_point: float | None = None,
    data_sample_point: float | None = None,
    channel: str | None = None,
    non_iso: bool = False,
    strict: bool = False,
    progress: _Progress = None,
) -> Load: ...
def bits(
    frame: str | _Message,
    *,
    bitrate: _Rate | None = None,
    data_bitrate: _Rate | None = None,
    non_iso: bool = False,
) -> Bits: ...
def check_log(
    path: _Path,
    *,
    config: _Path | None = None,
    vehicle: _Path | None = None,
    channels: Mapping[str, str] | None = None,
    matrix: _Path | None = None,
    epoch: int = 1,
    counters: Mapping[str, int] | None = None,
    fd: bool = False,
    as_ecu: bool = False,
    verdicts: bool = False,
    strict: bool = False,
    progress: _Progress = None,
) -> LogCheck: ...
def import_matrix(
    path: _Path,
    *,
    log: _Path | None = None,
    channel: str | None = None,
    assume: float | str | timedelta | None = None,
    fast_cycles: bool = False,
    board: str | None = None,
    bus: str = "main",
    bitrate: _Rate | None = None,
    data_bitrate: _Rate | None = None,
    unflagged_as_extended: bool = False,
    strict: bool = False,
) -> str: ...
def import_database(
    db: Any,
    *,
    name: str = "imported",
    log: _Path | None = None,
    channel: str | None = None,
    assume: float | str | timedelta | None = None,
    fast_cycles: bool = False,
    board: str | None = None,
    bus: str = "main",
    bitrate: _Rate | None = None,
    data_bitrate: _Rate | None = None,
    strict: bool = False,
) -> str: ...
def convert(
    source: _Path,
    target: _Path,
    *,
    to: Literal["candump", "asc", "blf", "trc", "csv", "pcapng", "mf4"] | None = None,
    strict: bool = False,
    progress: _Progress = None,
) -> int: ...
