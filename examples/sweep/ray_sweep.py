"""Many seeds of `waywarden traffic run`, side by side with Ray; writes the merged table as CSV.

A worker that dies has its run done again, by another one. Arguments that are not its own go to
`waywarden traffic run`.
"""

import argparse
import pathlib
import subprocess
import sys

import ray

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seeds", type=int, default=20, help="how many seeds, from 1 on")
parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder for all runs")
parser.add_argument("--table", type=pathlib.Path, required=True, help="the file for the table")
parser.add_argument("--workers", type=int, help="how many run at a time [default: one a core]")
arguments, rest = parser.parse_known_args()


@ray.remote(num_cpus=1, max_retries=5)
def run(seed: int) -> str:
    out = str(arguments.out.absolute() / f"run-{seed}")
    command = ["waywarden", "traffic", "run", *rest, "--seed", str(seed), "--out", out]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"seed {seed}: {done.stderr}")
    return out


arguments.out.mkdir(parents=True, exist_ok=True)
rest = [str(pathlib.Path(one).absolute()) if pathlib.Path(one).exists() else one for one in rest]
ray.init(num_cpus=arguments.workers, include_dashboard=False, log_to_driver=False)
folders, waiting = [], [run.remote(seed) for seed in range(1, arguments.seeds + 1)]
while waiting:
    done, waiting = ray.wait(waiting)
    folders += ray.get(done)
    print(f"{len(folders)} of {arguments.seeds} runs", file=sys.stderr)
merge = ["waywarden", "traffic", "merge", "--format", "csv", *folders]
with open(arguments.table, "w") as table:
    sys.exit(subprocess.run(merge, stdout=table).returncode)
