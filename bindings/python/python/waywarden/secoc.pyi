"""SecOC of AUTOSAR: messages on CAN and CAN FD with freshness and a code."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, final

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

_Bytes = bytes | bytearray | memoryview
_Retain = Callable[[int], object]
_RetainEpoch = Callable[[tuple[int, int]], object]

class _CanMessage(Protocol):
    """The attributes of python-can's messages that are read."""

    arbitration_id: int
    is_extended_id: bool
    is_remote_frame: bool
    is_error_frame: bool
    is_fd: bool
    bitrate_switch: bool
    dlc: int
    data: Any

_AnyFrame = Frame | _CanMessage

@final
class Frame:
    def __new__(
        cls,
        arbitration_id: int,
        data: _Bytes | None = None,
        *,
        is_extended_id: bool = False,
        is_fd: bool = False,
        bitrate_switch: bool = True,
        is_remote_frame: bool = False,
        dlc: int = 0,
    ) -> Frame: ...
    @property
    def arbitration_id(self) -> int: ...
    @property
    def data(self) -> bytes: ...
    @property
    def dlc(self) -> int: ...
    @property
    def is_extended_id(self) -> bool: ...
    @property
    def is_fd(self) -> bool: ...
    @property
    def bitrate_switch(self) -> bool: ...
    @property
    def is_remote_frame(self) -> bool: ...
    def to_can(self) -> Any: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Profile:
    AUTOSAR_1: ClassVar[Profile]
    AUTOSAR_2: ClassVar[Profile]
    AUTOSAR_2_SYNCHRONISED: ClassVar[Profile]
    JASPAR: ClassVar[Profile]
    PRODUCTION: ClassVar[Profile]
    def __new__(
        cls,
        *,
        mac_bits: int,
        trip: int = 0,
        reset: int = 0,
        message: int = 0,
        flag: int = 0,
        freshness_bits: int = 0,
        attempts: int = 1,
        as_found: bool = False,
    ) -> Profile: ...
    @staticmethod
    def named(name: str) -> Profile: ...
    @property
    def name(self) -> str | None: ...
    @property
    def trip(self) -> int: ...
    @property
    def reset(self) -> int: ...
    @property
    def message(self) -> int: ...
    @property
    def flag(self) -> int: ...
    @property
    def freshness_bits(self) -> int: ...
    @property
    def mac_bits(self) -> int: ...
    @property
    def attempts(self) -> int: ...
    @property
    def trailer_length(self) -> int: ...
    @property
    def is_synchronised(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Stream:
    def __new__(
        cls,
        arbitration_id: int,
        *,
        profile: Profile | str,
        key: _Bytes,
        length: int | tuple[int, int],
        is_extended_id: bool = False,
        is_fd: bool = False,
        data_id: int | None = None,
        cryptographic_id: int | None = None,
        secured: tuple[int, int] | None = None,
        padding: int = 0,
    ) -> Stream: ...
    @property
    def arbitration_id(self) -> int: ...
    @property
    def profile(self) -> Profile: ...

@final
class Outcome:
    @property
    def code(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def arbitration_id(self) -> int: ...
    @property
    def payload(self) -> bytes | None: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Announcements:
    def __new__(
        cls,
        *,
        profile: Profile | str,
        key: _Bytes,
        arbitration_id: int = 0x00F,
        mac_bits: int = 28,
        is_fd: bool = False,
    ) -> Announcements: ...
    @property
    def arbitration_id(self) -> int: ...

@final
class FreshnessMaster:
    def __new__(
        cls,
        announcements: Announcements,
        *,
        retain: _Retain | FileStore | None,
        cycle: float = 0.1,
        retained: int | None = None,
    ) -> FreshnessMaster: ...
    def announce(self, now: float | None = None) -> Frame | None: ...
    @property
    def next_deadline(self) -> float | None: ...

@final
class FreshnessFollower:
    def __new__(
        cls,
        announcements: Announcements,
        *,
        retain: _RetainEpoch | FileStore | None,
        retained: tuple[int, int] | None = None,
        resets_ahead: int = 0,
    ) -> FreshnessFollower: ...
    def accept(self, frame: _AnyFrame) -> Outcome | None: ...
    @property
    def latest(self) -> tuple[int, int] | None: ...
    @property
    def is_synchronised(self) -> bool: ...

@final
class Sender:
    def __new__(
        cls,
        stream: Stream,
        *,
        retain: _Retain | FileStore | None,
        retained: int | None = None,
        freshness: FreshnessFollower | FreshnessMaster | None = None,
    ) -> Sender: ...
    def protect(self, payload: _Bytes) -> list[Frame]: ...

@final
class Receiver:
    def __new__(
        cls,
        stream: Stream,
        *,
        retain: _Retain | FileStore | None,
        retained: int | None = None,
        freshness: FreshnessFollower | FreshnessMaster | None = None,
    ) -> Receiver: ...
    def accept(self, frame: _AnyFrame, now: float | None = None) -> Outcome | None: ...
    def expire(self, now: float | None = None) -> Outcome | None: ...
    @property
    def next_deadline(self) -> float | None: ...

@final
class Cmac:
    def __new__(cls, key: _Bytes) -> Cmac: ...
    def tag(self, data: _Bytes) -> bytes: ...
    def verify(self, data: _Bytes, code: _Bytes, bits: int | None = None) -> bool: ...
    def __call__(self, dbmsg: object, auth_data: _Bytes, freshness_value: object) -> bytes: ...

class FileStore:
    path: Any
    def __init__(self, path: str | os.PathLike[str]) -> None: ...
    def __call__(self, value: Any) -> None: ...
    def read(self) -> Any: ...
