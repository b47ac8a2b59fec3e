"""V2X from Python: the command's verdicts, byte for byte, and threads over one verifier."""

from __future__ import annotations

import asyncio
import datetime
import gc
import json
import os
import random
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from waywarden import v2x
from waywarden.errors import Error, InputError, RefusedError, TrustError

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "v2x"
TRUST = EXAMPLES / "trust"
MESSAGES = EXAMPLES / "messages.hex"
COMMAND = Path(os.environ.get("WAYWARDEN_COMMAND", ROOT / "target" / "debug" / "waywarden"))
V2X_COMMAND = ROOT / "target" / "debug" / "waywarden-v2x"
# A fixed time: of what does not say when it was made, both have to judge at the same moment.
AT = "2026-03-01T12:00:00Z"


def command(*arguments: str | Path) -> str:
    """Runs the command; its exit code says what was refused, which is no matter here."""
    program = COMMAND if COMMAND.exists() else V2X_COMMAND
    if not program.exists():
        pytest.skip(f"{program} is not built: cargo build")
    run = subprocess.run(
        [str(program), "--quiet", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert run.returncode in (0, 1, 2), run.stderr
    return run.stdout


def records_until_unreadable(path: Path) -> list[v2x.Record]:
    found = []
    records = v2x.records(path)
    while True:
        try:
            found.append(next(records))
        except (StopIteration, InputError):
            return found


SUFFIXES = {".coer", ".gz", ".hex", ".oer", ".pcap", ".pcapng"}


def examples() -> list[Path]:
    files = [MESSAGES, EXAMPLES / "altered.hex", EXAMPLES / "implicit.oer", EXAMPLES / "payloads.hex"]
    return files + sorted(path for path in (EXAMPLES / "scms").iterdir() if path.suffix in SUFFIXES)


def corpus() -> list[Path]:
    folder = Path(os.environ.get("WAYWARDEN_CORPUS", ROOT / "none")) / "v2x"
    files = [path for path in folder.rglob("*") if path.suffix in SUFFIXES]
    if not files:
        pytest.skip("WAYWARDEN_CORPUS has no V2X files")
    return sorted(files)


def check_verdicts(files: list[Path], trust: Path, at: str = AT) -> int:
    printed = command("verify", *files, "--trust", trust, "--at", at, "--format", "jsonl")
    lines = [line for line in printed.splitlines() if not line.startswith('{"totals"')]
    verifier = v2x.Verifier(trust, at=at)
    records = [record for path in files for record in records_until_unreadable(path)]
    verdicts = verifier.verify_many(records, threads=2)
    assert [verdict.to_json() for verdict in verdicts if verdict is not None] == lines
    return len(lines)


@pytest.mark.parametrize("path", examples(), ids=lambda path: path.name)
def test_verdicts_are_the_command_s_byte_for_byte(path: Path) -> None:
    check_verdicts([path], TRUST)


def test_verdicts_on_the_corpus_are_the_command_s_byte_for_byte() -> None:
    files = corpus()
    assert check_verdicts(files, TRUST) > 100
    certificates = Path(os.environ["WAYWARDEN_CORPUS"]) / "v2x" / "etsi_tsits_certs"
    assert check_verdicts(files, certificates) > 100


def test_document_of_the_command_has_the_pretty_verdicts() -> None:
    arguments = ("verify", MESSAGES, "--trust", TRUST, "--at", "generation", "--format", "json")
    printed = command(*arguments)
    verifier = v2x.Verifier(TRUST, at="generation")
    verdicts = verifier.verify_many(v2x.records(MESSAGES))
    written = [verdict.to_json(pretty=True) for verdict in verdicts if verdict]
    assert written
    for one in written:
        assert one.replace("\n", "\n    ") in printed


def check_inspection(files: list[Path]) -> None:
    rows = json.loads(command("inspect", *files, "--format", "json"))["rows"]
    rows = [row for row in rows if row["kind"] != "not read"]
    records = [record for path in files for record in records_until_unreadable(path)]
    shown = [v2x.inspect(record) for record in records]
    assert [row for row in shown if row is not None] == rows


@pytest.mark.parametrize("path", examples(), ids=lambda path: path.name)
def test_inspect_shows_what_the_command_shows(path: Path) -> None:
    check_inspection([path])


def test_inspect_shows_what_the_command_shows_of_the_corpus() -> None:
    check_inspection(corpus())


def test_help_names_module_and_has_words_for_everything() -> None:
    for name in v2x.__all__:
        value = getattr(v2x, name)
        assert value.__module__ == "waywarden.v2x" and value.__doc__, name
        for own, member in vars(value).items() if isinstance(value, type) else ():
            assert own.startswith("_") or member.__doc__, f"{name}.{own}"


def test_verdict_says_what_it_is_about() -> None:
    verifier = v2x.Verifier(v2x.Trust.load(TRUST), at="generation")
    accepted = [verdict for verdict in verifier.verify_many(v2x.records(MESSAGES)) if verdict]
    assert accepted
    verdict = accepted[0]
    assert verdict.accepted and verdict.code == "success" and verdict.signature_valid
    assert verdict.payload and verdict.signer and verdict.psid is not None
    assert verdict.to_dict()["verdict"] == "success"
    assert verdict == verdict and hash(verdict) == hash(verdict)
    assert verdict.generation_time_us and verdict.generation_time
    assert "accepted" in repr(verdict)
    assert isinstance(verdict.decoded, list)
    again = verifier.verify(next(v2x.records(MESSAGES)))
    assert again is not None and not again and again.payload is None and again.decoded == []
    assert "replay" in again.code.lower()


def test_trust_comes_from_folders_files_and_bytes() -> None:
    files = sorted(path for path in TRUST.iterdir() if path.is_file())
    certificates = [path.read_bytes() for path in files]
    folder = v2x.Trust.load(TRUST)
    assert folder and folder.anchors >= 1 and len(folder) >= folder.anchors
    assert v2x.Trust(*certificates).anchors == folder.anchors
    assert v2x.Trust(*files).anchors == folder.anchors
    assert not v2x.Trust()
    message = next(v2x.records(MESSAGES))
    for trust in (TRUST, str(TRUST), certificates, folder, files):
        assert v2x.Verifier(trust, at="generation").verify(message)
    assert not v2x.Verifier(at="generation").verify(message)


def test_messages_are_bytes_text_or_records() -> None:
    record = next(v2x.records(MESSAGES))
    data = record.data
    assert bytes(record) == data and len(record) == len(data) and record.place
    for message in (data, bytearray(data), memoryview(data), data.hex(), record):
        assert v2x.Verifier(TRUST, at="generation").verify(message), type(message)


def test_times_are_words_numbers_text_and_datetimes() -> None:
    record = next(v2x.records(MESSAGES))
    first = v2x.Verifier(TRUST, at="generation").verify(record)
    assert first and first.generation_time_us and first.generation_time
    moment = datetime.datetime.fromisoformat(first.generation_time.replace("Z", "+00:00"))
    for at in (first.generation_time_us, first.generation_time, moment, "generation"):
        assert v2x.Verifier(TRUST, at=at).verify(record), at
        assert v2x.Verifier(TRUST).verify(record, at=at), at
    early = moment - datetime.timedelta(hours=1)
    assert not v2x.Verifier(TRUST, at=early).verify(record)
    with pytest.raises(InputError, match="time zone"):
        v2x.Verifier(TRUST, at=moment.replace(tzinfo=None))


def test_application_and_position_are_compared() -> None:
    record = next(v2x.records(MESSAGES))
    first = v2x.Verifier(TRUST, at="generation").verify(record)
    assert first and first.psid is not None
    verifier = v2x.Verifier(TRUST, at="generation", psid=first.psid + 1)
    assert not verifier.verify(record)
    assert verifier.verify(record, psid=first.psid)
    with pytest.raises(InputError, match="latitude"):
        verifier.verify(record, position=(91.0, 0.0))
    with pytest.raises(InputError, match="longitude"):
        verifier.verify(record, position=(0.0, float("nan")))


def test_errors_name_place_and_remedy(tmp_path: Path) -> None:
    with pytest.raises(TrustError) as caught:
        v2x.Trust.load(tmp_path / "none")
    assert caught.value.place and str(tmp_path) in str(caught.value)
    with pytest.raises(TrustError, match="has no certificate"):
        v2x.Trust.load(tmp_path)
    with pytest.raises(TrustError, match="certificate 0"):
        v2x.Trust(b"\x80\x03\x01")
    bad = tmp_path / "bad.hex"
    bad.write_text("zz zz\n" + MESSAGES.read_text() + "\nqq qq\n")
    records = v2x.records(bad)
    found = 0
    with pytest.raises(InputError) as error:
        for _ in records:
            found += 1
    assert found > 0 and error.value.problems and "bad.hex:1" in str(error.value)
    assert list(records) == []
    with pytest.raises(InputError, match="check the path"):
        next(v2x.records(tmp_path / "none.hex"))
    with pytest.raises(InputError):
        v2x.Verifier(TRUST).verify("zz")
    with pytest.raises(TypeError, match="hexadecimal"):
        v2x.Verifier(TRUST).verify(5)  # type: ignore[call-overload]
    with pytest.raises(TrustError):
        v2x.Verifier(TRUST, crl=MESSAGES)
    with pytest.raises(TrustError, match="nothing was revoked"):
        v2x.Verifier(TRUST).apply_crl(b"abc")


def test_reader_that_is_given_up_ends() -> None:
    before = threading.active_count()
    for _ in range(50):
        records = v2x.records(MESSAGES)
        next(records)
        del records
    gc.collect()
    assert threading.active_count() == before


def test_threads_over_one_verifier_accept_each_message_once() -> None:
    records = list(v2x.records(MESSAGES))
    alone = v2x.Verifier(TRUST, at="generation").verify_many(records)
    expected = sum(bool(verdict) for verdict in alone)
    verifier = v2x.Verifier(TRUST, at="generation")

    def work(seed: int) -> int:
        order = list(range(len(records)))
        random.Random(seed).shuffle(order)
        # Named by digest before the certificate is known, a message is refused and comes again.
        return sum(bool(verifier.verify(records[at])) for _ in range(3) for at in order)

    with ThreadPoolExecutor(8) as pool:
        accepted = sum(pool.map(work, range(8)))
    assert accepted == expected


def test_asyncio_verifies_beside_other_tasks() -> None:
    records = list(v2x.records(MESSAGES))
    verifier = v2x.Verifier(TRUST, at="generation")

    async def run() -> list[Any]:
        tasks = [asyncio.to_thread(verifier.verify_many, records, threads=2) for _ in range(6)]
        return await asyncio.gather(*tasks)

    results = asyncio.run(run())
    alone = v2x.Verifier(TRUST, at="generation").verify_many(records)
    expected = sum(bool(verdict) for verdict in alone)
    assert sum(bool(verdict) for verdicts in results for verdict in verdicts) == expected


HOSTILE: list[Any] = [
    None, True, 0, -1, 1 << 70, 1.5, float("nan"), float("inf"), "", "x", "\ud800", "\0", b"", b"\3",
    b"\x80\x03\x00", bytearray(3), memoryview(b"abcd")[::2], [], [None], (1,), (1.0, 2.0), {}, set(),
    object(), "now", "36", "CAM", 36, datetime.datetime.max, datetime.datetime.min, lambda: 1, ...,
    range(3), Path("/dev/null"), Path("/"), type, "generation", (float("nan"), 1e308),
]  # fmt: skip


def test_hostile_arguments_raise_exceptions_and_nothing_else() -> None:
    rng = random.Random(56)
    verifier = v2x.Verifier(TRUST, at="generation")
    message = next(v2x.records(MESSAGES)).data
    names = [
        "at", "position", "psid", "crl", "signer_keys", "strict", "nonce_form", "lenient",
        "udp_ports", "source", "certificates", "messages", "table_memory", "threads",
    ]  # fmt: skip
    expected = (Error, TypeError, ValueError, OverflowError, UnicodeError, OSError)
    for _ in range(int(os.environ.get("WAYWARDEN_CASES", "3000"))):
        value, other = rng.choice(HOSTILE), rng.choice(HOSTILE)
        damaged = bytearray(message)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        calls = [
            lambda: verifier.verify(value),
            lambda: verifier.verify(bytes(damaged)),
            lambda: v2x.inspect(bytes(damaged)),
            lambda: verifier.verify(message, **{rng.choice(names[:3]): other}),
            lambda: verifier.verify_many(value, threads=other),
            lambda: verifier.verify_many([value, bytes(damaged)]),
            lambda: verifier.apply_crl(value, at=other),
            lambda: verifier.forget_old(at=value) if value in ("x", -1, 1.5) else None,
            lambda: v2x.Trust(value, other),
            lambda: v2x.inspect(value, issuer=other),
            lambda: v2x.records(value),
            lambda: v2x.Verifier(None, **{rng.choice(names): other}),
        ]
        try:
            rng.choice(calls)()  # type: ignore[no-untyped-call]
        except expected:
            pass


def test_memory_stays_flat_over_many_calls() -> None:
    resource = pytest.importorskip("resource")
    verifier = v2x.Verifier(TRUST, at="generation", messages=64)
    record = next(v2x.records(MESSAGES))

    def calls(count: int) -> int:
        for _ in range(count):
            verifier.verify(record)
            v2x.inspect(record.data[:20])
        gc.collect()
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    before = calls(2_000)
    assert calls(10_000) - before < 8 << 10


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> v2x.Pki:
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND} is not built: cargo build")
    folder = tmp_path_factory.mktemp("pki") / "pki"
    for arguments in (
        ["pki", "init", str(folder), "--no-passphrase"],
        ["pki", "issue", str(folder), "--name", "car"],
    ):
        run = subprocess.run(
            [str(COMMAND), *arguments], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
    return v2x.Pki(folder)


def test_message_that_python_signs_is_accepted_here_and_by_the_command(
    pki: v2x.Pki, tmp_path: Path
) -> None:
    signer = pki.signer("car")
    signed = signer.sign(b"hello", "CAM")
    verifier = v2x.Verifier(pki.trust())
    verdict = verifier.verify(signed)
    assert verdict and verdict.payload == b"hello" and verdict.signer == signer.id, verdict
    by_digest = verifier.verify(signer.sign(b"again", "CAM", signer="digest"))
    assert by_digest and by_digest.payload == b"again"
    denm = signer.sign(b"place", 37, location=(48.1, 11.5, 500.0))
    assert verifier.verify(denm) is not None
    file = tmp_path / "signed.hex"
    file.write_text(signed.hex())
    printed = command("verify", file, "--trust", Path(pki.folder) / "trust", "--format", "jsonl")
    assert json.loads(printed.splitlines()[0])["accepted"]
    assert signer.certificate == pki.certificate("car") == pki.chain("car")[0]
    assert {"car"} <= {entry["name"] for entry in pki.entries}


def test_signer_refuses_what_certificate_and_profile_forbid(pki: v2x.Pki) -> None:
    signer = pki.signer("car")
    with pytest.raises(RefusedError, match="location"):
        signer.sign(b"x", "DENM")
    with pytest.raises(RefusedError):
        signer.sign(b"x", 99, lenient=True)
    for wrong in ({"signer": "name"}, {"lifetime": 0.0}, {"location": (1.0,)}, {"time": "capture"}):
        with pytest.raises(InputError):
            signer.sign(b"x", "CAM", **wrong)
    with pytest.raises(TrustError, match="car"):
        pki.signer("nobody-here")
    with pytest.raises(TrustError):
        v2x.Pki(TRUST)


def test_what_is_encrypted_is_decrypted_with_the_key_and_no_other(pki: v2x.Pki) -> None:
    signed = pki.signer("car").sign(b"secret", "CAM")
    authority = next(
        entry["name"] for entry in pki.entries if "enrolment" in str(entry["role"]).lower()
    )
    sealed = v2x.encrypt(signed, pki.certificate(str(authority)))
    assert b"secret" not in sealed
    opened = v2x.decrypt(sealed, pki=Path(pki.folder), name=str(authority))
    assert opened == signed
    key = bytes(range(16))
    sealed = v2x.encrypt(b"any bytes", pre_shared_key=key, payload=True)
    assert b"any bytes" in v2x.decrypt(sealed, pre_shared_key=key)
    with pytest.raises(RefusedError):
        v2x.decrypt(sealed, pre_shared_key=bytes(16))
    changed = bytearray(sealed)
    changed[-1] ^= 1
    with pytest.raises(RefusedError):
        v2x.decrypt(changed, pre_shared_key=key)
    with pytest.raises(InputError, match="payload=True"):
        v2x.encrypt(b"any bytes", pre_shared_key=key)
    with pytest.raises(InputError, match="16 bytes"):
        v2x.encrypt(signed, pre_shared_key=b"short")
