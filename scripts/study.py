"""Functions of compare-study.py and claims-study.py: synthetic results folders, and tables of rates."""

import argparse
import functools
import gzip
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
from multiprocessing.pool import ThreadPool

SEED = 7_100_001  # all random choices use this seed and the following ones
ROOT = pathlib.Path(__file__).resolve().parent.parent
REPEATS = (6, 10, 20)
CRC = list(range(256))  # the table of CRC-32C
for _ in range(8):
    CRC = [c >> 1 ^ 0x82F63B78 * (c & 1) for c in CRC]


def rng(*name):
    """Returns the random generator with the given name."""
    return random.Random(" ".join(map(str, (SEED, *name))))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def short(*what):
    """Returns a short digest for names of cached files, so that other programs or trees do not use them."""
    return digest(repr(what))[:12]


@functools.cache
def program(binary):
    """Returns the digest of a program."""
    return hashlib.sha256(binary.read_bytes()).hexdigest()


@functools.cache
def sources():
    """Returns the digest of the sources: Go files, and other files in their folders, which they may embed."""
    folders = {path.parent for path in ROOT.rglob("*.go")}
    found = {p for folder in folders for p in folder.rglob("*") if p.is_file()} | {ROOT / "go.mod", ROOT / "go.sum"}
    kept = [p for p in sorted(found) if not {"build", "testdata", "results"} & set(p.relative_to(ROOT).parts)]
    return short([(str(p.relative_to(ROOT)), p.read_bytes()) for p in kept])


def sealed(record):
    """Returns a record as a line with its checksum, the CRC-32C of the rest."""
    text = json.dumps(record, separators=(",", ":"))
    crc = 0xFFFFFFFF
    for byte in text.encode():
        crc = CRC[(crc ^ byte) & 255] ^ crc >> 8
    return f'{text[:-1]},"crc32c":"{crc ^ 0xFFFFFFFF:08x}"}}\n'


def spec(datasets, algorithms, task="pca", select="{by: none}", more=""):
    """Returns a spec without seed and repeats, for write."""
    lists = ["".join(f"\n  - {{{entry}}}" for entry in entries) for entries in (datasets, algorithms)]
    return (f"version: 1\nname: study\ntask: {task}\nseed: SEED\nrepeats: REPEATS\nbudget: {{iterations: 500}}\n"
            f"datasets:{lists[0]}\nalgorithms:{lists[1]}\nselect: {select}\n{more}")


def run(at, values, costs=None, **changes):
    """Returns a run with a unique key and points at the given iterations. values has columns by split and metric."""
    metrics = {}
    for (split, metric), column in values.items():
        metrics.setdefault(split, {})[metric] = [float(f"{v:.9g}") for v in column]
    record = {
        "schema": 2, "extent": f"{at[-1]}/log:{len(at)}", "task": "pca", "dataset": "d", "series": "msg",
        "algorithm": "msg", "version": 1, "params": {"k": 1}, "repeat": 0, "seed": SEED, "status": "finished",
        "reason": f"budget of {at[-1]} iterations",
        "curve": {"cost": {"iterations": list(at), **(costs or {})}, "metrics": metrics},
    } | changes
    return {"dataset_hash": "sha256:" + digest(record["dataset"]), "key": digest(json.dumps(record))[:32]} | record


def relabelled(r, repeat, seed, tag, **changes):
    """Returns a copy of a run with another repeat and seed and a unique key."""
    return {**r, "repeat": repeat, "seed": seed, "key": digest(f"{r['key']} {tag}")[:32], **changes}


def write(folder, spec, runs):
    """Writes a results folder of a spec and its runs."""
    folder.mkdir(parents=True)
    repeats = 1 + max(r["repeat"] for r in runs)
    (folder / "spec.yaml").write_text(spec.replace("SEED", str(runs[0]["seed"])).replace("REPEATS", str(repeats)))
    name = re.search(r"(?m)^name: (\S+)", spec)[1]
    manifest = {"tool": {"platform": "linux/amd64"}, "spec": name, "seed": runs[0]["seed"], "planned_runs": len(runs)}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with gzip.open(folder / "runs.jsonl.gz", "wt", compresslevel=1) as f:
        f.writelines(map(sealed, runs))
    return folder


def run_spec(binary, spec, seed, to, only=(), sets=()):
    """Runs a spec at the smoke profile, unless the results are cached, and returns its results folder."""
    config = ROOT / "configs" / f"{spec}.yaml"
    to = to.with_name(f"{to.name}-{short(program(binary), config.read_text(), seed, *only, *sets)}")
    if not (to / "spec.yaml").exists():
        command = [binary, "run", config, "--profile", "smoke", "-j", "1", "--out", to]
        command += ["--stand-in", "only"] * spec.startswith("svm")
        for s in (f"seed={seed}", "figures=[]", "tables=[]", "claims=[]", *sets):
            command += ["--set", s]
        for name in only:
            command += ["--only", name]
        subprocess.run(command, check=True, capture_output=True)
        # A folder with text records counts as complete even if it has only some runs of its spec.
        subprocess.run([binary, "export", to / spec, "--to", "jsonl", "-o", to / "runs.jsonl.gz"], check=True)
        shutil.copy(to / spec / "manifest.json", to)
        shutil.copy(to / spec / "spec.yaml", to)
        shutil.rmtree(to / spec)
    return to


def pool(s, spec, repeats, only=(), sets=()):
    """Returns the runs of many repeats and their spec."""
    to = run_spec(s.binary, spec, SEED, s.dir / f"pool-{spec}", only, (f"repeats={repeats}", *sets))
    with gzip.open(to / "runs.jsonl.gz", "rt") as f:
        runs = [json.loads(re.sub(',"crc32c":"[^"]*"}$', "}", line.strip())) for line in f]
    text = (to / "spec.yaml").read_text()
    return runs, text.replace(f"seed: {SEED}", "seed: SEED").replace(f"repeats: {repeats}", "repeats: REPEATS")


def single_runs(s):
    """Returns the runs of methods of svm-sparse by method and repeat (40 each), and their spec."""
    names = ("rsvm", "cpsp", "forgetron", "rbp", "spsvm", "sbp")
    runs, text = pool(s, "svm-sparse", 40, [f"dataset=adult,series={n}" for n in names])
    by = [[[r for r in runs if (r["series"], r["repeat"]) == (n, j)] for j in range(40)] for n in names]
    return by, text


def build(to, change=()):
    """Builds a copy of the tree, unless it is cached. change, if given, replaces a text: (file, old, new)."""
    to = to.with_name(f"{to.name}-{short(sources(), *change)}")
    if not to.exists():
        tree = to.with_suffix(".tree")
        shutil.rmtree(tree, ignore_errors=True)  # left by a failed build
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", "testdata", "results"))
        if change:
            path = tree / change[0]
            text = path.read_text()
            assert text.count(change[1]) == 1, f"{path} has changed: {change[1]!r}"
            path.write_text(text.replace(*change[1:]))
        subprocess.run(["go", "build", "-trimpath", "-buildvcs=false", "-o", to, "./harness"], cwd=tree, check=True)
        shutil.rmtree(tree)
    return to


def simulations(f, n):
    """Returns f(0) to f(n - 1), computed two at a time."""
    with ThreadPool(2) as workers:
        return workers.map(f, range(n), chunksize=1)


def heading(title, first, *columns):
    """Begins a table, by default of rates."""
    names = [first, *(columns or ("nominal", "n", "rate", "SE", "95% interval", ""))]
    print(f"\n### {title}\n\n| {' | '.join(names)} |\n|{'---|' * len(names)}", flush=True)


def rate(label, nominal, hits, n, least=False):
    """Prints the rate of an event, which should be at most, or at least, the nominal rate."""
    p, z2 = hits / n, 1.96 ** 2 / n
    se = math.sqrt(p * (1 - p) / n)
    middle, half = (p + z2 / 2) / (1 + z2), math.sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2)  # Wilson's interval
    level = f"{100 * nominal:g}%" if nominal is not None else ""
    bad = nominal is not None and (p < nominal - se if least else p > nominal + se)
    row = [label, level, n, f"{p:.1%}", f"{se:.1%}", f"{abs(middle - half):.1%} to {middle + half:.1%}", "**!**" * bad]
    print(f"| {' | '.join(map(str, row))} |", flush=True)


class Study:
    """The program to measure, a cache folder, and a factor for the numbers of simulations."""
    def __init__(self, doc, studies):
        args = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        args.add_argument("dir", type=pathlib.Path, help="cache folder for pools, builds and runs")
        args.add_argument("--stochopt", type=pathlib.Path, help="the program to measure (default: build one)")
        args.add_argument("--only", help="studies to run (default all): " + ",".join(f.__name__ for f in studies))
        args.add_argument("--size", type=float, default=1, help="factor for the numbers of simulations")
        o = args.parse_args()
        o.dir.mkdir(parents=True, exist_ok=True)
        self.dir, self.size = o.dir.resolve(), o.size
        self.binary = o.stochopt.resolve() if o.stochopt else build(self.dir / "sound")
        version = self.output("version").stdout.strip()
        print(f"{self.binary.name}, SHA-256 {program(self.binary)[:12]}: {version}", flush=True)
        for f in studies:
            if not o.only or f.__name__ in o.only.split(","):
                f(self)

    def n(self, n):
        return max(2, round(n * self.size))

    def output(self, *args):
        env = os.environ | {"GOMAXPROCS": "1"}
        return subprocess.run([self.binary, *args], capture_output=True, text=True, env=env)
