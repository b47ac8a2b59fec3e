"""Programs that docs/python.md and README.md print run as they are printed."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = ["docs/python.md", "bindings/python/README.md"]


def programs():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, program in enumerate(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S), 1):
            yield pytest.param(page, program, id=f"{page}-{number}")


@pytest.mark.parametrize(("page", "program"), list(programs()))
def test_a_program_runs_as_it_is_printed(page, program, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    if "scapy" in program:
        # Under the GPL: no dependency of the tests, but of `xtask/soak/python-peers`.
        pytest.importorskip("scapy")
    exec(compile(program, page, "exec"), {"__name__": "__main__"})
