"""Source packages of other projects, whose own tests are run with the package.

They are downloaded from PyPI into ``target/python/peers`` and never committed. Without a network the tests
are skipped; with ``WAYWARDEN_REQUIRE_ORACLES=1`` they fail instead.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

PEERS = pathlib.Path(__file__).resolve().parents[3] / "target/python/peers"


def source(name: str, version: str) -> pathlib.Path:
    """Returns the folder of a source package, downloaded if it is not there."""
    stem = f"{name.replace('-', '_')}-{version}"
    folder = PEERS / stem
    if folder.is_dir():
        return folder
    PEERS.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-binary", name, "--no-deps", "--dest", str(PEERS)]
    done = subprocess.run([*command, f"{name}=={version}"], capture_output=True, text=True)
    if done.returncode != 0:
        why = f"{name} {version} cannot be downloaded: {done.stderr.strip()[-300:]}"
        if os.environ.get("WAYWARDEN_REQUIRE_ORACLES") == "1":
            pytest.fail(why)
        pytest.skip(why)
    with tarfile.open(PEERS / f"{stem}.tar.gz") as archive:
        archive.extractall(PEERS, filter="data")
    return folder
