from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any, Literal, Protocol, final, overload

from .can import Table

__all__ = ["Bounds", "Comparison", "Fit", "Run", "Runs", "Table", "Vehicle", "fit"]

class _Bar(Protocol):
    def update(self, n: float = ...) -> Any: ...

_Progress = Callable[[float], object] | _Bar | bool | None
_Path = str | PathLike[str]
_Rate = int | str
_Duration = float | str | timedelta | None

@final
class Vehicle:
    def __new__(
        cls,
        vehicle: str | Mapping[str, Any],
        *,
        name: str = "vehicle",
        folder: str | PathLike[str] | None = None,
    ) -> Vehicle: ...
    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Vehicle: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def duration(self) -> float: ...
    @property
    def buses(self) -> list[str]: ...
    @property
    def ecus(self) -> list[str]: ...
    @property
    def streams(self) -> list[str]: ...
    def check(self) -> list[str]: ...
    @overload
    def run(
        self,
        *,
        seed: int | None = None,
        duration: _Duration = None,
        phase: int | None = None,
        seeds: None = None,
        phases: None = None,
        progress: _Progress = None,
        trace: bool = False,
        html: bool = False,
    ) -> Run: ...
    @overload
    def run(
        self,
        *,
        seed: int | None = None,
        duration: _Duration = None,
        seeds: int,
        phases: int | None = None,
        jobs: int | None = None,
        progress: _Progress = None,
    ) -> Runs: ...
    @overload
    def run(
        self,
        *,
        seed: int | None = None,
        duration: _Duration = None,
        seeds: None = None,
        phases: int,
        jobs: int | None = None,
        progress: _Progress = None,
    ) -> Runs: ...

    def bound(
        self,
        *,
        simulate: bool = True,
        error_every: _Duration = None,
        error_burst: int = 1,
        every_attempt: bool = False,
        offsets: bool = False,
        keys: bool = True,
        progress: _Progress = None,
    ) -> Bounds: ...
    def compare(
        self,
        *,
        keys: Sequence[str] = ...,
        authentication: Sequence[str] = ...,
        protect: Sequence[str] = ...,
        attacks: Literal["default", "file"] = "default",
        key_store: Literal["file", "software", "module"] = "file",
        rank_by: Literal["security", "attacks", "latency", "load", "start-up"] = "security",
        seed: int | None = None,
        duration: _Duration = None,
        jobs: int | None = None,
        progress: _Progress = None,
    ) -> Comparison: ...
    def fit(
        self,
        *,
        protect: Sequence[str] = ...,
        share: float | None = None,
        profiles: Sequence[str] = ...,
        truncations: Sequence[str] = ...,
        carriers: Sequence[Literal["in-message", "cryptographic-pdu", "can-fd"]] = ...,
        bitrate: _Rate | None = None,
        data_bitrate: _Rate | None = None,
        log: _Path | None = None,
        channel: str | None = None,
        strict: bool = False,
        board: str | None = None,
        attack_rate: float | None = None,
        risk: float = 0.01,
        seed: int | None = None,
        duration: _Duration = None,
        jobs: int | None = None,
        progress: _Progress = None,
    ) -> Fit: ...

@final
class Bounds:
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def streams(self) -> Table: ...
    @property
    def assumptions(self) -> list[str]: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Comparison:
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def conclusion(self) -> str: ...
    @property
    def variants(self) -> Table: ...
    @property
    def best(self) -> str | None: ...
    def report_html(self) -> str: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Fit:
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def conclusion(self) -> str: ...
    @property
    def candidates(self) -> Table: ...
    @property
    def best(self) -> str | None: ...
    def report_html(self) -> str: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Run:
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def seed(self) -> int: ...
    @property
    def phase(self) -> int: ...
    @property
    def requirements(self) -> Table: ...
    @property
    def tables(self) -> dict[str, Table]: ...
    def table(self, name: str) -> Table: ...
    @property
    def trace(self) -> Table: ...
    def report_html(self) -> str: ...
    def show(self, *, height: int = 800) -> None: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Runs:
    @property
    def report(self) -> dict[str, Any]: ...
    def json(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def requirements(self) -> Table: ...
    @property
    def streams(self) -> Table: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

def fit(
    path: _Path,
    *,
    protect: Sequence[str] = ...,
    share: float | None = None,
    profiles: Sequence[str] = ...,
    truncations: Sequence[str] = ...,
    carriers: Sequence[Literal["in-message", "cryptographic-pdu", "can-fd"]] = ...,
    bitrate: _Rate | None = None,
    data_bitrate: _Rate | None = None,
    log: _Path | None = None,
    channel: str | None = None,
    strict: bool = False,
    assume: _Duration = None,
    board: str | None = None,
    attack_rate: float | None = None,
    risk: float = 0.01,
    seed: int | None = None,
    duration: _Duration = None,
    jobs: int | None = None,
    progress: _Progress = None,
) -> Fit: ...
