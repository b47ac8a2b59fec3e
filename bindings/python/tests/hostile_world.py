"""Objects of the package and arguments that its functions take: what `test_hostile.py` starts from."""

from __future__ import annotations

import itertools
import pathlib
import subprocess
import sys
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

import can

from waywarden import can as logs
from waywarden import can_bus, paired, papers, secoc, sweep, traffic, v2x, vehicle

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
TRUST = EXAMPLES / "v2x/trust"
KEY = bytes(range(16))
#: A CAM by itself.
CAM = bytes.fromhex(
    "0202f37248b4ea00005a8ac678ce175997623022c6de3e239658ad00e0defe02c68a3f33f401ffba203fff945980"
)


class Call(NamedTuple):
    """Arguments that a function takes, of which some are replaced."""

    args: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    #: One call in place of so many.
    cost: int = 1


class World:
    """Objects whose methods are called, and arguments that functions take."""

    def __init__(self, folder: pathlib.Path, *, has_pki: bool = False) -> None:
        self.folder = folder
        self.text = (EXAMPLES / "minimal.toml").read_text(encoding="utf-8")
        self.car = vehicle.Vehicle(self.text)
        self.log = folder / "small.log"
        with open(EXAMPLES / "drive.log", encoding="utf-8") as file:
            self.log.write_text("".join(itertools.islice(file, 20)), encoding="utf-8")
        self.messages = list(itertools.islice(v2x.records(EXAMPLES / "v2x/messages.hex"), 3))
        self.data = self.messages[0].data
        self.run = self.car.run(duration="5ms", trace=True)
        self.channels = itertools.count()
        self.stream = secoc.Stream(0x120, profile="autosar-1", key=KEY, length=4)
        self.paired = paired.Stream(0x120, form="vatican", key=KEY)
        self.profile = secoc.Profile.PRODUCTION
        self.announcements = secoc.Announcements(profile=self.profile, key=KEY)
        self.row = sweep.Row("vehicle", "a", 1, "seed", 1.0)
        self.job = sweep.Job("vehicle", "a", str(EXAMPLES / "minimal.toml"), (), 1)
        self.bits = logs.bits("123#0011")
        self.pki: v2x.Pki | None = None
        if has_pki:
            for words in ("init --no-passphrase", "issue --name car"):
                verb, *options = words.split()
                command = [sys.executable, "-m", "waywarden", "--quiet", "pki", verb, folder / "pki", *options]
                subprocess.run(command, check=True, capture_output=True)
            self.pki = v2x.Pki(folder / "pki")

    def bus(self) -> can_bus.Bus:
        """Returns one of two buses of a channel of their own."""
        channel = f"hostile{next(self.channels)}"
        other = can_bus.Bus(channel, clock="virtual")
        bus = can_bus.Bus(channel, clock="virtual", acknowledge=False)
        bus.waywarden_peer = other  # type: ignore[attr-defined]
        return bus

    def synchronised(self) -> paired.Receiver:
        sender, receiver = self.paired_sender(), paired.Receiver(self.paired, ask_id=0x700)
        question = receiver.outgoing()
        assert question is not None and sender.receive(question)
        while (answer := sender.outgoing()) is not None:
            receiver.accept(answer)
        return receiver

    def paired_sender(self) -> paired.Sender:
        return paired.Sender(self.paired, retain=None)

    def objects(self) -> dict[str, Callable[[], Any]]:
        """Returns how an object of each class is made whose methods are called."""
        table, outcome = self.run.requirements, None
        for frame in secoc.Sender(self.stream, retain=None).protect(b"40 %"):
            outcome = secoc.Receiver(self.stream, retain=None).accept(frame)
        comparison = self.car.compare(authentication=["none"], attacks="file", duration="5ms")
        fit = self.car.fit(duration="5ms", profiles=["jaspar"], truncations=["32"])
        verdict = v2x.Verifier(TRUST, at="generation").verify(self.data)
        bounds, runs = self.car.bound(simulate=False), self.car.run(duration="1ms", seeds=1)
        load = logs.load(self.log, bitrate="500k")
        check = logs.check_log(self.log, config=EXAMPLES / "auth.toml")
        cells = papers.Cells("gke", [{"place": "Table I", "cell": "a"}])
        own: dict[str, Callable[[], Any]] = {}
        if (pki := self.pki) is not None:
            signer = pki.signer("car")
            own = {"v2x.Pki": lambda: pki, "v2x.Signer": lambda: signer}
        return own | {
            "can.Bits": lambda: self.bits,
            "can.Load": lambda: load,
            "can.LogCheck": lambda: check,
            "can.LogReader": lambda: logs.open_log(self.log),
            "can.Table": lambda: table,
            "can_bus.Bus": self.bus,
            "paired.Receiver": self.synchronised,
            "paired.Sender": self.paired_sender,
            "papers.Cells": lambda: cells,
            "secoc.Cmac": lambda: secoc.Cmac(KEY),
            "secoc.FileStore": lambda: secoc.FileStore(self.folder / "counter"),
            "secoc.Frame": lambda: secoc.Frame(0x120, b"12"),
            "secoc.FreshnessFollower": lambda: secoc.FreshnessFollower(self.announcements, retain=None),
            "secoc.FreshnessMaster": lambda: secoc.FreshnessMaster(self.announcements, retain=None),
            "secoc.Outcome": lambda: outcome,
            "secoc.Profile": lambda: self.profile,
            "secoc.Receiver": lambda: secoc.Receiver(self.stream, retain=None),
            "secoc.Sender": lambda: secoc.Sender(self.stream, retain=None),
            "sweep.Table": lambda: sweep.Table([self.row]),
            "traffic.Run": lambda: traffic.Run({"a": 1, "b": [2.0]}),
            "v2x.DecodedMessage": lambda: v2x.decode_message(CAM),
            "v2x.Record": lambda: self.messages[0],
            "v2x.Records": lambda: v2x.records(EXAMPLES / "v2x/messages.hex"),
            "v2x.Trust": lambda: v2x.Trust(TRUST),
            "v2x.Verdict": lambda: verdict,
            "v2x.Verifier": lambda: v2x.Verifier(TRUST, at="generation", messages=64, certificates=64),
            "vehicle.Bounds": lambda: bounds,
            "vehicle.Comparison": lambda: comparison,
            "vehicle.Fit": lambda: fit,
            "vehicle.Run": lambda: self.run,
            "vehicle.Runs": lambda: runs,
            "vehicle.Vehicle": lambda: self.car,
        }

    def valid(self) -> dict[str, Call]:
        """Returns arguments that functions take; those without an entry need none."""
        folder, matrix = self.folder, EXAMPLES / "matrix.dbc"
        frame = secoc.Frame(0x120, bytes(8))
        short = {"duration": "1ms"}
        ends = {"retain": None}
        of_pki = {
            "v2x.Pki.certificate": Call(("car",)),
            "v2x.Pki.chain": Call(("car",)),
            "v2x.Pki.signer": Call(("car",)),
            "v2x.Signer.sign": Call((b"12", "CAM")),
        }
        message = can.Message(arbitration_id=0x123, is_extended_id=False, data=b"12")
        return {
            "can.bits": Call(("123#0011",), {"bitrate": "500k"}),
            "can.check_log": Call((self.log,), {"config": EXAMPLES / "auth.toml"}),
            "can.convert": Call((self.log, folder / "out.asc")),
            "can.import_matrix": Call((matrix,), {"assume": "100ms"}, cost=10),
            "can.load": Call((self.log,), {"bitrate": "500k"}),
            "can.open_log": Call((self.log,)),
            "can.read_log": Call((self.log,)),
            "can.Table.column": Call(("metric",)),
            "can_bus.Bus": Call(("hostile",), {"clock": "virtual"}, cost=10),
            "can_bus.Bus.recv": Call((0.001,), cost=10),
            "can_bus.Bus.send": Call((message,), cost=10),
            "errors.*": Call(("message",)),
            "paired.Receiver": Call((self.paired,), {"ask_id": 0x700}),
            "paired.Receiver.accept": Call((frame, 1.0)),
            "paired.Sender": Call((self.paired,), ends),
            "paired.Sender.protect": Call((b"40 %",)),
            "paired.Sender.receive": Call((secoc.Frame(0x700, bytes(8)),)),
            "paired.Stream": Call((0x120,), {"form": "vatican", "key": KEY}),
            "papers.Cells": Call(("gke", [{"place": "Table I"}])),
            "papers.Cells.__getitem__": Call((0,)),
            "papers.Cells.at": Call(("Table I",)),
            "papers.Paper": Call(("gke", "title")),
            "papers.compare": Call(("gke",), {"simulate": False}, cost=5000),
            "papers.known": Call(cost=5000),
            "secoc.Announcements": Call((), {"profile": "production", "key": KEY}),
            "secoc.Cmac": Call((KEY,)),
            "secoc.Cmac.__call__": Call((None, b"12", 1)),
            "secoc.Cmac.tag": Call((b"12",)),
            "secoc.Cmac.verify": Call((b"12", bytes(16))),
            "secoc.FileStore": Call((folder / "counter",)),
            "secoc.FileStore.__call__": Call((1,), cost=100),
            "secoc.Frame": Call((0x120, b"12")),
            "secoc.FreshnessFollower": Call((self.announcements,), ends),
            "secoc.FreshnessFollower.accept": Call((frame,)),
            "secoc.FreshnessMaster": Call((self.announcements,), ends),
            "secoc.Profile": Call((), {"mac_bits": 24, "message": 32, "freshness_bits": 8}),
            "secoc.Profile.named": Call(("autosar-1",)),
            "secoc.Receiver": Call((self.stream,), ends),
            "secoc.Receiver.accept": Call((frame, 1.0)),
            "secoc.Sender": Call((self.stream,), ends),
            "secoc.Sender.protect": Call((b"40 %",)),
            "secoc.Stream": Call((0x120,), {"profile": "autosar-1", "key": KEY, "length": 4}),
            "sweep.Job": Call(tuple(self.job)),
            "sweep.Row": Call(tuple(self.row)),
            "sweep.Table": Call(([self.row],)),
            "sweep.Table.to_csv": Call((folder / "out.csv",)),
            "sweep.execute": Call((self.job,), cost=5000),
            "sweep.jobs": Call((), {"vehicles": {"a": "b"}, "seeds": [1]}),
            "sweep.run": Call((), {"vehicles": {"a": EXAMPLES / "minimal.toml"}, "seeds": [1]}, cost=5000),
            "traffic.Run": Call(({"a": 1},)),
            "traffic.run": Call((folder / "missing.csv",), cost=5000),
            "v2x.Pki": Call((folder / "pki",)),
            "v2x.Signer": Call((TRUST / "root.oer", folder / "noise")),
            "v2x.Signer.from_pki": Call((folder / "pki", "car")),
            **({} if self.pki is None else of_pki),
            "v2x.Trust": Call((TRUST,)),
            "v2x.Trust.load": Call((TRUST,)),
            "v2x.Verifier": Call((TRUST,), {"at": "generation", "messages": 64}),
            "v2x.Verifier.apply_crl": Call((b"\x80\x03\x00",)),
            "v2x.Verifier.verify": Call((self.data,)),
            "v2x.Verifier.verify_many": Call(([self.data],), {"threads": 1}),
            "v2x.decode_message": Call((CAM,), {"kind": "CAM"}),
            "v2x.decrypt": Call((self.data,), {"pre_shared_key": KEY}),
            "v2x.encode_message": Call(("CAM", v2x.decode_message(CAM).value)),
            "v2x.encrypt": Call((b"12",), {"pre_shared_key": KEY, "payload": True}),
            "v2x.inspect": Call((self.data,)),
            "v2x.records": Call((EXAMPLES / "v2x/messages.hex",)),
            "vehicle.Run.show": Call((), {"height": 800}),
            "vehicle.Run.table": Call(("streams",)),
            "vehicle.Vehicle": Call((tomllib.loads(self.text),)),
            "vehicle.Vehicle.bound": Call((), {"simulate": False}, cost=10),
            "vehicle.Vehicle.compare": Call((), {"authentication": ["none"], "attacks": "file", **short}, cost=100),
            "vehicle.Vehicle.fit": Call((), {"profiles": ["jaspar"], "truncations": ["32"], **short}, cost=100),
            "vehicle.Vehicle.from_file": Call((EXAMPLES / "minimal.toml",)),
            "vehicle.Vehicle.run": Call((), {**short}, cost=10),
        }
