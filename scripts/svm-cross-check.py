#!/usr/bin/python3
"""Cross-check the dual solvers with LIBSVM and scikit-learn.

Generates small random problems, solves each with svm-train, scikit-learn's SVC and this project's smo,
decomposition and sdca, and compares the dual objectives 1'alpha - |w|^2/2. Exits with 1 if a relative
difference exceeds the tolerance. Needs svm-train (Debian: libsvm-tools), python3-sklearn and the built
binary (make build).

    scripts/svm-cross-check.py [path of the binary, build/stochopt by default]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.datasets import dump_svmlight_file
from sklearn.svm import SVC

TOLERANCE = 1e-5
ITERATIONS = 100000


def problems():
    rng = np.random.default_rng(7)
    n, d = 300, 12
    direction = rng.normal(size=d)
    dense = rng.normal(size=(n, d))
    noisy = np.where(dense @ direction + rng.normal(size=n) > 0, 1, -1)
    binary = (rng.random((n, 40)) < 0.2).astype(float)
    rule = np.where(binary @ rng.normal(size=40) + 0.3 * rng.normal(size=n) > 0, 1, -1)
    sparse = rng.normal(size=(n, 60)) * (rng.random((n, 60)) < 0.1)
    sparse[3] = 0
    few = np.where(rng.random(n) < 0.15, 1, -1)
    yield "dense", dense, noisy, 0.05
    yield "binary", binary, rule, 0.1
    yield "sparse", sparse, few, 0.5


def libsvm(path, gamma, c):
    out = subprocess.run(
        ["svm-train", "-h", "0", "-e", "1e-7", "-g", repr(gamma), "-c", repr(c), path, path + ".model"],
        check=True, capture_output=True, text=True).stdout
    return -float(re.search(r"obj = (\S+),", out).group(1))


def sklearn(x, y, gamma, c):
    model = SVC(C=c, gamma=gamma, tol=1e-8).fit(x, y)
    w = model.dual_coef_.ravel()
    sv = model.support_vectors_
    k = np.exp(-gamma * ((sv[:, None, :] - sv[None, :, :]) ** 2).sum(-1))
    return float(np.abs(w).sum() - 0.5 * w @ k @ w)


def ours(binary, path, gamma, c, n, bias):
    folder = pathlib.Path(path).parent
    name = f"check-{pathlib.Path(path).stem}-{c}-{bias}".lower().replace(".", "-")
    spec = folder / f"{name}.yaml"
    algorithms = ["smo", "decomposition"] + ([] if bias else ["sdca"])
    spec.write_text(json.dumps({
        "version": 1, "name": name, "task": "svm", "seed": 1,
        "budget": {"iterations": ITERATIONS}, "record": {"points": 2},
        "datasets": [{"id": "small", "path": path, "format": "libsvm",
                      "problem": {"kernel": "gaussian", "gamma": gamma, "C": c, "bias": bias}}],
        "algorithms": [{"id": a} for a in algorithms],
    }))
    subprocess.run([binary, "run", str(spec), "--out", str(folder)], check=True, capture_output=True, text=True)
    found = {}
    exported = subprocess.run([binary, "export", folder / name, "--to", "jsonl"], check=True, stdout=subprocess.PIPE, text=True)
    for line in exported.stdout.splitlines():
        run = json.loads(line)
        if run["status"] != "finished":
            sys.exit(f"{run['algorithm']}: {run['status']}: {run['reason']}")
        # The record holds lambda times the dual objective, lambda = 1/(C n).
        found[run["algorithm"]] = run["curve"]["metrics"]["state"]["dual"][-1] * c * n
    return found


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "build/stochopt"
    worst = 0.0
    print(f"{'problem':10} {'C':>6} {'bias':5} {'solver':14} {'dual objective':>18} {'relative difference':>20}")
    with tempfile.TemporaryDirectory() as folder:
        for name, x, y, gamma in problems():
            path = f"{folder}/{name}.libsvm"
            dump_svmlight_file(x, y, path, zero_based=False)
            for c in (0.1, 1.0, 100.0):
                reference = libsvm(path, gamma, c)
                rows = [("svm-train", True, reference), ("scikit-learn", True, sklearn(x, y, gamma, c))]
                rows += [(a, True, v) for a, v in sorted(ours(binary, path, gamma, c, len(y), True).items())]
                unbiased = ours(binary, path, gamma, c, len(y), False)
                rows += [(a, False, v) for a, v in sorted(unbiased.items())]
                for solver, bias, value in rows:
                    against = reference if bias else unbiased["smo"]
                    difference = abs(value - against) / abs(against)
                    worst = max(worst, difference)
                    print(f"{name:10} {c:6g} {str(bias).lower():5} {solver:14} {value:18.9g} {difference:20.2e}")
    print(f"largest relative difference {worst:.2e}, tolerance {TOLERANCE:g}")
    sys.exit(worst > TOLERANCE)


if __name__ == "__main__":
    main()
