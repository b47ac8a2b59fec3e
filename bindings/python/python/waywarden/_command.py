"""Runs the command in a process of its own, whose answer comes back as a document."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from .errors import InputError, RefusedError

#: The package of this process, also where a relative path or `sys.path` made it known.
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); import waywarden.__main__ as w; sys.exit(w.main())"


def answer(arguments: Iterable[str | os.PathLike[str]]) -> tuple[int, str]:
    """Runs the command and returns its exit code (0, 1 or 3) and its standard output.

    Raises
    ------
    waywarden.errors.InputError
        The command refused its input; the message is the command's own.
    """
    words = [os.fspath(one) for one in arguments]
    # A name that begins with a hyphen would be an option: callers put `--` where it matters.
    environment = {**os.environ, "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, _FOLDER, "--quiet", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
    )
    try:
        printed, complaint = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    lines = [line.removeprefix("error: ") for line in complaint.splitlines() if line]
    if process.returncode == 2:
        raise InputError("\n".join(lines) or "refused", code="input", problems=lines)
    if process.returncode not in (0, 1, 3):
        message = f"the command ended with {process.returncode}: {complaint.strip()}"
        raise RefusedError(message, code="ended", problems=lines)
    return process.returncode, printed


def document(arguments: Iterable[str | os.PathLike[str]]) -> Any:
    """Runs the command, which is asked for JSON, and returns what it printed."""
    code, printed = answer(arguments)
    try:
        return json.loads(printed)
    except ValueError as error:
        message = f"the command ended with {code} and printed no document"
        raise RefusedError(message, code="ended") from error
