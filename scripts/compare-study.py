#!/usr/bin/env python3
"""How often compare is wrong about pca-simulated, where step sizes are selected.

The same program with itself, pairs of distinct seeds, each used once; and programs with a
bug put in on purpose, with the seeds of the program as it is (paired) and with others. Of
the spec's profile smoke the data sets with k = 1 and 2, 10 repeats, 20 recorded points: 16
cells, 12 of which have a grid. Prints Markdown tables. What is in DIR already is kept.

  scripts/compare-study.py DIR [--pairs 400] [--bugs 20]
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess

# What is wrong, and how: a file, the text replaced in it, and by what.
BUGS = {
    "step scaled by 0.8": ("stream.go", "eta = step.At(t)", "eta = 0.8 * step.At(t)"),
    "step scaled by 1.05": ("stream.go", "eta = step.At(t)", "eta = 1.05 * step.At(t)"),
    "schedule off by one": ("stream.go", "eta = step.At(t)", "eta = step.At(t + 1)"),
    "every 100th projection left out": (
        "relaxation.go", "\t\tproject()\n", "\t\tif r.cost.Iterations%100 != 99 {\n\t\t\tproject()\n\t\t}\n"),
}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def build(to, bug=None):
    """Builds a copy of the tree, in which a bug may be put."""
    if to.exists():
        return to
    tree = to.with_suffix(".tree")
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", "testdata"))
    if bug:
        file, old, new = BUGS[bug]
        path = tree / "algorithms" / "pca" / file
        text = path.read_text()
        assert text.count(old) == 1, f"{path} has changed: {old!r}"
        path.write_text(text.replace(old, new))
    subprocess.run(["go", "build", "-buildvcs=false", "-o", to, "./harness"], cwd=tree, check=True)
    shutil.rmtree(tree)
    return to


def run(binary, spec, seed, to):
    """Runs the experiment with a seed, unless it is there."""
    if not (to / "done").exists():
        sets = [f"seed={seed}", "repeats=10", "record.points=20", "record.spectrum=false"]
        sets += ["figures=[]", "tables=[]", "claims=[]"]
        command = [binary, "run", spec, "--profile", "smoke", "-j", "1", "--out", to]
        for s in sets:
            command += ["--set", s]
        subprocess.run(command, check=True, capture_output=True)
        (to / "pca-simulated" / "curves.csv").unlink(missing_ok=True)
        (to / "done").touch()
    return to


def verdicts(binary, base, cand):
    """Returns the verdicts of the cells that are tuned, and those of the others."""
    out = subprocess.run([binary, "compare", base, cand, "--format", "json"], capture_output=True, text=True)
    cells = json.loads(out.stdout)["cells"]
    return [[c["verdict"] for c in cells if (c["series"] != "incremental") == tuned] for tuned in (True, False)]


def share(hits, n):
    return f"{hits} of {n} ({100 * hits / n:.1f}%)" if n else "-"


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("dir", type=pathlib.Path)
    args.add_argument("--pairs", type=int, default=400)
    args.add_argument("--bugs", type=int, default=20)
    o = args.parse_args()
    o.dir = o.dir.resolve()
    o.dir.mkdir(parents=True, exist_ok=True)
    spec = o.dir / "reduced.yaml"
    spec.write_text(re.sub(r"(?m)^.*id: \S+-k4, group.*\n", "", (ROOT / "configs/pca-simulated.yaml").read_text()))
    sound = build(o.dir / "sound")

    def of(seed, binary=sound, where="sound-runs"):
        return run(binary, spec, seed, o.dir / where / str(seed))

    pairs = [(of(1001 + 2 * i), of(1002 + 2 * i)) for i in range(o.pairs)]
    print("| pairs | REGRESSION | any cell better or worse |\n|---:|---:|---:|")
    found = [sum(verdicts(sound, *p), []) for p in pairs]
    worse, any_ = (sum(any(v in f for v in of) for f in found) for of in (("worse",), ("worse", "better")))
    print(f"| {len(pairs)} | {share(worse, len(pairs))} | {share(any_, len(pairs))} |")

    print("\n| bug | seeds | comparisons with a cell found worse or better | such cells, tuned | such cells, not tuned |")
    print("|---|---|---:|---:|---:|")
    for bug in BUGS:
        broken = build(o.dir / re.sub(r"\W+", "-", bug), bug)
        for other in (0, 1):
            c = collections.Counter()
            for i in range(o.bugs):
                cand = of(1001 + i, broken, broken.name + "-runs")
                found = verdicts(sound, of(1001 + (i + other) % o.bugs), cand)
                hits = [sum(v in ("worse", "better") for v in f) for f in found]
                c.update(any=any(hits), tuned=hits[0], plain=hits[1], t=len(found[0]), p=len(found[1]))
            seeds = "others" if other else "the same"
            print(f"| {bug} | {seeds} | {share(c['any'], o.bugs)} | {share(c['tuned'], c['t'])} | {share(c['plain'], c['p'])} |")


if __name__ == "__main__":
    main()
