#!/usr/bin/env python3
"""How often compare is wrong: false alarms, verdicts at the margin, coverage, missing work, and power.

Draws repeats from pools of runs, generates curves with a known true ratio, and plants faults in copies of the
tree. Prints Markdown tables; "!" marks a rate that exceeds its nominal level by more than its standard error.

  scripts/compare-study.py DIR [--stochopt BIN] [--only alarms,margins,...] [--size 1]
"""

import collections
import itertools
import json
import math
import pathlib
import re
import subprocess
import tempfile

import study
from study import REPEATS, SEED, rate, rng

AT = (1, 2, 5, 10, 20, 50, 100, 200, 500)
DATA = "id: {}, source: mnist, split: {{train: 0.4, validation: 0.2, test: 0.4}}, problem: {{k: 1}}"
FIXED = ["id: msg, step: {schedule: inverse-sqrt, c: 1}", "id: capped-msg, step: {schedule: inverse-sqrt, c: 1}"]
TUNED = "id: msg, step: {schedule: inverse-sqrt, c: [0.5, 1, 2, 4]}"
VALIDATION = "{by: validation, metric: suboptimality, over: mean-over-curve, tune: [step.c]}"
PCA, SVM, RATES = "pca-simulated", "svm-experiments", "pca-rates"
PARTS = {  # the parts of the specs to run, and changes to them
    PCA: (("dataset=gaussian-k1", "dataset=orthogonal-k1"), ("record.points=12", "record.spectrum=false")),
    SVM: ([f"dataset=adult,series={s}" for s in ("sbp", "sgd", "sdca", "perceptron", "perceptron-last")], ()),
    RATES: (("series=msg",), ()),
}
STREAM, RELAXATION, OUTPUT = (f"algorithms/pca/{name}.go" for name in ("stream", "relaxation", "output"))
KERNEL, TASK, ORDER = (f"harness/internal/{name}.go" for name in ("registry/kernel", "run/kernel_task", "run/sampling"))
STEP, PROJECT, SHARED, SUM = "eta = s.step.At(t)", "\tproject()\n", "\ts := &svmShared{key:", "\ta.cur.addTo(a.sum"
SHUFFLE = "rng.Shuffle(n, func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })"
ROUND = "for i, v := range r.factor.values {\nr.factor.values[i] = float64(float32(v))\n}\n"
BUGS = {  # planted faults: the spec that shows it, the file, the text to replace, the replacement
    "none": (PCA,),
    "step x 1.05": (PCA, STREAM, STEP, "eta = 1.05 * s.step.At(t)"),
    "schedule off by one": (PCA, STREAM, STEP, "eta = s.step.At(t + 1)"),
    "every 100th projection lost": (PCA, RELAXATION, PROJECT, "if r.cost.Iterations%100 != 99 {\nproject()\n}\n"),
    "doubled cost": (PCA, STREAM, "s.cost.SumKT2 += int64(kt2)", "s.cost.SumKT2 += 2 * int64(kt2)"),
    "eigenvalues in float32": (PCA, RELAXATION, PROJECT, PROJECT + ROUND),
    "none, averaged": (RATES,),
    "average of the last iterates only": (
        RATES, OUTPUT, SUM, "if a.n == 100 {\na.sum.Zero()\na.bulk, a.n = 0, 0\n}\n" + SUM),
    "none, SVM": (SVM,),
    "kernel 2% too wide": (SVM, KERNEL, "Gamma: gaussianGamma(p)}", "Gamma: gaussianGamma(p) / 1.0404}"),
    "a tenth of the training rows are test rows": (SVM, TASK, SHARED, "copy(train, test[:len(train)/10])\n" + SHARED),
    "shuffled once, not in each pass": (SVM, ORDER, SHUFFLE, "if rng != nil {\n" + SHUFFLE + "\nrng = nil\n}"),
    "file order": (SVM, ORDER, SHUFFLE, ""),
}


class Study(study.Study):
    def compare(self, base, cand, *flags, spec=study.spec([DATA.format("d")], FIXED)):
        """Returns the JSON output of compare for two folders, or two lists of runs, with its exit code."""
        with tempfile.TemporaryDirectory() as tmp:
            sides = [study.write(pathlib.Path(tmp, str(i)), spec, side) if isinstance(side, list) else side
                     for i, side in enumerate((base, cand))]
            out = self.output("compare", *sides, "--json", *flags)
        assert out.stdout.startswith("{") or "incomparable" in out.stderr, out.stderr
        found = json.loads(out.stdout) if out.stdout else {"outcome": "incomparable", "cells": []}
        return {**found, "code": out.returncode, "verdicts": [c["verdict"] for c in found["cells"]]}

    def rates(self, label, n, nominal, f):
        """Prints the rates of the events that f(i) returns by name. nominal has their levels, or one for all."""
        found = study.simulations(f, self.n(n))
        for name in found[0]:
            level = nominal.get(name) if isinstance(nominal, dict) else nominal
            rate(f"{label}: {name}", level, sum(r[name] for r in found), len(found))


def decided(c):
    return {"worse": "worse" in c["verdicts"], "better or worse": bool({"worse", "better"} & set(c["verdicts"]))}


def plain(r, paired):
    """Returns a run with only its suboptimality. A run that replaces one of a pair has no costs, because the costs of a
    pair are equal."""
    cost = {k: v for k, v in r["curve"]["cost"].items() if k == "iterations" or k == "sum_kt2" and not paired}
    y = [float(f"{v:.6g}") for v in r["curve"]["metrics"]["population"]["suboptimality"]]
    return {**r, "curve": {"cost": cost, "metrics": {"population": {"suboptimality": y}}}}


def alarms(s):
    """The program compared with itself, on real and on synthetic runs."""
    pool, text = study.pool(s, PCA, 120, (), PARTS[PCA][1])
    by = collections.defaultdict(list)
    for r in pool:
        by[r["dataset"], r["series"], r["repeat"]].append((r["params"].get("step.c"), plain(r, False), plain(r, True)))

    def real(i, n, cells, selected, paired):
        random = rng("alarms", i, n, cells, selected, paired)
        names = sorted({k[:2] for k in by})
        if cells == 1:
            names = [random.choice([("gaussian-k2", "msg"), ("orthogonal-k4", "capped-msg")])]
        drawn = random.sample(range(120), 2 * n)
        sides = [[study.relabelled(r[paired], j, SEED + side * (not paired), side)
                  for name in names for j, repeat in enumerate(drawn[side * n:][:n])
                  for c, *r in by[(*name, repeat)] if selected or c in (None, 1)] for side in (0, 1)]
        fixed = re.sub(r"(?s)select:.*", "select: {by: none}\n", text).replace("[0.015625, 0.125, 1, 8]", "1")
        return decided(s.compare(*sides, spec=text if selected else fixed))

    study.heading("False alarms: the same program (validation: made up)", "repeats, cells, choice, pairing: verdict")
    choices = ("fixed", "oracle", "validation")
    for choice, cells, n, paired in itertools.product(choices, (1, 24), REPEATS, (True, False)):
        def f(i):
            if choice == "validation":
                return decided(tuned(s, rng("tuned", i, n, cells, paired), n, cells, paired))
            return real(i, n, cells, choice == "oracle", paired)
        many = 240 if cells == 1 else 20 if choice == "validation" else 60
        s.rates(f"{n}, {cells}, {choice}, {'paired' if paired else 'unpaired'}", many, 0.05, f)


def tuned(s, random, n, cells, paired):
    """Compares procedures with four step sizes. Two are tied on the validation split but differ by a factor of 5 on the
    test split, and one diverges."""
    names, sides = [f"d{i}" for i in range(cells)], ([], [])
    for side, runs in enumerate(sides):
        for d in names:
            for j in range(n):
                for c, level, end in ((0.5, 1, 1), (1.0, 1, 5), (2.0, 1.5, 2), (4.0, 1.1, 2)):
                    z = 0.3 * random.gauss(0, 1)
                    y = [end * math.exp(z + 0.1 * random.gauss(0, 1)) / math.sqrt(x) for x in AT]
                    v = [level * math.exp(z + 0.1 * random.gauss(0, 1))] * len(y)
                    failed = c == 4 and random.random() < 0.1
                    runs.append(study.run(
                        AT, {("test", "suboptimality"): y, ("validation", "suboptimality"): v}, dataset=d, repeat=j,
                        params={"k": 1, "step.c": c}, seed=SEED + side * (not paired),
                        status="diverged" if failed else "finished"))
    return s.compare(*sides, spec=study.spec(map(DATA.format, names), [TUNED], select=VALIDATION))


def curves(random, n, noise, jitter=0.0, paired=True):
    """Returns the runs of both sides. noise(i) is the logarithm of the candidate's factor in repeat i."""
    base, cand = [], []
    for j in range(n):
        y = [math.exp(0.3 * random.gauss(0, 1) + 0.05 * random.gauss(0, 1)) / math.sqrt(x) for x in AT]
        base.append(study.run(AT, {("test", "suboptimality"): y}, repeat=j))
        if not paired:
            y = [math.exp(0.3 * random.gauss(0, 1)) / math.sqrt(x) for x in AT]
        factor = math.exp(noise(j))
        y = [factor * v * math.exp(jitter * random.gauss(0, 1)) for v in y]
        cand.append(study.run(AT, {("test", "suboptimality"): y}, repeat=j, seed=SEED + (not paired), version=2))
    return base, cand


def margins(s):
    """Verdicts near the tolerance of 5%."""
    study.heading("Wrong verdicts at the tolerance of 5%, one cell, paired", "true ratio, scatter, repeats: verdict")
    wrong = {1.045: "worse", 1.055: "equivalent", 1 / 1.045: "better"}
    for sigma, n, ratio in itertools.product((0.02, 0.1), REPEATS, wrong):
        def f(i):
            random = rng("margins", i, sigma, n, ratio)
            sides = curves(random, n, lambda _: math.log(ratio) + sigma * random.gauss(0, 1), sigma / 2)
            return {wrong[ratio]: wrong[ratio] in s.compare(*sides)["verdicts"]}
        s.rates(f"{ratio:.4g}, {100 * sigma:g}%, {n}", 300, 0.05, f)
    study.heading("One repeat in ten carries a ratio of 1.055", "repeats: verdict")
    silent = "equivalent, without a printed rate of 10% or more"
    for n in REPEATS:
        def g(i):
            random = rng("rare", i, n)
            hit = [random.random() < 0.1 for _ in range(n)]
            found = s.compare(*curves(random, n, lambda j: 10 * math.log(1.055) * hit[j]))
            same, printed = "equivalent" in found["verdicts"], found["cells"][0].get("rare_rate") or 0
            return {"equivalent": same, silent: same and printed < 0.1}
        s.rates(n, 300, {silent: 0.05}, g)


def coverage(s):
    """The rate at which the printed interval of the ratio contains the true ratio."""
    shapes = {"normal": lambda r: 0.1 * r.gauss(0, 1), "skewed": lambda r: 0.2 * (r.expovariate(1) - 1)}
    study.heading("Coverage of the printed intervals, whose mean level is nominal", "scatter, pairing, repeats: interval")
    for shape, paired, n in itertools.product((*shapes, "selected"), (True, False), REPEATS):
        def f(i):
            random, truth = rng("coverage", i, shape, paired, n), 1.2
            if shape == "selected":
                cell, truth = tuned(s, random, n, 1, paired)["cells"][0], 1
            else:
                sides = curves(random, n, lambda _: math.log(truth) + shapes[shape](random), 0.05, paired)
                cell = s.compare(*sides)["cells"][0]
            shown = {m.get("kind", "cell"): (m["ratio"], m.get("level") or 0.95)
                     for m in (cell, *cell.get("measures", [])) if m.get("ratio")}
            return {k: ((r["lo"] or 0) <= truth <= (r["hi"] or math.inf), level) for k, (r, level) in shown.items()}
        found = study.simulations(f, s.n(160))
        for kind in sorted({k for r in found for k in r}):
            of = [r[kind] for r in found if kind in r]
            level = round(sum(level for _, level in of) / len(of), 3)
            rate(f"{shape}, {'paired' if paired else 'unpaired'}, {n}: {kind}", level, sum(hit for hit, _ in of), len(of), least=True)


def halvings(s):
    """Trade-offs with one training run per side. Their intervals are over halvings of the test set."""
    by, spec = study.single_runs(s)
    study.heading("Halvings: one training run with another of the same method", "seeds: verdict")
    for other in (0, 1):
        def f(i):
            drawn = rng("halvings", i, other).sample(by[i % len(by)], 2)
            sides = [[study.relabelled(r, 0, SEED + other * k, k) for r in rs] for k, rs in enumerate(drawn)]
            return decided(s.compare(*sides, spec=spec))
        s.rates("others" if other else "the same", 180, 0.05, f)


def work(s):
    """The output of compare if work is missing or costs differ."""
    def side(version=1, repeats=10, until=500, series=("msg", "capped-msg"), by=1, cost="kernel_evals"):
        random, runs, at = rng("work"), [], [x for x in AT if x <= until]
        for name, j in itertools.product(("msg", "capped-msg"), range(10)):
            y = [math.exp(0.3 * random.gauss(0, 1)) / math.sqrt(x) for x in AT][:len(at)]
            if name in series and j < repeats:
                runs.append(study.run(at, {("test", "suboptimality"): y}, {cost: [by * 100 * x for x in at]}, repeat=j,
                                      series=name, version=version, key=study.digest(f"{name} {j} {version}")[:32]))
        return runs
    flags = ["", "--strict"]
    codes = ["exit code " + f for f in flags]
    study.heading("Missing work and changed costs", "candidate", *codes, "verdicts", "outcome")
    for label, change in {
        "the same": {}, "200 of 500 iterations": {"until": 200}, "4 of 10 repeats": {"repeats": 4},
        "a series removed": {"series": ("msg",)}, "kernel_evals doubled": {"by": 2, "version": 2},
        "sum_kt2 doubled": {"by": 2, "version": 2, "cost": "sum_kt2"},
    }.items():
        sides = side(cost=change.get("cost", "kernel_evals")), side(**change)
        found = [s.compare(*sides, *filter(None, [f])) for f in flags]
        row = [label, *(str(c["code"]) for c in found), ", ".join(found[0]["verdicts"]), found[0]["outcome"]]
        print(f"| {' | '.join(row)} |", flush=True)


def looks(s):
    """Adding repeats, from 6 to 30, until there is a decision."""
    def f(i):
        random = rng("looks", i)
        base, cand = curves(random, 30, lambda _: 0.2 * random.gauss(0, 1), 0.1)
        return {"wrong": any(decided(s.compare(base[:n], cand[:n]))["better or worse"]
                             for n in range(6, 31, 2))}
    study.heading("Repeats added until there is a decision, the same program", "repeats: verdict")
    s.rates("6 to 30", 100, {}, f)


def faults(s):
    """The planted faults that are found with 10 repeats."""
    study.heading("Planted faults, 10 repeats", "fault", "seeds", "n", "exit code 1", "a cell worse", "a cell better",
                  "cells", "outcome")
    many = s.n(8)
    for (bug, (spec, *change)), other in itertools.product(BUGS.items(), (0, 1)):
        name = re.sub(r"\W+", "-", bug) if change else "sound"
        programs = study.build(s.dir / "sound"), study.build(s.dir / name, change)

        def f(i):
            only, sets = PARTS[spec]
            sides = [study.run_spec(program, spec, SEED + seed, s.dir / f"{program.name}-runs" / f"{spec}-{seed}", only,
                                    ("repeats=10", *sets)) for program, seed in zip(programs, (i + other * many, i))]
            return s.compare(*sides)
        found = study.simulations(f, many)
        verdicts = collections.Counter(v for c in found for v in c["verdicts"]).most_common()
        outcome = collections.Counter(c["outcome"][:60] for c in found).most_common(1)[0][0]
        row = [f"{bug} ({spec})", "others" if other else "the same", many, sum(c["code"] == 1 for c in found)]
        row += [sum(v in c["verdicts"] for c in found) for v in ("worse", "better")]
        row += [", ".join(f"{k} {n}" for k, n in verdicts), outcome]
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def times(s):
    """False alarms of compare --time for a program compared with itself, under the load of the machine."""
    study.heading("CPU seconds of a program and itself, 10 repeats, 12 cells", "order: verdict")
    orders = {"alternately, a repeat at a time": range(1, 11), "one side after the other": [10]}
    for order, repeats in orders.items():
        comparisons = cells = hits = 0
        for i in range(s.n(20)):  # one at a time, because concurrent processes change the times
            with tempfile.TemporaryDirectory(dir=s.dir) as tmp:
                for r, side in itertools.product(repeats, "ab"):
                    command = ["run", study.ROOT / "configs" / f"{PCA}.yaml", "--profile", "smoke", "--out", f"{tmp}/{side}"]
                    command += [flag for k in (1, 2, 4) for flag in ("--only", f"dataset=gaussian-k{k}")]
                    sets = (f"repeats={r}", f"seed={SEED + i}", "figures=[]", "tables=[]", "claims=[]")
                    command += [flag for text in sets for flag in ("--set", text)]
                    subprocess.run([s.binary, *command], check=True, capture_output=True)
                report = json.loads(s.output("compare", f"{tmp}/a", f"{tmp}/b", "--time", "--json").stdout)
            found = [m["verdict"] in ("better", "worse") for c in report["cells"] for m in c["measures"]]
            comparisons, cells, hits = comparisons + any(found), cells + len(found), hits + sum(found)
        rate(f"{order}: any cell better or worse", 0.05, comparisons, s.n(20))
        rate(f"{order}: cells", None, hits, cells)


if __name__ == "__main__":
    Study(__doc__, (alarms, halvings, margins, coverage, work, looks, faults, times))
