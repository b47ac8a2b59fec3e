"""The command line, and one vehicle from its file to its differences."""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .compare import compare
from .figures import stream_figures
from .follow import Follower
from .generate import generate
from .loads import Loads
from .vehicle import ROOT, Vehicle
from .verdicts import expected


class RunFailed(Exception):
    """The product did not run a vehicle."""


def judge(binary, path, label, trace):
    """Runs a vehicle file and returns the differences, as lines."""
    command = [binary, "run", str(path), "--format", "json", "--trace", str(trace)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1) or not run.stdout:
        raise RunFailed(f"{label}: exit code {run.returncode}: {run.stderr.strip()}")
    report = json.loads(run.stdout)
    vehicle = Vehicle(path)
    follower, loads = Follower(vehicle), Loads(vehicle)
    with open(trace, encoding="utf-8") as lines:
        follower.read(lines, [loads])
    streams = stream_figures(follower)
    verdicts = expected(follower, streams, loads)
    return compare(label, report, follower, streams, loads, verdicts)


def check_file(binary, path):
    with tempfile.TemporaryDirectory() as folder:
        return judge(binary, path, Path(path).name, Path(folder) / "trace.jsonl")


def check_seed(binary, seed, keep):
    """Checks the vehicle of a seed; keeps its files if something differs."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(seed, Path(folder))
        try:
            lines = judge(binary, path, f"seed {seed}", Path(folder) / "trace.jsonl")
        except RunFailed as failed:
            lines = [str(failed)]
        if lines:
            place = Path(keep) / f"seed-{seed}"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            for name in generate(seed):
                shutil.copy(Path(folder) / name, place / name)
            lines.append(f"seed {seed}: its vehicle is {place}/vehicle.toml")
        return lines


def write(seed, folder):
    """Writes the files of a seed; returns the vehicle file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in generate(seed).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "vehicle.toml"


def find_binary(given):
    """The program to check: as given, or the newest of this project's builds."""
    if given:
        return str(Path(given).resolve())
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / one / "waywarden" for one in ("release", "debug")]
    built = [one for one in built if one.exists()]
    if not built:
        sys.exit("truth-oracle: no target/*/waywarden: build waywarden-cli, or give --binary")
    return str(max(built, key=lambda one: one.stat().st_mtime))


def main(documentation):
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="check vehicle files")
    check.add_argument("files", nargs="+")
    some = commands.add_parser("random", help="check random vehicles")
    some.add_argument("--seeds", type=int, default=200, help="how many (200)")
    some.add_argument("--first", type=int, default=0, help="the first seed (0)")
    some.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    some.add_argument("--keep", default=str(ROOT / "target" / "truth-oracle"),
                      help="where vehicles that differ are kept (target/truth-oracle)")
    some.add_argument("--until-found", action="store_true", help="end with the first difference")
    for one in (check, some):
        one.add_argument("--binary", help="the program (the newest of target/*/waywarden)")
    single = commands.add_parser("generate", help="write the vehicle of a seed")
    single.add_argument("seed", type=int)
    single.add_argument("-o", "--output", required=True, help="the folder")
    options = parser.parse_args()
    if options.command == "generate":
        print(write(options.seed, Path(options.output)))
        return 0
    binary = find_binary(options.binary)
    if options.command == "check":
        return check_files(binary, options.files)
    return check_seeds(binary, options)


def check_files(binary, files):
    differ = False
    for path in files:
        try:
            lines = check_file(binary, path)
        except RunFailed as failed:
            print(failed, file=sys.stderr)
            return 2
        print("\n".join(lines) if lines else f"{Path(path).name}: agrees")
        differ = differ or bool(lines)
    return int(differ)


def check_seeds(binary, options):
    seeds = range(options.first, options.first + options.seeds)
    differing = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(check_seed, binary, seed, options.keep) for seed in seeds]
        for job in jobs:
            lines = job.result()
            if lines:
                differing += 1
                print("\n".join(lines), flush=True)
                if options.until_found:
                    pool.shutdown(cancel_futures=True)
                    break
    print(f"truth-oracle: seeds {seeds.start} to {seeds.stop - 1}: "
          + (f"{differing} differ" if differing else "all agree"))
    return int(differing > 0)
