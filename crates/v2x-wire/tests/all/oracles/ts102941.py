"""ETSI TS 102 941 as pycrate compiles it from ts102941.asn."""

import contextlib
import io
import os
import tempfile

from pycrate_asn1c.asnproc import compile_text
from pycrate_asn1c.generator import PycrateGenerator
from pycrate_asn1dir import ITS_IEEE1609_2  # noqa: what the module takes its types from


def compiled():
    """Compiles the module; what it takes from IEEE 1609.2 is pycrate's own."""
    with open(os.path.join(os.path.dirname(__file__), "ts102941.asn")) as module:
        text = module.read()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        made = os.path.join(folder, "made.py")
        compile_text(text)
        PycrateGenerator(made)
        with open(made) as file:
            source = file.read()
    names = {}
    # Without the last line, which would put the stubs in the place of pycrate's types.
    exec(source[: source.rindex("init_modules(")], names)
    names["init_modules"](names["WaywardenTs102941"])
    return names["WaywardenTs102941"]
