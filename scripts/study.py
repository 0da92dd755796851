"""What compare-study.py and claims-study.py share: made-up results folders, and tables of rates.

All random choices come from seeds that begin with SEED, which no test and no other study uses.
"""

import gzip
import hashlib
import json
import math
import multiprocessing
import pathlib
import random
import re
import shutil
import subprocess

SEED = 7_100_001
ROOT = pathlib.Path(__file__).resolve().parent.parent
COSTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def rng(*name):
    """Returns the random numbers of a name."""
    return random.Random(" ".join(map(str, (SEED, *name))))


def crc_table():
    for c in range(256):
        for _ in range(8):
            c = c >> 1 ^ 0x82F63B78 * (c & 1)
        yield c


CRC = tuple(crc_table())


def crc32c(text, crc=0xFFFFFFFF):
    for byte in text.encode():
        crc = CRC[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def sealed(record):
    """Returns a record as a line with its checksum, the CRC-32C of all else."""
    text, crc = record.begun() if isinstance(record, Line) else begun(record)
    if isinstance(record, Line):
        more = "," + json.dumps(record.changes)[1:-1]
        text, crc = text + more, crc32c(more, crc)
    return f'{text},"crc32c":"{crc32c("}", crc) ^ 0xFFFFFFFF:08x}"}}\n'


def begun(record):
    """Returns a record without its closing brace, and the checksum so far."""
    text = json.dumps(record, separators=(",", ":"))[:-1]
    return text, crc32c(text)


class Line(dict):
    """A record with other values of some fields. What is common to all changes of a record is encoded once."""
    known = {}

    def __init__(self, record, **changes):
        super().__init__({**record, **changes})
        self.record, self.changes = record, changes

    def begun(self):
        if id(self.record) not in self.known:
            same = {k: v for k, v in self.record.items() if k not in self.changes}
            self.known[id(self.record)] = *begun(same), self.record
        return self.known[id(self.record)][:2]


def run(values, *, dataset="d", series="msg", params=None, repeat=0, seed=SEED, at=COSTS, costs=None, **other):
    """Returns the record of a run; values are columns by split and metric.

    Each run has a key of its own, so that no two runs count as the same computation.
    """
    metrics = {}
    for (split, metric), column in values.items():
        metrics.setdefault(split, {})[metric] = [float(f"{v:.9g}") for v in column]
    record = {
        "schema": 2, "extent": f"{at[-1]}/log:{len(at)}", "task": "pca", "dataset": dataset,
        "dataset_hash": "sha256:" + hashlib.sha256(dataset.encode()).hexdigest(), "series": series, "algorithm": series,
        "version": 1, "params": params or {}, "repeat": repeat, "seed": seed, "status": "finished",
        "reason": f"budget of {at[-1]} iterations", **other,
        "curve": {"cost": {"iterations": list(at), **(costs or {})}, "metrics": metrics},
    }
    record["key"] = hashlib.sha256(json.dumps(record).encode()).hexdigest()[:32]
    return record


def write(folder, spec, runs, seed=SEED):
    """Writes a results folder of a spec and its runs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spec.yaml").write_text(spec)
    name = re.search(r"(?m)^name: (\S+)", spec)[1]
    datasets = [{"id": d, "title": d, "hash": "", "stand_in": False} for d in {r["dataset"]: 0 for r in runs}]
    manifest = {"tool": {"platform": "linux/amd64"}, "spec": name, "profile": "", "seed": seed,
                "planned_runs": len(runs), "datasets": datasets}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with gzip.open(folder / "runs.jsonl.gz", "wt", compresslevel=1) as f:
        f.writelines(map(sealed, runs))
    return folder


def read(binary, folder):
    """Returns the records of a results folder."""
    text = subprocess.run([binary, "export", folder, "--to", "jsonl"], check=True, capture_output=True, text=True).stdout
    records = list(map(json.loads, text.splitlines()))
    for r in records:
        del r["crc32c"]
    return records


def relabelled(r, repeat, seed, tag, **more):
    """Returns a run as that of another repeat and seed, with a key of its own."""
    return Line(r, repeat=repeat, seed=seed, key=hashlib.sha256(f"{r['key']} {tag}".encode()).hexdigest()[:32], **more)


def run_spec(binary, spec, seed, to, only=(), sets=()):
    """Runs a spec at smoke, unless that has been done, and returns its results folder."""
    if not (to / "done").exists():
        command = [binary, "run", ROOT / "configs" / f"{spec}.yaml", "--profile", "smoke", "-j", "1"]
        command += ["--out", to, "--stand-in", "only"] if spec.startswith("svm") else ["--out", to]
        for s in (f"seed={seed}", "figures=[]", "tables=[]", "claims=[]", *sets):
            command += ["--set", s]
        for name in only:
            command += ["--only", name]
        subprocess.run(command, check=True, capture_output=True)
        # As text a part of the runs of a spec counts as all of them.
        subprocess.run([binary, "export", to / spec, "--to", "jsonl", "-o", to / "runs.jsonl.gz"], check=True)
        for file in ("spec.yaml", "manifest.json"):
            (to / spec / file).rename(to / file)
        shutil.rmtree(to / spec)
        (to / "done").touch()
    return to


def pool(binary, folder, spec, repeats, only=(), sets=()):
    """Returns the runs of many repeats, and the spec."""
    to = run_spec(binary, spec, SEED, folder / f"pool-{spec}", only, (f"repeats={repeats}", *sets))
    return read(binary, to), (to / "spec.yaml").read_text()


def build(to, change=None):
    """Builds a copy of the tree, in which one text of one file may be replaced: (file, old, new)."""
    if to.exists():
        return to
    tree = to.with_suffix(".tree")
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", "testdata", "results"))
    if change:
        file, old, new = change
        path = tree / file
        text = path.read_text()
        assert text.count(old) == 1, f"{path} has changed: {old!r}"
        path.write_text(text.replace(old, new))
    subprocess.run(["go", "build", "-trimpath", "-buildvcs=false", "-o", to, "./harness"], cwd=tree, check=True)
    shutil.rmtree(tree)
    return to


simulation = None


def simulate(i):
    return simulation(i)


def simulations(f, n):
    """Returns f(0) to f(n - 1), computed by two processes."""
    global simulation
    simulation = f  # inherited by the processes, so that f need not be pickled
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(simulate, range(n), chunksize=1 + n // 40)


def tail(k, n, p):
    """Returns the probability of k or more of n."""
    def term(i):
        return math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
                        + i * math.log(p) + (n - i) * math.log1p(-p))
    return math.fsum(map(term, range(k, n + 1)))


def clopper_pearson(k, n):
    """Returns the exact 95% interval of a probability, from k of n."""
    def root(k, above):
        lo, hi = 0.0, 1.0
        for _ in range(40):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if tail(k, n, mid) < above else (lo, mid)
        return lo
    return (root(k, 0.025) if k else 0.0), (root(k + 1, 0.975) if k < n else 1.0)


def heading(title, first):
    print(f"\n### {title}\n\n| {first} | nominal | n | rate | SE | 95% interval | |\n|---|---:|---:|---:|---:|---|---|", flush=True)


def rate(label, nominal, hits, n, least=False):
    """Prints a row: a rate of what should happen at most, or at least, at the nominal one."""
    if not n:
        print(f"| {label} | | 0 | | | | |", flush=True)
        return
    p = hits / n
    se = math.sqrt(p * (1 - p) / n)
    lo, hi = clopper_pearson(hits, n)
    mark = ""
    if nominal is not None:
        mark = "**too high**" if not least and p > nominal + se else "**too low**" if least and p < nominal - se else ""
    level = "" if nominal is None else f"{100 * nominal:g}%"
    print(f"| {label} | {level} | {n} | {100 * p:.1f}% | {100 * se:.1f}% | {100 * lo:.1f}% to {100 * hi:.1f}% | {mark} |", flush=True)
