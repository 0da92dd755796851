#!/usr/bin/env python3
"""How often claims is wrong: statements on the boundary of the claimed range, and coverage of the intervals.

Generates runs with a known truth, with a claim for each simulation, and judges all claims together. Prints
Markdown tables; "!" marks a rate that exceeds its nominal level by more than its standard error.

  scripts/claims-study.py DIR [--stochopt BIN] [--only predicates,skewed,...] [--size 1]
"""

import json
import math
import pathlib
import tempfile

import study
from study import REPEATS, SEED, rate, rng

AT = (1, 5, 20, 100, 500)
CLAIM = "\n  - {{id: c{}, says: it holds, from: smoke, datasets: [{}], {}}}"
DATA = {"pca": "id: {}, source: simulated-gaussian, with: {{dim: 32, gap: 1}}, problem: {{k: 1}}",
        "svm": "id: {}, source: adult, subset: {{train: 400, test: 400}}, problem: {{C: 1, kernel: linear}}"}
MSG = "id: msg, as: {}, step: {{schedule: inverse-sqrt, c: 1}}"
THEORY = "id: msg, as: {}, with: {{iterate: average, unrelax: decompose}}, step: {{schedule: theory}}"
TARGETS = (0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.0175)
EDGE = ("reproduced", "not reproduced")


class Study(study.Study):
    def verdicts(self, spec, runs):
        """Returns the verdicts on the claims of a spec."""
        with tempfile.TemporaryDirectory() as tmp:
            out = self.output("claims", study.write(pathlib.Path(tmp, "study"), spec, runs), "--json", "--no-fail")
        assert out.returncode == 0 and "not run" not in out.stdout, out.stderr + out.stdout[:2000]
        return json.loads(out.stdout)

    def judge(self, checks, runs, task="pca", algorithm=MSG, tables=""):
        """Returns the verdicts on checks, each with its data sets. A spec holds 1000 data sets."""
        if sum(len(of) for of, _ in checks) > 1000:
            halves = checks[:len(checks) // 2], checks[len(checks) // 2:]
            own = [{d for of, _ in half for d in of} for half in halves]
            return [v for half, of in zip(halves, own) for v in self.judge(
                half, [r for r in runs if r["dataset"] in of], task, algorithm, tables)]
        names = [dict.fromkeys(r[key] for r in runs) for key in ("dataset", "series")]
        claims = "claims:" + "".join(CLAIM.format(i, ", ".join(of), check) for i, (of, check) in enumerate(checks))
        return self.verdicts(study.spec(map(DATA[task].format, names[0]), map(algorithm.format, names[1]), task,
                                        more=f"{tables}{claims}\n"), runs)


def edge(label, verdicts, outcomes=EDGE):
    for outcome in outcomes:
        rate(f"{label}: {outcome}", 0.025, sum(v["outcome"] == outcome for v in verdicts), len(verdicts))


def curve(random, points=0.1):
    z = 0.2 * random.gauss(0, 1)
    return [0.3 * math.exp(z + points * random.gauss(0, 1)) * x ** -0.5 for x in AT]


def run(dataset, series, repeat, y, **changes):
    return study.run(AT, {("population", "suboptimality"): y}, dataset=dataset, series=series, repeat=repeat, **changes)


def predicates(s):
    """Each predicate with a statement on the boundary of the claimed range."""
    readings, end = "of: {series: a, read: mean}, to: {series: b, read: mean}", 0.3 * AT[-1] ** -0.5
    theory = {"params": {"step.schedule": "theory", "iterate": "average", "unrelax": "decompose", "k": 1}}
    best = "order: {series: a, below: [b, c, d], best: true}"
    study.heading("Statements on the boundary of the claimed range", "predicate, repeats: outcome")
    for kind, names, values, check in (
        ("order", "ab", curve, "order: {series: a, below: [b]}"),
        ("order, three rivals", "abcd", curve, "order: {series: a, below: [b, c, d]}"),
        ("order, best of three, crossing", "abcd", lambda r: curve(r, points=0.4), best),
        ("order, best of three, parallel", "abcd", lambda r: curve(r, points=0), best),
        ("reaches", "a", lambda r: curve(r, points=0), f"reaches: {{series: a, value: {{is: {end!r}}}}}"),
        ("stays", "a", lambda r: curve(r, points=0), f"stays: {{series: a, above: {{is: {end!r}}}}}"),
        ("ratio", "ab", curve, f"ratio: {{{readings}, between: [null, 1]}}"),
        ("level", "a", lambda r: [0.3 * (1 + 0.05 * r.gauss(0, 1))] * len(AT),
         "level: {series: a, read: final, between: [null, 0.3]}"),
        ("bound", "a", lambda r: [2 * x ** -0.5 * (1 + 0.05 * r.gauss(0, 1)) for x in AT],
         "bound: {name: msg-rate, series: a}"),
    ):
        for n in REPEATS:
            runs, many, changes = [], s.n(500 if len(names) < 3 else 250), theory if kind == "bound" else {}
            for i in range(many):
                random = rng("predicates", kind, n, i)
                runs += [run(f"d{i}", a, j, values(random), **changes) for j in range(n) for a in names]
            checks = [([f"d{i}"], f"check: {{{check}}}") for i in range(many)]
            edge(f"{kind}, {n}", s.judge(checks, runs, algorithm=THEORY if changes else MSG))


def several(s):
    """A statement on several data sets that is on the boundary of the claimed range on each."""
    study.heading("Several parts, each on the boundary of the claimed range", "holds, parts, repeats: outcome")
    for parts, many in ((6, s.n(250)), (18, s.n(120))):
        for n in REPEATS:
            runs, checks = [], []
            for i in range(many):
                random, names = rng("several", parts, n, i), [f"d{i}-{p}" for p in range(parts)]
                checks.append((names, "check: {order: {series: a, below: [b]}}"))
                runs += [run(d, name, j, curve(random)) for d in names for j in range(n) for name in "ab"]
            for holds, wrong in (("all", EDGE[1:]), ("any", EDGE[:1]), ("most", EDGE)):
                verdicts = s.judge([(names, f"holds: {holds}, {check}") for names, check in checks], runs)
                edge(f"{holds}, {parts}, {n}", verdicts, wrong)


def skewed(s):
    """Levels of lognormal values. The interval is for the geometric mean, which is the median, not for the mean."""
    study.heading("Coverage for lognormal values of a level", "sigma, repeats: the interval contains")
    for sigma in (1, 2, 2.3):
        for n in REPEATS:
            many, random = s.n(500), rng("skewed", sigma, n)
            runs = [run(f"d{i}", "a", j, [math.exp(sigma * random.gauss(0, 1))] * len(AT))
                    for i in range(many) for j in range(n)]
            check = "check: {level: {series: a, read: final, between: [null, 1]}}"
            verdicts = s.judge([([f"d{i}"], check) for i in range(many)], runs)
            found = [e for v in verdicts for p in v["parts"] for e in p["estimates"]]
            for what, level, truth in (("the mean", None, math.exp(sigma ** 2 / 2)), ("the median", 0.95, 1)):
                hits = sum(e["lo"] <= truth <= e["hi"] for e in found)
                rate(f"{sigma}, {n}: {what}", level, hits, len(found), least=True)


def exponents(s):
    """The cost (R/epsilon)^2 of different problems, some of whose targets are not reached."""
    study.heading("Coverage of an exponent of 2, 20 problems, 10 repeats", "share of the targets that is not reached")
    every = [round(2 ** (i / 2)) for i in range(8, 42)]
    law = f"{{id: e, over: epsilon, with: [u_norm], cost: inner_products, targets: {list(TARGETS)}}}"
    table = f"tables: [{{id: t, kind: exponents, title: t, columns: [e], exponents: [{law}]}}]\n"
    for most in (every[-1], 32768, 8192):
        many, runs, checks, lost, at = s.n(100), [], [], 0, [x for x in every if x <= most]
        for i in range(many):
            random, names = rng("exponents", most, i), [f"d{i}-{p}" for p in range(20)]
            checks.append((names, "check: {exponent: {series: a, table: t, column: e, between: [null, 2]}}"))
            for p, name in enumerate(names):
                R, hard, exponent = 1 + p / 4, 0.5 * random.gauss(0, 1), 2 + 0.2 * random.gauss(0, 1)
                for j in range(10):
                    scale = R ** 2 * math.exp(hard + 0.2 * random.gauss(0, 1))
                    y = [min(1.0, (scale / x) ** (1 / exponent)) for x in at]
                    lost += sum(y[-1] > t for t in TARGETS)
                    runs.append(study.run(at, {("test", "error"): y}, {"inner_products": at}, dataset=name, series="a",
                                          repeat=j, task="svm", params={"C": 1.0}, facts={"u_norm": R}, algorithm="sgd",
                                          rows={"train": 400, "test": 400}))
        verdicts = s.judge(checks, runs, task="svm", algorithm="id: sgd, as: {}", tables=table)
        label, found = f"{lost / len(runs) / len(TARGETS):.0%}", [v["parts"][0]["estimates"][0] for v in verdicts]
        rate(f"{label}: the interval contains 2", 0.95, sum(e["lo"] <= 2 <= e["hi"] for e in found), many, least=True)
        caveat = ["reached" in json.dumps([x.get("caveats") for x in (v, *v["parts"])]) for v in verdicts]
        decided = [v["outcome"] in ("reproduced", "not reproduced") for v in verdicts]
        rate(f"{label}: decided", None, sum(decided), many)
        rate(f"{label}: decided, without a caveat that targets are not reached", 0.05,
             sum(d and not c for d, c in zip(decided, caveat)), many)


def halvings(s):
    """A single training run of a method of svm-sparse, compared with other runs of the same method."""
    by, text = study.single_runs(s)
    study.heading("Halvings: single training runs of one method, a and others", "statement: outcome")
    for label, rivals, more in (("a is below another", 1, ""),
                                ("a is at most 1.05 times the best of five others", 5, "best: true, ratio: 1.05, ")):
        def f(i):
            drawn = rng("claims-halvings", label, i).sample(by[i % len(by)], 1 + rivals)
            runs = [study.relabelled(r, 0, SEED, k, series=f"s{k}") for k, rs in enumerate(drawn) for r in rs]
            series = "".join(f"    - {{id: {runs[0]['algorithm']}, as: s{k}}}\n" for k in range(1 + rivals))
            below = ", ".join(f"s{k}" for k in range(1, 1 + rivals))
            check = f"check: {{order: {{series: s0, below: [{below}], {more}metric: error, cost: support}}}}"
            spec = text.replace("\nselect:", f"\n{series}select:") + "claims:" + CLAIM.format(0, "adult", check) + "\n"
            return s.verdicts(spec, runs)[0]
        edge(label, study.simulations(f, s.n(120)))


if __name__ == "__main__":
    Study(__doc__, (predicates, several, skewed, exponents, halvings))
