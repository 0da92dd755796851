#!/usr/bin/env python3
"""How often compare is wrong: false alarms, wrong verdicts at the margin, coverage, missing work, and power.

Draws repeats from a pool of real runs of pca-simulated and svm-sparse, makes up curves whose true
ratio is known, and puts faults into copies of the tree. Prints Markdown tables; a rate that is above
its nominal level by more than its standard error is marked. Seeds are 7100001 and up, which nothing else
uses. DIR keeps pools, builds and runs.

  scripts/compare-study.py DIR [--stochopt BIN] [--only alarms,margins,...] [--size 1]
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

import study
from study import SEED, heading, rate, rng

REPEATS = (6, 10, 20)
FACTOR = 1.055 ** 10  # of the one repeat in ten that carries a mean ratio of 1.055
PLAIN = """version: 1
name: study
task: pca
seed: {seed}
repeats: {n}
budget: {{iterations: 500}}
datasets: [{datasets}]
algorithms: [{{id: msg, step: {{schedule: inverse-sqrt, c: {grid}}}}}, {{id: capped-msg, step: {{schedule: inverse-sqrt, c: 1}}}}]
select: {select}
"""
TUNED = "{by: validation, metric: suboptimality, over: mean-over-curve, tune: [step.c]}"
DATA = "{{id: {}, source: mnist, split: {{train: 0.4, validation: 0.2, test: 0.4}}, sample: pass, problem: {{k: 1}}}}"
PCA, SVM = "pca-simulated", "svm-experiments"
# What is wrong: the spec that shows it, a file, the text replaced in it, and by what.
PASS = "o.rng.Shuffle(len(o.perm), func(i, j int) { o.perm[i], o.perm[j] = o.perm[j], o.perm[i] })"
BUGS = {
    "none": (PCA, None),
    "step x 1.05": (PCA, ("algorithms/pca/stream.go", "eta = step.At(t)", "eta = 1.05 * step.At(t)")),
    "schedule off by one": (PCA, ("algorithms/pca/stream.go", "eta = step.At(t)", "eta = step.At(t + 1)")),
    "every 100th projection lost": (PCA, (
        "algorithms/pca/relaxation.go", "\t\tproject()\n", "\t\tif r.cost.Iterations%100 != 99 {\n\t\t\tproject()\n\t\t}\n")),
    "doubled cost": (PCA, ("algorithms/pca/stream.go", "s.cost.SumKT2 += int64(kt2)", "s.cost.SumKT2 += 2 * int64(kt2)")),
    "eigenvalues in float32": (PCA, (
        "algorithms/pca/relaxation.go", "\t\tproject()\n",
        "\t\tproject()\n\t\tfor i, v := range r.factor.values {\n\t\t\tr.factor.values[i] = float64(float32(v))\n\t\t}\n")),
    "none, averaged": ("pca-rates", None),
    "average of the last iterates only": ("pca-rates", (
        "algorithms/pca/averaged.go", "\taddDense(a.sum",
        "\tif a.n == 100 {\n\t\ta.sum.Zero()\n\t\ta.bulk, a.n = 0, 0\n\t}\n\taddDense(a.sum")),
    "none, SVM": (SVM, None),
    "kernel 2% too wide": (SVM, ("harness/internal/registry/kernel.go", "Gamma: gaussianGamma(p)}", "Gamma: gaussianGamma(p) / 1.0404}")),
    "a tenth of the training rows from the test rows": (SVM, (
        "harness/internal/run/svm_share.go", "\ts := &svmShared{key:", "\tcopy(train, test[:len(train)/10])\n\ts := &svmShared{key:")),
    "shuffled once, not in each pass": (SVM, (
        "harness/internal/run/order.go", PASS, "if o.rng != nil {\n\t\t\t" + PASS + "\n\t\t\to.rng = nil\n\t\t}")),
    "file order": (SVM, ("harness/internal/run/order.go", PASS, "")),
}
RUNS = {  # how the specs of the faults are run: the data sets and series, and changes
    PCA: (("dataset=gaussian-k1", "dataset=orthogonal-k1"), ("record.points=20", "record.spectrum=false")),
    "pca-rates": (("series=msg",), ()),
    SVM: tuple([tuple(f"dataset=adult,series={s}" for s in ("sbp", "sgd", "sdca", "perceptron", "perceptron-last")), ()]),
}


class Study:
    def __init__(self, o):
        self.o, self.dir = o, o.dir
        self.binary = o.stochopt.resolve() if o.stochopt else study.build(self.dir / "sound")
        text = subprocess.run([self.binary, "compare", "--help"], capture_output=True, text=True).stdout
        self.flags = [f for f in ("--allow-less", "--unchanged") if f in text]

    def n(self, n):
        return max(2, round(n * self.o.size))

    def compare(self, base, cand, *flags, spec=None):
        """Returns what compare says of two folders, or lists of runs, with its exit code."""
        with tempfile.TemporaryDirectory() as tmp:
            sides = []
            for name, s in (("base", base), ("cand", cand)):
                if isinstance(s, list):
                    s = study.write(pathlib.Path(tmp) / name, spec.replace("{seed}", str(s[0]["seed"])), s, s[0]["seed"])
                sides.append(s)
            out = subprocess.run([self.binary, "compare", *sides, "--format", "json", *flags], capture_output=True, text=True,
                                 env={**os.environ, "GOMAXPROCS": "1"})
        assert out.stdout.startswith("{"), out.stderr
        found = json.loads(out.stdout)
        return {**found, "code": out.returncode, "verdicts": [c["verdict"] for c in found["cells"]]}

    def rates(self, label, n, nominal, f, least=False):
        """Prints the rates of what f(i) returns by name: true, or None if it does not count."""
        found = study.simulations(f, n)
        for name in found[0]:
            values = [r[name] for r in found if r[name] is not None]
            level = nominal.get(name) if isinstance(nominal, dict) else nominal
            rate(f"{label}{': ' * bool(name)}{name}", level, sum(values), len(values), least)


def spec_of(n, datasets=("d",), grid="1", select="{by: none}"):
    return PLAIN.format(seed="{seed}", n=n, datasets=", ".join(map(DATA.format, datasets)), grid=grid, select=select)


def decided(c):
    return {"worse": "worse" in c["verdicts"], "better or worse": "worse" in c["verdicts"] or "better" in c["verdicts"]}


def thinned(r, paired):
    """Returns a run with its suboptimality alone. Two runs that stand for a pair have no costs that depend on their paths."""
    c = r["curve"]
    at = sorted({*range(0, len(c["cost"]["iterations"]), 2), len(c["cost"]["iterations"]) - 1})
    cost = {k: [c["cost"][k][i] for i in at] for k in ("iterations", "sum_kt2") if k == "iterations" or not paired}
    y = [float(f"{c['metrics']['population']['suboptimality'][i]:.6g}") for i in at]
    return {**r, "curve": {"cost": cost, "metrics": {"population": {"suboptimality": y}}}}


def alarms(s):
    """The same program with itself."""
    pool, text = study.pool(s.binary, s.dir, PCA, 120, (), RUNS[PCA][1])
    by = collections.defaultdict(lambda: collections.defaultdict(list))
    for r in pool:
        by[r["dataset"], r["series"], r["repeat"]][r["params"].get("step.c")].append({p: thinned(r, p) for p in (True, False)})

    def real(i, n, cells, selected, paired):
        random = rng("alarms", i, n, cells, selected, paired)
        names = sorted({k[:2] for k in by}) if cells > 1 else [random.choice([("gaussian-k2", "msg"), ("orthogonal-k4", "capped-msg")])]
        drawn = random.sample(range(120), 2 * n)
        sides = []
        for side in (0, 1):
            seed = SEED + (0 if paired else side)
            sides.append([study.relabelled(r[paired], j, seed, side) for name in names for j, repeat in enumerate(drawn[side * n:][:n])
                          for c, rs in by[(*name, repeat)].items() for r in rs if selected or c in (None, 1)])
        spec = re.sub(r"seed: \d+", "seed: {seed}", text)
        spec = re.sub(r"repeats: \d+", f"repeats: {n}", spec)
        spec = spec if selected else re.sub(r"(?s)select:.*", "select:\n    by: none\n", spec).replace("[0.015625, 0.125, 1, 8]", "1")
        return decided(s.compare(*sides, spec=spec))

    heading("False alarms: the same program", "repeats, cells, choice, pairing: verdict")
    for selected in (False, True):
        for cells, many in ((1, 240), (24, 60)):
            for n in REPEATS:
                for paired in (True, False):
                    label = f"{n}, {cells}, {'oracle' if selected else 'fixed'}, {'paired' if paired else 'unpaired'}"
                    s.rates(label, s.n(many), 0.05, lambda i: real(i, n, cells, selected, paired))
    for cells, many in ((1, 240), (24, 20)):
        for n in REPEATS:
            for paired in (True, False):
                label = f"{n}, {cells}, validation (made up), {'paired' if paired else 'unpaired'}"
                s.rates(label, s.n(many), 0.05, lambda i: decided(tuned(s, rng("tuned", i, n, cells, paired), n, cells, paired)))


def tuned(s, random, n, cells, paired, ratio=1.0):
    """Compares made-up procedures of four steps: two are tied on the validation split and a factor of
    5 apart at the end, and one sometimes diverges."""
    names = [f"d{i}" for i in range(cells)]
    sides = []
    for side in (0, 1):
        runs = []
        for d in names:
            for j in range(n):
                for c, (level, end) in zip((0.5, 1.0, 2.0, 4.0), ((1, 1), (1, 5), (1.5, 2), (1.1, 2))):
                    z = 0.3 * random.gauss(0, 1)
                    y = [0.1 * end * ratio ** side * math.exp(z + 0.1 * random.gauss(0, 1)) / math.sqrt(x) for x in study.COSTS]
                    v = [0.1 * level * math.exp(z + 0.1 * random.gauss(0, 1))] * len(y)
                    failed = c == 4 and random.random() < 0.1
                    runs.append(study.run({("test", "suboptimality"): y, ("validation", "suboptimality"): v}, dataset=d,
                                          params={"k": 1, "step.c": c}, repeat=j, seed=SEED + (0 if paired else side),
                                          **({"status": "diverged", "reason": "made up"} if failed else {})))
        sides.append(runs)
    return s.compare(*sides, spec=spec_of(n, names, "[0.5, 1, 2, 4]", TUNED))


def curves(random, n, noise, jitter=0.0, paired=True):
    """Returns the runs of two sides: noise(i) is the logarithm of the factor that the candidate's i-th repeat has,
    jitter the scatter of its points around that."""
    base, cand = [], []
    for j in range(n):
        y = [0.3 * math.exp(0.3 * random.gauss(0, 1)) * math.exp(0.05 * random.gauss(0, 1)) / math.sqrt(x) for x in study.COSTS]
        base.append(study.run({("test", "suboptimality"): y}, params={"k": 1}, repeat=j, seed=SEED))
        if not paired:
            y = [0.3 * math.exp(0.3 * random.gauss(0, 1)) / math.sqrt(x) for x in study.COSTS]
        factor = math.exp(noise(j))
        y = [factor * v * math.exp(jitter * random.gauss(0, 1)) for v in y]
        cand.append(study.run({("test", "suboptimality"): y}, params={"k": 1}, repeat=j, seed=SEED + (not paired), version=2))
    return base, cand


def margins(s):
    """Verdicts near the tolerance of 5%."""
    heading("Wrong verdicts at the tolerance of 5%, one cell, paired", "true ratio, scatter of the pairs, repeats: verdict")
    for sigma in (0.02, 0.1):
        for n in REPEATS:
            for ratio, wrong in ((1.045, "worse"), (1.055, "equivalent"), (1 / 1.045, "better"))[:2 + (sigma < 0.05)]:
                def f(i):
                    random = rng("margins", i, sigma, n, ratio)
                    c = s.compare(*curves(random, n, lambda _: math.log(ratio) + sigma * random.gauss(0, 1), sigma / 2), spec=spec_of(n))
                    return {wrong: wrong in c["verdicts"]}
                s.rates(f"{ratio:.4g}, {100 * sigma:g}%, {n}", s.n(300), 0.05, f)

    def rare(i, n):
        random = rng("rare", i, n)
        hit = [random.random() < 0.1 for _ in range(n)]
        c = s.compare(*curves(random, n, lambda j: math.log(FACTOR) * hit[j]), spec=spec_of(n))
        printed = [x["rare_rate"] for cell in c["cells"] for x in (cell, *cell.get("measures", [])) if x.get("rare_rate")]
        same = "equivalent" in c["verdicts"]
        return {"equivalent": same, "equivalent, without a printed rate of 10% or more": same and not (printed and min(printed) >= 0.1)}
    heading("One repeat in ten carries a ratio of 1.055", "repeats: verdict")
    for n in REPEATS:
        s.rates(str(n), s.n(300), {"equivalent, without a printed rate of 10% or more": 0.05}, lambda i: rare(i, n))


def intervals(found):
    """Yields the printed intervals of a comparison, with their names and levels."""
    for cell in found["cells"]:
        for m in (cell, *(cell.get("measures") or [])):
            if isinstance(m.get("ratio"), dict):
                yield m.get("kind", "cell"), m["ratio"], m["ratio"].get("level") or m.get("level") or 0.95


def coverage(s):
    """How often the printed interval of the ratio contains the true one."""
    shapes = {"normal": lambda r: 0.1 * r.gauss(0, 1), "skewed": lambda r: 0.2 * (r.expovariate(1) - 1)}

    def contains(found, truth):
        return {f"{kind} at {100 * level:g}%": at["lo"] <= truth <= at["hi"] for kind, at, level in intervals(found)}

    def show(label, n, f):
        hits, level = collections.Counter(), {}
        total = collections.Counter()
        for r in study.simulations(f, n):
            hits.update({k: v for k, v in r.items()})
            total.update(r.keys())
        for k in sorted(total):
            rate(f"{label}: {k}", float(k.split()[-1][:-1]) / 100, hits[k], total[k], least=True)
    heading("Coverage of the printed intervals", "scatter, pairing, true ratio, repeats: interval")
    for shape, draw in shapes.items():
        for paired in (True, False):
            for n in REPEATS:
                def f(i):
                    random = rng("coverage", i, shape, paired, n)
                    sides = curves(random, n, lambda _: math.log(1.2) + draw(random), 0.05, paired)
                    return contains(s.compare(*sides, spec=spec_of(n)), 1.2)
                show(f"{shape}, {'paired' if paired else 'unpaired'}, 1.2, {n}", s.n(160), f)
    for n in REPEATS:
        for paired in (True, False):
            show(f"selected, {'paired' if paired else 'unpaired'}, 1, {n}", s.n(160),
                 lambda i: contains(tuned(s, rng("chosen", i, n, paired), n, 1, paired), 1))


def halvings(s):
    """Trade-offs of one training run a side, whose intervals are over halvings of the test set."""
    names = ("rsvm", "cpsp", "forgetron", "rbp", "spsvm", "sbp")
    pool, text = study.pool(s.binary, s.dir, "svm-sparse", 40, [f"dataset=adult,series={n}" for n in names])
    by = collections.defaultdict(lambda: collections.defaultdict(list))
    for r in pool:
        by[r["series"]][r["repeat"]].append(r)
    names = [n for n in names if len(by[n]) == 40]
    spec = re.sub(r"seed: \d+", "seed: {seed}", re.sub(r"repeats: \d+", "repeats: 1", text))

    def f(i, seeds):
        random = rng("halvings", i, seeds)
        sides = [[study.relabelled(r, 0, SEED + seeds * k, k) for n in (names[i % len(names)],) for r in by[n][j]]
                 for k, j in enumerate(random.sample(range(40), 2))]
        return decided(s.compare(*sides, spec=spec))
    heading("Halvings: one training run with another of the same method", "seeds: verdict")
    for seeds, label in ((0, "the same"), (1, "others")):
        s.rates(label, s.n(180), 0.05, lambda i: f(i, seeds))


def work(s):
    """What compare says where work is missing, costs changed, or rows were drawn by other seeds."""
    random = rng("work")

    def side(version=1, repeats=10, until=500, series=("msg", "capped-msg"), by=1, cost="kernel_evals"):
        random.seed("work")
        runs = []
        for name in ("msg", "capped-msg"):
            for j in range(10):
                at = [x for x in study.COSTS if x <= until]
                y = [0.3 * math.exp(0.3 * random.gauss(0, 1)) / math.sqrt(x) for x in study.COSTS][:len(at)]
                key = study.hashlib.sha256(f"{name} {j} {version}".encode()).hexdigest()[:32]
                r = study.run({("test", "suboptimality"): y}, series=name, params={"k": 1, "step.c": 1.0, "step.schedule": "inverse-sqrt"},
                              repeat=j, at=at, costs={cost: [by * 100 * x for x in at]}, version=version)
                if name in series and j < repeats:
                    runs.append({**r, "key": key})
        return runs
    print("\n### Missing work and changed costs: exit codes\n")
    flags = ["", "--strict", *s.flags]
    print("| candidate |" + "".join(f" {f or 'plain'} |" for f in flags) + " verdicts | outcome |\n|---|" + "---|" * (len(flags) + 2))
    for label, change in {
        "the same": {}, "200 of 500 iterations": {"until": 200}, "4 of 10 repeats": {"repeats": 4},
        "a series removed": {"series": ("msg",)}, "kernel_evals doubled": {"by": 2}, "sum_kt2 doubled": {"by": 2, "cost": "sum_kt2"},
    }.items():
        for version in (1, 2) if "doubled" not in label else (2,):
            base = side(cost=change.get("cost", "kernel_evals"))
            found = [s.compare(base, side(version, **change), *filter(None, [f]), spec=spec_of(10)) for f in flags]
            print(f"| {label}, {'the same' if version == 1 else 'other'} keys |" + "".join(f" {c['code']} |" for c in found)
                  + f" {', '.join(found[0]['verdicts'])} | {found[0]['outcome']} |", flush=True)


def seeds(s):
    """Folders whose seeds draw other subsets of the data."""
    heading("Seeds that draw other rows, the same program", "verdict")
    folders = [study.run_spec(s.binary, SVM, SEED + i, s.dir / "sound-runs" / f"{SVM}-{SEED + i}", RUNS[SVM][0], ("repeats=10",))
               for i in range(s.n(24))]

    def f(i):
        verdicts = s.compare(folders[i], folders[(i + 1) % len(folders)])["verdicts"]
        return {"a cell worse, better or equivalent": any(v not in ("incomparable", "inconclusive") for v in verdicts),
                "a cell not incomparable": any(v != "incomparable" for v in verdicts)}
    s.rates("", len(folders), 0.0, f)


def looks(s):
    """Adding repeats, from 6 to 30, until there is a decision."""
    def f(i):
        random = rng("looks", i)
        base, cand = curves(random, 30, lambda _: 0.2 * random.gauss(0, 1), 0.1)
        for n in range(6, 31, 2):
            v = s.compare(base[:n], cand[:n], spec=spec_of(n))["verdicts"]
            if "worse" in v or "better" in v:
                return {"wrong": True}
        return {"wrong": False}
    heading("Repeats added until there is a decision, the same program", "verdict")
    s.rates("6 to 30 repeats", s.n(100), {}, f)


def faults(s):
    """Which of the planted faults are found, with 10 repeats."""
    flags = ["--unchanged"] * ("--unchanged" in s.flags)
    print("\n### Planted faults, 10 repeats\n\n| fault | spec | seeds | n | exit code 1 | worse | better | most common verdicts | "
          + "exit code with --unchanged | outcome |\n|---|---|---|---:|---:|---:|---:|---|---|---|", flush=True)
    for bug, (spec, change) in BUGS.items():
        only, sets = RUNS[spec]
        name = re.sub(r"\W+", "-", bug)
        program = study.build(s.dir / name, change) if change else study.build(s.dir / "sound")
        many = s.n(8)

        def of(i, binary, where):
            return study.run_spec(binary, spec, SEED + i, s.dir / where / f"{spec}-{SEED + i}", only, ("repeats=10", *sets))
        study.simulations(lambda i: bool(of(i, s.dir / "sound", "sound-runs")), many)
        study.simulations(lambda i: bool(of(i, program, "sound-runs" if not change else f"{name}-runs")), many)
        for other in (0, 1):
            def f(i):
                sides = of((i + other) % many, None, "sound-runs"), of(i, None, "sound-runs" if not change else f"{name}-runs")
                return s.compare(*sides), s.compare(*sides, *flags)
            found = study.simulations(f, many)
            count = collections.Counter(v for c, _ in found for v in c["verdicts"])
            code = dict(sorted(collections.Counter(u["code"] for _, u in found).items())) if flags else "-"
            outcome = collections.Counter(c["outcome"].split(": ")[-1][:70] for c, _ in found).most_common(1)[0][0]
            print(f"| {bug} | {spec} | {'others' if other else 'the same'} | {many} | {sum(c['code'] == 1 for c, _ in found)} | "
                  + " | ".join(str(sum(v in c["verdicts"] for c, _ in found)) for v in ("worse", "better"))
                  + f" | {', '.join(f'{k} {v}' for k, v in count.most_common(3))} | {code} | {outcome} |", flush=True)


def main():
    studies = (alarms, halvings, margins, coverage, work, seeds, looks, faults)
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("dir", type=pathlib.Path)
    args.add_argument("--stochopt", type=pathlib.Path, help="the program to measure (default: one built of the tree)")
    args.add_argument("--only", help="studies, by default all: " + ", ".join(f.__name__ for f in studies))
    args.add_argument("--size", type=float, default=1, help="factor of the numbers of simulations")
    o = args.parse_args()
    o.dir = o.dir.resolve()
    o.dir.mkdir(parents=True, exist_ok=True)
    s = Study(o)
    for f in studies:
        if not o.only or f.__name__ in o.only.split(","):
            f(s)


if __name__ == "__main__":
    main()
