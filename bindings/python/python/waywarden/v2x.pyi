from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from os import PathLike
from typing import Any, Literal, TypeAlias, final, overload

__all__ = [
    "DecodedMessage",
    "Pki",
    "Record",
    "Records",
    "Signer",
    "Trust",
    "Verdict",
    "Verifier",
    "decode_message",
    "decrypt",
    "encode_message",
    "encrypt",
    "inspect",
    "message_kinds",
    "records",
]

_Bytes: TypeAlias = bytes | bytearray | memoryview
_Path: TypeAlias = str | PathLike[str]
_Time: TypeAlias = str | int | datetime
_Curve: TypeAlias = Literal["p256", "brainpool-p256r1", "p384", "brainpool-p384r1"]

@final
class Record:
    @property
    def place(self) -> str: ...
    @property
    def label(self) -> str | None: ...
    @property
    def data(self) -> bytes: ...
    @property
    def captured(self) -> int | None: ...
    @property
    def captured_text(self) -> str | None: ...
    @property
    def kind(self) -> str: ...
    def __len__(self) -> int: ...
    def __bytes__(self) -> bytes: ...

@final
class Records(Iterator[Record]):
    def __iter__(self) -> Records: ...
    def __next__(self) -> Record: ...

def records(path: _Path, /) -> Records: ...

@final
class Trust:
    def __new__(cls, *sources: _Path | _Bytes) -> Trust: ...
    @staticmethod
    def load(path: _Path, /) -> Trust: ...
    @property
    def anchors(self) -> int: ...
    @property
    def warnings(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

@final
class Verdict:
    @property
    def accepted(self) -> bool: ...
    @property
    def code(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def field(self) -> str | None: ...
    @property
    def certificate(self) -> str | None: ...
    @property
    def signer(self) -> str | None: ...
    @property
    def psid(self) -> int | None: ...
    @property
    def generation_time(self) -> str | None: ...
    @property
    def generation_time_us(self) -> int | None: ...
    @property
    def signature_valid(self) -> bool | None: ...
    @property
    def parsed(self) -> bool: ...
    @property
    def kind(self) -> str: ...
    @property
    def input(self) -> str: ...
    @property
    def label(self) -> str | None: ...
    @property
    def is_undated(self) -> bool: ...
    @property
    def payload_check(self) -> dict[str, Any] | None: ...
    @property
    def payload(self) -> bytes | None: ...
    @property
    def decoded(self) -> list[dict[str, Any]]: ...
    def to_json(self, *, pretty: bool = False) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Verifier:
    def __new__(
        cls,
        trust: Trust | _Path | _Bytes | Iterable[_Path | _Bytes] | None = None,
        *,
        at: _Time = "now",
        position: tuple[float, float] | None = None,
        psid: int | str | None = None,
        crl: _Path | Iterable[_Path] | None = None,
        signer_keys: _Path | None = None,
        strict: bool = False,
        nonce_form: Literal["any", "point", "x-only"] | None = None,
        lenient: bool = False,
        unknown_implicit_issuers: bool = False,
        payload_check: bool = True,
        udp_ports: Sequence[int] = (),
        source: Literal["file", "radio"] = "file",
        certificates: int = 4096,
        messages: int = 65536,
        table_memory: int | None = None,
        threads: int | None = None,
    ) -> Verifier: ...
    @overload
    def verify(
        self,
        message: _Bytes | str,
        /,
        *,
        at: _Time | None = None,
        position: tuple[float, float] | None = None,
        psid: int | str | None = None,
    ) -> Verdict: ...
    @overload
    def verify(
        self,
        message: Record,
        /,
        *,
        at: _Time | None = None,
        position: tuple[float, float] | None = None,
        psid: int | str | None = None,
    ) -> Verdict | None: ...
    @overload
    def verify_many(
        self,
        messages: Iterable[_Bytes | str],
        /,
        *,
        threads: int | None = None,
        at: _Time | None = None,
        position: tuple[float, float] | None = None,
        psid: int | str | None = None,
    ) -> list[Verdict]: ...
    @overload
    def verify_many(
        self,
        messages: Iterable[Record],
        /,
        *,
        threads: int | None = None,
        at: _Time | None = None,
        position: tuple[float, float] | None = None,
        psid: int | str | None = None,
    ) -> list[Verdict | None]: ...
    def apply_crl(self, list: _Bytes, /, *, at: _Time | None = None) -> None: ...
    def forget_old(self, *, at: _Time | None = None) -> None: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def remembered(self) -> tuple[int, int]: ...
    @property
    def threads(self) -> int: ...

@final
class Signer:
    def __new__(
        cls,
        certificate: _Path,
        key: _Path,
        *,
        chain: Sequence[_Path] = (),
        passphrase: str | bytes | None = None,
    ) -> Signer: ...
    @staticmethod
    def from_pki(
        folder: _Path,
        name: str,
        *,
        at: _Time | None = None,
        index: int = 0,
        passphrase: str | bytes | None = None,
    ) -> Signer: ...
    def sign(
        self,
        payload: _Bytes,
        /,
        psid: int | str,
        *,
        time: _Time | None = None,
        location: tuple[float, float] | tuple[float, float, float] | None = None,
        lifetime: float | None = None,
        signer: Literal["certificate", "digest", "chain"] = "certificate",
        x_only: bool = False,
        answer_key: _Path | None = None,
        lenient: bool = False,
    ) -> bytes: ...
    @property
    def id(self) -> str: ...
    @property
    def certificate(self) -> bytes: ...

@final
class Pki:
    def __new__(cls, folder: _Path, /) -> Pki: ...
    @staticmethod
    def create(
        folder: _Path,
        *,
        shape: Literal["european", "american"] | None = None,
        curve: _Curve | None = None,
        region: str | None = None,
        start: _Time | None = None,
        years: int | None = None,
        validity_grid: str | None = None,
        passphrase: str | bytes | None = None,
        unencrypted: bool = False,
        plain_keys: bool = False,
        profile: _Path | None = None,
    ) -> Pki: ...
    def issue(
        self,
        name: str,
        /,
        permissions: Sequence[str] = (),
        *,
        count: int = 1,
        start: _Time | None = None,
        validity: str | None = None,
        region: str | None = None,
        curve: _Curve | None = None,
        issuer: str | None = None,
        implicit: bool | None = None,
        encryption_key: bool = False,
        public: _Path | None = None,
        authority: bool = False,
        issues: Sequence[str] = (),
        profile: _Path | None = None,
        passphrase: str | bytes | None = None,
    ) -> list[dict[str, str | bool | None]]: ...
    def enrol(
        self,
        name: str,
        /,
        *,
        start: _Time | None = None,
        validity: str | None = None,
        region: str | None = None,
        curve: _Curve | None = None,
        issuer: str | None = None,
        passphrase: str | bytes | None = None,
    ) -> dict[str, str | bool | None]: ...
    def renew(
        self,
        name: str,
        /,
        *,
        start: _Time | None = None,
        validity: str | None = None,
        passphrase: str | bytes | None = None,
    ) -> dict[str, str | bool | None]: ...
    def revoke(self, *names: str) -> list[dict[str, Any]]: ...
    def crl(
        self,
        output: _Path | None = None,
        *,
        delta: bool = False,
        seeds: _Path | None = None,
        discard_later: bool = False,
        next: str = "24h",
        passphrase: str | bytes | None = None,
    ) -> list[dict[str, Any]]: ...
    def ctl(
        self,
        output: _Path | None = None,
        *,
        delta: _Path | None = None,
        url: str | None = None,
        ea_url: str | None = None,
        aa_url: str | None = None,
        dc_url: str | None = None,
        delete: str | Sequence[str] | None = None,
        add: str | Sequence[str] | None = None,
        discard_later: bool = False,
        next: str = "7d",
        passphrase: str | bytes | None = None,
    ) -> dict[str, Any]: ...
    def pseudonyms(
        self,
        name: str,
        /,
        *,
        weeks: int = 52,
        per_week: int = 20,
        start: _Time | None = None,
        vehicles: int | None = None,
        passphrase: str | bytes | None = None,
    ) -> dict[str, Any]: ...
    @property
    def folder(self) -> str: ...
    @property
    def entries(self) -> list[dict[str, str | bool | None]]: ...
    def certificate(self, name: str, /) -> bytes: ...
    def chain(self, name: str, /) -> list[bytes]: ...
    def signer(
        self,
        name: str,
        /,
        *,
        at: _Time | None = None,
        index: int = 0,
        passphrase: str | bytes | None = None,
    ) -> Signer: ...
    def trust(self) -> Trust: ...

def encrypt(
    data: _Bytes,
    /,
    to: _Path | _Bytes | Iterable[_Path | _Bytes] | None = None,
    *,
    pre_shared_key: _Bytes | None = None,
    payload: bool = False,
) -> bytes: ...
def decrypt(
    message: _Bytes | str | Record,
    /,
    *,
    certificate: _Path | None = None,
    key: _Path | None = None,
    pki: _Path | None = None,
    name: str | None = None,
    pre_shared_key: _Bytes | None = None,
    passphrase: str | bytes | None = None,
) -> bytes: ...
@overload
def inspect(message: _Bytes | str, /, *, issuer: _Bytes | None = None) -> dict[str, Any]: ...
@overload
def inspect(message: Record, /, *, issuer: _Bytes | None = None) -> dict[str, Any] | None: ...
@final
class DecodedMessage:
    @property
    def kind(self) -> str: ...
    @property
    def release(self) -> int | None: ...
    @property
    def standard(self) -> str | None: ...
    @property
    def value(self) -> dict[str, Any]: ...
    @property
    def other_releases(self) -> dict[int, str]: ...
    @property
    def remark(self) -> str | None: ...
    def to_dict(self) -> dict[str, Any]: ...

def decode_message(
    data: _Bytes | str | Record,
    /,
    kind: str | None = None,
    release: int | None = None,
) -> DecodedMessage: ...
def encode_message(
    kind: str, value: dict[str, Any], /, release: int | None = None
) -> bytes: ...
def message_kinds() -> list[dict[str, str | int | None]]: ...
