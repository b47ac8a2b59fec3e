"""The command ``waywarden``: ``python -m waywarden`` and the script of the same name."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Runs the command with the arguments of the process and returns its exit code."""
    from . import _native

    # The command ends at once, as a process of its own does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code: int = _native.command(["waywarden", *sys.argv[1:]])
    return code


if __name__ == "__main__":
    sys.exit(main())
