#!/usr/bin/env python3
"""Crashes: experiments are killed, stopped or lose their folder, and are resumed.

The first cases run random small specs of the three tasks and kill them at random times. Some commands run
one shard, and some of these run at the same time as another process, which runs the same or another shard
and is not killed. In the end, the exported records, curves, selection, verdicts, tables and figures equal
those of an uninterrupted run, byte for byte.

The other cases are in steady.py: kills of import and export, a full disk, and changes to the folder during
a run.

    scripts/attack/crash.py [-n KILLS] [--seed SEED] [BINARY]
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from common import differences, killed
from steady import Steady

KILLS = 39
TASKS = ("pca", "svm", "svm-sparse")
BOUND = 70    # seconds for the kills of all tasks


def cases(stochopt, folder, kills=KILLS, seed=None):
    seed = seed if seed is not None else random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    for i, task in enumerate(TASKS):
        share = kills // len(TASKS) + (i < kills % len(TASKS))
        place = pathlib.Path(folder, task)
        place.mkdir()
        yield from crash(stochopt, place, task, share, rng, f"seed {seed}")
    place = pathlib.Path(folder, "steady")
    place.mkdir()
    yield from Steady(stochopt, place, rng).cases()


def crash(stochopt, place, task, kills, rng, label):
    """Yields one case per kill. They fail if bytes differ in the end."""
    spec = SPECS[task](rng, place)
    (place / "spec.yaml").write_text(spec)

    def command(out):
        return [stochopt, "run", "spec.yaml", "--out", out, "-j", str(rng.choice((1, 2)))]

    start = time.monotonic()
    whole = subprocess.run(command("whole"), cwd=place, capture_output=True, text=True, timeout=BOUND)
    takes = time.monotonic() - start
    if whole.returncode != 0:
        yield f"{task}, {label}: whole", False, f"exit {whole.returncode}: {whole.stderr[-500:]}\n{spec}"
        return
    hit, problems, deadline = 0, [], time.monotonic() + BOUND / len(TASKS)
    while hit < kills and time.monotonic() < deadline:
        shard, other = [], None
        if rng.random() < 0.5:
            shard = ["--shard", f"{rng.randint(1, 3)}/3"]
            if rng.random() < 0.5:
                other = subprocess.Popen(command("broken") + ["--shard", f"{rng.randint(1, 3)}/3"], cwd=place,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        code, err = killed(command("broken") + shard, place, rng.uniform(0, 1.1) * takes / rng.choice((1, 1, 2, 6)))
        if other:
            stderr = other.communicate(timeout=BOUND)[1]
            if other.returncode != 0:
                problems.append(f"the other shard, exit {other.returncode}: {stderr[-300:]}")
        if code == -signal.SIGKILL:
            hit += 1
        elif code == 0 and shard:
            continue
        elif code == 0:
            # The experiment is complete: start again in another folder.
            problems += differences(stochopt, place / "whole" / "crash", place / "broken" / "crash")
            (place / "broken").rename(place / f"done-{time.monotonic_ns()}")
        else:
            problems.append(f"exit {code}: {err[-300:]}")
            break
    last = subprocess.run(command("broken"), cwd=place, capture_output=True, text=True, timeout=BOUND)
    if last.returncode != 0:
        problems.append(f"resumed, exit {last.returncode}: {last.stderr[-300:]}")
    problems += differences(stochopt, place / "whole" / "crash", place / "broken" / "crash")
    if hit < kills:
        problems.append(f"only {hit} of {kills} kills within the time limit")
    for k in range(max(hit, 1)):
        yield f"{task}, {label}: kill {k + 1}", not problems, "; ".join(problems) or f"bytes equal; an uninterrupted run takes {takes:.1f} s"


def points(rng, file, n):
    """Writes a LIBSVM file of n points of two overlapping classes."""
    with open(file, "w") as f:
        for i in range(n):
            side = 1 if i % 3 else -1
            f.write(f"{side:+d} 1:{side + rng.gauss(0, 0.8):.4f} 2:{rng.gauss(0, 0.8):.4f} 3:{rng.gauss(0, 1):.4f}\n")


def head(rng, task, budget):
    return (f"version: 1\nname: crash\ntitle: Killed and resumed\ntask: {task}\nseed: {rng.randrange(1 << 30)}\n"
            f"repeats: {rng.randint(3, 6)}\nbudget: {budget}\nrecord: {{points: {rng.randint(3, 12)}}}\n")


def pca(rng, place):
    k = rng.randint(1, 4)
    names = rng.sample(("incremental", "capped-msg", "warmuth-kuzmin"), 2)
    first, others = names[0], "".join(f"  - {{id: {a}}}\n" for a in names)
    steps = sorted(rng.sample((0.25, 0.5, 1, 2, 4), rng.randint(1, 3)))
    return head(rng, "pca", f"{{iterations: {rng.randint(500, 4000)}}}") + f"""datasets:
  - {{id: g, source: simulated-gaussian, with: {{dim: {rng.randint(8, 32)}, gap: {k}}}, problem: {{k: {k}}}}}
defaults:
  step: {{c: {steps}}}
algorithms:
  - {{id: msg}}
{others}select: {{by: oracle}}
figures:
  - {{id: fig, x: iterations, y: suboptimality, log: [x, y]}}
tables:
  - {{id: tab, columns: [mean_rank, final_suboptimality, runs]}}
claims:
  - id: c
    source: none
    says: MSG is about as good as another
    shown: fig
    check: {{ratio: {{of: {{series: msg, read: mean}}, to: {{series: {first}, read: mean}}, between: [0.3, 3]}}}}
"""


def svm(rng, place):
    points(rng, place / "train.svm", rng.randint(60, 300))
    points(rng, place / "test.svm", 60)
    names = rng.sample(("sdca", "smo", "pegasos", "perceptron"), 2)
    first, others = names[0], "".join(f"  - {{id: {a}}}\n" for a in names)
    return head(rng, "svm", f"{{passes: {rng.randint(3, 10)}}}") + f"""datasets:
  - {{id: b, path: train.svm, test: test.svm, format: libsvm, problem: {{sigma2: {rng.choice((0.5, 1, 2))}, C: {rng.choice((0.5, 1))}}}}}
algorithms:
  - {{id: sbp}}
{others}figures:
  - {{id: fig, x: kernel_evals, y: error, log: [x]}}
tables:
  - {{id: tab, columns: [runs]}}
claims:
  - id: c
    source: none
    says: SBP is below another
    shown: fig
    check: {{order: {{series: sbp, below: [{first}], metric: error, cost: kernel_evals, from: 0.001}}}}
"""


def sparse(rng, place):
    points(rng, place / "train.svm", rng.randint(60, 200))
    points(rng, place / "test.svm", 60)
    return head(rng, "svm-sparse", f"{{passes: {rng.randint(3, 8)}}}") + f"""datasets:
  - {{id: b, path: train.svm, test: test.svm, format: libsvm, problem: {{sigma2: 1, C: {rng.choice((0.5, 1))}}}}}
algorithms:
  - {{id: sparsify, with: {{eta: [0.25, {rng.choice((0.5, 1))}]}}}}
  - {{id: rsvm, with: {{ratio: {rng.choice((0.1, 0.3))}}}}}
select: {{by: halvings, halvings: 20, tune: [eta, ratio]}}
figures:
  - {{id: fig, draw: tradeoff}}
tables:
  - {{id: tab, columns: [runs]}}
claims:
  - id: c
    source: none
    says: Sparsifying is below a random subset
    shown: fig
    check: {{order: {{series: sparsify, below: [rsvm], metric: error, cost: support}}}}
"""


SPECS = {"pca": pca, "svm": svm, "svm-sparse": sparse}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default="build/stochopt")
    parser.add_argument("-n", "--kills", type=int)
    parser.add_argument("--seed", type=int, help="seed of the specs and the times of kills; printed")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    kills, binary = options.kills or KILLS, os.path.abspath(options.binary)
    print(f"{kills} kills, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        tried = list(cases(binary, folder, kills, seed))
    lost = {(what.partition(": kill ")[0], detail) for what, ok, detail in tried if not ok}
    for what, detail in sorted(lost):
        print(f"{what}: {detail}")
    for what, _, _ in tried:
        if "skipped" in what:
            print(what)
    print(f"{sum(ok for _, ok, _ in tried)} of {len(tried)} crashes survived, bytes equal")
    return 1 if lost or len(tried) < kills else 0


if __name__ == "__main__":
    sys.exit(main())
