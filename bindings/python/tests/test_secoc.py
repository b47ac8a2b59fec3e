"""Module waywarden.secoc: known answers, round trips, resets, hostile frames and arguments."""

import itertools
import random

import can
import pytest
from cantools.autosar import secoc as peer

from waywarden import errors
from waywarden.secoc import (
    Announcements,
    Cmac,
    FileStore,
    Frame,
    FreshnessFollower,
    FreshnessMaster,
    Profile,
    Receiver,
    Sender,
    Stream,
)

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")


def stream(profile="autosar-1", **changed):
    return Stream(0x120, **{"profile": profile, "key": KEY, "length": 4, **changed})


def test_cmac_of_rfc_4493():
    cmac = Cmac(KEY)
    assert cmac.tag(b"").hex() == "bb1d6929e95937287fa37d129b756746"
    message = bytes.fromhex("6bc1bee22e409f96e93d7e117393172a")
    assert cmac.tag(message).hex() == "070a16b46b4d4144f79bdd9dd04a287c"
    assert cmac.verify(message, bytes.fromhex("070a16"))
    assert not cmac.verify(message, bytes.fromhex("070a17"))
    assert cmac.verify(message, bytes.fromhex("070a17"), bits=23)


@pytest.mark.parametrize("bits", [0, 7, 25, 129, -1, 2**70])
def test_a_code_is_compared_by_bits_that_it_has(bits):
    with pytest.raises((errors.ParameterError, OverflowError)):
        Cmac(KEY).verify(b"", bytes(3), bits)


@pytest.mark.parametrize("changed", [{}, {"cryptographic_id": 0x121}, {"is_fd": True}])
def test_a_message_is_authentic_once(changed):
    sent = stream(**changed)
    sender, receiver = Sender(sent, retain=None), Receiver(sent, retain=None)
    frames = sender.protect(b"40 %")
    assert len(frames) == 1 + ("cryptographic_id" in changed)
    outcomes = [receiver.accept(frame, now=1.0) for frame in frames]
    assert outcomes[-1] and outcomes[-1].payload == b"40 %"
    assert outcomes[-1].arbitration_id == 0x120
    again = [receiver.accept(frame, now=1.001) for frame in frames][-1]
    # The bits that travel could be those of a counter ahead, so the code decides.
    assert not again and again.code == "wrong-tag"


def test_a_changed_bit_is_refused():
    sent = stream()
    (frame,) = Sender(sent, retain=None).protect(b"40 %")
    receiver = Receiver(sent, retain=None)
    for bit in range(64):
        data = bytearray(frame.data)
        data[bit // 8] ^= 0x80 >> bit % 8
        outcome = receiver.accept(Frame(0x120, data))
        assert outcome.code in ("wrong-tag", "replay"), bit
    assert receiver.accept(frame)


def test_extended_identifiers_and_the_messages_of_python_can():
    sent = Stream(0x18FF1234, profile="autosar-1", key=KEY, length=4, is_extended_id=True, data_id=7)
    (frame,) = Sender(sent, retain=None).protect(bytearray(b"1234"))
    message = frame.to_can()
    assert isinstance(message, can.Message) and message.is_extended_id
    outcome = Receiver(sent, retain=None).accept(message)
    assert outcome.payload == b"1234" and outcome.arbitration_id == 0x18FF1234
    short = can.Message(arbitration_id=0x123, is_extended_id=False, data=b"")
    assert Receiver(sent, retain=None).accept(short) is None


def test_counters_survive_a_reset(tmp_path):
    sent, recorded = stream(), []
    for boot in range(5):
        sender = Sender(sent, retain=FileStore(tmp_path / "sender"))
        receiver = Receiver(sent, retain=FileStore(tmp_path / "receiver"))
        for old in recorded:
            assert not receiver.accept(old), boot
        outcomes = []
        for number in range(40):
            (frame,) = sender.protect(bytes([boot, number, 0, 0]))
            recorded.append(frame)
            outcomes.append(bool(receiver.accept(frame)))
        # The marks of both ends are at most 32 counters apart.
        assert all(outcomes[33:]), (boot, outcomes)
        assert boot > 0 or all(outcomes)


def test_nothing_is_sent_that_is_not_retained():
    def fails(value):
        raise OSError("no space")

    sent = stream()
    with pytest.raises(OSError, match="no space"):
        Sender(sent, retain=fails).protect(b"40 %")
    kept = []
    sender = Sender(sent, retain=kept.append)
    sender.protect(b"40 %")
    assert kept and kept[0] >= 1
    with pytest.raises(errors.InputError):
        raise errors.ParameterError("the tree")


def test_a_file_without_a_counter_is_no_zero(tmp_path):
    (tmp_path / "counter").write_text("")
    with pytest.raises(errors.InputError, match="fresh key"):
        Sender(stream(), retain=FileStore(tmp_path / "counter"))


@pytest.mark.parametrize("profile", ["production", "jaspar", "autosar-2-synchronised"])
def test_a_freshness_master_is_followed(profile, tmp_path):
    form = Announcements(profile=profile, key=KEY[::-1])
    sent = stream(profile)
    recorded = []
    for trip in range(1, 4):
        master = FreshnessMaster(form, retain=FileStore(tmp_path / "trip"), cycle=0.1)
        follower = FreshnessFollower(form, retain=FileStore(tmp_path / "epoch"), resets_ahead=4)
        sender = Sender(sent, retain=None, freshness=master)
        receiver = Receiver(sent, retain=None, freshness=follower)
        with pytest.raises(errors.RefusedError) as refused:
            sender.protect(b"40 %")
        assert refused.value.code == "unsynchronised"
        for reset in range(1, 4):
            announced = master.announce(now=trip + 0.1 * reset)
            assert follower.accept(announced).code == "resynced"
            assert follower.latest == (trip, reset)
            (frame,) = sender.protect(b"40 %")
            assert receiver.accept(frame), (trip, reset)
            recorded.append(frame)
        assert not any(receiver.accept(old) for old in recorded)
        assert master.announce(now=trip + 0.31) is None


def test_a_profile_that_needs_a_master_says_so():
    with pytest.raises(errors.ParameterError, match="FreshnessFollower"):
        Sender(stream("production"), retain=None)


def test_a_missing_cryptographic_pdu_expires():
    sent = stream(cryptographic_id=0x7FF)
    authentic, _ = Sender(sent, retain=None).protect(b"40 %")
    receiver = Receiver(sent, retain=None)
    assert receiver.accept(authentic, now=1.0) is None
    assert receiver.next_deadline == pytest.approx(1.02)
    assert receiver.expire(now=1.01) is None
    assert receiver.expire(now=1.03).code == "missing"


def test_frames_equal_those_of_cantools():
    properties = type("Secoc", (), {})()
    properties.freshness_bit_length, properties.freshness_tx_bit_length = 64, 8
    properties.auth_tx_bit_length, properties.payload_length, properties.data_id = 24, 4, 0x120
    message = type("Message", (), {"name": "Speed"})()
    message.autosar = type("Autosar", (), {"secoc": properties})()
    sender = Sender(stream(), retain=None)
    for number in range(1, 40):
        payload = bytes([number, 2, 3, 4])
        (frame,) = sender.protect(payload)
        room = payload + bytes(4)
        assert peer.apply_authenticator(room, message, Cmac(KEY), number) == frame.data
        assert peer.verify_authenticator(bytearray(frame.data), message, Cmac(KEY), number)


def test_profiles_that_contradict_themselves():
    for widths in ({"mac_bits": 8}, {"mac_bits": 200}, {"mac_bits": 32, "trip": 8}):
        with pytest.raises(errors.ParameterError):
            Profile(**widths)
    found = Profile(mac_bits=8, message=16, freshness_bits=8, attempts=2, as_found=True)
    assert found.mac_bits == 8 and found.name is None
    assert Profile.named("production") == Profile.PRODUCTION
    assert Profile.PRODUCTION.name == "production"


HOSTILE = [None, -1, 0, 1, 2**64, 2**200, 1.5, float("nan"), float("inf"), "", "x" * 300, b"", b"\0" * 70,
           [], [1], [300], (1, 2), (9, 1), {}, object(), True, Frame(1, b"x"), stream()]


def test_hostile_arguments_raise_exceptions_only():
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    accepted = (errors.Error, TypeError, ValueError, OverflowError, AttributeError)
    names = ["arbitration_id", "profile", "key", "length", "data_id", "cryptographic_id", "secured",
             "padding", "is_fd", "is_extended_id"]
    sender, receiver = Sender(stream(), retain=None), Receiver(stream(), retain=None)
    calls = [
        lambda: Stream(**{name: chance.choice(HOSTILE) for name in names if chance.random() < 0.6}),
        lambda: Stream(**{"arbitration_id": 1, "profile": "autosar-1", "key": KEY, "length": 4,
                          chance.choice(names): chance.choice(HOSTILE)}),
        lambda: Frame(chance.choice(HOSTILE), chance.choice(HOSTILE)),
        lambda: Cmac(chance.choice(HOSTILE)),
        lambda: Cmac(KEY).verify(chance.choice(HOSTILE), chance.choice(HOSTILE), chance.choice(HOSTILE)),
        lambda: sender.protect(chance.choice(HOSTILE)),
        lambda: receiver.accept(chance.choice(HOSTILE), chance.choice(HOSTILE)),
        lambda: receiver.expire(chance.choice(HOSTILE)),
        lambda: Profile(mac_bits=chance.choice(HOSTILE), message=chance.choice(HOSTILE)),
        lambda: Profile.named(chance.choice(HOSTILE)),
        lambda: Announcements(profile=chance.choice(HOSTILE), key=chance.choice([KEY, *HOSTILE])),
        lambda: Sender(stream(), retain=chance.choice(HOSTILE), retained=chance.choice(HOSTILE)),
    ]
    for number, call in enumerate(itertools.islice(itertools.cycle(calls), 6000)):
        try:
            call()
        except accepted:
            pass
        except BaseException as other:
            raise AssertionError(f"seed {seed}, call {number}") from other
