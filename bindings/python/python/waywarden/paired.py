"""vatiCAN and LeiA, with their defects closed: messages whose code travels in a second frame.

A message keeps its frame as it was, so that receivers without keys go on as before. A receiver that
starts asks its sender where the stream stands, and takes nothing before the answer::

    from waywarden.paired import Receiver, Sender, Stream

    stream = Stream(0x120, form="vatican", key=bytes(range(16)))
    sender = Sender(stream, retain=None)
    receiver = Receiver(stream, ask_id=0x700)

    sender.receive(receiver.outgoing())                 # the question
    while (answer := sender.outgoing()) is not None:    # two frames
        receiver.accept(answer)
    message, code = sender.protect(b"40 %")
    receiver.accept(message)
    assert receiver.accept(code).payload == b"40 %"

The protocols as published, with their weaknesses, run in the lab: see ``waywarden.vehicle``.
"""

from __future__ import annotations

from . import _native

Receiver = _native.paired.Receiver
Sender = _native.paired.Sender
Stream = _native.paired.Stream

__all__ = ["Receiver", "Sender", "Stream"]
