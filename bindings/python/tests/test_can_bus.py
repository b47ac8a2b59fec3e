"""Module waywarden.can_bus: python-can on exact buses."""

import itertools
import pathlib
import random
import threading
import time

import can
import pytest

from waywarden import _native
from waywarden.can_bus import Bus

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def channel(request):
    return request.node.name


@pytest.fixture
def open_bus():
    """Opens buses, and shuts them down after the test."""
    opened = []

    def make(channel, **named):
        bus = can.Bus(interface="waywarden", channel=channel, **named)
        opened.append(bus)
        return bus

    yield make
    for bus in opened:
        bus.shutdown()


def message(number, data=b"", **named):
    return can.Message(arbitration_id=number, data=data, is_extended_id=False, **named)


def received(bus, timeout=0.1):
    return list(iter(lambda: bus.recv(timeout), None))


def test_the_factory_of_python_can_knows_the_interface(open_bus, channel):
    bus = open_bus(channel)
    assert isinstance(bus, Bus)
    assert bus.state is can.BusState.ACTIVE
    assert str(bus) == f"waywarden {channel}"
    assert bus.protocol == can.CanProtocol.CAN_20


def test_priority_decides_and_lost_arbitrations_are_counted(open_bus, channel):
    a, b, c = (open_bus(channel, clock="virtual") for _ in range(3))
    for number in reversed(range(10)):
        a.send(message(0x200 + number))
        b.send(message(0x100 + number))
    numbers = [one.arbitration_id for one in received(c)]
    assert numbers == [*range(0x100, 0x10A), *range(0x200, 0x20A)]
    # For each frame of b, one of a lost; then a had the bus for itself.
    assert (a.own_arbitrations_lost, b.own_arbitrations_lost) == (10, 0)
    assert c.arbitrations_lost == 10
    assert c.frames == 20


def bits_of(number, data):
    """Returns the bits of a classic data frame with an identifier of 11 bits, up to the last bit of
    end of frame: by the standard, and by no line of this package.
    """
    bits = f"0{number:011b}000{len(data):04b}" + "".join(f"{byte:08b}" for byte in data)
    crc = 0
    for bit in bits:
        crc = (crc << 1) ^ (0x4599 if (crc >> 14 & 1) != int(bit) else 0)
        crc &= 0x7FFF
    length, run, last = 0, 0, ""
    for bit in bits + f"{crc:015b}":
        run = run + 1 if bit == last else 1
        last, length = bit, length + 1
        if run == 5:
            length, run, last = length + 1, 1, "01"[bit == "0"]
    return length + 1 + 2 + 7


def test_the_virtual_clock_is_exact(open_bus, channel):
    a, b = (open_bus(channel, clock="virtual", bitrate=500_000) for _ in range(2))
    dice, began = random.Random(7), 0.0
    for _ in range(100):
        number, data = dice.randrange(0x800), dice.randbytes(dice.randrange(9))
        a.send(message(number, data))
        one = b.recv(1.0)
        bits = bits_of(number, data)
        # A receiver takes a frame one bit before the end.
        assert one.timestamp == pytest.approx(began + (bits - 1) * 2e-6, abs=1e-10)
        assert b.now == one.timestamp
        busy = b.statistics["busy"]
        assert b.recv(0.25) is None
        assert b.now == pytest.approx(one.timestamp + 0.25, abs=1e-9)
        assert b.statistics["busy"] - busy == pytest.approx((bits + 3) * 2e-6, abs=1e-10)
        began = b.now
    assert b.load == pytest.approx(b.statistics["busy"] / b.now)


def test_the_same_script_gives_the_same_timestamps(open_bus, channel):
    def run(seed):
        dice = random.Random(seed)
        buses = [can.Bus(interface="waywarden", channel=channel, clock="virtual") for _ in range(3)]
        seen = []
        for _ in range(200):
            sender = dice.choice(buses)
            sender.send(message(dice.randrange(0x7FF), dice.randbytes(dice.randrange(9))))
            if dice.random() < 0.5:
                one = dice.choice(buses).recv(dice.random() * 0.001)
                seen.append(None if one is None else (one.timestamp, one.arbitration_id))
        for bus in buses:
            bus.shutdown()
        return seen

    seed = random.randrange(1 << 32)
    print("seed", seed)
    assert run(seed) == run(seed)


def test_frames_of_all_kinds_arrive_whole(open_bus, channel):
    a, b = (open_bus(channel, clock="virtual", fd=True) for _ in range(2))
    assert a.protocol == can.CanProtocol.CAN_FD
    sent = [
        message(0x1, b"\x01"),
        can.Message(arbitration_id=0x1ABCDEF0, is_extended_id=True, data=b"12345678"),
        message(0x2, is_remote_frame=True, dlc=5),
        message(0x3, bytes(64), is_fd=True, bitrate_switch=True),
        message(0x4, bytes(12), is_fd=True),
    ]
    for one in sent:
        a.send(one)
        got = b.recv(1.0)
        assert got.equals(one, timestamp_delta=None, check_channel=False), got
        assert got.channel == channel


def test_brs_saves_bus_time(open_bus, channel):
    def busy(switch):
        bus, other = (open_bus(f"{channel}{switch}", clock="virtual", fd=True) for _ in range(2))
        bus.send(message(0x3, bytes(64), is_fd=True, bitrate_switch=switch))
        assert other.recv(1.0) is not None
        # A receiver takes a frame one bit before its sender knows that it was sent.
        assert other.recv(0.001) is None
        return other.statistics["busy"]

    assert busy(True) < 0.5 * busy(False)


def test_own_messages_come_back_if_wanted(open_bus, channel):
    a = open_bus(channel, clock="virtual", receive_own_messages=True)
    b = open_bus(channel, clock="virtual")
    a.send(message(0x10))
    assert a.recv(0.1).is_rx is False
    assert b.recv(0.1).is_rx is True
    b.send(message(0x11))
    assert b.recv(0.1) is None
    assert a.recv(0.1).is_rx is True


def test_filters_leave_messages_out(open_bus, channel):
    a = open_bus(channel, clock="virtual")
    b = open_bus(
        channel, clock="virtual", can_filters=[{"can_id": 0x100, "can_mask": 0x700}]
    )
    for number in (0x0FF, 0x100, 0x1FF, 0x200):
        a.send(message(number))
    assert [one.arbitration_id for one in received(b)] == [0x100, 0x1FF]


def test_a_bus_alone_sees_error_frames_and_becomes_passive(open_bus, channel):
    alone = open_bus(channel, clock="virtual")
    alone.send(message(0x123))
    first = alone.recv(1.0)
    assert first.is_error_frame
    assert first.arbitration_id & 0x20, "not acknowledged"
    for one in itertools.islice(iter(lambda: alone.recv(0.01), None), 100):
        if alone.state is can.BusState.PASSIVE:
            break
    assert alone.state is can.BusState.PASSIVE
    assert alone.error_counters == (128, 0)
    late = open_bus(channel, clock="virtual", error_frames=False)
    assert late.recv(0.1).arbitration_id == 0x123


def test_error_frames_can_be_left_out(open_bus, channel):
    alone = open_bus(channel, clock="virtual", error_frames=False)
    alone.send(message(0x123))
    assert alone.recv(0.01) is None
    assert alone.statistics["error_flags"] > 0


def test_an_error_frame_on_an_idle_bus_is_an_error_for_the_others(open_bus, channel):
    a = open_bus(channel, clock="virtual", receive_own_messages=True)
    b, c = (open_bus(channel, clock="virtual") for _ in range(2))
    assert a.recv(0.001) is None
    a.send(can.Message(is_error_frame=True))
    a.send(message(1))
    own, sent = a.recv(0.1), a.recv(0.1)
    assert own.is_error_frame and not own.is_rx
    assert sent.arbitration_id == 1 and not sent.is_rx
    for other in (b, c):
        error, heard = received(other)
        assert error.is_error_frame and error.is_rx
        assert error.arbitration_id & 0x08 and error.data[2] == 0x04, "a stuff error"
        # Five more bits of 2 us, and the sample point.
        assert error.timestamp - own.timestamp == pytest.approx(11.75e-6, abs=1e-9)
        assert heard.arbitration_id == 1
    # It signalled first: one for the error, eight for the dominant bit after its flag.
    assert a.error_counters == (0, 9)
    assert b.error_counters == (0, 0), "one, and one less for the message"
    assert a.statistics["error_flags"] == 3


def test_error_frames_destroy_messages_until_the_sender_is_off_the_bus(open_bus, channel):
    a, b, c, d = (open_bus(channel, clock="virtual", error_frames=False) for _ in range(4))
    a.send(message(1, b"\xaa" * 8))
    states = []
    for count in range(32):
        # The error frame before, and half of the message that is sent again.
        a.recv(160e-6)
        (b, c, d)[count % 3].send(can.Message(is_error_frame=True))
        a.recv(10e-6)
        states.append(a.state)
        assert a.error_counters == (8 * (count + 1), 0)
    active, passive = can.BusState.ACTIVE, can.BusState.PASSIVE
    assert states == [active] * 15 + [passive] * 16 + [can.BusState.ERROR]
    assert all(other.recv(0) is None for other in (b, c, d))
    with pytest.raises(can.CanOperationError, match="bus-off"):
        a.send(can.Message(is_error_frame=True))
    # 128 times 11 recessive bits of 2 us.
    assert a.recv(0.01) is None
    assert (a.state, a.error_counters) == (active, (0, 0))


def test_a_sender_of_error_frames_alone_becomes_passive(open_bus, channel):
    a, b = (open_bus(channel, clock="virtual", error_frames=False) for _ in range(2))
    for count in range(15):
        assert a.state is can.BusState.ACTIVE
        a.send(can.Message(is_error_frame=True))
        a.recv(0.001)
        assert a.error_counters == (0, 9 * (count + 1))
    assert a.state is can.BusState.PASSIVE
    # Its flags are recessive now, which the others do not see.
    before = b.error_counters
    a.send(can.Message(is_error_frame=True))
    a.recv(0.001)
    assert (b.error_counters, b.state) == (before, can.BusState.ACTIVE)


def test_error_frames_work_on_the_real_clock_from_threads(open_bus, channel):
    buses = [open_bus(channel) for _ in range(3)]
    heard = []

    def work(bus, first):
        # Identifiers of its own: of equal frames that start together no node is a receiver, none is
        # acknowledged, and passive senders repeat them for ever.
        for number in range(20):
            bus.send(message(first + number, is_error_frame=bool(number % 4 == 0)))
            heard.append(bus.recv(0.002))

    threads = [
        threading.Thread(target=work, args=(bus, 0x100 * place)) for place, bus in enumerate(buses)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    heard += received(buses[0], 0.2)
    assert any(one is not None and one.is_error_frame for one in heard)
    assert buses[0].frames == 45


def test_two_senders_of_one_identifier_go_bus_off(open_bus, channel):
    """Different data under one identifier destroy each other until one is off the bus."""
    a, b = (open_bus(channel, clock="virtual") for _ in range(2))
    states = set()
    for _ in range(3):
        a.send(message(0x100, b"\x00" * 8))
        b.send(message(0x100, b"\xff" * 8))
    for _ in range(400):
        a.recv(0.0005)
        b.recv(0.0)
        states |= {a.state, b.state}
    assert can.BusState.PASSIVE in states
    assert a.statistics["error_flags"] > 20


def test_a_bus_joins_late_and_leaves_early(open_bus, channel):
    a, b = (open_bus(channel, clock="virtual") for _ in range(2))
    a.send(message(1))
    assert b.recv(0.1) is not None
    late = open_bus(channel, clock="virtual")
    assert late.statistics["takes_part"]
    a.send(message(2))
    assert late.recv(0.1).arbitration_id == 2
    late.shutdown()
    late.shutdown()
    a.send(message(3))
    assert [one.arbitration_id for one in received(b)] == [2, 3]
    with pytest.raises(can.CanOperationError, match="shut down"):
        late.send(message(4))
    with pytest.raises(can.CanOperationError, match="shut down"):
        late.recv(0)


def test_what_was_sent_before_a_shutdown_arrives(open_bus, channel):
    b = open_bus(channel, clock="virtual")
    with can.Bus(interface="waywarden", channel=channel, clock="virtual") as a:
        for number in range(100):
            a.send(message(number))
    assert len(received(b)) == 100
    # It has left then: b is alone.
    b.send(message(1))
    assert b.recv(0.01).is_error_frame


def test_a_bus_alone_can_be_acknowledged(open_bus, channel):
    alone = open_bus(channel, clock="virtual", acknowledge=True, receive_own_messages=True)
    alone.send(message(1))
    assert not alone.recv(0.1).is_error_frame
    assert alone.recv(0.1) is None


def test_hundreds_of_buses_come_and_go(open_bus, channel):
    a, b = (open_bus(channel, clock="virtual") for _ in range(2))
    for number in range(300):
        with can.Bus(interface="waywarden", channel=channel, clock="virtual") as guest:
            guest.send(message(number))
            assert b.recv(0.1).arbitration_id == number
    a.send(message(0x7FF))
    assert b.recv(0.1).arbitration_id == 0x7FF


def test_a_notifier_and_periodic_messages_work_on_the_real_clock(open_bus, channel):
    a, b = (open_bus(channel) for _ in range(2))
    seen = []
    notifier = can.Notifier(b, [seen.append], timeout=0.05)
    task = a.send_periodic(message(0x42, b"\x01"), 0.01)
    time.sleep(0.3)
    task.stop()
    notifier.stop()
    assert 10 <= len(seen) <= 40
    assert abs(seen[0].timestamp - time.time()) < 2.0


def test_many_threads_receive_what_many_send(open_bus, channel):
    a, b = (open_bus(channel, bitrate=1_000_000) for _ in range(2))
    got, lock = [], threading.Lock()

    def receive():
        while (one := b.recv(1.0)) is not None:
            with lock:
                got.append(one.arbitration_id)

    def send(part):
        for number in range(part, 500, 10):
            a.send(message(number))

    threads = [threading.Thread(target=receive) for _ in range(20)]
    threads += [threading.Thread(target=send, args=(part,)) for part in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == list(range(500))


def test_a_scaled_clock_is_faster(open_bus, channel):
    a, b = (open_bus(channel, scale=100.0) for _ in range(2))
    a.send(message(1))
    first = b.recv(1.0)
    time.sleep(0.05)
    a.send(message(2))
    second = b.recv(1.0)
    assert 4.0 < second.timestamp - first.timestamp < 60.0


def test_channels_of_one_network_share_the_clock(open_bus, channel):
    named = {"clock": "virtual", "network": channel, "channels": ("front", "rear")}
    front, rear = open_bus("front", **named), open_bus("rear", **named)
    peer = open_bus("front", **named)
    front.send(message(1))
    assert peer.recv(0.1) is not None
    assert rear.now == front.now
    assert rear.recv(0.0) is None


def test_simulated_ecus_share_the_bus_with_python(open_bus):
    vehicle = ROOT / "examples/compact-car-secoc.toml"
    named = {"vehicle": vehicle, "clock": "virtual"}
    probe = None
    with pytest.raises(can.CanInitializationError, match="buses of this network: "):
        open_bus("nowhere", **named)
    buses = _buses(vehicle)
    probe = open_bus(buses[0], **named)
    messages = list(itertools.islice(iter(lambda: probe.recv(1.0), None), 200))
    assert len(messages) == 200
    stamps = [one.timestamp for one in messages]
    assert stamps == sorted(stamps)
    assert probe.load > 0.0
    probe.send(message(0x7F0, b"hello"))
    again = list(itertools.islice(iter(lambda: probe.recv(1.0), None), 50))
    assert len(again) == 50
    assert probe.statistics["waiting"] == 0


def test_a_vehicle_plays_its_log_back(open_bus, tmp_path):
    log = tmp_path / "drive.log"
    lines = [f"({number / 100:.6f}) can0 {0x100 + number:03X}#00" for number in range(20)]
    log.write_text("\n".join([*lines[:10], "damaged", *lines[10:]]) + "\n")
    vehicle = tmp_path / "car.toml"
    vehicle.write_text(
        """
vehicle = { name = "car" }
bus = [{ name = "main", bitrate = "500k" }]
ecu = [{ name = "one", ports = ["main"] }, { name = "two", ports = ["main"] }]
[[stream]]
name = "own"
id = 0x300
sender = "one"
receivers = ["two"]
period = "1s"
length = 1
[[replay]]
log = "drive.log"
channels = { can0 = "main" }
"""
    )
    with pytest.warns(UserWarning, match="drive.log"):
        bus = open_bus("main", vehicle=vehicle, clock="virtual")
    heard = [one for one in received(bus) if one.arbitration_id < 0x300]
    assert [one.arbitration_id for one in heard] == [0x100 + number for number in range(20)]
    gaps = [after.timestamp - before.timestamp for before, after in zip(heard, heard[1:])]
    assert gaps == pytest.approx([0.01] * 19, abs=1e-5)
    log.unlink()
    with pytest.raises(can.CanInitializationError, match="drive.log"):
        can.Bus(interface="waywarden", channel="main", vehicle=vehicle, network="other")


def _buses(vehicle):
    import tomllib

    return [bus["name"] for bus in tomllib.loads(vehicle.read_text())["bus"]]


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"bitrate": 0}, "bit"),
        ({"bitrate": -1}, None),
        ({"bitrate": 1 << 70}, None),
        ({"bitrate": "fast"}, None),
        ({"fd": True, "data_bitrate": 0}, "bit"),
        ({"clock": "sundial"}, "sundial"),
        ({"scale": 0.0}, "scale"),
        ({"scale": float("nan")}, "scale"),
        ({"clock": "virtual", "scale": 2.0}, "scale"),
        ({"queue": "stack"}, "stack"),
        ({"timing": 17}, "timing"),
        ({"vehicle": "/no/such/car.toml"}, "car.toml"),
        ({"seed": -1}, None),
    ],
)
def test_arguments_that_cannot_be_are_refused(channel, named, why):
    with pytest.raises(can.CanInitializationError, match=why):
        can.Bus(interface="waywarden", channel=channel, **named)


def test_a_second_bus_must_agree_with_the_first(open_bus, channel):
    open_bus(channel, bitrate=250_000)
    for named in ({"bitrate": 500_000}, {"fd": True}, {"clock": "virtual"}, {"scale": 3.0}):
        with pytest.raises(can.CanInitializationError, match="open|the bus"):
            can.Bus(interface="waywarden", channel=channel, **named)
    assert open_bus(channel).recv(0.0) is None


def test_messages_that_no_frame_carries_are_refused(open_bus, channel):
    bus = open_bus(channel, clock="virtual")
    with pytest.raises(can.CanOperationError, match="fd=True"):
        bus.send(message(1, bytes(12), is_fd=True))
    for hostile in (None, 7, "frame", object()):
        with pytest.raises(can.CanOperationError):
            bus.send(hostile)
    for timeout in (float("nan"), "soon", object()):
        with pytest.raises((can.CanOperationError, TypeError, ValueError)):
            bus._recv_internal(timeout)
    assert bus.recv(-1.0) is None
    assert bus.recv(float("-inf")) is None


def test_a_full_queue_times_out(open_bus, channel):
    bus = open_bus(channel, clock="virtual")
    for _ in range(1 << 16):
        bus.send(message(1))
    with pytest.raises(can.CanTimeoutError, match="65536"):
        bus.send(message(1), timeout=0.01)
    bus.flush_tx_buffer()
    bus.send(message(1))


def test_open_channels_are_detected(open_bus, channel):
    open_bus(channel)
    configs = can.detect_available_configs(interfaces=["waywarden"])
    assert {"interface": "waywarden", "channel": channel} in configs
    assert {"interface": "waywarden", "channel": "can0"} in configs


def test_hostile_arguments_raise_exceptions_and_nothing_else(channel):
    Network = _native.can_bus.Network

    seed = random.randrange(1 << 32)
    print("seed", seed)
    dice = random.Random(seed)
    values = [
        None, True, 0, 1, -1, 7, 1 << 32, 1 << 64, -(1 << 70), 0.5, -1e300, float("inf"),
        float("nan"), "", "real", "virtual", "can", "\0", "\U0001f697" * 100, b"", b"\xff" * 100,
        [], [()], ["can"], [("can", 500_000, None, None)], [("can", 1, 1, 1)], {}, object(),
        [("can", 500_000, 2_000_000, 800)], [("a", 1_000_000_000, 7, 65_535)], message(1), Network,
    ]  # fmt: skip
    network = Network([("can", 500_000, 2_000_000, None)], clock="virtual")
    mailbox = network.join("can")
    named = ["seed", "clock", "scale", "vehicle", "acknowledge", "name", "fifo", "hears_itself"]
    calls = [Network, network.join, mailbox.send, mailbox.receive, mailbox.flush]

    class Hostile:
        def __getattr__(self, name):
            value = dice.choice(values)
            if isinstance(value, int) and dice.random() < 0.1:
                raise RuntimeError(name)
            return value

    refused = 0
    for _ in range(10_000):
        call = dice.choice(calls)
        given = [dice.choice([*values, Hostile()]) for _ in range(dice.randrange(3))]
        also = {dice.choice(named): dice.choice(values) for _ in range(dice.randrange(2))}
        # Without a limit it waits for ever, as it says.
        if call == mailbox.receive and (not given or given[0] is None):
            given = [0.0]
        try:
            made = call(*given, **also)
            if call == network.join:
                made.leave()
        except Exception:  # a panic would be none
            refused += 1
    assert refused > 1_000
    mailbox.leave()
    mailbox.leave()
    with pytest.raises(Exception, match="shut down"):
        mailbox.send(message(1))
