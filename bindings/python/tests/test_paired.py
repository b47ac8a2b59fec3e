"""Module waywarden.paired: an exchange, a replay, a reset, hostile arguments."""

import random

import pytest

from waywarden import errors
from waywarden.paired import Receiver, Sender, Stream
from waywarden.secoc import FileStore, Frame

KEY = bytes(range(16))
FORMS = ["vatican", "leia"]
MACS = ["aes-cmac", "hmac-sha256", "siphash", "spongent"]


def synchronised(sender, receiver, now):
    question = receiver.outgoing(now)
    assert sender.receive(question)
    codes = []
    while (answer := sender.outgoing(now)) is not None:
        outcome = receiver.accept(answer, now)
        codes.append(None if outcome is None else outcome.code)
    assert codes[-1] == "resynced" and receiver.is_synchronised
    return codes


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mac", MACS)
def test_a_message_is_authentic_once(form, mac):
    stream = Stream(0x120, form=form, key=KEY, mac=mac)
    sender, receiver = Sender(stream, retain=None), Receiver(stream, ask_id=0x700)
    assert not receiver.is_synchronised
    synchronised(sender, receiver, 1.0)
    message, code = sender.protect(b"40 %")
    assert message.data == b"40 %"
    assert receiver.accept(message, 1.001) is None
    outcome = receiver.accept(code, 1.002)
    assert outcome and outcome.payload == b"40 %"
    receiver.accept(message, 1.003)
    assert not receiver.accept(code, 1.004)


@pytest.mark.parametrize("form", FORMS)
def test_what_was_sent_before_a_reset_is_never_taken_again(form, tmp_path):
    stream, recorded = Stream(0x120, form=form, key=KEY), []
    for boot in range(1, 4):
        sender = Sender(stream, retain=FileStore(tmp_path / "epoch"))
        receiver = Receiver(stream, ask_id=0x700)
        synchronised(sender, receiver, boot)
        frames = sender.protect(b"40 %")
        assert [bool(receiver.accept(frame, boot)) for frame in [*recorded, *frames]][-1]
        assert not any(receiver.accept(frame, boot) for frame in recorded)
        recorded += frames
        assert FileStore(tmp_path / "epoch").read() == boot


def test_a_code_that_does_not_come_is_missing():
    stream = Stream(0x120, form="vatican", key=KEY)
    sender, receiver = Sender(stream, retain=None), Receiver(stream, ask_id=0x700)
    synchronised(sender, receiver, 1.0)
    receiver.accept(sender.protect(b"40 %")[0], 2.0)
    assert receiver.expire(2.01) is None
    assert receiver.expire(2.03).code == "missing"


@pytest.mark.parametrize(
    "changed",
    [{"arbitration_id": 0x121}, {"arbitration_id": 0x800}, {"form": "can"}, {"mac": "md5"}, {"key": b""}],
)
def test_a_parameter_out_of_range_is_named(changed):
    with pytest.raises(errors.ParameterError) as refused:
        Stream(**{"arbitration_id": 0x120, "form": "vatican", "key": KEY, **changed})
    assert refused.value.place in changed and refused.value.remedy


def test_the_last_epoch_is_refused():
    stream = Stream(0x120, form="leia", key=KEY)
    with pytest.raises(errors.RefusedError, match="another key"):
        Sender(stream, retain=None, retained=2**32 - 1)


def test_hostile_frames_are_refused():
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    for form in FORMS:
        stream = Stream(0x120, form=form, key=KEY)
        sender, receiver = Sender(stream, retain=None), Receiver(stream, ask_id=0x700)
        synchronised(sender, receiver, 1.0)
        for number in range(2000):
            extended = chance.random() < 0.5
            raw = 0x120 << 18 | chance.randrange(1 << 18) if extended else chance.choice([0x120, 0x121])
            frame = Frame(raw, chance.randbytes(chance.randrange(9)), is_extended_id=extended)
            now = 1 + number / 1000
            assert not receiver.accept(frame, now), f"seed {seed}, frame {number}"
            sender.receive(frame)
            receiver.expire(now)
