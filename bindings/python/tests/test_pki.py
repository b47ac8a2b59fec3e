"""A PKI from Python: made, issuing, revoking and listing, as the command does with the same folder."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from waywarden import v2x
from waywarden.errors import Error, InputError, TrustError

ROOT = Path(__file__).resolve().parents[3]
COMMAND = Path(os.environ.get("WAYWARDEN_COMMAND", ROOT / "target" / "debug" / "waywarden"))
PKI_COMMAND = ROOT / "target" / "debug" / "waywarden-pki"
PLACE = (48.1, 11.5, 500.0)


def command(*arguments: str | Path) -> str:
    program = COMMAND if COMMAND.exists() else PKI_COMMAND
    if not program.exists():
        pytest.skip(f"{program} is not built: cargo build")
    run = subprocess.run(
        [str(program), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def names(pki: v2x.Pki) -> list[str]:
    return [str(entry["name"]) for entry in pki.entries]


@pytest.fixture
def european(tmp_path: Path) -> v2x.Pki:
    return v2x.Pki.create(tmp_path / "pki", unencrypted=True, region="country:276,250")


@pytest.fixture
def american(tmp_path: Path) -> v2x.Pki:
    return v2x.Pki.create(tmp_path / "pki", shape="american", unencrypted=True)


def test_station_of_a_new_pki_signs_and_is_accepted(european: v2x.Pki) -> None:
    assert names(european) == ["root", "ea", "aa"]
    [car] = european.issue("car", ["CAM:010200", "DENM"], region="country:276")
    assert car == european.entries[-1] and car["role"] == "authorization ticket"
    assert Path(str(car["certificate"])).read_bytes() == european.certificate("car")
    assert stat.S_IMODE(Path(str(car["key"])).stat().st_mode) == 0o600
    verifier = v2x.Verifier(european.trust())
    verdict = verifier.verify(european.signer("car").sign(b"hello", "CAM"))
    assert verdict and verdict.payload == b"hello" and verdict.signer == car["id"]
    assert len(european.issue("fleet", count=3, validity="1w")) == 3
    assert european.enrol("car2")["role"] == "enrolment credential"
    renewed = european.renew("car")
    assert renewed["name"] == "car" and renewed["id"] != car["id"]
    [aa2] = european.issue("aa2", authority=True, issuer="root", issues=["CAM"], validity="3y")
    assert aa2["is_authority"] and european.issue("van", ["CAM"], issuer="aa2")[0]["issuer"] == aa2["id"]


def test_revoked_station_is_refused_by_the_list(american: v2x.Pki) -> None:
    american.issue("car")
    american.issue("other")
    verifier = v2x.Verifier(american.trust())

    def accepts(name: str) -> bool:
        signed = american.signer(name).sign(os.urandom(8), "BSM", location=PLACE)
        verdict = verifier.verify(signed)
        return bool(verdict and verdict.accepted)

    assert accepts("car") and accepts("other")
    assert [one["is_new"] for one in american.revoke("car")] == [True]
    assert [one["is_new"] for one in american.revoke("car")] == [False]
    [made] = american.crl()
    assert made["kind"] == "certificates" and made["revokes"] == "1 certificates"
    assert made["path"] is None
    verifier.apply_crl(made["list"])
    assert not accepts("car") and accepts("other")
    assert [entry["is_revoked"] for entry in american.entries if entry["name"] == "car"] == [True]


def test_revoked_vehicle_is_refused_by_linkage(american: v2x.Pki, tmp_path: Path) -> None:
    made = american.pseudonyms("van", weeks=1, per_week=2)
    assert made["vehicles"] == ["van"] and made["certificates"] == made["issued"] == 2
    assert american.pseudonyms("van", weeks=1, per_week=2)["issued"] == 0
    assert american.pseudonyms("bus", weeks=1, per_week=1, vehicles=2)["vehicles"] == ["bus-1", "bus-2"]
    verifier = v2x.Verifier(american.trust())
    signers = [american.signer("van", index=index) for index in (0, 1)]
    assert all(verifier.verify(one.sign(b"1", "BSM", location=PLACE)) for one in signers)
    assert american.revoke("van") == [{"name": "van", "id": None, "is_new": True}]
    lists = american.crl(tmp_path / "list.oer")
    assert [one["kind"] for one in lists] == ["certificates", "linkage"]
    for one in lists:
        assert Path(one["path"]).read_bytes() == one["list"]
        verifier.apply_crl(one["list"])
    assert not any(verifier.verify(one.sign(b"2", "BSM", location=PLACE)) for one in signers)


def test_lists_of_a_european_root(european: v2x.Pki, tmp_path: Path) -> None:
    with pytest.raises(TrustError, match="url or ea_url|url or aa_url"):
        european.ctl()
    first = european.ctl(url="http://pki.example:8102")
    assert first["authorities"] == 2 and Path(first["path"]).read_bytes() == first["list"]
    european.issue("aa2", authority=True, issuer="root", issues=["CAM"])
    second = european.ctl(tmp_path / "root.ctl", delta=tmp_path / "delta.ctl")
    assert second["sequence"] == first["sequence"] + 1 and second["authorities"] == 3
    assert (tmp_path / "delta.ctl").read_bytes() == second["delta"] != second["list"]
    european.revoke("aa2")
    [made] = european.crl()
    assert made["kind"] == "root" and made["revokes"] == "1 authorities"
    assert european.ctl(delete="aa")["authorities"] == 1
    with pytest.raises(TrustError, match="right below the root"):
        european.revoke(european.issue("car")[0]["id"])  # type: ignore[arg-type]


def test_command_and_python_go_on_with_each_other_s_folders(tmp_path: Path) -> None:
    ours = v2x.Pki.create(tmp_path / "ours", passphrase="öffnen", curve="brainpool-p256r1")
    secret = tmp_path / "secret"
    secret.write_text("öffnen\n")
    secret.chmod(0o600)
    command("pki", "issue", ours.folder, "--name", "car", "--passphrase-file", secret)
    assert names(ours)[-1] == "car"
    verdict = v2x.Verifier(ours.trust()).verify(
        ours.signer("car", passphrase="öffnen").sign(b"x", "CAM")
    )
    assert verdict and verdict.accepted
    theirs = tmp_path / "theirs"
    command("pki", "init", theirs, "--us", "--passphrase-file", secret)
    pki = v2x.Pki(theirs)
    pki.issue("car", passphrase="öffnen")
    pki.revoke("car")
    pki.crl(tmp_path / "list.oer", passphrase="öffnen".encode())
    shown = json.loads(command("pki", "show", theirs, "--format", "json"))
    car = shown["certificates"][-1]
    assert car["holder"] == "car" and car["revoked"] is not None
    assert car["id"] == pki.entries[-1]["id"]


def test_errors_name_arguments_as_they_are_called_here(european: v2x.Pki, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name ea: is the name of enrolment authority") as error:
        european.issue("ea")
    assert error.value.place == "name ea" and error.value.remedy == "give another name"
    for arguments, match in (
        ({"count": 0}, "count: 0; give 1 to 10000"),
        ({"count": 10_001}, "give 1 to 10000"),
        ({"permissions": ["CAMM"]}, "permissions"),
        ({"validity": "2"}, "validity"),
        ({"region": "moon"}, "region"),
        ({"curve": "p521"}, "brainpool-p384r1"),
        ({"issues": ["CAM"]}, "authority"),
        ({"authority": True, "permissions": ["CAM"]}, "permissions"),
        ({"implicit": True, "curve": "p256"}, "implicit"),
        ({"start": "capture"}, "start"),
    ):
        with pytest.raises(InputError, match=match) as error:
            european.issue("car", **arguments)
        assert "--" not in str(error.value)
    for name in ("", ".", "..", "../car", "a/b", "0123456789ABCDEF", "a" * 65, "car\n", "-car"):
        with pytest.raises(InputError, match="name"):
            european.issue(name)
        with pytest.raises(InputError, match="name"):
            european.enrol(name)
    with pytest.raises(TrustError, match="no certificate of"):
        european.renew("nothing")
    with pytest.raises(TrustError, match="root cannot be renewed"):
        european.renew("root")
    with pytest.raises(InputError, match="names"):
        european.revoke()
    with pytest.raises(InputError, match="was not made with"):
        european.crl(delta=True)
    with pytest.raises(InputError, match="give a file"):
        european.crl("-")
    with pytest.raises(TrustError, match="init --us"):
        european.pseudonyms("van")
    assert names(european) == ["root", "ea", "aa"]


def test_new_pki_needs_one_form_of_keys_and_a_free_folder(tmp_path: Path) -> None:
    folder = tmp_path / "pki"
    for arguments in (
        {},
        {"passphrase": "x", "unencrypted": True},
        {"unencrypted": True, "plain_keys": True},
        {"passphrase": ""},
        {"passphrase": "a\nb"},
        {"passphrase": "a" * 1_025},
        {"passphrase": 5},
        {"unencrypted": True, "shape": "us"},
        {"unencrypted": True, "years": 0},
        {"unencrypted": True, "years": 101},
        {"unencrypted": True, "validity_grid": "0s"},
        {"unencrypted": True, "shape": "american", "curve": "p384"},
        {"unencrypted": True, "profile": tmp_path / "none.toml"},
    ):
        with pytest.raises(InputError):
            v2x.Pki.create(folder, **arguments)
        assert not folder.exists(), arguments
    assert list(tmp_path.iterdir()) == []
    profile = ROOT / "examples" / "v2x" / "pki.toml"
    pki = v2x.Pki.create(folder, profile=profile, passphrase=b"\xff\x00", curve="p256")
    with pytest.raises(TrustError, match="not empty"):
        v2x.Pki.create(folder, unencrypted=True)
    with pytest.raises(TrustError, match="give passphrase"):
        pki.issue("car")
    with pytest.raises(TrustError, match="passphrase is wrong"):
        pki.issue("car", passphrase="x")
    before = pki.entries
    with pytest.raises(TrustError, match="appPermissions"):
        pki.issue("car", passphrase=b"\xff\x00")
    assert pki.entries == before
    pki.issue("light", profile=profile, passphrase=b"\xff\x00")
    assert pki.entries[:-1] == before


MAKER = """
import sys
from waywarden import v2x
from waywarden.errors import TrustError
try:
    v2x.Pki.create(sys.argv[1], unencrypted=True)
    print("made")
except TrustError as error:
    assert "not empty" in str(error), error
"""

ISSUER = """
import sys
from waywarden import v2x
pki = v2x.Pki(sys.argv[1])
for number in range(5):
    pki.issue(f"{sys.argv[2]}-{number}", ["CAM"])
"""


def test_processes_at_once_leave_one_whole_folder(tmp_path: Path) -> None:
    folder = str(tmp_path / "pki")

    def program(*arguments: str) -> str:
        run = subprocess.run(
            [sys.executable, "-c", *arguments], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        return run.stdout

    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(lambda _: program(MAKER, folder), range(3)))
        assert sorted(made) == ["", "", "made\n"]
        list(pool.map(lambda name: program(ISSUER, folder, name), ("a", "b")))
    pki = v2x.Pki(folder)
    issued = {f"{name}-{number}" for name in "ab" for number in range(5)}
    assert sorted(names(pki)[3:]) == sorted(issued)
    for name in issued:
        pki.signer(name)


def test_threads_at_once_leave_one_whole_folder(european: v2x.Pki) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: european.issue(f"car{number}"), range(8)))
    assert sorted(names(european)[3:]) == [f"car{number}" for number in range(8)]


HOSTILE: list[Any] = [
    None, True, 0, -1, 1 << 70, 1.5, float("nan"), "", "x", "\ud800", "\0", "..", "/", b"", b"\3",
    bytearray(3), [], [None], ["x"], ["CAM"], (1,), {}, object(), "now", "CAM", "1w", "0s", "american",
    "p256", "country:276", "root", "http://x", Path("/dev/null"), Path("/dev/full"), Path("/"), type,
    "generation", "0x", "--name", "a" * 70_000,
]  # fmt: skip

METHODS = {
    "issue": ["permissions", "count", "start", "validity", "region", "curve", "issuer", "implicit",
              "encryption_key", "public", "authority", "issues", "profile", "passphrase"],
    "enrol": ["start", "validity", "region", "curve", "issuer", "passphrase"],
    "renew": ["start", "validity", "passphrase"],
    "revoke": [],
    "crl": ["delta", "seeds", "discard_later", "next", "passphrase"],
    "ctl": ["delta", "url", "ea_url", "dc_url", "delete", "add", "discard_later", "next"],
    "pseudonyms": ["weeks", "per_week", "start", "vehicles", "passphrase"],
}  # fmt: skip


@pytest.mark.parametrize("shape", ["european", "american"])
def test_hostile_arguments_raise_exceptions_and_nothing_else(
    tmp_path: Path, shape: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pki = v2x.Pki.create(tmp_path / "pki", shape=shape, unencrypted=True)
    rng = random.Random(56)
    expected = (Error, TypeError, ValueError, OverflowError, UnicodeError, OSError)
    for _ in range(int(os.environ.get("WAYWARDEN_CASES", "300"))):
        method, keywords = rng.choice(list(METHODS.items()))
        given = {name: rng.choice(HOSTILE) for name in keywords if rng.random() < 0.3}
        # One that is right makes pseudonyms for seconds.
        if method == "pseudonyms":
            given = {"weeks": 1, "per_week": 1, **given}
        try:
            getattr(pki, method)(rng.choice(HOSTILE), **given)
        except expected:
            pass
    others = ["shape", "curve", "region", "start", "years", "validity_grid", "passphrase", "profile"]
    for number in range(30):
        try:
            v2x.Pki.create(tmp_path / f"new{number}", **{rng.choice(others): rng.choice(HOSTILE)})
        except expected:
            pass
    assert v2x.Pki(pki.folder).entries[0]["name"] == "root"
    assert pki.issue("last")


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_interrupt_ends_the_wait_for_another_process(
    european: v2x.Pki, capfd: pytest.CaptureFixture[str]
) -> None:
    before = names(european)
    folder = os.open(european.folder, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        timer = interrupt_after(0.2)
        with pytest.raises(KeyboardInterrupt):
            european.issue("car", ["CAM"])
        timer.join()
    finally:
        os.close(folder)
    assert capfd.readouterr() == ("", "")
    assert names(european) == before
    assert len(european.issue("car", ["CAM"])) == 1


def test_interrupt_ends_the_issuing_of_pseudonyms_after_a_whole_week(american: v2x.Pki) -> None:
    american.enrol("fleet")
    timer = interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        american.pseudonyms("fleet", weeks=52, per_week=20, vehicles=50)
    timer.join()
    done = american.pseudonyms("fleet", weeks=1, per_week=2, vehicles=50)
    assert done["certificates"] == 100


def test_a_pipe_as_output_is_refused_and_not_waited_for(european: v2x.Pki, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for call in (european.crl, lambda to: european.ctl(to, url="http://pki.example")):
        for place in (pipe, tmp_path):
            with pytest.raises(Error, match="output.*is no file"):
                call(place)


def test_signals_stay_with_the_interpreter_when_files_are_written(european: v2x.Pki) -> None:
    european.ctl(Path(european.folder) / "list.oer", url="http://pki.example")
    timer = interrupt_after(0.1)
    with pytest.raises(KeyboardInterrupt):
        time.sleep(5)
    timer.join()
