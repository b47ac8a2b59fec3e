"""python-can's own test of two buses, from its source package, on the interface ``waywarden``.

The package is downloaded into ``target/python/peers`` and never committed. Without a network this is
skipped; with ``WAYWARDEN_REQUIRE_ORACLES=1`` it fails instead.
"""

import importlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import unittest

import pytest

VERSION = "4.6.1"
PEERS = pathlib.Path(__file__).resolve().parents[3] / "target/python/peers"

#: python-can skips these itself: both wait for a decision about ``is_rx`` of local messages.
SKIPPED = {"test_message_is_rx", "test_message_is_rx_receive_own_messages"}


def source():
    """Returns the folder of python-can's source, downloaded if it is not there."""
    folder = PEERS / f"python_can-{VERSION}"
    if folder.is_dir():
        return folder
    PEERS.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-binary", ":all:", "--no-deps", "--dest", str(PEERS)]
    done = subprocess.run([*command, f"python-can=={VERSION}"], capture_output=True, text=True)
    if done.returncode != 0:
        why = f"python-can {VERSION} cannot be downloaded: {done.stderr.strip()[-300:]}"
        if os.environ.get("WAYWARDEN_REQUIRE_ORACLES") == "1":
            pytest.fail(why)
        pytest.skip(why)
    with tarfile.open(PEERS / f"python_can-{VERSION}.tar.gz") as archive:
        archive.extractall(PEERS, filter="data")
    return folder


def imported(folder, monkeypatch):
    """Imports the module of tests; on a CI server it would leave out what depends on time."""
    for name in ("CI", "CONTINUOUS_INTEGRATION", "GITHUB_ACTIONS", "TRAVIS"):
        monkeypatch.delenv(name, raising=False)
    name, test = "python_can_tests", folder / "test"
    spec = importlib.util.spec_from_file_location(
        name, test / "__init__.py", submodule_search_locations=[str(test)]
    )
    package = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, package)
    spec.loader.exec_module(package)
    return importlib.import_module(f"{name}.back2back_test")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnknownMarkWarning")
def test_python_can_finds_nothing_wrong_with_two_buses(monkeypatch):
    theirs = imported(source(), monkeypatch)
    ours = {
        "INTERFACE_1": "waywarden",
        "INTERFACE_2": "waywarden",
        "CHANNEL_1": "back2back",
        "CHANNEL_2": "back2back",
    }
    suite = unittest.TestSuite()
    for base in (theirs.Back2BackTestCase, theirs.TestThreadSafeBus):
        case = type(f"Waywarden{base.__name__}", (base,), ours)
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    result = unittest.TestResult()
    suite.run(result)
    wrong = [f"{test}\n{trace}" for test, trace in result.failures + result.errors]
    assert not wrong, "\n".join(wrong)
    skipped = [test._testMethodName for test, _ in result.skipped]
    assert set(skipped) == SKIPPED
    assert len(skipped) <= 4
    assert result.testsRun - len(skipped) >= 30
