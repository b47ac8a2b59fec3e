"""Modules sweep, traffic and papers, and the command inside the package."""

import pathlib
import subprocess
import sys

import pytest

from waywarden import errors, papers, sweep, traffic

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
ROUNDABOUT = EXAMPLES / "traffic/roundabout.csv.gz"


def test_the_table_is_the_same_with_any_number_of_workers():
    wanted = {
        "vehicles": {"minimal": EXAMPLES / "minimal.toml"},
        "traffic": {"one": {"trace": ROUNDABOUT, "board": ["arm11"], "receivers": 1}},
        "seeds": [3, 1],
    }
    one, two = sweep.run(**wanted, workers=1), sweep.run(**wanted, workers=3)
    assert one.csv() == two.csv()
    assert {row.seed for row in one.rows} == {1, 3} and len(one) > 100
    assert [row.kind for row in one.rows] == sorted(row.kind for row in one.rows)
    assert all(entry["runs"] == 2 for entry in one.summary() if entry["figure"] == "seed")


@pytest.mark.parametrize(
    "wanted",
    [
        {"seeds": []},
        {"vehicles": {}, "seeds": [1]},
        {"vehicles": {"a": "b"}, "seeds": [-1]},
        {"traffic": {"a": {}}, "seeds": [1]},
    ],
)
def test_a_sweep_of_nothing_says_so(wanted):
    with pytest.raises(errors.ParameterError):
        sweep.run(**wanted)


def test_what_a_run_refuses_is_an_exception():
    with pytest.raises(errors.InputError, match="missing.toml"):
        sweep.run(vehicles={"car": "missing.toml"}, seeds=[1])
    with pytest.raises(errors.InputError, match="fcd.xml"):
        traffic.run("fcd.xml")
    with pytest.raises(errors.InputError, match="no paper"):
        papers.compare("none")
    with pytest.raises(errors.ParameterError):
        traffic.run(ROUNDABOUT, board=object())


def test_numbers_of_papers():
    assert [paper.key for paper in papers.known()] == [
        "ecqv-cits", "gke", "lasan", "vulcan", "wave-sec",
    ]
    cells = papers.compare("gke", simulate=False)
    assert len(cells) > 50 and "Table IV" in cells.places
    assert "agrees" in set(cells.to_pandas().verdict)
    assert "<table>" in cells._repr_html_()


def test_the_command_is_in_the_package():
    command = [sys.executable, "-m", "waywarden"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert version.returncode == 0 and version.stdout.startswith("waywarden ")
    refused = subprocess.run([*command, "run", "missing.toml"], capture_output=True, text=True)
    assert refused.returncode == 2 and "missing.toml" in refused.stderr
