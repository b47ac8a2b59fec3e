"""python-can's own tests of buses, from its source package, on the interface ``waywarden``.

See ``peers.py`` for where it comes from.
"""

import importlib
import importlib.util
import sys
import types
import unittest

import can.interfaces
import pytest

from peers import source
from waywarden.can_bus import Bus

VERSION = "4.6.1"

#: python-can skips these itself: both wait for a decision about ``is_rx`` of local messages.
SKIPPED = {"test_message_is_rx", "test_message_is_rx_receive_own_messages"}


def imported(folder, monkeypatch, module):
    """Imports a module of tests; on a CI server it would leave out what depends on time."""
    for name in ("CI", "CONTINUOUS_INTEGRATION", "GITHUB_ACTIONS", "TRAVIS"):
        monkeypatch.delenv(name, raising=False)
    name, test = "python_can_tests", folder / "test"
    spec = importlib.util.spec_from_file_location(
        name, test / "__init__.py", submodule_search_locations=[str(test)]
    )
    package = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, package)
    spec.loader.exec_module(package)
    # Some import the package by its own name, which is also one of the standard library's.
    monkeypatch.setitem(sys.modules, "test", package)
    for part in ("config", "message_helper"):
        loaded = importlib.import_module(f"{name}.{part}")
        monkeypatch.setitem(sys.modules, f"test.{part}", loaded)
    return importlib.import_module(f"{name}.{module}")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnknownMarkWarning")
def test_python_can_finds_nothing_wrong_with_two_buses(monkeypatch):
    theirs = imported(source("python-can", VERSION), monkeypatch, "back2back_test")
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


class InPlaceOfVirtual(Bus):
    """As python-can's virtual bus: a channel by default, messages in the order in which they were
    sent, and a bus object alone may send.
    """

    def __init__(self, channel=None, **named):
        channel = "none" if channel is None else channel
        super().__init__(channel, acknowledge=True, queue="fifo", **named)


#: These look into the queue that a virtual bus keeps, which no other interface has.
OF_VIRTUAL = {"test_cycle_time", "test_restart_perodic_tasks"}


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("contextmanager_test", 2),
        ("network_test", 2),
        ("notifier_test", 5),
        ("simplecyclic_test", 5),
        ("zero_dlc_test", 3),
    ],
)
def test_python_can_takes_it_for_its_virtual_bus(monkeypatch, module, tests):
    own = types.ModuleType("waywarden_in_place_of_virtual")
    own.Bus = InPlaceOfVirtual
    monkeypatch.setitem(sys.modules, own.__name__, own)
    monkeypatch.setitem(can.interfaces.BACKENDS, "virtual", (own.__name__, "Bus"))
    theirs = imported(source("python-can", VERSION), monkeypatch, module)
    result = unittest.TestResult()
    for group in unittest.defaultTestLoader.loadTestsFromModule(theirs):
        for test in group:
            if test._testMethodName not in OF_VIRTUAL:
                test.run(result)
    wrong = [f"{test}\n{trace}" for test, trace in result.failures + result.errors]
    assert not wrong, "\n".join(wrong)
    assert not result.skipped
    assert result.testsRun >= tests
