#!/usr/bin/env python3
"""How often claims is wrong: statements at the edge of being true, and coverage of the intervals.

Makes up runs whose truth is known, with a claim for each simulation, and judges all of them at once.
Prints Markdown tables; a rate that is above its nominal level by more than its standard error is
marked. Seeds are 7100001 and up, which nothing else uses.

  scripts/claims-study.py DIR [--stochopt BIN] [--only predicates,skewed,...] [--size 1]
"""

import argparse
import collections
import json
import math
import pathlib
import shutil
import subprocess

import study
from study import SEED, heading, rate, rng

REPEATS = (6, 10, 20)
AT = (1, 4, 16, 64, 256)
SPEC = """version: 1
name: study
task: {task}
seed: {seed}
repeats: {n}
budget: {{iterations: 256}}
datasets:
{datasets}
algorithms: [{algorithms}]
select: {select}
{more}claims:
{claims}
"""
DATA = {
    "pca": "  - {{id: {}, source: simulated-gaussian, with: {{dim: 32, gap: 1}}, problem: {{k: 1}}}}",
    "svm": "  - {{id: {}, source: adult, subset: {{train: 400, test: 400}}, problem: {{C: 1, kernel: linear}}}}",
}
FIXED = "step: {schedule: inverse-sqrt, c: 1}"
TARGETS = (0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.0175)
EDGE = {"reproduced": 0.025, "not reproduced": 0.025}


class Study:
    def __init__(self, o):
        self.o, self.dir = o, o.dir
        self.binary = o.stochopt.resolve() if o.stochopt else study.build(self.dir / "sound")

    def n(self, n):
        return max(2, round(n * self.o.size))

    def judge(self, name, checks, runs, task="pca", algorithms="", more="", select="{by: none}", holds=""):
        """Returns the verdicts on checks, each with the data sets that it is about."""
        datasets = list({r["dataset"]: 0 for r in runs})
        claims = [f'  - {{id: c{i}, says: it holds, from: smoke, datasets: [{", ".join(of)}]{holds}, check: {check}}}'
                  for i, (of, check) in enumerate(checks)]
        spec = SPEC.format(task=task, seed=SEED, n=1 + max(r["repeat"] for r in runs), algorithms=algorithms, more=more, select=select,
                           datasets="\n".join(map(DATA[task].format, datasets)), claims="\n".join(claims))
        folder = study.write(self.dir / "claims", spec, runs)
        out = subprocess.run([self.binary, "claims", folder, "--json", "--no-fail"], capture_output=True, text=True)
        assert out.returncode == 0, f"{name}: {out.stderr[:2000]}"
        shutil.rmtree(folder)
        verdicts = verdicts_of(out.stdout)
        lost = [v["reason"] for v in verdicts if v["outcome"] == "not run"]
        assert not lost, f"{name}: {lost[:3]}"
        return verdicts

    def edge(self, label, verdicts, nominal):
        outcomes = collections.Counter(v["outcome"] for v in verdicts)
        for outcome, level in nominal.items():
            rate(f"{label}: {outcome}", level, outcomes[outcome], len(verdicts))


def verdicts_of(text):
    found = json.loads(text)
    return found if isinstance(found, list) else found.get("claims") or found["verdicts"]


def curve(random, scale=0.3, spread=0.2, points=0.1, falls=-0.5):
    z = spread * random.gauss(0, 1)
    return [scale * math.exp(z + points * random.gauss(0, 1)) * x ** falls for x in AT]


def run(dataset, series, repeat, y, metric="suboptimality", split="population", **other):
    return study.run({(split, metric): y}, dataset=dataset, series=series, repeat=repeat, at=AT, params={"k": 1}, **other)


def series(*names):
    return ", ".join(f"{{id: msg, as: {s}, {FIXED}}}" for s in names)


def predicates(s):
    """Each predicate, where the statement is on the edge of being true."""
    end = 0.3 * AT[-1] ** -0.5
    flat = lambda r: curve(r, falls=0.0, points=0.0)
    slope = lambda r: curve(r, points=0.0)
    rate_of = lambda r: [2 * math.sqrt(1 / x) * (1 + 0.2 * r.gauss(0, 1)) for x in AT]
    theory = {"step.schedule": "theory", "iterate": "average", "unrelax": "decompose", "k": 1}
    kinds = {  # the check, the curves, the series, and changes to the runs
        "order": ("{order: {series: a, below: [b]}}", curve, "ab", {}),
        "order, three rivals": ("{order: {series: a, below: [b, c, d]}}", curve, "abcd", {}),
        "order, best of three": ("{order: {series: a, below: [b, c, d], best: true}}", curve, "abcd", {}),
        "order, best of three that differ by their level alone": (
            "{order: {series: a, below: [b, c, d], best: true}}", slope, "abcd", {}),
        "reaches": (f"{{reaches: {{series: a, value: {{is: {end!r}}}}}}}", slope, "a", {}),
        "stays": (f"{{stays: {{series: a, above: {{is: {end!r}}}}}}}", slope, "a", {}),
        "ratio": ("{ratio: {of: {series: a, read: mean}, to: {series: b, read: mean}, between: [null, 1]}}", curve, "ab", {}),
        "level": ("{level: {series: a, read: final, between: [null, 0.3]}}",
                  lambda r: [0.3 * (1 + 0.2 * r.gauss(0, 1))] * len(AT), "a", {}),
        "plateau": ("{plateau: {series: a, falls: 0.5}}", lambda r: [y * 0.5 ** (x > 16) for x, y in zip(AT, curve(r, falls=0.0))], "a", {}),
        "bound": ("{bound: {name: msg-rate, series: a}}", rate_of, "a", {"params": theory}),
    }
    heading("Statements on the edge of being true", "predicate, repeats: outcome")
    for kind, (check, values, names, changes) in kinds.items():
        for n in REPEATS:
            many = s.n(500 if len(names) < 3 else 250)
            runs = []
            for i in range(many):
                random = rng("predicates", kind, n, i)
                for j in range(n):
                    for name in names:
                        r = run(f"d{i}", name, j, values(random), algorithm="msg")
                        runs.append({**r, **changes})
            step = "{{id: msg, as: {}, with: {{iterate: average, unrelax: decompose}}, step: {{schedule: theory}}}}".format
            algorithms = step("a") if changes else series(*names)
            verdicts = s.judge(kind, [([f"d{i}"], check) for i in range(many)], runs, algorithms=algorithms)
            s.edge(f"{kind}, {n}", verdicts, EDGE)


def several(s):
    """A statement on several data sets, on each of which it is on the edge of being true."""
    heading("Several parts, each on the edge of being true", "holds, parts, repeats: outcome")
    for parts, many in ((6, s.n(250)), (18, s.n(120))):
        for n in REPEATS:
            runs, checks = [], []
            for i in range(many):
                random = rng("several", parts, n, i)
                names = [f"d{i}-{p}" for p in range(parts)]
                checks.append((names, "{order: {series: a, below: [b]}}"))
                runs += [run(d, name, j, curve(random), algorithm="msg") for d in names for j in range(n) for name in "ab"]
            for holds, wrong in (("all", "not reproduced"), ("any", "reproduced")):
                verdicts = s.judge(f"{holds} {parts}", checks, runs, algorithms=series("a", "b"), holds=f", holds: {holds}")
                s.edge(f"{holds}, {parts}, {n}", verdicts, {wrong: 0.025})


def skewed(s):
    """Means of lognormal values: does the interval contain the mean, or the median, as it says?"""
    heading("Coverage for lognormal values, level from reading the end of the curve", "sigma, repeats: the interval contains")
    for sigma in (1, 2, 2.3):
        for n in REPEATS:
            many = s.n(500)
            runs, random = [], rng("skewed", sigma, n)
            for i in range(many):
                for j in range(n):
                    runs.append(run(f"d{i}", "a", j, [math.exp(sigma * random.gauss(0, 1))] * len(AT), algorithm="msg"))
            verdicts = s.judge("skewed", [([f"d{i}"], "{level: {series: a, read: final, between: [null, 1]}}") for i in range(many)],
                               runs, algorithms=series("a"))
            found = [e for v in verdicts for p in v["parts"] for e in p["estimates"]]
            for what, truth in (("the mean", math.exp(sigma ** 2 / 2)), ("the median, which is the geometric mean", 1.0)):
                hits = sum(e["lo"] <= truth <= e["hi"] for e in found)
                rate(f"{sigma}, {n}: {what}", 0.95, hits, len(found), least=True)
            warned = sum("skew" in json.dumps(v).lower() or "decade" in json.dumps(v) or "median" in json.dumps(v) for v in verdicts)
            rate(f"{sigma}, {n}: says median, skew or decades", None, warned, len(found))


def exponents(s):
    """The cost (R/epsilon)^2 of problems that differ, where some targets are not reached."""
    heading("Coverage of an exponent of 2, 20 problems, 10 repeats", "share of the targets that is not reached")
    at = [round(2 ** (i / 2)) for i in range(8, 42)]
    table = f"tables: [{{id: t, kind: exponents, title: t, columns: [e], exponents: [{{id: e, over: epsilon, with: [u_norm], " \
            f"cost: inner_products, targets: {list(TARGETS)}}}]}}]\n"
    for most in (at[-1], 32768, 8192):
        many, runs, checks, lost = s.n(100), [], [], 0
        costs = [x for x in at if x <= most]
        for i in range(many):
            random = rng("exponents", most, i)
            checks.append(([f"d{i}-{p}" for p in range(20)], "{exponent: {series: a, table: t, column: e, between: [null, 2]}}"))
            for p in range(20):
                R, hard, exponent = 1 + p / 4, 0.5 * random.gauss(0, 1), 2 + 0.2 * random.gauss(0, 1)
                for j in range(10):
                    scale = R ** 2 * math.exp(hard + 0.2 * random.gauss(0, 1))
                    y = [min(1.0, (scale / x) ** (1 / exponent)) for x in costs]
                    lost += sum(y[-1] > t for t in TARGETS)
                    runs.append(study.run({("test", "error"): y}, dataset=f"d{i}-{p}", series="a", repeat=j, at=costs, task="svm",
                                          params={"C": 1.0}, facts={"u_norm": R}, algorithm="sgd",
                                          rows={"train": 400, "test": 400}, costs={"inner_products": costs}))
        verdicts = s.judge("exponents", checks, runs, task="svm", algorithms="{id: sgd, as: a}", more=table)
        label = f"{100 * lost / len(runs) / len(TARGETS):.0f}%"
        found = [e for v in verdicts for p in v["parts"] for e in p["estimates"]]
        rate(f"{label}: the interval contains 2", 0.95, sum(e["lo"] <= 2 <= e["hi"] for e in found), len(found), least=True)
        s.edge(label, verdicts, EDGE)
        warned = [v for v in verdicts if "reached" in json.dumps([x.get("caveats") for x in (v, *v["parts"])])]
        rate(f"{label}: with a caveat about targets", None, len(warned), len(verdicts))


def halvings(s):
    """A single training run of each method of svm-sparse, with another of the same method."""
    names = ("rsvm", "cpsp", "forgetron", "rbp", "spsvm", "sbp")
    pool, text = study.pool(s.binary, s.dir, "svm-sparse", 40, [f"dataset=adult,series={n}" for n in names])
    by = collections.defaultdict(lambda: collections.defaultdict(list))
    for r in pool:
        by[r["series"]][r["repeat"]].append(r)
    names = [n for n in names if len(by[n]) == 40]
    heading("Halvings: one training run of each of some equal methods", "statement: outcome")
    for label, rivals, best in (("a below b, which is a", 1, ""), ("a at most 1.05 times the best of five of a", 5, ", best: true, ratio: 1.05")):
        outcomes, many = collections.Counter(), s.n(120)

        def f(i):
            random = rng("claims-halvings", label, i)
            name = names[i % len(names)]
            rows = random.sample(range(40), 1 + rivals)
            runs = [study.relabelled(r, 0, SEED, k, series=f"s{k}") for k, j in enumerate(rows) for r in by[name][j]]
            below = ", ".join(f"s{k}" for k in range(1, 1 + rivals))
            more = "".join(f"    - {{id: {name}, as: s{k}}}\n" for k in range(1 + rivals))
            claim = f"claims:\n    - {{id: c, says: it holds, from: smoke, check: {{order: {{series: s0, below: [{below}], " \
                    f"metric: error, cost: support{best}}}}}}}\n"
            spec = text.replace("repeats: 40", "repeats: 1").replace("\nselect:", "\n" + more + "select:") + claim
            folder = study.write(s.dir / f"halvings-{i}", spec, runs)
            out = subprocess.run([s.binary, "claims", folder, "--json", "--no-fail"], capture_output=True, text=True)
            assert out.returncode == 0, out.stderr
            shutil.rmtree(folder)
            return verdicts_of(out.stdout)[0]["outcome"]
        outcomes = collections.Counter(study.simulations(f, many))
        for outcome in ("reproduced", "not reproduced"):
            rate(f"{label}: {outcome}", 0.025, outcomes[outcome], many)


def main():
    studies = (predicates, several, skewed, exponents, halvings)
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
