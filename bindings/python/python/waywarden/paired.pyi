"""vatiCAN and LeiA, with their defects closed: messages whose code travels in a second frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from .secoc import FileStore, Frame, Outcome, _AnyFrame  # pyright: ignore[reportPrivateUsage]

__all__ = ["Receiver", "Sender", "Stream"]

_Bytes = bytes | bytearray | memoryview

@final
class Stream:
    def __new__(
        cls, arbitration_id: int, *, form: str, key: _Bytes, mac: str = "aes-cmac"
    ) -> Stream: ...
    @property
    def arbitration_id(self) -> int: ...
    @property
    def mac(self) -> str: ...

@final
class Sender:
    def __new__(
        cls,
        stream: Stream,
        *,
        retain: Callable[[int], object] | FileStore | None,
        retained: int | None = None,
    ) -> Sender: ...
    def protect(self, payload: _Bytes) -> list[Frame]: ...
    def receive(self, frame: _AnyFrame) -> bool: ...
    def outgoing(self, now: float | None = None) -> Frame | None: ...
    @property
    def next_deadline(self) -> float | None: ...

@final
class Receiver:
    def __new__(cls, stream: Stream, *, ask_id: int, seed: _Bytes | None = None) -> Receiver: ...
    def accept(self, frame: _AnyFrame, now: float | None = None) -> Outcome | None: ...
    def outgoing(self, now: float | None = None) -> Frame | None: ...
    def expire(self, now: float | None = None) -> Outcome | None: ...
    @property
    def is_synchronised(self) -> bool: ...
    @property
    def next_deadline(self) -> float | None: ...
