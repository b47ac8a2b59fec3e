"""Vehicles from Python: the same figures as the command, all faults, signals, progress, threads."""

import json
import os
import signal
import subprocess
import threading
import time
import tomllib
import warnings
from pathlib import Path
from typing import Any

import polars
import pytest

import waywarden
from waywarden.errors import Error, ParameterError, VehicleError
from waywarden.vehicle import Run, Vehicle, fit

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
COMMAND = Path(os.environ.get("WAYWARDEN", ROOT / "target/debug/waywarden"))
SMALL = ["minimal", "davis-2007", "trailer", "hardware-security-module", "vulcan-bench", "cortex-m4"]

needs_command = pytest.mark.skipif(
    not COMMAND.exists(), reason=f"no command to compare with: cargo build -p waywarden-cli makes {COMMAND}"
)


def command(*arguments: str) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def example(name: str) -> Vehicle:
    # As the command names it, since messages and verdicts have the path.
    return Vehicle.from_file(f"examples/{name}.toml")


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@needs_command
@pytest.mark.parametrize("name", SMALL)
def test_json_is_that_of_the_command(name: str) -> None:
    run = example(name).run(duration="700ms", seed=3)
    printed = command(
        "run", f"examples/{name}.toml", "--duration", "700ms", "--seed", "3", "--format", "json"
    )
    assert run.json() == printed
    assert run.report == json.loads(printed)


@needs_command
@pytest.mark.parametrize("name", ["minimal", "vulcan-bench", "electric-van-secoc"])
def test_many_runs_are_those_of_the_command(name: str) -> None:
    runs = example(name).run(duration="200ms", seed=5, seeds=2, phases=3, jobs=2)
    printed = command(
        *("run", f"examples/{name}.toml", "--duration", "200ms", "--seed", "5"),
        *("--seeds", "2", "--phases", "3", "--format", "json"),
    )
    assert runs.json() == printed
    assert len(runs) == runs.report["runs"]


@needs_command
@pytest.mark.parametrize("table", ["streams", "requirements", "verdicts", "first-authentic"])
def test_tables_have_the_cells_of_csv(table: str) -> None:
    run = example("vulcan-bench").run()
    printed = command("run", "examples/vulcan-bench.toml", "--format", "csv", "--table", table)
    ours = run.table(table)
    assert printed.splitlines()[0].split(",") == ours.column_names
    assert len(printed.splitlines()) - 1 == len(ours) or '"' in printed


@needs_command
@pytest.mark.parametrize("name", ["minimal", "vulcan-bench", "electric-van-secoc"])
def test_bounds_are_those_of_the_command(name: str) -> None:
    bounds = example(name).bound(error_every="10ms")
    printed = command("bus", "bound", f"examples/{name}.toml", "--error-every", "10ms", "--format", "json")
    assert bounds.json() == printed
    assert bounds.ok == bounds.report["all_met"] and len(bounds.streams) == len(bounds.report["streams"])


@needs_command
def test_comparison_is_that_of_the_command() -> None:
    compared = example("minimal").compare(authentication=["none", "secoc-jaspar"], duration=3)
    printed = command(
        *("compare", "examples/minimal.toml", "--authentication", "none,secoc-jaspar"),
        *("--duration", "3s", "--format", "json"),
    )
    assert compared.json() == printed
    assert compared.best is not None and Vehicle(compared.best).run(duration=0.1)
    assert len(compared.variants) == len(compared.report["variants"]) and compared.conclusion
    with pytest.raises(ParameterError, match="there is no"):
        example("minimal").compare(keys=["nothing"])


@needs_command
def test_fit_is_that_of_the_command() -> None:
    fit = example("minimal").fit(duration=1, profiles=["jaspar"], truncations=["8/24", "32"])
    printed = command(
        *("fit", "examples/minimal.toml", "--duration", "1s", "--profiles", "jaspar"),
        *("--truncations", "8/24,32", "--format", "json"),
    )
    assert fit.json() == printed
    assert len(fit.candidates) == len(fit.report["rows"]) and fit.conclusion
    with pytest.raises(ParameterError, match="risk"):
        example("minimal").fit(risk=2)


@needs_command
def test_fit_takes_what_the_command_takes(tmp_path: Path) -> None:
    carriers: list[Any] = ["in-message", "can-fd"]
    named: dict[str, Any] = {"duration": "1s", "truncations": ["32"], "profiles": ["jaspar"], "risk": 0.5}
    options = ["--duration", "1s", "--truncations", "32", "--profiles", "jaspar", "--risk", "0.5"]
    options += ["--carriers", "in-message,can-fd", "--bitrate", "250k", "--data-bitrate", "1M", "--format", "json"]
    log = ["--log", "examples/drive.log", "--assume", "100ms", "--board", "s32k3", "--seed", "3"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_matrix = fit(
            "examples/matrix.dbc", **named, carriers=carriers, bitrate="250k", data_bitrate="1M",
            log="examples/drive.log", assume="100ms", board="s32k3", seed=3,
        )  # fmt: skip
    assert of_matrix.json() == command("fit", "examples/matrix.dbc", *options, *log)
    own = fit("examples/minimal.toml", **named, carriers=carriers, bitrate=250_000, data_bitrate="1M")
    assert own.json() == command("fit", "examples/minimal.toml", *options)
    same = example("minimal").fit(**named, carriers=carriers, bitrate="250k", data_bitrate=1_000_000)
    assert same.json() == own.json()
    recorded = tmp_path / "drive.log"
    streams = tomllib.loads(example("minimal").text)["stream"]
    frames = [f"({at / 50:.6f}) can0 {streams[0]['id']:03X}#00" for at in range(20)]
    recorded.write_text("\n".join([*frames, "(1.0) can1 7A0#00", ""]))
    with pytest.warns(UserWarning, match="channel can0 is taken"):
        of_log = example("minimal").fit(**named, carriers=carriers, bitrate="250k", data_bitrate="1M", log=recorded)
    assert of_log.json() == command("fit", "examples/minimal.toml", *options, "--log", str(recorded))


@pytest.mark.parametrize(
    "named",
    [
        {"carriers": ["pigeon"]}, {"bitrate": "fast"}, {"data_bitrate": 0}, {"channel": "can0"},
        {"log": "none.log"}, {"log": "examples/drive.log", "channel": "none"}, {"board": "none"},
        {"risk": 0}, {"share": 2}, {"truncations": ["x"]}, {"seed": 1 << 63},
    ],
)  # fmt: skip
def test_fit_refuses_what_cannot_be(named: dict[str, Any]) -> None:
    with pytest.raises(Error):
        example("minimal").fit(**named)
    with pytest.raises(Error):
        fit("examples/matrix.dbc", assume="100ms", **named)


def test_fit_leaves_out_what_has_no_period() -> None:
    with pytest.warns(UserWarning, match="no period: .*left out"):
        fit("examples/matrix.dbc", duration="1s", truncations=["32"], profiles=["jaspar"], log="examples/drive.log")
    with pytest.raises(Error, match="period"):
        fit("examples/minimal.toml", assume="1s")
    with pytest.raises(Error, match="none.toml"):
        fit("none.toml")


def test_objects_are_the_same_vehicle_as_their_file() -> None:
    for name in SMALL:
        of_file = example(name)
        of_objects = Vehicle(tomllib.loads(of_file.text), folder="examples")
        first, second = of_file.run(duration=0.3).report, of_objects.run(duration=0.3).report
        assert first["streams"] == second["streams"], name
        assert Vehicle(of_objects.text, folder="examples").run(duration=0.3).report == second


def test_a_run_is_true_if_its_requirements_are_met() -> None:
    run = example("minimal").run()
    assert run and run.ok and all(run.requirements.column("met"))
    missed = example("trailer").run(duration=1)
    assert not missed and not all(missed.requirements.column("met"))


def test_trace_is_that_of_the_run_and_of_the_same_run_again() -> None:
    vehicle = example("minimal")
    kept, again = vehicle.run(trace=True, html=True), vehicle.run()
    assert kept.trace.to_dict() == again.trace.to_dict()
    assert kept.report_html() == again.report_html()
    assert kept.report_html().startswith("<!DOCTYPE html>")
    frame = polars.DataFrame(kept.trace)
    assert frame.filter(polars.col("event") == "delivered").height == 1000
    assert kept.trace.column_types["t"] == "double"


def test_all_faults_are_listed_with_place_and_remedy() -> None:
    text = example("minimal").text.replace("period", "perod").replace("500k", "fast")
    with pytest.raises(VehicleError) as caught:
        Vehicle(text, name="mine.toml")
    assert len(caught.value.problems) >= 2
    assert all(line.startswith("mine.toml:") for line in caught.value.problems)
    assert caught.value.place is not None
    tables = tomllib.loads(example("minimal").text)
    tables["bus"][0]["bitrat"] = 1
    with pytest.raises(VehicleError, match="bitrat"):
        Vehicle(tables)


def test_missing_files_are_named() -> None:
    with pytest.raises(VehicleError, match="nothing.toml"):
        Vehicle.from_file("nothing.toml")
    with pytest.raises(VehicleError, match="examples"):
        Vehicle.from_file("examples")
    tables = tomllib.loads(example("minimal").text)
    tables["ecu"][0]["board"] = "./gone.toml"
    with pytest.raises(VehicleError, match="gone.toml"):
        Vehicle(tables).run()


def test_ctrl_c_stops_a_run_of_a_day_at_once() -> None:
    vehicle = example("compact-car-secoc")
    cases: list[dict[str, Any]] = [{"duration": "24h"}, {"duration": "24h", "seeds": 4, "jobs": 2}]
    for arguments in cases:
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            vehicle.run(**arguments)
        assert time.monotonic() - begun < 3
        timer.join()


class Bar:
    """As much of tqdm as is used."""

    def __init__(self, total: float = 1) -> None:
        self.total, self.n = total, 0.0

    def update(self, n: float = 1) -> None:
        self.n += n

    def close(self) -> None:
        pass


def test_progress_goes_from_0_to_1() -> None:
    shares: list[float] = []
    example("compact-car-secoc").run(duration=0.2, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0
    bar = Bar(total=40)
    example("minimal").run(progress=bar)
    assert bar.n == pytest.approx(40)
    shares.clear()
    example("minimal").run(seeds=8, progress=shares.append)
    assert shares[-1] == 1.0


def test_exception_of_the_callback_ends_the_run() -> None:
    def stop(share: float) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        example("compact-car-secoc").run(duration="24h", progress=stop)


def test_threads_run_vehicles_side_by_side() -> None:
    vehicle = example("vulcan-bench")
    expected, found = vehicle.run(duration=1).json(), []

    def work() -> None:
        found.append(vehicle.run(duration=1).json())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_late_actions_are_a_warning() -> None:
    text = example("vulcan-bench").text.replace('duration = "', 'duration = "1s" # "', 1)
    with pytest.warns(UserWarning, match="it will not happen"):
        Vehicle(text).run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        example("vulcan-bench").run(duration=1)


class Odd:
    def __str__(self) -> str:
        raise RuntimeError("odd")

    __repr__ = __float__ = __index__ = __iter__ = __len__ = __str__


ODD: list[Any] = [
    None, True, -1, 0, 2**63, 2**64, 2**70, 10**400, 1.5, float("nan"), float("inf"), -0.0, 1e300,
    "", "\0", "\udc80", "x" * 100_000, b"", [], {}, {"a": {}}, {1: 2}, (), object(), Odd(), int, print,
    "10s", "-1s", "24h1ns", "1e9h", Path("/"), Path("/dev/null"), ["a"] * 3,
]  # fmt: skip


def nested() -> dict[str, Any]:
    own: dict[str, Any] = {}
    own["vehicle"] = own
    return own


def test_hostile_arguments_raise_and_nothing_else() -> None:
    vehicle = example("minimal")
    for odd in [*ODD, nested()]:
        for call in (
            lambda: Vehicle(odd),
            lambda: Vehicle({"vehicle": odd}),
            lambda: Vehicle({"bus": [odd], "vehicle": {"name": odd, "seed": odd}}),
            lambda: Vehicle(vehicle.text, name=odd),
            lambda: Vehicle(vehicle.text, folder=odd),
            lambda: Vehicle.from_file(odd),
            lambda: vehicle.run(duration=odd) if odd != "10s" else None,
            lambda: vehicle.run(duration=0.01, seed=odd),
            lambda: vehicle.run(duration=0.01, phase=odd),
            lambda: vehicle.run(duration=0.001, seeds=odd) if odd is not int else None,
            lambda: vehicle.run(duration=0.001, seeds=2, jobs=odd),
            lambda: vehicle.run(duration=0.01, progress=odd),
            lambda: vehicle.run(duration=0.01).table(odd),
            lambda: vehicle.run(duration=0.01).requirements.column(odd),
        ):
            try:
                call()
            except Exception as error:  # a panic is no Exception: PanicException is a BaseException
                assert "panic" not in type(error).__name__.lower()


def test_arguments_out_of_range_name_range_and_remedy() -> None:
    vehicle = example("minimal")
    cases: list[dict[str, Any]] = [
        {"duration": 0},
        {"duration": "25h"},
        {"duration": -1.0},
        {"seeds": 0},
        {"seeds": 2_000_000},
        {"seed": 2**64 - 1, "seeds": 2},
        {"seeds": 2, "jobs": 0},
        {"seeds": 2, "jobs": 257},
        {"seeds": 2, "phase": 1},
        {"jobs": 2},
    ]
    for arguments in cases:
        with pytest.raises(ParameterError) as caught:
            vehicle.run(**arguments)
        assert caught.value.remedy and isinstance(caught.value, waywarden.Error)
    with pytest.raises(OverflowError):
        vehicle.run(seed=-1)


def test_notebooks_get_html_without_markup_of_others() -> None:
    text = example("minimal").text.replace('name = "minimal"', 'name = "<script>&"', 1)
    shown = Vehicle(text).run()._repr_html_()
    assert "<script>" not in shown and "&lt;script" in shown and "<table>" in shown
    assert isinstance(example("minimal").run(), Run)
