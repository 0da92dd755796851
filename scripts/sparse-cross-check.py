#!/usr/bin/python3
"""Cross-check the task svm-sparse with LIBSVM, scikit-learn and NumPy.

Generates small problems, and uses one of Adult if HARNESS_MIRROR is a folder that has it. The binary trains
and compresses classifiers. Independent code then checks its records:

    reference     objective, bias, support and test errors against svm-train
    osuna-girosi  objective, bias, support and scores against svm-train -s 3
                  and scikit-learn's SVR on the scores of the reference
    rsvm, spsvm   objective against a minimum that SciPy finds on the same basis
    reduced-set   coefficients against a least-squares fit of w in the span of
                  the vectors
    sparsify      value of its objective against its threshold, and |w~|
                  against |w| for the norm-constrained variant
    records       |w|, the mean hinge loss and the mistakes on the test split
    halvings      selection.csv, recomputed from the recorded mistakes

The spec sets record.vectors, so the records have the coefficients of the final classifiers and of the
reference.

Exits with 1 if a difference is above its tolerance. Needs svm-train and
svm-predict (Debian: libsvm-tools), python3-sklearn and the built binary (make
build).

    scripts/sparse-cross-check.py [path of the binary, build/stochopt by default]
"""
import base64
import csv
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.svm import SVR

TUBES = (0.02, 0.2, 1.0)
HALVINGS = 50
TUNE = ("eta", "epsilon", "ratio")
# The binary rounds kernel rows to 32 bits, but this script does not. A score this close to 0 may have either
# sign.
CLOSE = 1e-4

outcomes = []


def check(problem, what, found, wanted, tolerance, relative=True):
    difference = abs(found - wanted) / (max(abs(wanted), 1e-300) if relative else 1)
    wrong = not difference <= tolerance
    print(f"{problem:8} {what:44} {found:16.9g} {wanted:16.9g} {difference:10.1e} {tolerance:10.0e}{'  WRONG' if wrong else ''}")
    outcomes.append(wrong)


def problems():
    """Yields name, training rows and labels, test rows and labels, gamma, C."""
    rng = np.random.default_rng(11)
    n, d = 700, 8
    x = rng.normal(size=(n, d))
    radius = (x[:, :3] ** 2).sum(1) + 0.7 * rng.normal(size=n)
    yield ("dense", *halves(x, np.where(radius > 3, 1, -1)), 0.1, 10.0)
    x = (rng.random((n, 40)) < 0.25).astype(float)
    rule = x @ rng.normal(size=40) + 2 * x[:, 0] * x[:, 1] + 0.5 * rng.normal(size=n)
    # Labels other than +1 and -1.
    yield ("binary", *halves(x, np.where(rule > 0, 2, 1)), 0.1, 1.0)
    folder = pathlib.Path(os.environ.get("HARNESS_MIRROR") or "none") / "adult"
    if (folder / "a8a.gz").is_file() and (folder / "a8a.t.gz").is_file():
        parts = []
        for name, rows in (("a8a.gz", 700), ("a8a.t.gz", 500)):
            with gzip.open(folder / name) as f:
                text = b"".join(f.readline() for _ in range(rows))
            x, y = load_svmlight_file(io.BytesIO(text), n_features=123, zero_based=False)
            parts += [x.toarray(), y.astype(int)]
        yield ("adult", *parts, 0.1, 1.0)


def halves(x, y):
    n = 4 * len(y) // 7
    return x[:n], y[:n], x[n:], y[n:]


def kernel(gamma, x, z):
    squares = (x ** 2).sum(1)[:, None] + (z ** 2).sum(1) - 2 * x @ z.T
    return np.exp(-gamma * np.maximum(squares, 0))


class Classifier:
    """The final classifier of a run, or the reference that it approximates."""

    def __init__(self, run, x, reference=False):
        self.run, self.gamma = run, run["params"]["gamma"]
        vectors, prefix = run["curve"]["vectors"], "reference_" if reference else ""
        self.coef = np.array(vectors[prefix + "coefficients"])
        self.bias = run["facts"]["reference_bias"] if reference else run["curve"]["metrics"]["state"]["bias"][-1]
        rows = np.array(vectors[prefix + "points"], dtype=int)
        self.z = x[rows]
        if not reference:
            self.z[rows < 0] = np.reshape(vectors["constructed"], (-1, x.shape[1]))

    def product(self, x):
        """Returns <w, Phi(x)>."""
        return kernel(self.gamma, x, self.z) @ self.coef

    def scores(self, x):
        return self.product(x) + self.bias

    def norm_sq(self):
        return self.coef @ kernel(self.gamma, self.z, self.z) @ self.coef


def spec(name, train, test, features, gamma, c, positive):
    """Returns the spec of all runs."""
    once = [{"id": "osuna-girosi", "as": f"tube-{k}", "with": {"epsilon": e, "tolerance": 1e-7}} for k, e in enumerate(TUBES)]
    once += [
        {"id": "sparsify", "as": "to-half", "with": {"eta": 0.25, "epsilon": 0.5}},
        {"id": "sparsify-aggressive", "as": "to-quarter", "with": {"eta": 0.1, "epsilon": 0.25}},
        {"id": "sparsify-aggressive", "as": "bias-kept", "with": {"eta": 0.25, "epsilon": 0.5, "relearn": False}},
        {"id": "sparsify-smooth", "as": "in-ball", "with": {"eta": 0.25, "epsilon": 0.25}},
        {"id": "spsvm", "as": "greedy", "with": {"support": 24}},
        {"id": "rsvm", "as": "random", "with": {"ratio": 0.11}},
        {"id": "reduced-set", "as": "reduced", "with": {"support": 24}},
        {"id": "cpsp", "as": "planes", "with": {"basis": 16}},
    ]
    grids = [
        {"id": "sparsify", "with": {"eta": [0.0625, 0.25, 1], "epsilon": 0.25}},
        {"id": "sparsify-aggressive", "with": {"eta": [0.125, 0.5], "epsilon": [0.25, 0.5, 1]}},
        {"id": "rsvm", "with": {"ratio": [0.02, 0.05, 0.1, 0.2]}},
        {"id": "spsvm", "with": {"support": 32}},
    ]
    return {
        "version": 1, "name": name, "task": "svm-sparse", "seed": 5, "repeats": 3,
        "budget": {"iterations": 200000}, "record": {"points": 60, "spacing": "log", "vectors": True},
        "datasets": [{"id": "small", "path": str(train), "test": str(test), "format": "libsvm", "features": features, "positive": positive,
                      "problem": {"kernel": "gaussian", "gamma": gamma, "C": c, "bias": True}}],
        "algorithms": once + grids,
        "select": {"by": "halvings", "halvings": HALVINGS, "tune": list(TUNE)},
    }


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def svm_train(folder, x, targets, *options):
    """Returns the objective, b and number of support vectors that svm-train finds."""
    data = folder / "train.tmp"
    dump_svmlight_file(x, targets, str(data), zero_based=False)
    out = run("svm-train", "-h", "0", "-e", "1e-7", *options, data, folder / "model.tmp")
    objective, rho = re.findall(r"obj = (\S+), rho = (\S+)", out)[-1]
    return float(objective), -float(rho), int(re.findall(r"nSV = (\d+)", out)[-1])


def check_reference(name, folder, ref, x, y, xt, yt, c):
    objective, bias, support = svm_train(folder, x, y, "-g", repr(ref.gamma), "-c", repr(c))
    hinge = np.maximum(0, 1 - y * ref.scores(x)).sum()
    check(name, "reference: objective, svm-train", ref.norm_sq() / 2 + c * hinge, -objective, 1e-5)
    check(name, "reference: b, svm-train", ref.bias, bias, 1e-3, relative=False)
    check(name, "reference: support vectors, svm-train", len(ref.coef), support, 0.02)
    dump_svmlight_file(xt, yt, str(folder / "test.tmp"), zero_based=False)
    run("svm-predict", folder / "test.tmp", folder / "model.tmp", folder / "labels.tmp")
    theirs = np.loadtxt(folder / "labels.tmp")
    clear = np.abs(ref.scores(xt)) > 5e-3
    check(name, "reference: clear test errors, svm-predict", (ref.scores(xt) * yt <= 0)[clear].sum(), (theirs != yt)[clear].sum(), 0, relative=False)


def check_regression(name, folder, finals, ref, x, xt, c):
    targets = ref.scores(x)
    for k, tube in enumerate(TUBES):
        m = finals[f"tube-{k}"]
        theirs = SVR(C=c, epsilon=tube, gamma=ref.gamma, tol=1e-7).fit(x, targets)
        objective, bias, support = svm_train(folder, x, targets, "-s", "3", "-g", repr(ref.gamma), "-c", repr(c), "-p", repr(tube))
        value = m.norm_sq() / 2 + c * np.maximum(0, np.abs(targets - m.scores(x)) - tube).sum()
        what = f"osuna-girosi {tube:g}:"
        check(name, f"{what} objective, svm-train -s 3", value, -objective, 1e-5)
        check(name, f"{what} b, svm-train -s 3", m.bias, bias, 1e-3, relative=False)
        check(name, f"{what} support vectors, svm-train -s 3", len(m.coef), support, 0.02)
        check(name, f"{what} support vectors, scikit-learn", len(m.coef), len(theirs.support_), 0.02)
        check(name, f"{what} largest test score difference", np.abs(m.scores(xt) - theirs.predict(xt)).max(), 0, 2e-3, relative=False)


def check_basis(name, finals, x, y, c):
    """Minimises the squared hinge loss on the basis, in coordinates u such that the regulariser is half the squared
    length of u."""
    for series, bias_weight in (("random", 1), ("greedy", 0)):
        m = finals[series]
        design, root = kernel(m.gamma, x, m.z), np.eye(len(m.coef))
        if not bias_weight:
            root = np.linalg.cholesky(kernel(m.gamma, m.z, m.z))
            design = np.linalg.solve(root, design.T).T
        design = np.hstack([design, np.ones((len(x), 1))])
        weights = np.append(np.ones(len(m.coef)), bias_weight)

        def objective(u):
            slack = np.maximum(0, 1 - y * (design @ u))
            return weights @ u ** 2 / 2 + c / 2 * slack @ slack, weights * u - c * design.T @ (y * slack)

        least = minimize(objective, np.zeros(len(weights)), jac=True, method="L-BFGS-B",
                         options={"maxiter": 20000, "maxfun": 40000, "maxcor": 50, "ftol": 1e-14, "gtol": 1e-9}).fun
        found = objective(np.append(root.T @ m.coef, m.bias))[0]
        what = {"random": "rsvm", "greedy": "spsvm"}[series]
        check(name, f"{what}: objective, SciPy", found, least, 1e-6)


def check_reduced(name, finals, ref):
    m = finals["reduced"]
    within, across = kernel(m.gamma, m.z, m.z), kernel(m.gamma, m.z, ref.z) @ ref.coef
    best = np.linalg.lstsq(within, across, rcond=1e-12)[0]

    def residual(beta):
        return beta @ within @ beta - 2 * beta @ across + ref.norm_sq()

    check(name, "reduced-set: |w - w~|^2, least squares", residual(m.coef), residual(best), 1e-5)


def check_sparsify(name, finals, ref, x, y):
    """Checks f(w~) = max over {i: h_i > 0} of h_i - y_i <w~, Phi(x_i)>. If the bias is relearned, f is the minimum over
    b~ of the same maximum with <w~, Phi(x_i)> + b~."""
    margin = y * ref.scores(x)
    for series, threshold, learned in (("to-half", 0.5, True), ("to-quarter", 0.25, True), ("bias-kept", 0.5, False), ("in-ball", 0.25, True)):
        m = finals[series]
        right = margin > 0
        h = np.minimum(1, margin) - (0 if learned else y * ref.bias)
        violation = h - y * m.product(x)
        top = [violation[right & (y == side)].max() for side in (1, -1)]
        value = sum(top) / 2 if learned else max(top)
        check(name, f"{m.run['algorithm']}: value above {threshold:g}", max(0, value - threshold), 0, 1e-5, relative=False)
        bias = (top[0] - top[1]) / 2 if learned else ref.bias
        check(name, f"{m.run['algorithm']}: b", m.bias, bias, 1e-5, relative=False)
        if series == "in-ball":
            check(name, f"{m.run['algorithm']}: |w~|^2 above |w|^2", max(0, m.norm_sq() - ref.norm_sq()), 0, 1e-6 * ref.norm_sq(), relative=False)


def check_records(name, finals, ref, xt, yt):
    """Compares the recorded measurements of each classifier with its coefficients."""
    norms = hinges = errors = 0
    for m in finals:
        metrics, margin = m.run["curve"]["metrics"], m.scores(xt) * yt
        norms = max(norms, abs(metrics["state"]["norm"][-1] / np.sqrt(m.norm_sq()) - 1))
        hinges = max(hinges, abs(metrics["test"]["hinge"][-1] - np.maximum(0, 1 - margin).mean()))
        wrong = mistakes(m.run["curve"]["mistakes"][-1], len(yt))
        errors += (wrong != (margin <= 0))[np.abs(margin) > CLOSE].sum()
        if len(m.coef) != metrics["state"]["support"][-1]:
            sys.exit(f"{name}: {m.run['series']}: {len(m.coef)} coefficients, {metrics['state']['support'][-1]} on record")
    margin, facts = ref.scores(xt) * yt, next(m.run["facts"] for m in finals if "reference_error" in m.run["facts"])
    errors += max(0, abs((margin <= 0).sum() - round(facts["reference_error"] * len(yt))) - (np.abs(margin) < CLOSE).sum())
    norms = max(norms, abs(facts["reference_norm"] / np.sqrt(ref.norm_sq()) - 1))
    what = f"{len(finals)} records:"
    check(name, f"{what} |w|, relative difference", norms, 0, 1e-5, relative=False)
    check(name, f"{what} test hinge loss, difference", hinges, 0, 1e-5, relative=False)
    check(name, f"{what} other mistakes on the test split", errors, 0, 0, relative=False)


def mistakes(text, rows):
    """Decodes a set of row numbers: gaps as varints, in base64."""
    wrong, value, shift, next = np.zeros(rows, bool), 0, 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            wrong[next + value] = True
            value, shift, next = 0, 0, next + value + 1
    return wrong


class PCG:
    """PCG-DXSM with 128 bits of state, as Go's math/rand/v2 seeds and uses it."""

    def __init__(self, seed):
        self.state = seed

    def uint64(self):
        word = (1 << 64) - 1
        self.state = (self.state * (2549297995355413924 << 64 | 4865540595714422341)
                      + (6364136223846793005 << 64 | 1442695040888963407)) % (1 << 128)
        high, low = self.state >> 64, self.state & word
        high = (high ^ high >> 32) * 0xda942042e4dd58b5 & word
        high ^= high >> 48
        return high * (low | 1) & word

    def below(self, n):
        if n & (n - 1) == 0:
            return self.uint64() & (n - 1)
        while True:
            product = self.uint64() * n
            if product % (1 << 64) >= (1 << 64) % n:
                return product >> 64


def draw_halvings(seed, dataset_hash, rows):
    """Returns the validation rows of each halving."""
    digest = hashlib.sha256(f"halving\0{seed}\0{dataset_hash}\0{rows}".encode()).digest()
    rng = PCG(int.from_bytes(digest[:16], "big"))
    order, half = list(range(rows)), np.zeros((HALVINGS, rows), bool)
    for validates in half:
        for i in range(rows // 2):
            j = i + rng.below(rows - i)
            order[i], order[j] = order[j], order[i]
            validates[order[i]] = True
    return half


def classifiers(r):
    """Returns (support, mistakes) of a run: the last of each support from 1 on."""
    curve = r["curve"]
    found = dict(zip(map(int, curve["metrics"]["state"]["support"]), curve.get("mistakes", [])))
    return [(s, mistakes(text, r["rows"]["test"])) for s, text in sorted(found.items()) if s > 0]


def select(candidates, size, half):
    """Returns the results of one repeat at a support size: the mean errors on the report halves and on the validation
    halves, the variance of the former, and the number of times each choice was made. candidates are pairs of parameters
    and classifiers."""
    options = []
    for values, found in candidates:
        fitting = [c for c in found if c[0] <= size]
        if fitting:
            options.append((fitting[-1][0], values, fitting[-1][1]))
    options.sort(key=lambda o: o[:2])
    wrong = np.array([o[2] for o in options], dtype=float)
    validating = wrong @ half.T.astype(float)
    reporting = wrong @ (~half).T.astype(float)
    best = validating.argmin(axis=0)
    each = np.arange(len(half))
    errors = reporting[best, each] / (~half[0]).sum()
    votes = {}
    for k in best:
        votes[options[k][1]] = votes.get(options[k][1], 0) + 1
    return errors.mean(), (validating[best, each] / half[0].sum()).mean(), errors.var(ddof=1), votes


def check_halvings(name, folder, runs):
    rows = list(csv.DictReader((folder / "selection.csv").open()))
    half = draw_halvings(runs[0]["seed"], runs[0]["dataset_hash"], runs[0]["rows"]["test"])
    cells = {}
    for r in runs:
        values = tuple(r["params"][p] for p in TUNE if p in r["params"])
        cells.setdefault(r["series"], {}).setdefault(r["repeat"], []).append((values, classifiers(r)))
    apart = unlike = 0
    for row in rows:
        by_repeat = [select(c, int(row["support_size"]), half) for c in cells[row["series"]].values()]
        error, validation, variance = (np.mean([s[k] for s in by_repeat]) for k in range(3))
        wanted = {"error": error, "validation_error": validation, "deviation_over_halvings": variance ** 0.5, "repeats": len(by_repeat)}
        if len(by_repeat) > 1:
            wanted["deviation_over_repeats"] = np.std([s[0] for s in by_repeat], ddof=1)
        apart = max([apart] + [abs(float(row[k]) - v) for k, v in wanted.items()])
        votes = {}
        for s in by_repeat:
            for values, count in s[3].items():
                votes[values] = votes.get(values, 0) + count
        recorded = {}
        for choice in filter(None, row["choices"].split(", ")):
            *params, count = choice.split(" ")
            named = dict(p.split("=") for p in params[0].split(";")) if params else {}
            recorded[tuple(float(named[p]) for p in TUNE if p in named)] = int(count)
        # The runs of a series without a choice have equal parameters.
        unlike += recorded != (votes if any(recorded) else {(): sum(votes.values())})
    check(name, "halvings: series without a row", len(set(cells) - {row["series"] for row in rows}), 0, 0, relative=False)
    check(name, f"halvings: {len(rows)} rows of {len(cells)} series, difference", apart, 0, 1e-12, relative=False)
    check(name, "halvings: rows with other choices", unlike, 0, 0, relative=False)


def main():
    binary = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/stochopt").resolve()
    print(f"{'problem':8} {'what':44} {'found':>16} {'wanted':>16} {'difference':>10} {'tolerance':>10}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, x, labels, xt, test_labels, gamma, c in problems():
            train, test = folder / f"{name}.libsvm", folder / f"{name}.t.libsvm"
            dump_svmlight_file(x, labels, str(train), zero_based=False)
            dump_svmlight_file(xt, test_labels, str(test), zero_based=False)
            positive = int(labels.max())
            y, yt = (np.where(l == positive, 1, -1) for l in (labels, test_labels))
            file = folder / f"{name}.yaml"
            file.write_text(json.dumps(spec(name, train, test, x.shape[1], gamma, c, positive)))
            run(binary, "run", file, "--out", folder)
            out = folder / name
            runs = [json.loads(line) for line in run(binary, "export", out, "--to", "jsonl").splitlines()]
            for r in runs:
                if r["status"] != "finished":
                    sys.exit(f"{name}: {r['series']}: {r['status']}: {r['reason']}")
            all_finals = [Classifier(r, x) for r in runs if "vectors" in r["curve"]]
            finals = {m.run["series"]: m for m in all_finals}
            ref = Classifier(finals["to-half"].run, x, reference=True)
            check_reference(name, folder, ref, x, y, xt, yt, c)
            check_regression(name, folder, finals, ref, x, xt, c)
            check_basis(name, finals, x, y, c)
            check_reduced(name, finals, ref)
            check_sparsify(name, finals, ref, x, y)
            check_records(name, all_finals, ref, xt, yt)
            check_halvings(name, out, runs)
    print(f"{len(outcomes)} comparisons, {sum(outcomes)} beyond their tolerance")
    sys.exit(any(outcomes))


if __name__ == "__main__":
    main()
