"""The notebooks of examples/notebooks run from their first cell to the last."""

import ast
import json
import pathlib

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "examples/notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    book = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        program = ast.parse(source)
        # A notebook shows the value of the last line, unless a semicolon ends it.
        shows = isinstance(program.body[-1], ast.Expr) and not source.rstrip().endswith(";")
        last = program.body.pop() if shows else None
        exec(compile(program, f"{path.name}, cell {number}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"{path.name}, cell {number}", "eval"), names)
            assert repr(value) and getattr(value, "_repr_html_", str)() is not None
        assert cell["outputs"] or last is None or value is None, f"cell {number} is kept without output"
