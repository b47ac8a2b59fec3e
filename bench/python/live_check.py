"""The delay of verdicts in a pipe: live_check.py WAYWARDEN RATE SECONDS.

Protects a log, writes its frames at RATE frames/s to `waywarden auth check -`, and measures for each
the time until its verdict can be read.

Prints {"rate", "frames", "delay_ms_median", "delay_ms_99", "delay_ms_max", "late", "cpu_s"} as JSON;
late are verdicts after 10 ms, cpu_s is the processor time of the check.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

TABLE = """[[authentication]]
scheme = "secoc"
profile = "autosar-1"
protect = "all"
key = "000102030405060708090a0b0c0d0e0f"
"""
STREAMS = 20


def protected(waywarden, config, frames, rate):
    """Returns the lines of a protected log."""
    lines = []
    for number in range(frames):
        at = 1_000_000_000 + number * 1_000_000 // rate
        identifier = 0x100 + number % STREAMS
        lines.append(f"({at // 1_000_000}.{at % 1_000_000:06}) can0 {identifier:03X}#{number:08X}\n")
    command = [waywarden, "auth", "protect", "-", "--config", config]
    done = subprocess.run(
        command, input="".join(lines).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    return done.stdout.splitlines(keepends=True)


def main():
    waywarden, rate, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "auth.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(TABLE)
        lines = protected(waywarden, config, rate * seconds, rate)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [waywarden, "--quiet", "auth", "check", "-", "--config", config, "--verdicts", "-"]
        check = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        sent, seen = [], []

        def read():
            rest = b""
            while chunk := os.read(check.stdout.fileno(), 1 << 16):
                now = time.monotonic()
                rest += chunk
                count = rest.count(b"\n")
                rest = rest[rest.rfind(b"\n") + 1 :]
                seen.extend([now] * count)

        reader = threading.Thread(target=read)
        reader.start()
        begin = time.monotonic()
        # One frame at a time, or as many as are due where the clock of the machine is coarse.
        for number, line in enumerate(lines):
            due = begin + number / rate
            wait = due - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            sent.append(time.monotonic())
            os.write(check.stdin.fileno(), line)
        check.stdin.close()
        reader.join()
        code = check.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    delays = sorted(1e3 * (done - asked) for done, asked in zip(seen, sent))
    count = len(delays)
    if code != 0 or count != len(lines):
        sys.exit(f"{count} verdicts on {len(lines)} frames, exit code {code}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        json.dumps(
            {
                "rate": round(count / (sent[-1] - begin)),
                "frames": count,
                "delay_ms_median": round(delays[count // 2], 3),
                "delay_ms_99": round(delays[count * 99 // 100], 3),
                "delay_ms_max": round(delays[-1], 3),
                "late": sum(delay > 10 for delay in delays),
                "cpu_s": round(cpu, 3),
            }
        )
    )


main()
