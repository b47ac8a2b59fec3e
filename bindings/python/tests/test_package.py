"""The package as a whole: what it imports, and the tree of its exceptions."""

import pathlib
import subprocess
import sys

import waywarden
from waywarden import errors

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_exceptions_form_one_tree() -> None:
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            assert issubclass(value, waywarden.Error), name


def test_memory_stays_flat_over_many_calls() -> None:
    # A million of each, and of verification, are in xtask/soak/python-memory.
    command = [sys.executable, ROOT / "bench/python/memory.py", "4000", "protect", "frame", "bits", "refused", "bus"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
