"""Exact simulated buses for python-can: interface ``waywarden``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import can
from can.bus import BusState
from can.typechecking import CanFilters

__all__ = ["Bus"]

class Bus(can.BusABC):
    channel: str | int
    clock: str
    def __init__(
        self,
        channel: str | int | None = None,
        can_filters: CanFilters | None = None,
        *,
        bitrate: int | None = None,
        fd: bool | None = None,
        data_bitrate: int | None = None,
        timing: can.BitTiming | can.BitTimingFd | None = None,
        receive_own_messages: bool = False,
        clock: str = "real",
        scale: float = 1.0,
        vehicle: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        network: str = "",
        channels: Sequence[str] = (),
        queue: str = "priority",
        error_frames: bool = True,
        acknowledge: bool = False,
        **others: Any,
    ) -> None: ...
    def send(self, msg: can.Message, timeout: float | None = None) -> None: ...
    def recv(self, timeout: float | None = None) -> can.Message | None: ...
    def flush_tx_buffer(self) -> None: ...
    def shutdown(self) -> None: ...
    @property
    def state(self) -> BusState: ...
    @state.setter
    def state(self, new_state: BusState) -> None: ...
    @property
    def error_counters(self) -> tuple[int, int]: ...
    @property
    def now(self) -> float: ...
    @property
    def load(self) -> float: ...
    @property
    def arbitrations_lost(self) -> int: ...
    @property
    def own_arbitrations_lost(self) -> int: ...
    @property
    def frames(self) -> int: ...
    @property
    def statistics(self) -> dict[str, Any]: ...
