"""What hostile arguments found, and must not come back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import can as python_can
import pytest

import waywarden
from waywarden import can, can_bus, paired, sweep, v2x
from waywarden.errors import InputError, LogError, MissingError, ParameterError, TrustError, VehicleError
from waywarden.secoc import Cmac, FileStore, Frame
from waywarden.vehicle import Vehicle

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
KEY = bytes(16)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.log")
    return tmp_path / "pipe.log"


@pytest.mark.parametrize(
    "read",
    [
        can.read_log,
        can.import_matrix,
        lambda path: can.load(path, bitrate="500k"),
        lambda path: can.check_log(path, config=EXAMPLES / "auth.toml"),
        lambda path: can.check_log(EXAMPLES / "drive.log", config=path),
        lambda path: list(v2x.records(path)),
        lambda path: v2x.Verifier(crl=path),
        lambda path: v2x.Verifier(signer_keys=path),
        lambda path: v2x.Signer(path, path),
        Vehicle.from_file,
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(read: Any, pipe: Path) -> None:
    with pytest.raises(InputError, match="no regular file"):
        read(pipe)


def test_a_bus_reads_neither_a_pipe_nor_a_device_without_end(pipe: Path) -> None:
    for path in (pipe, "/dev/zero"):
        with pytest.raises(python_can.CanInitializationError, match="no regular file"):
            can_bus.Bus("a", vehicle=path)


def test_the_command_of_the_package_still_reads_pipes() -> None:
    command = [sys.executable, "-m", "waywarden", "--quiet", "inspect", "/dev/stdin"]
    message = next(v2x.records(EXAMPLES / "v2x/messages.hex")).data.hex()
    shown = subprocess.run(command, input=message, capture_output=True, text=True)
    assert shown.returncode == 0 and "psid" in shown.stdout, shown.stderr


def test_no_device_is_replaced(tmp_path: Path) -> None:
    # A link: where the check is missing, the link alone is lost.
    null = tmp_path / "null"
    null.symlink_to("/dev/null")
    with pytest.raises(LogError, match="no regular file"):
        can.convert(EXAMPLES / "drive.log", null, to="asc")
    with pytest.raises(ParameterError, match="no regular file"):
        FileStore(null)(1)
    assert null.is_symlink() and sorted(tmp_path.iterdir()) == [null]
    for wrong in ("1", 1.0, True, (), None):
        with pytest.raises(ParameterError, match="counter"):
            FileStore(tmp_path / "counter")(wrong)


def test_a_key_that_others_can_read_is_a_warning_of_the_interpreter(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "key.vkey"
    key.write_bytes(bytes(32))
    key.chmod(0o644)
    with pytest.warns(UserWarning, match="lets others read"), pytest.raises(TrustError):
        v2x.Signer(EXAMPLES / "v2x/trust/root.oer", key)
    assert capfd.readouterr().err == ""


def test_buffers_are_read_as_bytes_reads_them() -> None:
    data = bytes(range(24))
    tag = Cmac(KEY).tag(data)
    cube = memoryview(data).cast("B", (2, 3, 4))
    for view in (cube, bytearray(data), memoryview(data), list(data), tuple(data)):
        assert Cmac(KEY).tag(view) == tag  # type: ignore[arg-type]
    strided = memoryview(data)[::3]
    assert Frame(1, strided).data == bytes(strided)
    assert paired.Stream(0x120, form="leia", key=memoryview(bytes(32))[::2])
    for wrong in ("text", 5, None, [256], object()):
        with pytest.raises((TypeError, OverflowError)):
            Cmac(KEY).tag(wrong)  # type: ignore[arg-type]


def test_bits_takes_the_data_of_a_message_and_nothing_else_for_it() -> None:
    message = python_can.Message(arbitration_id=0x123, is_extended_id=False, data=b"\1\2")
    expected = len(can.bits("123#0102"))
    for data in (b"\1\2", bytearray(b"\1\2"), [1, 2], memoryview(b"\1\2")):
        message.data = data  # type: ignore[assignment]
        assert len(can.bits(message)) == expected
    message.data = 2  # type: ignore[assignment]
    with pytest.raises(TypeError):
        can.bits(message)
    with pytest.raises(ParameterError, match="no frame"):
        can.bits(5)  # type: ignore[arg-type]


def test_names_that_there_are_not_are_told_with_those_that_there_are() -> None:
    run = Vehicle.from_file(EXAMPLES / "minimal.toml").run(duration="5ms")
    for call in (lambda: run.table("x" * 1000), lambda: run.requirements.column("x" * 1000)):
        with pytest.raises(MissingError) as caught:
            call()
        assert isinstance(caught.value, (KeyError, waywarden.Error)) and len(str(caught.value)) < 900
        assert caught.value.remedy and str(caught.value).startswith("no ")
    with pytest.raises(VehicleError, match="from_file"):
        Vehicle("car.toml")


@pytest.mark.parametrize(
    "wanted",
    [
        {"vehicles": ["a"], "seeds": [1]},
        {"vehicles": {1: "a"}, "seeds": [1]},
        {"traffic": {"a": "b"}, "seeds": [1]},
        {"vehicles": {"a": "b"}, "seeds": 5},
        {"vehicles": {"a": "b"}, "seeds": ["1", 2]},
    ],
)
def test_a_sweep_of_wrong_kinds_says_which(wanted: Any) -> None:
    with pytest.raises(ParameterError, match="vehicles|traffic|seeds"):
        sweep.jobs(**wanted)


def test_the_command_is_found_where_the_package_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", "no/such/folder")
    monkeypatch.chdir(tmp_path)
    (job,) = sweep.jobs(vehicles={"minimal": EXAMPLES / "minimal.toml"}, seeds=[1])
    assert len(sweep.execute(job)) > 10


def test_a_timeout_is_a_number() -> None:
    with can_bus.Bus("timeouts", clock="virtual") as bus:
        for wrong in ("x", float("nan")):
            with pytest.raises(ValueError):
                bus.recv(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            bus.recv([])  # type: ignore[arg-type]


def test_names_of_a_bus_are_texts_or_numbers() -> None:
    deep: list[object] = []
    for _ in range(50_000):
        deep = [deep]
    for named in ({"channel": deep}, {"channel": 0, "network": deep}, {"channel": 0, "channels": [deep]}):
        with pytest.raises(python_can.CanInitializationError, match="name of a"):
            can_bus.Bus(**named)  # type: ignore[arg-type]
