"""Module waywarden.can_io: logs for python-can."""

import gzip
import io
import os
import pathlib
import random
import threading
import warnings

import can
import pytest
from can.io import logger, player

from waywarden import can as logs
from waywarden import can_io, errors

ROOT = pathlib.Path(__file__).resolve().parents[3]
FORMATS = ["candump", "asc", "blf", "trc", "csv", "pcapng", "mf4"]
START = 1_700_000_000.0


def recording(fd=True):
    """Returns messages of all kinds, a millisecond apart."""
    named = [
        dict(arbitration_id=0x123, is_extended_id=False, data=bytes(range(8)), channel="can0"),
        dict(arbitration_id=0x1ABCDEF0, data=b"\x01", channel="can1", is_rx=False),
        dict(arbitration_id=0x7FF, is_extended_id=False, channel="can0"),
        dict(arbitration_id=0x10, is_remote_frame=True, dlc=4, channel=3),
        dict(is_error_frame=True, arbitration_id=0x88, data=bytes([0, 0, 4, 0, 0, 0, 1, 2])),
        dict(arbitration_id=0x5, is_extended_id=False, data=b"\xff" * 3),
    ]
    if fd:
        named += [
            dict(arbitration_id=0x200, is_fd=True, bitrate_switch=True, data=bytes(64)),
            dict(arbitration_id=1, is_fd=True, error_state_indicator=True, data=bytes(12)),
            dict(arbitration_id=2, is_extended_id=False, is_fd=True, data=b""),
        ]
    return [
        can.Message(timestamp=START + number / 1000 + 1e-6, **one)
        for number, one in enumerate(named)
    ]


def kept(message, *without):
    """Returns the parts of a message that a log keeps."""
    channel = message.channel
    parts = {
        "timestamp": round(message.timestamp, 6),
        "id": message.arbitration_id,
        "extended": message.is_extended_id or message.is_error_frame,
        "remote": message.is_remote_frame,
        "error": message.is_error_frame,
        "fd": message.is_fd,
        "brs": message.bitrate_switch,
        "esi": message.error_state_indicator,
        "dlc": message.dlc,
        "data": bytes(message.data),
        "channel": "can0" if channel is None else channel,
        "rx": message.is_rx,
    }
    if isinstance(channel, int):
        parts["channel"] = f"can{channel}"
    if message.is_error_frame:
        parts["dlc"] = 8
    return {name: part for name, part in parts.items() if name not in without}


def write(path, messages, **named):
    with can.Logger(path, **named) as log:
        for message in messages:
            log(message)


def test_python_can_finds_the_formats_that_it_lacks(tmp_path):
    for ending in (".pcapng", ".candump"):
        path = tmp_path / f"drive{ending}"
        write(path, recording())
        with can.LogReader(path) as reader:
            assert isinstance(reader, can_io.Reader)
            read = list(reader)
        assert [kept(one) for one in read] == [kept(one) for one in recording()], ending
    for ending in (".pcapng", ".pcap", ".cap", ".crtd", ".candump"):
        assert player.MESSAGE_READERS[ending] is can_io.Reader
    assert logger.MESSAGE_WRITERS[".pcapng"] is can_io.PcapngWriter


def test_python_can_keeps_its_own_formats(tmp_path):
    write(tmp_path / "drive.asc", recording(fd=False))
    with can.LogReader(tmp_path / "drive.asc") as reader:
        assert isinstance(reader, can.ASCReader)


@pytest.mark.parametrize("ending", [".pcapng.gz", ".candump.gz"])
def test_gzip_works_as_for_the_formats_of_python_can(tmp_path, ending):
    path = tmp_path / f"drive{ending}"
    write(path, recording())
    assert gzip.open(path).read(1)
    with can.LogReader(path) as reader:
        read = [kept(one) for one in reader]
    assert read == [kept(one) for one in recording()]
    assert [kept(one) for one in can_io.Reader(path)] == read


@pytest.mark.parametrize("to", FORMATS)
def test_every_format_comes_back_as_it_was_written(tmp_path, to):
    path = tmp_path / "drive"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with can_io.Writer(path, to=to) as writer:
            for message in recording():
                writer(message)
    lost = {
        "asc": ["channel"],
        "blf": ["channel"],
        "trc": ["channel", "esi", "id", "data"],
        "csv": ["channel", "rx", "fd", "brs", "esi", "id", "data"],
        "mf4": ["channel"],
    }.get(to, [])
    wanted = [kept(one, *lost) for one in recording()]
    read = [kept(one, *lost) for one in can_io.Reader(path)]
    assert len(read) == len(wanted)
    for own, want in zip(read, wanted):
        if own["error"]:
            for part in ("id", "data", "dlc"):
                own.pop(part, None), want.pop(part, None)
        assert own == want
    if to in ("trc", "csv"):
        assert any("has no place" in str(one.message) for one in said)


@pytest.mark.parametrize("to", FORMATS)
def test_file_objects_are_written_and_read(to):
    file = io.BytesIO()
    file.close_really, file.close = file.close, lambda: None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with can_io.Writer(file, to=to) as writer:
            for message in recording(fd=False):
                writer(message)
    file.seek(0)
    read = [one.timestamp for one in can_io.Reader(file)]
    assert read == pytest.approx([one.timestamp for one in recording(fd=False)], abs=1e-5)


def test_readers_of_python_can_read_what_is_written(tmp_path):
    for to, ending in (("asc", ".asc"), ("blf", ".blf"), ("candump", ".log"), ("csv", ".csv")):
        path = tmp_path / f"drive{ending}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with can_io.Writer(path, to=to) as writer:
                for message in recording(fd=False)[:4]:
                    writer(message)
        with can.LogReader(path) as reader:
            read = list(reader)
        assert [one.arbitration_id for one in read] == [0x123, 0x1ABCDEF0, 0x7FF, 0x10], to


def test_every_log_of_the_examples_gives_the_messages_that_read_log_has():
    paths = sorted((ROOT / "examples").rglob("*.log"))
    assert paths
    for path in paths:
        try:
            table = logs.read_log(path)
        except errors.LogError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = list(can_io.Reader(path))
        assert [one.arbitration_id for one in read] == table.column("id")
        assert [bytes(one.data) for one in read] == table.column("data")
        times = [at / 1e9 for at in table.column("time_ns")]
        assert [one.timestamp for one in read] == times


def test_formats_without_an_ending_of_their_own_are_read_by_content(tmp_path):
    gvret = tmp_path / "savvy.csv"
    gvret.write_text(
        "Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n"
        "1000000,00000123,false,Rx,0,2,0A,0B,,,,,,,\n"
    )
    crtd = tmp_path / "ovms.crtd"
    crtd.write_text("1.000000 1R11 123 0A 0B\n")
    for path in (gvret, crtd):
        (message,) = can_io.Reader(path)
        assert (message.arbitration_id, bytes(message.data)) == (0x123, b"\x0a\x0b")
    assert [one.arbitration_id for one in can.LogReader(crtd)] == [0x123]
    before = dict(player.MESSAGE_READERS)
    try:
        can_io.prefer(".csv", ".MF4")
        assert [one.arbitration_id for one in can.LogReader(gvret)] == [0x123]
        mf4 = tmp_path / "drive.mf4"
        with can_io.Writer(mf4) as writer:
            writer(can.Message(arbitration_id=7, timestamp=START))
        assert [one.arbitration_id for one in can.LogReader(mf4)] == [7]
    finally:
        player.MESSAGE_READERS.clear()
        player.MESSAGE_READERS.update(before)
    for wrong in ("csv", ".", ""):
        with pytest.raises(ValueError, match="ending"):
            can_io.prefer(wrong)


def test_a_damaged_line_does_not_end_the_recording(tmp_path):
    path = tmp_path / "drive.candump"
    path.write_text("(1.0) can0 123#00\n(2.0) can0 garbage\n(3.0) can0 124#00\n")
    with pytest.warns(UserWarning, match="skipped 1 damaged line"):
        assert [one.arbitration_id for one in can.LogReader(path)] == [0x123, 0x124]
    with pytest.raises(errors.LogError, match="drive.candump:line 2"):
        list(can.LogReader(path, strict=True))
    path = tmp_path / "drive.pcapng"
    write(path, recording())
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    with pytest.warns(UserWarning, match="damaged"):
        assert len(list(can.LogReader(path))) == len(recording()) - 1


def test_an_empty_recording_has_no_message(tmp_path):
    path = tmp_path / "drive.pcapng"
    write(path, [])
    assert list(can.LogReader(path)) == []


def test_a_notifier_logs_a_bus_with_its_error_frames(tmp_path, request):
    path, named = tmp_path / "drive.pcapng", {"interface": "waywarden", "fd": True}
    with can.Bus(channel=request.node.name, **named) as a:
        with can.Bus(channel=request.node.name, **named) as b:
            log = can.Logger(path)
            notifier = can.Notifier(b, [log])
            a.send(can.Message(is_error_frame=True))
            a.send(can.Message(arbitration_id=5, is_fd=True, bitrate_switch=True, data=bytes(20)))
            while b.frames < 1:
                pass
            threading.Event().wait(0.2)
            notifier.stop()
            log.stop()
    error, message = can.LogReader(path)
    assert error.is_error_frame and error.arbitration_id & 0x08
    assert (message.arbitration_id, len(message.data), message.is_fd) == (5, 20, True)
    assert message.channel == request.node.name


def test_what_cannot_be_written_is_refused(tmp_path):
    path = tmp_path / "drive.pcapng"
    path.write_bytes(b"kept")
    with pytest.raises(ValueError, match="append"):
        can.Logger(path, append=True)
    with pytest.raises(errors.ParameterError, match="ending"):
        can_io.Writer(tmp_path / "drive.parquet")
    with pytest.raises(errors.ParameterError, match="no format"):
        can_io.Writer(path, to="parquet")
    assert path.read_bytes() == b"kept"
    with can.Logger(path) as log:
        for wrong in (
            dict(timestamp=-1.0),
            dict(timestamp=float("nan")),
            dict(channel=""),
            dict(channel="\N{AUTOMOBILE}"),
            dict(channel="x" * 65),
        ):
            with pytest.raises(errors.ParameterError):
                log(can.Message(**{"timestamp": START, **wrong}))
        log(can.Message(timestamp=START))
    with pytest.raises(errors.LogError, match="complete"):
        log(can.Message(timestamp=START))
    log.stop()
    assert len(list(can.LogReader(path))) == 1


def test_a_file_that_fails_tells_why():
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError("the disk is full")

    writer = can_io.Writer(Full(), to="pcapng")
    writer(can.Message(timestamp=START))
    with pytest.raises(errors.LogError, match="disk is full"):
        writer.stop()

    class Text(io.BytesIO):
        def read(self, size=-1):
            return "text"

    with pytest.raises(errors.ParameterError, match="binary"):
        can_io.Reader(Text())


def test_hostile_arguments_raise_exceptions_and_nothing_else(tmp_path):
    seed = int(os.environ.get("WAYWARDEN_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    dice = random.Random(seed)
    values = [
        None, True, 0, -1, 1 << 70, 0.5, float("inf"), "", "mf4", "\0", b"", b"\xff" * 90, [], {},
        object(), io.BytesIO(), io.BytesIO(b"junk"), io.StringIO("text"), can.Message(),
    ]  # fmt: skip

    class Hostile:
        def __getattr__(self, name):
            if dice.random() < 0.1:
                raise RuntimeError(name)
            value = dice.choice(values)
            return (lambda *args: value) if dice.random() < 0.5 else value

    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2_000):
            make = dice.choice([can_io.Reader, can_io.Writer])
            try:
                if make is can_io.Reader:
                    given = dice.choice([*values, Hostile()])
                    list(make(given, strict=dice.choice([True, False])))
                else:
                    file = dice.choice([Hostile(), io.BytesIO(), object()])
                    with make(file, to=dice.choice([*FORMATS, *values])) as writer:
                        writer(dice.choice([*values, Hostile()]))
            except Exception:  # a panic would be none
                refused += 1
    assert refused > 500
