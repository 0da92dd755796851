#!/usr/bin/env python3
"""Compares two folders of results, OLD and NEW (see net.sh): records field by field and in order, curves,
selection, tables, figures and verdicts. Times and checksums may differ. Records are read from runs.jsonl
or otherwise from results.db with the command export of --program. Prints the differences and exits
with 1 if there are any. Texts of verdicts are compared only with --texts."""
import argparse
import csv
import difflib
import json
import pathlib
import subprocess
import sys


def records(folder, program):
    """Returns the runs of a folder in order, by identity and label, as canonical JSON."""
    text = folder / "runs.jsonl"
    if text.exists():
        lines = text.read_text().splitlines()
    else:
        command = [program, "export", folder, "--to", "jsonl"]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    runs = {}
    for line in lines:
        run = json.loads(line)
        del run["crc32c"]
        runs[tuple(run.get(k) for k in ("key", "extent", "dataset", "group", "series"))] = json.dumps(run, sort_keys=True)
    return runs


def verdicts(path, texts):
    """Returns the claims of a file by id, each as a line of JSON."""
    found = {}
    for claim in json.loads(path.read_text()).get("claims", []):
        kept = {"outcome": claim.get("outcome"), "parts": [
            {k: part.get(k) for k in ("dataset", "outcome", "estimates")} for part in claim.get("parts", [])]}
        if texts:
            kept["texts"] = [claim.get("reason"), claim.get("caveats")]
        found[claim["id"]] = json.dumps(kept, sort_keys=True)
    return found


def untimed(path):
    """Returns the rows of a table without columns of times and their ratios."""
    rows = list(csv.reader(path.read_text().splitlines()))
    keep = [i for i, name in enumerate(rows[0]) if "seconds" not in name and not name.startswith("ratio")]
    return [",".join(row[i] for i in keep if i < len(row)) for row in rows]


def keyed(old, new):
    """Returns the differences of two mappings as lines."""
    out = [f"- {k}" for k in old if k not in new] + [f"+ {k}" for k in new if k not in old]
    return out + [f"! {k}\n  - {old[k][:1000]}\n  + {new[k][:1000]}" for k in old if k in new and old[k] != new[k]]


def record_differences(old, new, program):
    if not new.exists():
        return ["missing"]
    a, b = records(old, program), records(new, program)
    found = keyed(a, b)
    return found if found or list(a) == list(b) else ["the records are equal but in another order"]


def differences(old, new, texts):
    if not new.exists():
        return ["missing"]
    if old.name == "claims.json":
        return keyed(verdicts(old, texts), verdicts(new, texts))
    lines = untimed if old.suffix == ".csv" else lambda path: path.read_text().splitlines()
    return list(difflib.unified_diff(lines(old), lines(new), lineterm="", n=0))[2:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=4, help="number of differences to print per file (default 4)")
    parser.add_argument("--texts", action="store_true", help="also compare the texts of verdicts")
    parser.add_argument("--program", default="build/stochopt", help="program to export records (default build/stochopt)")
    args = parser.parse_args()
    compared = differ = 0

    def report(name, found):
        nonlocal compared, differ
        compared += 1
        if found:
            differ += 1
            print(f"{name}: {len(found)} differences")
            print("\n".join("  " + line[:400] for line in found[:args.lines]))

    for manifest in sorted(args.old.glob("*/manifest.json")):
        name = manifest.parent.name
        report(f"records of {name}", record_differences(args.old / name, args.new / name, args.program))
    for pattern in ("claims.json", "curves.csv", "selection.csv", "tables/*.csv", "figures/*.svg", "figures/*.txt"):
        for old in sorted(args.old.glob("*/" + pattern)):
            name = old.relative_to(args.old)
            report(name, differences(old, args.new / name, args.texts))
    print(f"{compared} compared, {differ} differ")
    sys.exit(differ > 0 or compared == 0)


if __name__ == "__main__":
    main()
