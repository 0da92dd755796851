#!/usr/bin/env python3
"""The measurements of scripts/bench-peers.sh."""
import argparse
import collections
import functools
import gzip
import json
import math
import os
import pathlib
import platform
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

BINARY = os.path.abspath("build/stochopt")
SEEDS = (1, 2, 3, 4, 5)
CORE = max(os.sched_getaffinity(0))
CACHE_MB = 4096  # of kernel rows, for every solver
OVER = 124  # the exit code of timeout
LONG = 300  # seconds: a run that takes longer is not repeated

# The problems with a bias of Cotter 2013, chapter 2 (tab-datasets). nu is the value of the thesis, and target the
# test error that the SBP must reach.
PROBLEMS = {
    "adult": {
        "title": "Adult (a9a), bias, sigma^2 = 100, C = 100",
        "dataset": {"source": "adult", "with": {"part": "all"}, "problem": {"sigma2": 100, "bias": True}},
        "C": 100, "nu": 5.79e-4, "target": 0.150, "iterations": 8000, "points": 50, "basis": (250, 500, 1000, 2000, 4000),
        # Computing a row again is faster than allocating memory for it.
        "memory": "64MB",
    },
    "mnist": {
        "title": "MNIST 8 against the rest, bias, sigma^2 = 25, C = 1000",
        "dataset": {"source": "mnist", "prepare": ["unit-max-value"], "positive": 8,
                    "problem": {"sigma2": 25, "bias": True}},
        "C": 1000, "nu": 6.42e-11, "target": 0.0046, "iterations": 6000, "points": 50, "basis": (500, 1000, 2000, 4000, 8000),
        "memory": f"{CACHE_MB}MB",
    },
}
SHARING = ("sbp", "sgd", "pegasos", "sdca", "smo", "perceptron")


Measured = collections.namedtuple("Measured", "wall cpu peak code output")


def measure(command, limit=None, pin=False):
    """Runs a command, on one core if pin is set. After limit seconds it ends with the code OVER."""
    if pin:
        command = ["taskset", "-c", CORE, *command]
    if limit:
        command = ["timeout", limit, *command]
    start = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             env={**os.environ, "OMP_NUM_THREADS": "1"})
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, OVER):
        sys.exit(f"{child.args}: status {child.returncode}\n{output}")
    return Measured(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, child.returncode, output)


class Process:
    """One run of the binary on a spec: times, peak memory, records."""

    def __init__(self, spec, folder, *flags, **how):
        spec = {"version": 1, "task": "svm", **spec}
        file = pathlib.Path(folder) / (spec["name"] + ".yaml")
        file.write_text(json.dumps(spec))
        out = pathlib.Path(folder) / spec["name"]
        shutil.rmtree(out, ignore_errors=True)
        self.took = measure([BINARY, "run", file, "--out", folder, *flags], **how)
        self.wall, self.cpu, self.peak = self.took[:3]
        if self.took.code == OVER:
            return
        exported = subprocess.run([BINARY, "export", out, "--to", "jsonl"], check=True, stdout=subprocess.PIPE, text=True)
        self.runs = [json.loads(line) for line in exported.stdout.splitlines()]
        for run in self.runs:
            if run["status"] != "finished":
                sys.exit(f"{run['algorithm']}: {run['status']}: {run['reason']}")
        db = sqlite3.connect(out / "results.db")
        self.times = [json.loads(data) for (data,) in db.execute("SELECT data FROM times")]
        db.close()

    def metric(self, split, name):
        return self.runs[0]["curve"]["metrics"][split][name][-1]


def table(title, header, rows):
    print(f"\n## {title}\n")
    widths = [max(len(str(r[i])) for r in [header, *rows]) for i in range(len(header))]
    for i, row in enumerate([header, ["-" * w for w in widths], *rows]):
        print("| " + " | ".join(str(v).ljust(w) for v, w in zip(row, widths)) + " |")
    sys.stdout.flush()


def seconds(v):
    return f"{v:.2f} s" if v < 100 else f"{v:.0f} s"


def ratio(v):
    return f"{v:.2g}" if v < 10 else f"{v:.0f}"


def timed(rows, limit):
    """Returns rows of a table from (label, runs, columns...): medians, and CPU time relative to the first row."""
    ours, out = None, []
    for label, runs, *columns in rows:
        wall, cpu = (statistics.median(getattr(run, of) for run in runs) for of in ("wall", "cpu"))
        ours = ours or cpu
        if any(run.code == OVER for run in runs):
            out.append([label, f"over {limit} s", "-", f"> {ratio(cpu / ours)}", *columns])
        else:
            out.append([label, seconds(wall), seconds(cpu), ratio(cpu / ours), *columns])
    return out


def files(name, folder):
    """Writes the training and test rows, prepared as in the specs, in LIBSVM's format."""
    found = json.loads(subprocess.run([BINARY, "datasets", "fetch", name, "--offline", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    content = [(gzip.open if f["path"].endswith(".gz") else open)(f["path"], "rb").read() for f in found[name]]
    if name == "mnist":
        value = [repr(v / 255) for v in range(256)]
        rows = []
        for images, labels in (content[:2], content[2:]):
            rows.append("".join(
                ("+1" if label == 8 else "-1") + "".join(
                    f" {j + 1}:{value[v]}" for j, v in enumerate(images[16 + 784 * i:16 + 784 * (i + 1)]) if v) + "\n"
                for i, label in enumerate(labels[8:])).encode())
        content = rows
    paths = [pathlib.Path(folder) / f"{name}.{part}" for part in ("train", "test")]
    for path, text in zip(paths, content):
        path.write_bytes(text)
    return paths


def sample(train, share):
    """Writes a random sample of the training rows, one in share, drawn with a fixed seed."""
    lines = train.read_bytes().splitlines(keepends=True)
    path = train.with_suffix(f".{share}")
    path.write_bytes(b"".join(random.Random(1).sample(lines, len(lines) // share)))
    return path


def solvers(p, train, test):
    """Yields groups of (label, training command, test command) of other solvers. Only the first of a group that
    reaches the target is shown."""
    C, gamma = p["C"], 0.5 / p["dataset"]["problem"]["sigma2"]
    model = train.with_suffix(".model")

    def libsvm(label, *program, rows=train):
        return label, [*program, "-c", C, "-g", gamma, "-m", CACHE_MB, rows, model], ["svm-predict", test, model, os.devnull]

    yield [libsvm("LIBSVM, svm-train -h 0", "svm-train", "-h", 0)]
    if thunder := os.environ.get("THUNDERSVM"):
        yield [libsvm("ThunderSVM", f"{thunder}/build/bin/thundersvm-train", "-o", 1)]
    if folder := os.environ.get("LPDSVM"):
        lpd = f"{folder}/cpu-svm"

        def basis(count):
            command = [lpd, "train", train, model, C, "gaussian", "-gamma", gamma, "-budget", count]
            return f"LPD-SVM, {count} basis points", command, [lpd, "test", test, model]

        yield [basis(1000)]
        yield [basis(count) for count in p["basis"]]
    yield [libsvm(f"LIBSVM, svm-train, 1/{share} of the rows", "svm-train", rows=sample(train, share)) for share in (16, 8, 4, 2)]


def tested(command):
    """Returns the test error that a program prints."""
    output = measure(command).output
    if right := re.search(r"\((\d+)/(\d+)\)", output):
        return 1 - int(right[1]) / int(right[2])
    return float(re.search(r"error rate: ([\d.]+)%", output)[1]) / 100


def against(group, p, n, options):
    """Returns the row of a group of solvers."""
    for label, train, test in group:
        runs = [measure(train, options.limit, pin=True)]
        over = runs[0].code == OVER
        error = math.inf if over else tested(test)
        if over or error <= p["target"]:
            break
    if len(group) > 1:
        goal = f"{100 * p['target']:.2f} %"
        label += f", tuned: the first of {len(group)} sizes to reach {goal}" if error <= p["target"] else f"; no size reaches {goal}"
    more = 0 if over or runs[0].wall > LONG else options.runs - 1
    runs += [measure(train, options.limit, pin=True) for _ in range(more)]
    dual = re.findall(r"obj = ([-+.\deE]+)", runs[0].output)
    whole = dual and not over and len(group) == 1
    return label, runs, "-" if over else f"{100 * error:.2f} %", f"{-float(dual[-1]) / n / p['C']:.6f}" if whole else "-"


def against_solvers(name, folder, options):
    p = PROBLEMS[name]

    def run(algorithm, budget, *flags, seed=1, points=2, **how):
        return Process({"name": f"{name}-{algorithm['id']}", "seed": seed, "budget": {"iterations": budget},
                        "record": {"points": points, "spacing": "linear", "reference": False},
                        "datasets": [{"id": name, **p["dataset"]}], "algorithms": [algorithm]},
                       folder, "-j", "1", *flags, pin=True, **how)

    train, test = files(name, folder)
    n = train.read_bytes().count(b"\n")
    smo = [run({"id": "smo", "with": {"C": p["C"], "tolerance": 1e-3}}, 10**7, "--memory", f"{CACHE_MB}MB")
           for _ in range(options.runs)]
    rows = [("smo, ours", smo, f"{100 * smo[0].metric('test', 'error'):.2f} %", f"{smo[0].metric('state', 'dual'):.6f}")]
    sbp = []
    for seed in SEEDS:
        algorithm = {"id": "sbp", "with": {"nu": p["nu"]}}
        curve = run(algorithm, p["iterations"], "--memory", p["memory"], seed=seed, points=p["points"]).runs[0]["curve"]
        reached = [t for t, e in zip(curve["cost"]["iterations"], curve["metrics"]["test"]["error"]) if e <= p["target"]]
        if not reached:
            sys.exit(f"sbp, seed {seed}: does not reach {p['target']} in {p['iterations']} iterations")
        # Run again, only up to this iteration.
        sbp.append(run(algorithm, reached[0], "--memory", p["memory"], seed=seed))
    cpu = [process.cpu for process in sbp]
    rows.append((f"sbp, ours, to {100 * p['target']:.2f} %, {len(SEEDS)} seeds ({min(cpu):.2g} to {max(cpu):.2g} s of CPU time)",
                 sbp, f"{100 * statistics.median(s.metric('test', 'error') for s in sbp):.2f} %", "-"))
    rows += [against(group, p, n, options) for group in solvers(p, train, test)]
    table(p["title"], ["what", "wall time", "CPU time", "ours = 1", "test error", "dual objective"],
          timed([(label, [getattr(r, "took", r) for r in runs], *rest) for label, runs, *rest in rows], options.limit))


def against_authors(folder, options):
    """Streaming PCA: one pass over MNIST, k = 8, with the code of other authors as external methods. Compares the
    recorded time of steps and measurements, because most time of a process is for loading and the exact optimum."""
    sklearn = {"command": ["/usr/bin/python3", "external/peers/pca_sklearn.py", "incremental"], "version": 1, "timeout": options.limit}
    methods = [{"id": "incremental"}, {"id": "msg", "step": {"schedule": "inverse-sqrt", "c": 0.25}},
               {"id": "sklearn-incremental", "external": sklearn, "with": {"batch": 64}}]
    for variable, name in (("ADAOJA", "streaming_subclass.py"), ("HISTORYPCA", "HistoryPCA.py")):
        if variable in os.environ:
            command = ["/usr/bin/python3", "external/peers/pca_authors.py", os.path.join(os.environ[variable], name)]
            methods.append({"id": variable.lower(), "external": {"command": command, "version": 1, "timeout": options.limit}})
    rows, ours = [], None
    for method in methods:
        runs = [Process({"name": f"pca-{method['id']}", "task": "pca", "seed": seed, "budget": {"iterations": 28000},
                         "record": {"points": 2, "spacing": "log"}, "algorithms": [method],
                         "datasets": [{"id": "mnist", "source": "mnist", "prepare": ["center", "unit-expected-norm"],
                                       "split": {"train": 0.4, "test": 0.6}, "problem": {"k": 8}}]},
                        folder, "-j", "1", "--external", "allow", limit=options.limit, pin=True) for seed in SEEDS[:options.runs]]
        if any(r.took.code == OVER for r in runs):
            rows.append([method["id"], f"over {options.limit} s", "-", "-"])
            continue
        took = statistics.median(r.times[0]["step_seconds"] + r.times[0]["eval_seconds"] for r in runs)
        gap = statistics.median(r.metric("test", "suboptimality") for r in runs)
        ours = ours or took
        rows.append([method["id"], seconds(took), ratio(took / ours), f"{gap:.4f}"])
    table("Streaming PCA, MNIST, k = 8, one pass over 28,000 samples", ["what", "time", "ours = 1", "suboptimality"], rows)


def sharing(folder):
    dataset = {"id": "mnist-8", **PROBLEMS["mnist"]["dataset"], "subset": {"train": 10000, "test": 2000}}
    dataset["problem"] = {"sigma2": 25, "C": 1}

    def run(name, algorithms):
        spec = {"name": f"sharing-{name}", "seed": 1, "repeats": 10, "budget": {"passes": 10},
                "record": {"points": 50}, "datasets": [dataset], "algorithms": [{"id": a} for a in algorithms]}
        return Process(spec, folder, "-j", str(os.cpu_count()))

    alone = {a: run(a, [a]) for a in SHARING}
    together = run("all", SHARING)
    slowest = max(alone.values(), key=lambda p: p.wall)
    rows = [[a, seconds(p.wall), seconds(p.cpu), f"{100 * p.cpu / p.wall / os.cpu_count():.0f} %"] for a, p in alone.items()]
    rows.append(["all six", seconds(together.wall), seconds(together.cpu),
                 f"{100 * together.cpu / together.wall / os.cpu_count():.0f} %"])
    rows.append(["all six / slowest alone", f"{together.wall / slowest.wall:.2f}", f"{together.cpu / slowest.cpu:.2f}", ""])
    table("Sharing kernel rows: MNIST, 10,000 training points, ten repeats of ten passes (goal: at most 1.5, 90 %)",
          ["algorithms", "wall time", "CPU time", "use of the cores"], rows)


def memory(folder):
    rows = []
    for bound in (1 << 30, 4 << 30):
        spec = {"name": f"memory-{bound >> 30}", "seed": 1, "repeats": 2,
                "budget": {"iterations": 20000}, "record": {"points": 20, "reference": False},
                "datasets": [{"id": "mnist", **PROBLEMS["mnist"]["dataset"]}],
                # With this small C, every step moves a coefficient and reads a kernel row.
                "algorithms": [{"id": "sdca", "with": {"C": 1e-3, "order": "pass"}}]}
        spec["datasets"][0]["problem"] = {"sigma2": 25}
        p = Process(spec, folder, "--memory", str(bound))
        gib = 1 << 30
        rows.append([f"{bound / gib:g} GiB", f"{p.peak / gib:.2f} GiB", f"{(p.peak - bound) / gib:.2f} GiB"])
    # With hardly any cache: the memory of the data and the program.
    spec["name"] = "memory-0"
    p = Process(spec, folder, "--memory", "8MB")
    rows.append(["8 MB", f"{p.peak / gib:.2f} GiB", f"{p.peak / gib:.2f} GiB"])
    table("Peak memory: MNIST, sdca, two repeats over 20,000 rows each", ["--memory", "peak resident memory", "above --memory"], rows)


def cpu():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    parser.add_argument("--limit", type=int, default=1200, help="time limit of a run in seconds (default 1200)")
    parser.add_argument("--runs", type=int, default=3, help=f"number of runs of each solver, 1 if it takes over {LONG} s (default 3)")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"{unknown.pop()}: want {', '.join(PARTS)}")
    given = [f"{name}=FOLDER " for name in ("THUNDERSVM", "LPDSVM", "ADAOJA", "HISTORYPCA") if name in os.environ]
    print(f"{time.strftime('%Y-%m-%d')}, {cpu()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
          f"medians of {options.runs}; `{''.join(given)}scripts/bench-peers.sh {' '.join(sys.argv[1:])}`")
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts or PARTS:
            PARTS[part](folder, options)


PARTS = {
    **{name: functools.partial(against_solvers, name) for name in PROBLEMS},
    "pca": against_authors,
    "sharing": lambda folder, _: sharing(folder),
    "memory": lambda folder, _: memory(folder),
}

if __name__ == "__main__":
    main()
