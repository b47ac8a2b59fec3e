"""Logs and databases from Python: the counts of python-can, the documents of the command."""

import json
import os
import signal
import subprocess
import threading
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import can as python_can
import cantools
import polars
import pytest

from waywarden import can
from waywarden.errors import LogError, ParameterError, VehicleError
from waywarden.vehicle import Vehicle

ROOT = Path(__file__).resolve().parents[3]
COMMAND = Path(os.environ.get("WAYWARDEN", ROOT / "target/debug/waywarden"))
LOG = "examples/drive.log"

needs_command = pytest.mark.skipif(
    not COMMAND.exists(), reason=f"no command to compare with: cargo build -p waywarden-cli makes {COMMAND}"
)


def command(*arguments: str) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


MESSAGES = [
    python_can.Message(timestamp=1.5, arbitration_id=0x123, is_extended_id=False, data=b"\1\2", channel=1),
    python_can.Message(timestamp=1.75, arbitration_id=0x18FEF100, data=bytes(8), channel=1),
    python_can.Message(timestamp=2.0, arbitration_id=0x7FF, is_extended_id=False, data=b"", channel=1, is_rx=False),
    python_can.Message(
        timestamp=2.5, arbitration_id=0x10, is_extended_id=False, is_fd=True, bitrate_switch=True,
        data=bytes(range(64)), channel=1,
    ),
    python_can.Message(
        timestamp=3.0, arbitration_id=0x11, is_extended_id=False, is_remote_frame=True, dlc=4, channel=1
    ),
]  # fmt: skip


@pytest.mark.parametrize("ending", [".log", ".asc", ".blf", ".csv", ".db", ".mf4"])
def test_logs_of_python_can_have_the_frames_that_it_reads(ending: str, tmp_path: Path) -> None:
    if ending == ".mf4":
        pytest.importorskip("asammdf")
    path = tmp_path / f"drive{ending}"
    # Its CSV and its database have no marks of CAN FD.
    written = [one for one in MESSAGES if not (one.is_fd and ending in (".csv", ".db"))]
    writer = (
        python_can.MF4Writer(path, database=None) if ending == ".mf4" else python_can.Logger(path)
    )
    with writer as log:
        for message in written:
            log.on_message_received(message)
    frames = can.read_log(path)
    with python_can.LogReader(path) as reader:
        theirs = list(reader)
    assert len(frames) == len(theirs) == len(written)
    assert frames.column("id") == [one.arbitration_id for one in theirs]
    assert frames.column("data") == [bytes(one.data) for one in theirs]
    assert frames.column("extended") == [one.is_extended_id for one in theirs]
    assert frames.column("remote") == [one.is_remote_frame for one in theirs]
    assert frames.column("fd") == [one.is_fd for one in theirs]
    assert frames.column("dlc")[0] == 2


def test_logs_are_tables_of_every_library() -> None:
    frames = can.read_log(LOG)
    polar, panda = frames.to_polars(), frames.to_pandas()
    assert len(frames) == polar.height == len(panda) == 2000 or len(frames) > 100
    assert polar["id"].to_list() == frames.column("id") == panda["id"].tolist()
    assert panda["time_ns"].dtype == "uint64" and panda["extended"].dtype == "bool"
    assert set(frames.column("direction")) <= {"rx", "tx", None}
    assert frames.to_dict()["data"] == polar["data"].to_list()
    assert polars.DataFrame(can.open_log(LOG, batch=7)).equals(polar)
    with pytest.raises(KeyError, match="time_ns"):
        frames.column("time")


def test_batches_are_the_whole_log() -> None:
    whole = can.read_log(LOG)
    tables = list(can.open_log(LOG, batch=100))
    assert sum(map(len, tables)) == len(whole) and max(map(len, tables)) == 100
    assert [id for table in tables for id in table.column("id")] == whole.column("id")
    some = can.read_log(LOG, channel=whole.column("channel")[0])
    assert 0 < len(some) <= len(whole)


def test_damage_is_a_warning_or_an_error(tmp_path: Path) -> None:
    path = tmp_path / "damaged.log"
    path.write_text("(1.0) can0 123#11\n(1.1) can0 12x#11\n(1.2) can0 123#22\n")
    with pytest.warns(UserWarning, match="skipped 1 damaged line"):
        assert len(can.read_log(path)) == 2
    with pytest.warns(UserWarning, match="skipped 1 damaged line"):
        assert sum(map(len, can.open_log(path, batch=1))) == 2
    with pytest.raises(LogError, match="damaged.log:line 2|damaged.log:2") as caught:
        can.read_log(path, strict=True)
    assert caught.value.place and caught.value.remedy
    for content, text in ((b"", "empty|no byte|nothing"), (b"PK\3\4" * 9, "format"), (b"\n\n", "log")):
        path.write_bytes(content)
        with pytest.raises(LogError, match=text):
            can.read_log(path)
    for missing in (tmp_path / "none.log", tmp_path):
        with pytest.raises(LogError, match=str(missing)):
            can.read_log(missing)


@needs_command
def test_load_is_the_document_of_the_command() -> None:
    load = can.load(LOG, bitrate="500k")
    assert load.json() == command("bus", "load", LOG, "--bitrate", "500k", "--format", "json")
    assert load.report["frames"] == load.frames == len(can.read_log(LOG))
    assert sum(load.ids.column("frames")) == load.frames
    assert can.load(LOG, bitrate=500_000).json() == load.json()


def test_load_that_no_bus_carries_is_an_error() -> None:
    with pytest.raises(LogError, match="no bus carries more than 100 %") as caught:
        can.load(LOG, bitrate=5000)
    assert "bitrate" in (caught.value.remedy or "")
    with pytest.raises(LogError, match="no frame on channel"):
        can.load(LOG, bitrate="500k", channel="none")


@needs_command
@pytest.mark.parametrize("frame", ["123#1122", "18FEF100##1AABB", "123#R4", "7FF#"])
def test_bits_are_the_document_of_the_command(frame: str) -> None:
    bits = can.bits(frame)
    assert bits.json() == command("bus", "bits", frame, "--format", "json")
    assert len(bits) == len(bits.table) == len(bits.report["bits"])


def test_bits_of_messages_of_python_can() -> None:
    assert can.bits(MESSAGES[0]).json() == can.bits("123#0102").json()
    assert can.bits(MESSAGES[1]).json() == can.bits("18FEF100#0000000000000000").json()
    assert can.bits(MESSAGES[3]).json() == can.bits(f"010##1{bytes(range(64)).hex()}").json()
    assert can.bits(MESSAGES[4]).json() == can.bits("011#R4").json()


@needs_command
def test_protected_log_is_judged_as_by_the_command(tmp_path: Path) -> None:
    log = str(tmp_path / "protected.log")
    command("auth", "protect", LOG, "--config", "examples/auth.toml", "-o", log)
    check = can.check_log(log, config="examples/auth.toml", verdicts=True)
    printed = command("auth", "check", log, "--config", "examples/auth.toml", "--format", "json")
    assert check and check.json() == printed
    assert check.verdicts is not None and set(check.verdicts.column("verdict")) == {"authentic"}
    lines = Path(log).read_text().splitlines()
    tampered = tmp_path / "tampered.log"
    changed = lines[500].replace("#", "#", 1)
    frame = changed.split("#")[-1]
    lines[500] = changed.replace(frame, ("0" if frame[1] != "0" else "1") + frame[1:])
    digits = list(lines[500])
    at = lines[500].rindex("#") + 4
    digits[at] = "0" if digits[at] != "0" else "1"
    tampered.write_text("\n".join([*lines[:500], "".join(digits), *lines[501:]]) + "\n")
    found = can.check_log(tampered, config="examples/auth.toml")
    assert not found and found.report["refused"] >= 1
    assert found.verdicts is None


@needs_command
@pytest.mark.parametrize("source", ["examples/matrix.dbc", "examples/system.arxml"])
def test_imported_database_is_that_of_the_command(source: str) -> None:
    text = can.import_matrix(source, assume="100ms")
    assert text == command("bus", "import", source, "--assume", "100ms")
    assert Vehicle(text).run(duration=0.1).report["streams"]


def tables(text: str) -> dict[str, Any]:
    """Returns the tables of a vehicle file, without the orders that a database has none of."""
    vehicle = tomllib.loads(text)
    for stream in vehicle["stream"]:
        stream["receivers"] = sorted(stream.get("receivers", []))
    for kind in ("ecu", "stream"):
        vehicle[kind] = sorted(vehicle[kind], key=lambda one: str(one["name"]))
    return vehicle


def databases() -> list[Path]:
    corpus = os.environ.get("WAYWARDEN_CORPUS", "")
    found = sorted(Path(corpus).glob("can/dbc/*.dbc")) if corpus else []
    return [ROOT / "examples/matrix.dbc", *found]


@pytest.mark.parametrize("path", databases(), ids=lambda path: path.stem)
def test_database_of_cantools_is_its_file(path: Path) -> None:
    db = cantools.database.load_file(path, strict=False, sort_signals=None)
    before = db.as_dbc_string()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = can.import_database(db, name=path.stem, assume="100ms")
        theirs = can.import_matrix(path, assume="100ms")
    assert tables(ours) == tables(theirs)
    assert db.as_dbc_string() == before
    if path.stem == "matrix":
        assert ours == theirs
        assert Vehicle(ours).run(duration=0.1).report["streams"]


@pytest.mark.parametrize("ending", ["kcd", "sym", "arxml"])
def test_database_of_cantools_of_any_format_has_the_messages(ending: str, tmp_path: Path) -> None:
    path = ROOT / "examples/system.arxml"
    if ending != "arxml":
        db = cantools.database.load_file(ROOT / "examples/matrix.dbc")
        path = tmp_path / f"matrix.{ending}"
        path.write_text(getattr(db, f"as_{ending}_string")())
    db = cantools.database.load_file(path, strict=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = can.import_database(db, assume="100ms", name="car")
    vehicle = tomllib.loads(text)
    ours = {one["id"]: one for one in vehicle["stream"]}
    assert len(ours) == len(db.messages) == len(vehicle["stream"])
    assert {one.bus_name for one in db.messages} - {None} <= {one["name"] for one in vehicle["bus"]}
    for message in db.messages:
        stream = ours[message.frame_id]
        assert stream["length"] == message.length
        assert (stream.get("format") == "fd") == message.is_fd, message.name
        if message.cycle_time:
            assert stream["period"].startswith(str(message.cycle_time))
        if message.senders:
            assert stream["sender"] in message.senders
        assert set(message.receivers) <= {*stream["receivers"], *message.senders}
    assert Vehicle(text).check() is not None


def test_database_needs_one_of_cantools() -> None:
    for odd in (None, "car.dbc", 7, object()):
        with pytest.raises(TypeError, match="cantools"):
            can.import_database(odd)
    empty = cantools.database.can.Database()
    with pytest.raises(LogError, match="no message"):
        can.import_database(empty)


def test_identifiers_choose_the_channel_of_a_log(tmp_path: Path) -> None:
    db = cantools.database.load_file("examples/matrix.dbc")
    known = [one.frame_id for one in db.messages if not one.is_extended_frame][:2]
    log = tmp_path / "two.log"
    lines = [f"({at / 100:.3f}) can{channel} {number:03X}#00" for at in range(9)
             for channel, number in ((0, 0x7A0), (1, known[0]), (1, known[1]))]  # fmt: skip
    log.write_text("\n".join(lines) + "\n")
    with pytest.warns(UserWarning, match="channel can1 is taken"):
        chosen = can.import_matrix("examples/matrix.dbc", log=log, assume="1s")
    assert chosen == can.import_matrix("examples/matrix.dbc", log=log, channel="can1", assume="1s")
    with pytest.raises(LogError, match="can2.*can0"):
        can.import_matrix("examples/matrix.dbc", log=log, channel="can2", assume="1s")


@needs_command
@pytest.mark.parametrize("ending", ["log", "asc", "blf", "trc", "csv", "pcapng", "mf4"])
def test_converted_log_is_that_of_the_command(ending: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        records = can.convert(LOG, ours)
    command("bus", "convert", LOG, str(theirs))
    assert ours.read_bytes() == theirs.read_bytes()
    assert records == len(can.read_log(ours))
    assert [one.name for one in sorted(tmp_path.iterdir())] == [ours.name, theirs.name]


def test_conversion_that_fails_leaves_the_target(tmp_path: Path) -> None:
    target, damaged = tmp_path / "kept.asc", tmp_path / "damaged.log"
    target.write_text("kept")
    damaged.write_text("(1.0) can0 123#11\n(1.1) can0 12x#11\n")
    with pytest.raises(LogError):
        can.convert(damaged, target, strict=True)
    assert target.read_text() == "kept" and len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ParameterError, match="ending"):
        can.convert(LOG, tmp_path / "some.txt")
    with pytest.raises(LogError):
        can.convert(LOG, tmp_path / "none" / "some.log")


def test_imports_that_come_to_no_vehicle_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "some.dbc"
    for content in (b"", b"BO_ x", b"\xff\xfe\0", b"<a><b/></a>", b"[[[" * 1000):
        path.write_bytes(content)
        with pytest.raises(LogError):
            can.import_matrix(path)
    with pytest.raises(LogError, match="none.dbc"):
        can.import_matrix(tmp_path / "none.dbc")


def test_check_needs_one_source_of_keys() -> None:
    both = {"config": "examples/auth.toml", "vehicle": "examples/minimal.toml"}
    cases: list[dict[str, Any]] = [{}, both]
    for arguments in cases:
        with pytest.raises(ParameterError):
            can.check_log(LOG, **arguments)
    with pytest.raises(VehicleError, match="none.toml"):
        can.check_log(LOG, config="none.toml")
    with pytest.raises(ParameterError, match="epoch"):
        can.check_log(LOG, config="examples/auth.toml", epoch=0)


def many(path: Path, frames: int) -> Path:
    with path.open("w") as log:
        for at in range(frames):
            log.write(f"({at / 4000:.6f}) can0 {at % 0x7FF:03X}#{at:016X}\n")
    return path


def test_many_frames_are_those_of_python_can(tmp_path: Path) -> None:
    path = many(tmp_path / "long.log", 200_000)
    frames = can.read_log(path)
    with python_can.LogReader(path) as reader:
        theirs = sum(1 for _ in reader)
    assert len(frames) == theirs == 200_000


def test_ctrl_c_stops_reading(tmp_path: Path) -> None:
    path = many(tmp_path / "long.log", 300_000)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:
            can.load(path, bitrate="1M")


ODD: list[Any] = [
    None, True, -1, 0, 2**32, 2**64, 10**400, 1.5, float("nan"), float("inf"), "", "\0", "\udc80",
    "x" * 100_000, b"", b"\0" * 9, [], {}, {"a": 1}, {"a": "b"}, (), object(), int, print, "10s",
    "/dev/null", "/", Path(LOG), MESSAGES[0], "123#", "123##F" + "00" * 65, "#", "FFFFFFFF#",
]  # fmt: skip


def test_hostile_arguments_raise_and_nothing_else() -> None:
    calls: list[Callable[[Any], object]] = [
        lambda odd: can.read_log(odd),
        lambda odd: can.read_log(LOG, channel=odd),
        lambda odd: can.read_log(LOG, progress=odd),
        lambda odd: can.open_log(LOG, batch=odd),
        lambda odd: can.load(LOG, bitrate=odd),
        lambda odd: can.load(LOG, bitrate="500k", data_bitrate=odd),
        lambda odd: can.load(LOG, bitrate="500k", sample_point=odd),
        lambda odd: can.bits(odd),
        lambda odd: can.bits("123#", bitrate=odd),
        lambda odd: can.check_log(LOG, config=odd),
        lambda odd: can.check_log(LOG, vehicle=odd),
        lambda odd: can.check_log(LOG, config="examples/auth.toml", epoch=odd),
        lambda odd: can.check_log(LOG, config="examples/auth.toml", counters=odd),
        lambda odd: can.check_log(LOG, vehicle="examples/vulcan-bench.toml", channels=odd),
        lambda odd: can.check_log(LOG, config="examples/auth.toml", matrix=odd),
        lambda odd: can.convert(odd, "target/python/odd.log"),
        lambda odd: can.convert("none.log", odd),
        lambda odd: can.convert(LOG, "target/python/odd.log", to=odd),
        lambda odd: can.import_matrix(odd),
        lambda odd: can.import_matrix("examples/matrix.dbc", assume=odd),
        lambda odd: can.import_matrix("examples/matrix.dbc", bus=odd),
        lambda odd: can.import_matrix("examples/matrix.dbc", board=odd),
        lambda odd: can.import_matrix("examples/matrix.dbc", log=odd),
    ]
    for call in calls:
        for odd in ODD:
            try:
                call(odd)
            except Exception as error:  # a panic is no Exception: PanicException is a BaseException
                assert "panic" not in type(error).__name__.lower()
