#!/usr/bin/env python3
"""Prints, from records alone, the numbers of the README's table on sparse SVMs.

    scripts/sparse-statements.py results/svm-sparse

For each dataset: the reference classifier; then, at support sizes of equal ratio
(five a decade) at which a rival of the thesis's figure has a classifier, the test
error of the thesis's two variants and of the best rival, and at how many of those
sizes each variant is at or below that rival, also when a standard deviation over
the halvings counts as no difference; how far test errors lie above validation
errors; and the least support size that is within 0.2 points of the reference's
error. Uses the Python standard library only.
"""
import collections
import csv
import json
import sys

OURS = ("sparsify-aggressive", "sparsify")
RIVALS = ("spsvm", "cpsp", "osuna-girosi", "rsvm", "csvm")


def curves(folder):
    """Maps dataset -> series -> [(size, error, deviation, validation)]."""
    out = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(folder + "/selection.csv", newline="") as f:
        for row in csv.DictReader(f):
            if row["error"]:
                out[row["dataset"]][row["series"]].append(
                    (int(row["support_size"]), float(row["error"]), float(row["deviation_over_halvings"] or 0), float(row["validation_error"])))
    for series in out.values():
        for curve in series.values():
            curve.sort()
    return out


def facts(folder):
    """Maps each dataset to the facts of a run that knows the reference."""
    out = {}
    with open(folder + "/runs.jsonl") as f:
        for line in f:
            run = json.loads(line)
            if "reference_error" in run.get("facts", {}):
                out.setdefault(run["dataset"], run["facts"])
    return out


def at(curve, size):
    """The point of a curve at its largest size up to the one given, or None."""
    best = None
    for point in curve:
        if point[0] <= size:
            best = point
    return best


def sizes(series):
    largest = max(curve[-1][0] for name, curve in series.items() if name in OURS + RIVALS)
    out, k = [], 0
    while round(10 ** (k / 5)) <= largest:
        out.append(round(10 ** (k / 5)))
        k += 1
    return sorted(set(out))


def report(dataset, series, fact):
    support, error = fact.get("reference_support"), fact.get("reference_error")
    print(f"\n{dataset}")
    if error is not None:
        print(f"  reference: {100 * error:.2f} % with {support:.0f} support vectors")
    won = {name: [0, 0] for name in OURS}
    seen = dict.fromkeys(OURS, 0)
    print("  size   " + "  ".join(f"{name:>20}" for name in OURS) + "    best rival")
    for size in sizes(series):
        rivals = [(at(series[name], size), name) for name in RIVALS if name in series and at(series[name], size)]
        if not rivals:
            continue
        rival, name = min(rivals, key=lambda r: r[0][1])
        cells = []
        for own in OURS:
            point = at(series.get(own, []), size)
            if point is None:
                cells.append("-")
                continue
            seen[own] += 1
            won[own][0] += point[1] <= rival[1]
            won[own][1] += point[1] <= rival[1] + rival[2]
            cells.append(f"{100 * point[1]:.2f} %")
        print(f"  {size:<6} " + "  ".join(f"{c:>20}" for c in cells) + f"    {100 * rival[1]:.2f} % {name}")
    for own in OURS:
        print(f"  {own}: at or below the best rival at {won[own][0]} of {seen[own]} sizes, within a deviation of it at {won[own][1]}")
    for name in sorted(series):
        gaps = [p[1] - p[3] for p in series[name]]
        gap = f"test above validation by {100 * sum(gaps) / len(gaps):.2f} points on average"
        close = next((p[0] for p in series[name] if error is not None and p[1] <= error + 0.002), None)
        reached = f"within 0.2 points of the reference from {close} vectors" if close else "not within 0.2 points of the reference"
        print(f"  {name}: {reached}; {gap}")


def main(folders):
    for folder in folders:
        known = facts(folder)
        for dataset, series in curves(folder).items():
            report(dataset, series, known.get(dataset, {}))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
