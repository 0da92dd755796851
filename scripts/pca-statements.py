#!/usr/bin/env python3
"""Prints, from records alone, the numbers of the README's table "What came out".

    scripts/pca-statements.py results/pca-simulated results/pca-real

For each dataset, k and series, over the repeats of the selected step size: the
median and mean of the final suboptimality, the mean of k'_t, the mean of the
final sum of k'_t^2, and the median of that sum when the suboptimality first was
at most 1e-3. Uses the Python standard library only.
"""
import collections
import csv
import json
import statistics
import sys


def selected(folder):
    """Maps (dataset, series, k) to the selected step.c, None if nothing is tuned."""
    out = {}
    with open(folder + "/selection.csv", newline="") as f:
        for row in csv.DictReader(f):
            if row["selected"] == "true":
                fixed = dict(p.split("=", 1) for p in row["params"].split(";"))
                tuned = dict(p.split("=", 1) for p in row["candidate"].split(";") if p)
                out[row["dataset"], row["series"], int(fixed["k"])] = tuned.get("step.c")
    return out


def main(folders):
    for folder in folders:
        chosen = selected(folder)
        cells = collections.defaultdict(list)
        with open(folder + "/runs.jsonl") as f:
            for line in f:
                run = json.loads(line)
                key = run["dataset"], run["series"], run["params"]["k"]
                c = chosen.get(key)
                if run["status"] == "finished" and (c is None or float(c) == run["params"]["step.c"]):
                    cells[key].append(run["curve"])
        for (dataset, series, k), curves in cells.items():
            metrics = [c["metrics"].get("test", c["metrics"].get("population"))["suboptimality"] for c in curves]
            costs = [c["cost"] for c in curves]
            final = [m[-1] for m in metrics]
            reach = [next((s for v, s in zip(m, c["sum_kt2"]) if v <= 1e-3), float("inf")) for m, c in zip(metrics, costs)]
            print(
                f"{dataset:16} k={k} {series:15} runs {len(curves):3}"
                f"  final: median {statistics.median(final):9.3g} mean {statistics.mean(final):9.3g}"
                f"  mean k' {statistics.mean(c['sum_kt'][-1] / c['iterations'][-1] for c in costs):6.2f}"
                f"  sum k'^2 {statistics.mean(c['sum_kt2'][-1] for c in costs):9.3g}"
                f"  to 1e-3: {statistics.median(reach):9.4g}"
            )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
