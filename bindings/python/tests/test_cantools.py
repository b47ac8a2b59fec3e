"""cantools' own test of SecOC, from its source package, with ``Cmac`` as the authenticator.

See ``peers.py`` for where it comes from. It is the only one with an authenticator; the others concern
databases and commands, and run beside the package in ``xtask/soak/python-peers``.
"""

from __future__ import annotations

import importlib.util
import unittest

import pytest
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from peers import source
from waywarden.secoc import Cmac

VERSION = "45.1.0"
KEY = bytes(range(16))

#: Answers of the authenticator that cantools has for its tests, which no other one gives.
THEIRS = {bytes.fromhex("000000003130"): "frame", 304: "code"}


def expected() -> dict[str, object]:
    """Returns the answers of AES-CMAC, by another implementation: a payload of zeros with data id 1337,
    freshness 0xcccc in 32 bits, of which 6 travel, and 10 bits of the code.
    """
    other = CMAC(AES(KEY))
    other.update((1337).to_bytes(2, "big") + bytes(4) + (0xCCCC).to_bytes(4, "big"))
    code = int.from_bytes(other.finalize()[:2], "big") >> 6
    return {"frame": bytes(4) + ((0xCCCC & 0x3F) << 10 | code).to_bytes(2, "big"), "code": code}


def test_cantools_finds_nothing_wrong_with_our_authenticator(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = source("cantools", VERSION)
    monkeypatch.chdir(folder)
    path = folder / "tests/test_autosar.py"
    spec = importlib.util.spec_from_file_location("cantools_test_autosar", path)
    assert spec is not None and spec.loader is not None
    theirs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    made, replaced, ours = [], [], expected()

    def authenticator(secret: object) -> Cmac:
        made.append(secret)
        return Cmac(KEY)

    monkeypatch.setattr(theirs, "SnakeOilAuthenticator", authenticator)

    class WithCmac(theirs.CanToolsAutosarTest):  # type: ignore[name-defined, misc]
        def assertEqual(self, first: object, second: object, msg: object = None) -> None:
            if made and isinstance(second, (bytes, int)) and second in THEIRS:
                replaced.append(THEIRS[second])
                second = ours[THEIRS[second]]
            super().assertEqual(first, second, msg)

    result = unittest.TestResult()
    WithCmac("test_autosar4_secoc").run(result)
    wrong = [f"{test}\n{trace}" for test, trace in result.failures + result.errors]
    assert not wrong, "\n".join(wrong)
    assert made and replaced == ["frame", "code"]
    assert result.testsRun == 1 and not result.skipped
