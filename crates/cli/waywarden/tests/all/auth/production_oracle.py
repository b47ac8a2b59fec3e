#!/usr/bin/env python3
"""Compares `waywarden auth` with an independent program that follows the published rules of the
SecOC profile `production`.

    production_oracle.py compare WAYWARDEN [--rounds 20] [--seed 1]
    production_oracle.py long WAYWARDEN
    production_oracle.py vectors [--seed 1]

`compare` has logs by seed that `auth protect` writes, which must be authentic to the rules, and logs
written by the rules, which `auth check` must find authentic; then both with a tampered copy of each.
Every line must have the same verdict from both. `long` protects so many messages that the reset
counter of 20 bits rolls over. `vectors` prints a log with its verdicts, for vectors/.
"""

import argparse
import collections
import csv
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import production_rules as rules  # noqa: E402

# How many messages may be lost or wrong in a row beside those that an attacker changes.
LOST_MAX = 18
# AUTOSAR's names, of SecOC_VerificationResultType.
RESULTS = {
    "authentic": "SECOC_VERIFICATIONSUCCESS",
    "wrong-tag": "SECOC_VERIFICATIONFAILURE",
    "replay": "SECOC_FRESHNESSFAILURE",
    "out-of-step": "SECOC_FRESHNESSFAILURE",
    "unknown-id": "SECOC_NO_VERIFICATION",
}


class Bus:
    """What both sides know: key, identifiers, data ids, first trip."""

    def __init__(self, random_):
        self.raw_key = random_.randbytes(16)
        self.key = rules.Key(self.raw_key)
        known = random_.sample([i for i in range(0x800) if i != rules.SYNCHRONISATION], 7)
        self.identifiers, self.others = known[:5], known[5:]
        self.data_ids = {identifier: identifier for identifier in self.identifiers}
        for identifier in random_.sample(self.identifiers, random_.randint(0, 3)):
            self.data_ids[identifier] = identifier | random_.randint(1, 0x1E) << 11
        self.lengths = {identifier: random_.choice([0, 1, 2, 3, 4, 4, 4]) for identifier in known}

    def table(self):
        protect = ", ".join(f"0x{identifier:03X}" for identifier in self.identifiers)
        given = ", ".join(
            f"{{ stream = 0x{identifier:03X}, data_id = 0x{data_id:04X} }}"
            for identifier, data_id in self.data_ids.items()
            if identifier != data_id
        )
        return (
            f'[[authentication]]\nscheme = "secoc"\nprofile = "production"\n'
            f'protect = [{protect}]\ndata_ids = [{given}]\nkey = "{self.raw_key.hex()}"\n'
        )

    def payload(self, random_, identifier):
        return random_.randbytes(self.lengths[identifier])


def line(at, identifier, data):
    """A candump line; `at` in microseconds."""
    return f"({at // 10**6}.{at % 10**6:06d}) can0 {identifier:03X}#{data.hex().upper()}"


def parsed(text):
    stamp, _, frame = text.split(" ")[:3]
    identifier, data = frame.split("#")
    seconds, micros = stamp.strip("()").split(".")
    return int(seconds) * 10**6 + int(micros), int(identifier, 16), bytes.fromhex(data)


def messages(random_, bus, count):
    """Times and identifiers of messages: mostly some milliseconds apart, at times a burst that uses
    up the message counter of an epoch, or a silence."""
    at, sent = 10**9, 0
    while sent < count:
        burst = random_.randint(250, 600) if random_.random() < 0.005 else 1
        pause = random_.randint(100_000, 2_000_000) if random_.random() < 0.02 else 0
        at += pause + random_.randint(500, 40_000)
        identifier = random_.choice(bus.identifiers + bus.others)
        for _ in range(burst):
            yield at, identifier
            at += 20
        sent += burst


def plain_log(random_, bus, count):
    return [
        line(at, identifier, bus.payload(random_, identifier))
        for at, identifier in messages(random_, bus, count)
    ]


class Sender:
    """A bus by the rules: a freshness master that announces, and senders that count from 0 or 1."""

    def __init__(self, random_, bus, trip, reset, wraps):
        self.random, self.bus = random_, bus
        self.epoch, self.wraps = (trip, reset), wraps
        self.counters, self.lines, self.turns = {}, [], collections.Counter()

    def announce(self, at):
        trip, reset = self.epoch
        if reset == rules.RESET_MAX:
            self.turns["reset counter"] += 1
            self.turns["trip counter"] += trip == rules.TRIP_MAX
            # At its end a trip counter would take another key: a sender that begins again is one
            # that receivers refuse.
            self.epoch = ((trip + 1) & rules.TRIP_MAX, 1)
        else:
            self.epoch = (trip, reset + 1)
        self.counters = {}
        data = rules.synchronisation(self.bus.key, *self.epoch)
        self.lines.append(line(at, rules.SYNCHRONISATION, data))

    def send(self, at, identifier):
        counter = self.counters.get(identifier, self.random.choice([0, 1]))
        if counter > rules.MESSAGE_MAX:
            self.turns["message counter"] += 1
            if not self.wraps:
                self.announce(at)
            counter = 0
        self.counters[identifier] = counter + 1
        payload = self.bus.payload(self.random, identifier)
        data_id = self.bus.data_ids[identifier]
        data = rules.secured(self.bus.key, data_id, payload, (*self.epoch, counter))
        self.lines.append(line(at, identifier, data))


def secured_log(random_, bus, count):
    trip = random_.choice([0, 1, random_.randint(2, 0xFFFD), 0xFFFE, rules.TRIP_MAX])
    end = rules.RESET_MAX
    reset = random_.choice([0, random_.randint(1, end), end - random_.randint(0, 9)])
    sender = Sender(random_, bus, trip, reset, wraps=random_.random() < 0.3)
    due = 0
    for at, identifier in messages(random_, bus, count):
        if at >= due:
            sender.announce(at)
            due = at + 100_000
        if identifier in bus.others:
            sender.lines.append(line(at, identifier, bus.payload(random_, identifier)))
        else:
            sender.send(at, identifier)
    return sender


def tampered(random_, bus, lines, changes):
    """A copy of a log after an attacker on the bus."""
    lines = list(lines)
    for _ in range(changes):
        place = random_.randrange(len(lines))
        at, identifier, data = parsed(lines[place])
        what = random_.randrange(8)
        if what == 0 and data:
            bit = random_.randrange(8 * len(data))
            value = int.from_bytes(data, "big") ^ 1 << bit
            lines[place] = line(at, identifier, value.to_bytes(len(data), "big"))
        elif what == 1:
            del lines[place : place + random_.randint(1, LOST_MAX)]
        elif what == 2:
            # Once more, or later.
            later = min(place + random_.choice([1, 2, 5, 300]), len(lines))
            now = parsed(lines[later - 1])[0]
            lines.insert(later, line(now, identifier, data))
        elif what == 3 and place + 1 < len(lines):
            other = parsed(lines[place + 1])
            lines[place] = line(at, *other[1:])
            lines[place + 1] = line(other[0], identifier, data)
        elif what == 4:
            lines[place] = line(at, identifier, data[: random_.randint(0, len(data))])
        elif what == 5:
            other = random_.choice(bus.identifiers + [rules.SYNCHRONISATION])
            lines[place] = line(at, other, data)
        elif what == 6:
            forged = random_.randbytes(random_.randint(0, 8))
            other = random_.choice(bus.identifiers + [rules.SYNCHRONISATION])
            lines.insert(place, line(at, other, forged))
        elif len(data) < 8:
            lines[place] = line(at, identifier, data + random_.randbytes(1))
        if not lines:
            return [line(at, bus.identifiers[0], b"")]
    return lines


class Comparison:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.verdicts, self.turns = collections.Counter(), collections.Counter()

    def run(self, *arguments):
        return subprocess.run(
            [self.program, "auth", *map(str, arguments)], capture_output=True, text=True
        )

    def judged(self, bus, lines, first_trip):
        receiver = rules.Receiver(bus.key, bus.data_ids, first_trip)
        verdicts = []
        for text in lines:
            verdict, position = receiver.judge(*parsed(text)[1:])
            verdicts.append((text, verdict, position))
        return verdicts

    def compare(self, bus, lines, first_trip, case):
        """Both judge a log; returns the verdicts, which are the same."""
        log, table = self.folder / "log", self.folder / "auth.toml"
        log.write_text("".join(text + "\n" for text in lines))
        table.write_text(bus.table())
        ours = self.judged(bus, lines, first_trip)
        found, table_of_csv = [], self.folder / "verdicts.csv"
        answer = self.run(
            "check", log, "--as-ecu", "--config", table, "--epoch", first_trip or 1, "--verdicts", table_of_csv
        )
        if table_of_csv.exists():
            with table_of_csv.open(newline="") as rows:
                found = [self.row(row) for row in csv.DictReader(rows)]
            table_of_csv.unlink()
        for number, (text, verdict, position) in enumerate(ours, 1):
            at, identifier, data = parsed(text)
            expected = (at * 1000, f"0x{identifier:03X}", verdict, RESULTS[verdict], position)
            if position:
                expected += (f"{data.hex().upper()[-7:]}",)
            got = found[number - 1] if number <= len(found) else f"no row: {answer.stderr}"
            if got != expected:
                kept = pathlib.Path(__file__).parents[5] / "target/secoc-oracle.log"
                kept.write_text(log.read_text())
                kept.with_suffix(".toml").write_text(bus.table())
                sys.exit(f"{case}, line {number}: {text}\nby the rules  {expected}\n"
                         f"waywarden     {got}\nthe log is {kept}")
        refused = any(verdict not in ("authentic", "unknown-id") for _, verdict, _ in ours)
        if len(found) != len(ours) or answer.returncode != int(refused):
            sys.exit(f"{case}: {len(found)} verdicts for {len(ours)} lines, exit code "
                     f"{answer.returncode}: {answer.stderr}")
        self.verdicts.update(verdict for _, verdict, _ in ours)
        return ours

    @staticmethod
    def row(row):
        """Of a row what the rules say of a frame as well."""
        found = (int(row["time_ns"]), row["id_hex"], row["verdict"], row["result"])
        if row["trip"] == "":
            return (*found, None)
        message = int(row["message"]) if row["message"] else None
        position = (int(row["trip"]), int(row["reset"]), message)
        return (*found, position, row["received_authenticator"].removeprefix("0x"))

    def protected(self, bus, lines, epoch, case):
        log, table = self.folder / "plain", self.folder / "auth.toml"
        log.write_text("".join(text + "\n" for text in lines))
        table.write_text(bus.table())
        answer = self.run("protect", log, "--config", table, "--epoch", epoch)
        if answer.returncode != 0:
            sys.exit(f"{case}: protect: {answer.stderr}")
        return answer.stdout.splitlines()

    def count_turns(self, judged):
        """Counts what rolled over where every message is authentic."""
        positions = [position for _, _, position in judged if position and position[2] is not None]
        for before, after in zip(positions, positions[1:]):
            self.turns["trip"] += before[0] < after[0]
            self.turns["reset flag"] += before[1] & 3 > after[1] & 3

    def round(self, seed):
        random_ = random.Random(seed)
        bus = Bus(random_)
        case = f"seed {seed}, protected by waywarden"
        plain = plain_log(random_, bus, random_.randint(20, 900))
        epoch = random_.choice([1, 2, random_.randint(3, 0xFFFE), rules.TRIP_MAX])
        lines = self.protected(bus, plain, epoch, case)
        judged = self.compare(bus, lines, epoch, case)
        if {verdict for _, verdict, _ in judged} - {"authentic", "unknown-id"}:
            sys.exit(f"{case}: not authentic by the rules")
        back = [
            line(at, identifier, data[: -rules.TRAILER] if identifier in bus.data_ids else data)
            for at, identifier, data in map(parsed, lines)
            if identifier != rules.SYNCHRONISATION
        ]
        if back != plain:
            sys.exit(f"{case}: the messages do not come back")
        self.count_turns(judged)
        attacked = tampered(random_, bus, lines, random_.randint(1, 40))
        self.compare(bus, attacked, epoch, f"{case}, tampered")

        case = f"seed {seed}, protected by the rules"
        sender = secured_log(random_, bus, random_.randint(20, 900))
        first = parsed(sender.lines[0])[2]
        first_trip = int.from_bytes(first[:2], "big")
        judged = self.compare(bus, sender.lines, first_trip, case)
        is_clean = not sender.wraps and not sender.turns["trip counter"]
        if is_clean and {verdict for _, verdict, _ in judged} - {"authentic", "unknown-id"}:
            sys.exit(f"{case}: the rules refuse their own log")
        self.count_turns(judged)
        self.turns.update(sender.turns)
        attacked = tampered(random_, bus, sender.lines, random_.randint(1, 40))
        self.compare(bus, attacked, first_trip, f"{case}, tampered")

    def long(self):
        """Two resets more than the counter holds."""
        random_ = random.Random(7)
        bus = Bus(random_)
        identifier, count = bus.identifiers[0], rules.RESET_MAX + 2
        plain = [line(100_000 * at, identifier, b"") for at in range(1, count + 1)]
        judged = self.judged(bus, self.protected(bus, plain, 5, "long"), 5)
        if any(verdict != "authentic" for _, verdict, _ in judged):
            sys.exit("long: not authentic by the rules")
        position = judged[-1][2]
        if position != (6, 2, 0):
            sys.exit(f"long: the last message is at {position}, and should be in trip 6, reset 2")
        print(f"production oracle: {count} announcements; trip 6 follows the last reset of trip 5")


def compared(arguments, folder):
    comparison = Comparison(arguments.program, folder)
    for seed in range(arguments.seed, arguments.seed + arguments.rounds):
        comparison.round(seed)
    counted = ", ".join(f"{count} {verdict}" for verdict, count in comparison.verdicts.most_common())
    turned = ", ".join(f"{turn} {count}" for turn, count in sorted(comparison.turns.items()))
    print(f"production oracle: {arguments.rounds} rounds from seed {arguments.seed}: {counted}")
    print(f"roll-overs: {turned}")
    expected = ["message counter", "reset counter", "reset flag", "trip", "trip counter"]
    missing = [turn for turn in expected if not comparison.turns[turn]]
    if arguments.rounds >= 200 and missing:
        sys.exit(f"never rolled over: {', '.join(missing)}")


def vectors(seed):
    """Prints a log of two streams in which everything rolls over: first the low bits of the message
    counter, the reset flag, the reset counter and then a message counter; and a tampered copy."""
    random_ = random.Random(seed)
    bus = Bus(random_)
    del bus.identifiers[2:]
    bus.data_ids = {identifier: bus.data_ids[identifier] for identifier in bus.identifiers}
    sender = Sender(random_, bus, 0x00FE, rules.RESET_MAX - 3, wraps=False)
    at = 10**9
    sender.send(at, bus.identifiers[0])
    for number in range(90):
        at += 10_000
        if number % 10 == 0:
            sender.announce(at)
        sender.send(at, random_.choice(bus.identifiers))
    for number in range(270):
        sender.send(at + 20 * number, bus.identifiers[0])
    print_vectors(bus, "as sent", sender.lines)
    print()
    print_vectors(bus, "tampered", tampered(random_, bus, sender.lines[:102], 25))


def print_vectors(bus, title, lines):
    print(f"# {title}\nkey {bus.raw_key.hex()}")
    for identifier in bus.identifiers:
        print(f"stream {identifier:03X} {bus.data_ids[identifier]:04X}")
    for text, verdict, _ in Comparison(None, None).judged(bus, lines, 1):
        _, identifier, data = parsed(text)
        print(f"{identifier:03X}#{data.hex()} {verdict}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ["compare", "long"]:
        commands.add_parser(name).add_argument("program")
    commands.choices["compare"].add_argument("--rounds", type=int, default=20)
    commands.choices["compare"].add_argument("--seed", type=int, default=1)
    commands.add_parser("vectors").add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.command == "vectors":
        return vectors(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if arguments.command == "compare":
            compared(arguments, folder)
        else:
            Comparison(arguments.program, folder).long()


if __name__ == "__main__":
    main()
