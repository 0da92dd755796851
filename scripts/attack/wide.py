"""Wide sparse data in task pca: large indices, many features, algorithms that need d x d matrices."""
import json
import pathlib
import random
import sqlite3

from common import MB, exported, run, survived

MOST = 2000 * MB
SPEC = """version: 1
name: {name}
task: pca
budget: {{iterations: {iterations}}}
record: {{points: 4}}
datasets:
{datasets}
algorithms:
{algorithms}
figures:
  - {{id: fig, x: iterations, y: suboptimality, facet: dataset}}
"""
DATA = "  - {{id: {id}, path: {file}, format: libsvm, prepare: [unit-expected-norm]{split}}}"
SPLIT = ", split: {train: 0.6, validation: 0.2, test: 0.2}"
ABLE = """  - {id: incremental, with: {k: 4}}
  - {id: power, with: {k: 4}, step: {c: 4}}
  - {id: grouse, with: {k: 4}, step: {c: 4}}
  - {id: msg, with: {k: 4}, step: {c: 0.5}}
  - {id: capped-msg, with: {k: 4, cap: 5}, step: {c: 0.5}}"""
# Algorithms with d x d matrices.
UNABLE = """  - {id: incremental, with: {k: 4}}
  - {id: saa, with: {k: 4}}
  - {id: warmuth-kuzmin, with: {k: 4, form: naive}, step: {c: 1}}
  - {id: msg, as: averaged, with: {k: 4, iterate: average}, step: {c: 1}}"""


def cases(stochopt, folder):
    folder = pathlib.Path(folder)
    (folder / "three.svm").write_text("1 1:1 5:2 1000000:1\n-1 2:1 7:3\n1 1:2 1000000:-1\n")
    topics(folder / "text.svm", rows=5000, features=100_000, entries=50)
    yield from able(stochopt, folder, "three", 8, ("three", "three.svm", ""))
    yield from able(stochopt, folder, "text", 150, ("split", "text.svm", SPLIT))
    yield from refused(stochopt, folder)
    yield from unable(stochopt, folder)


def able(stochopt, folder, name, iterations, data):
    """Algorithms without a d x d matrix run, with certified optima and figures."""
    command = spec(folder, name, iterations, [data], ABLE)
    o = run([stochopt, *command, "-j", "2"], cwd=folder, seconds=240)
    out = folder / "results" / name
    runs = records(stochopt, out)
    ok = survived(o, codes=(0,), peak=MOST) and len(runs) == 5
    ok = ok and all(r["status"] == "finished" for r in runs) and any(out.glob("figures/fig*"))
    yield f"{name}: five algorithms on wide data", ok, f"{len(runs)} runs, {o}"
    found = optima(out / "results.db")
    good = {r["method"] for r in found} == {"eigendecomposition of the Gram matrix"} and all(
        len(r["eigenvalues"]) == 4 and r["error_bound"] <= 1e-9 * r["eigenvalues"][0] for r in found)
    yield f"{name}: the optima are certified", good, json.dumps(found)[:300]


def refused(stochopt, folder):
    """Data whose optimum cannot be certified are rejected before anything runs."""
    command = spec(folder, "whole", 8, [("whole", "text.svm", "")], ABLE)
    for verb in "plan", "run":
        o = run([stochopt, verb, *command[1:]], cwd=folder, seconds=60)
        ok = survived(o, codes=(2,), says=("whole.yaml:", "at most 1024 rows"), peak=MOST)
        yield f"wide data of many rows: {verb}", ok and not (folder / "results" / "whole" / "results.db").exists(), str(o)


def unable(stochopt, folder):
    """Algorithms that need d x d matrices are reported and skipped, and the others have figures."""
    command = spec(folder, "unable", 8, [("three", "three.svm", "")], UNABLE)
    o = run([stochopt, "plan", *command[1:]], cwd=folder)
    says = ("saa", "warmuth-kuzmin", "averaged", "unable.yaml:")
    yield "plan reports algorithms that need d x d", survived(o, codes=(0, 2), says=says), str(o)
    o = run([stochopt, *command], cwd=folder, seconds=60)
    states = [r["status"] for r in records(stochopt, folder / "results" / "unable")]
    ok = survived(o, codes=(0, 1), says=says, peak=MOST) and states == ["finished"] + 3 * ["skipped"]
    yield "algorithms that need d x d are skipped", ok, f"{states}, {o}"


def spec(folder, name, iterations, data, algorithms):
    entries = "\n".join(DATA.format(id=i, file=f, split=s) for i, f, s in data)
    text = SPEC.format(name=name, iterations=iterations, datasets=entries, algorithms=algorithms)
    (folder / f"{name}.yaml").write_text(text)
    return ["run", f"{name}.yaml", "--memory", "1GB"]


def topics(path, rows, features, entries):
    """Writes rows with one topic each: words of the topic with a large weight, and random other words."""
    r = random.Random(1)
    with open(path, "w") as f:
        for _ in range(rows):
            topic, row = min(r.randrange(6), r.randrange(6)), {}
            while len(row) < 20:
                row[30 * topic + r.randrange(30) + 1] = 2 + r.random()
            while len(row) < entries:
                row[r.randrange(200, features) + 1] = 0.1 + r.random()
            f.write("1 " + " ".join(f"{j}:{v:.3f}" for j, v in sorted(row.items())) + "\n")


def records(stochopt, folder):
    return [json.loads(line) for line in exported(stochopt, folder).splitlines() if line.startswith(b"{")]


def optima(database):
    if not database.exists():
        return []
    db = sqlite3.connect(database)
    found = [json.loads(data) for (data,) in db.execute("SELECT data FROM optimum")]
    db.close()
    return found
