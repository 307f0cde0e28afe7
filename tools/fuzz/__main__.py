"""Fuzz one target or all: `python -m tools.fuzz --seconds 60 [TARGET …]`, in an environment with atheris.

Findings are written to `.kipflow/fuzz/findings`, one file per place and kind; a finding does not end the run.
Each target runs in a separate process, because libFuzzer exits its process when it is done.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / ".kipflow" / "fuzz"
LIMIT = 120_000
#: CPU seconds per input, and per 100 KB of it, above which it counts as too slow.
SLOW = 1.0
GROWTH = 150 * 1024 * 1024

INSTRUMENTED = ["kipflow.mail", "kipflow.wiki", "kipflow.domain"]
# only the processes that fuzz pay for it
with atheris.instrument_imports(include=INSTRUMENTED if "--inside" in sys.argv else ["nothing"]):
    from tools.fuzz.mutations import mutate
    from tools.fuzz.seeds import SEEDS
    from tools.fuzz.targets import TARGETS, Violation


class Watch:
    """Runs and counts inputs, and saves those that broke an invariant."""

    def __init__(self, target: str) -> None:
        self.target, self.check = target, TARGETS[target]
        self.executions, self.findings, self.slowest = 0, set[str](), 0.0
        self.started = time.monotonic()
        self.saved_at = 0.0

    def run(self, data: bytes) -> None:
        self.executions += 1
        before = peak_memory()
        start = time.process_time()
        try:
            self.check(data)
        except Exception as error:
            self.keep(data, error)
        spent = time.process_time() - start
        allowed = SLOW * max(1.0, len(data) / 100_000)
        self.slowest = max(self.slowest, spent / max(1.0, len(data) / 100_000))
        if spent > allowed and min(self.time(data) for _ in range(2)) > allowed:
            self.keep(data, Violation(f"{spent:.1f} s for {len(data)} bytes"), place="slow")
        if self.executions > 1_000 and peak_memory() - before > GROWTH:
            self.keep(data, Violation(f"{(peak_memory() - before) >> 20} MiB for {len(data)} bytes"), place="memory")
        if time.monotonic() - self.saved_at > 10:
            self.save_figures()

    def time(self, data: bytes) -> float:
        start = time.process_time()
        with contextlib.suppress(Exception):  # run() has kept it; here only the time is asked for
            self.check(data)
        return time.process_time() - start

    def keep(self, data: bytes, error: BaseException, *, place: str = "") -> None:
        """Save the input and the error, once per place in the code."""
        frames = traceback.extract_tb(error.__traceback__)
        where = place or "|".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames[-3:])
        kind = (
            re.sub(r"\d+", "N", str(error).split(":")[0])[:40]
            if isinstance(error, Violation) and not place
            else type(error).__name__
        )
        name = f"{self.target}-{sha256(f'{where}{kind}'.encode()).hexdigest()[:8]}"
        if name in self.findings:
            return
        self.findings.add(name)
        folder = STATE / "findings"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.bin").write_bytes(data)
        trace = "".join(traceback.format_exception(error))
        (folder / f"{name}.txt").write_text(f"{error}\n{where}\n\n{trace}", encoding="utf-8", errors="replace")
        print(f"FINDING {name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr, flush=True)

    def save_figures(self) -> None:
        """Save the figures so far for the summary, because libFuzzer ends the process without notice."""
        self.saved_at = time.monotonic()
        figures = {
            "target": self.target,
            "executions": self.executions,
            "seconds": round(time.monotonic() - self.started),
            "slowest_seconds_per_100_kb": round(self.slowest, 2),
            "findings": sorted(self.findings),
        }
        (STATE / f"{self.target}-{os.getpid()}.json").write_text(json.dumps(figures), encoding="utf-8")


def peak_memory() -> int:
    """Peak resident memory so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def fuzz(target: str, seconds: int) -> None:
    """Fuzz one target until the time is up. Does not return: libFuzzer ends the process."""
    corpus = STATE / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    for data in SEEDS[target]():
        (corpus / sha256(data).hexdigest()[:16]).write_bytes(data)
    watch = Watch(target)

    def change(data: bytes, limit: int, seed: int) -> bytes:
        # one in four by libFuzzer's own mutations, guided by the comparisons that it saw
        if seed % 4 == 0:
            return bytes(atheris.Mutate(data, limit))
        return mutate(data, target=target, seed=seed, limit=limit)

    limits = [f"-max_total_time={seconds}", f"-max_len={LIMIT}", "-timeout=60", "-rss_limit_mb=2048", "-len_control=0"]
    arguments = [*limits, "-print_final_stats=1", f"-artifact_prefix={STATE}/", str(corpus)]
    run: Callable[[bytes], None] = watch.run
    atheris.Setup(["fuzz", *arguments], run, custom_mutator=change)
    atheris.Fuzz()


def main() -> int:
    """Fuzz the targets one after the other; returns 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)} (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument("--replay", type=Path, help="check one saved input against TARGET and exit")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    wrong = [name for name in options.targets if name not in TARGETS]
    if wrong:
        parser.error(f"no target {wrong[0]}; there are {', '.join(TARGETS)}")
    STATE.mkdir(parents=True, exist_ok=True)
    if options.replay:
        TARGETS[options.targets[0]](options.replay.read_bytes())
        print("holds")
        return 0
    if options.inside:
        fuzz(options.targets[0], options.seconds)
        return 0
    return run_all(options.targets or list(TARGETS), options.seconds)


def run_all(targets: list[str], seconds: int) -> int:
    """One process for each target; prints what each did."""
    found = 0
    for target in targets:
        command = [sys.executable, "-m", "tools.fuzz", "--inside", "--seconds", str(seconds), target]
        log = STATE / f"{target}.log"
        with log.open("wb") as out:
            child = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
            child.wait()
        path = STATE / f"{target}-{child.pid}.json"
        if not path.is_file():
            print(f"{target}: did not run; see {log}", file=sys.stderr)
            found += 1
            continue
        figures = json.loads(path.read_text(encoding="utf-8"))
        found += len(figures["findings"])
        text = log.read_text(encoding="utf-8", errors="replace")
        executed = re.search(r"number_of_executed_units:\s*(\d+)", text)
        executions = int(executed.group(1)) if executed else figures["executions"]
        covered = [line.split("cov: ")[1].split()[0] for line in text.splitlines() if "cov: " in line]
        edges = covered[-1] if covered else "?"
        print(
            f"{target}: {executions} executions in {figures['seconds']} s, {edges} edges, slowest "
            f"{figures['slowest_seconds_per_100_kb']} s per 100 KB, findings: {figures['findings'] or 'none'}",
            flush=True,
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
