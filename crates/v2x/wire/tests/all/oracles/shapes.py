"""Shapes that pycrate does not come with, as it compiles them from the modules beside this file."""

import contextlib
import io
import os
import tempfile

from pycrate_asn1c.asnproc import compile_text
from pycrate_asn1c.generator import PycrateGenerator
from pycrate_asn1dir import ITS_IEEE1609_2  # noqa: what the modules take their types from


def compiled(file, name):
    """Compiles a module; what it takes from IEEE 1609.2 is pycrate's own."""
    with open(os.path.join(os.path.dirname(__file__), file)) as module:
        text = module.read()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        made = os.path.join(folder, "made.py")
        compile_text(text)
        PycrateGenerator(made)
        with open(made) as generated:
            source = generated.read()
    names = {}
    # Without the last line, which would put the stubs in the place of pycrate's types.
    exec(source[: source.rindex("init_modules(")], names)
    names["init_modules"](names[name])
    return names[name]
