#!/usr/bin/env python3
"""Crashes: experiments that are killed, stopped or deprived of their folder, and resumed.

First random small specs of the three tasks, killed at random moments. Some of the commands do
one shard, and some of these run next to another process that does the same or another shard,
and is not killed. In the end the exported records, curves, selection, verdicts, tables and
figures are those of an uninterrupted run, byte for byte.

Then import, export, a full disk, and what may happen to the folder during a run.

    scripts/attack/crash.py [-n KILLS] [--seed SEED] [BINARY]
"""
import argparse
import contextlib
import gzip
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from common import exported, run, survived

KILLS = 39
TASKS = ("pca", "svm", "svm-sparse")
# Besides the records. The other files hold times.
COMPARED = ("curves.csv", "selection.csv", "claims.json")
FOLDERS = ("tables", "figures")
BOUND = 70    # seconds for the kills of all tasks
NOBODY = 65534
# Many runs, which take some seconds one after the other.
STEADY = """version: 1
name: crash
task: pca
seed: 3
repeats: 150
budget: {iterations: 3000}
record: {points: 60}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 16, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: incremental}
  - {id: msg, step: {c: [0.5, 1]}}
select: {by: oracle}
claims:
  - id: c
    source: none
    says: MSG is about as good as another
    check: {ratio: {of: {series: msg, read: mean}, to: {series: incremental, read: mean}, between: [0.001, 1000]}}
"""


def cases(stochopt, folder, kills=KILLS, seed=None):
    seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    rng = random.Random(seed)
    for i, task in enumerate(TASKS):
        share = kills // len(TASKS) + (i < kills % len(TASKS))
        place = pathlib.Path(folder, task)
        place.mkdir()
        yield from crash(stochopt, place, task, share, rng, f"seed {seed}")
    place = pathlib.Path(folder, "steady")
    place.mkdir()
    yield from Steady(stochopt, place, rng).cases()


def crash(stochopt, place, task, kills, rng, told):
    """One case a kill, of which the last ones fail if bytes differ."""
    spec = SPECS[task](rng, place)
    (place / "spec.yaml").write_text(spec)

    def command(out):
        return [stochopt, "run", "spec.yaml", "--out", out, "-j", str(rng.choice((1, 2)))]

    start = time.monotonic()
    whole = subprocess.run(command("whole"), cwd=place, capture_output=True, text=True, timeout=BOUND)
    takes = time.monotonic() - start
    if whole.returncode != 0:
        yield f"{task}, {told}: whole", False, f"exit {whole.returncode}: {whole.stderr[-500:]}\n{spec}"
        return
    hit, problems, deadline = 0, [], time.monotonic() + BOUND / len(TASKS)
    while hit < kills and time.monotonic() < deadline:
        shard, beside = [], None
        if rng.random() < 0.5:
            shard = ["--shard", f"{rng.randint(1, 3)}/3"]
            if rng.random() < 0.5:
                beside = subprocess.Popen(command("broken") + ["--shard", f"{rng.randint(1, 3)}/3"], cwd=place,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        code, err = killed(command("broken") + shard, place, rng.uniform(0, 1.1) * takes / rng.choice((1, 1, 2, 6)))
        if beside:
            said = beside.communicate(timeout=BOUND)[1]
            if beside.returncode != 0:
                problems.append(f"beside, exit {beside.returncode}: {said[-300:]}")
        if code == -signal.SIGKILL:
            hit += 1
        elif code == 0 and shard:
            continue
        elif code == 0:
            # All is done: the next kills hit another folder from the start.
            problems += differences(stochopt, place / "whole" / "crash", place / "broken" / "crash")
            (place / "broken").rename(place / f"done-{time.monotonic_ns()}")
        else:
            problems.append(f"exit {code}: {err[-300:]}")
            break
    last = subprocess.run(command("broken"), cwd=place, capture_output=True, text=True, timeout=BOUND)
    if last.returncode != 0:
        problems.append(f"resumed, exit {last.returncode}: {last.stderr[-300:]}")
    problems += differences(stochopt, place / "whole" / "crash", place / "broken" / "crash")
    if hit < kills:
        problems.append(f"only {hit} of {kills} kills in the time")
    for k in range(max(hit, 1)):
        yield f"{task}, {told}: kill {k + 1}", not problems, "; ".join(problems) or f"bytes equal; a whole run takes {takes:.1f} s"


def killed(command, cwd, after):
    """Kills a command after so many seconds; returns its exit code and what it said."""
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=err)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        err.seek(0)
        return process.returncode, err.read().decode(errors="replace")


def differences(stochopt, want, got):
    """What of two results folders differs, of what must not, and what a clean run has left."""
    names = set(COMPARED)
    for folder in FOLDERS:
        for side in (want, got):
            # PDF and PNG files are of the drawing that the SVG file shows.
            names |= {f"{folder}/{f.name}" for f in (side / folder).glob("*") if f.suffix not in (".pdf", ".png")}
    out = [] if exported(stochopt, want) == exported(stochopt, got) else ["the exported records differ"]
    for name in sorted(names):
        a, b = (side / name for side in (want, got))
        if not a.exists() and not b.exists():
            continue   # a spec without claims
        if not a.exists() or not b.exists():
            out.append(f"{name} is missing")
        elif a.read_bytes() != b.read_bytes():
            out.append(f"{name} differs")
    return out + [f"{name} is left" for name in left(got)]


def left(folder):
    """What a killed process may have left, and a clean run removes."""
    return [f.name for f in folder.rglob("*") if f.name.startswith("results.lock") or f.name == "results.db-journal"
            or f.suffix == ".new" or ".tmp" in f.name]


class Steady:
    """One spec of many runs, with the results of an uninterrupted run."""

    def __init__(self, stochopt, place, rng):
        self.stochopt, self.place, self.rng = stochopt, place, rng
        (place / "spec.yaml").write_text(STEADY)

    def cases(self):
        o = self.run("whole")
        yield "steady: an uninterrupted run", survived(o, codes=(0,)), str(o)
        self.whole, self.takes = self.place / "whole" / "crash", o.seconds
        self.records = exported(self.stochopt, self.whole)
        for do in (self.stopped, self.two, self.renamed, self.deleted, self.copied, self.journal, self.others,
                   self.full, self.imports, self.exports):
            yield from do()

    def command(self, out, *more):
        return [self.stochopt, "run", "spec.yaml", "--out", str(out), "-j", "1", *more]

    def run(self, out, *more):
        return run(self.command(out, *more), seconds=60, cwd=self.place)

    def begin(self, out, rows=20):
        """Starts a run, and waits until it has recorded something."""
        shutil.rmtree(self.place / out, ignore_errors=True)
        process = subprocess.Popen(self.command(out), cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        database = self.place / out / "crash" / "results.db"
        until(lambda: process.poll() is not None or recorded(database) >= rows)
        return process

    def resumed(self, out, says=()):
        """What is wrong after the command is given again."""
        o = self.run(out)
        wrong = [] if survived(o, codes=(0,), says=says) else [f"resumed: {o}"]
        return wrong + differences(self.stochopt, self.whole, self.place / out / "crash")

    def stopped(self):
        for sent in (signal.SIGHUP, signal.SIGTERM):
            process = self.begin("stopped")
            process.send_signal(sent)
            said = process.communicate(timeout=60)[1]
            wrong = [] if process.returncode == 130 else [f"exit {process.returncode}: {said[-300:]}"]
            wrong += [f"{name} is left" for name in left(self.place / "stopped")] + self.resumed("stopped")
            yield f"steady: {sent.name}", not wrong, "; ".join(wrong)

    def two(self):
        process = self.begin("two")
        o = self.run("two")
        process.terminate()
        process.communicate(timeout=60)
        ok = survived(o, codes=(2,), says=("results.lock", f"process {process.pid}"))
        yield "steady: a second run in the folder", ok, str(o)

    def renamed(self):
        process = self.begin("renamed")
        folder, moved = self.place / "renamed" / "crash", self.place / "renamed" / "moved"
        folder.rename(moved)
        said = process.communicate(timeout=60)[1]
        wrong = failed(process.returncode, said, "renamed/crash")
        if folder.exists():
            wrong.append(f"made again: {[f.name for f in folder.iterdir()]}")
            shutil.rmtree(folder)
        moved.rename(folder)
        wrong += self.resumed("renamed")
        yield "steady: the folder is renamed during a run, and back", not wrong, "; ".join(wrong)

    def deleted(self):
        process = self.begin("deleted")
        shutil.rmtree(self.place / "deleted")
        said = process.communicate(timeout=60)[1]
        wrong = failed(process.returncode, said, "deleted/crash") + self.resumed("deleted")
        yield "steady: the folder is deleted during a run", not wrong, "; ".join(wrong)

    def copied(self):
        process = self.begin("copied")
        for i in range(3):
            copy = self.place / f"copy{i}" / "crash"
            copy.mkdir(parents=True)
            for name in ("results.db", "spec.yaml", "manifest.json"):
                shutil.copy(self.place / "copied" / "crash" / name, copy)
            time.sleep(self.takes / 20)
        process.terminate()
        process.communicate(timeout=60)
        for i in range(3):
            copy = self.place / f"copy{i}" / "crash"
            o = run([self.stochopt, "export", str(copy), "--to", "jsonl"], seconds=30)
            sound = o.code == 0 and set(o.out.splitlines()) <= set(self.records.decode().splitlines())
            wrong = [] if sound or survived(o, codes=(2,), says=("damaged",)) else [str(o)]
            wrong += self.resumed(f"copy{i}")
            yield f"steady: copy {i + 1} of results.db during a run", not wrong, "; ".join(wrong) or f"exit {o.code}"

    def journal(self):
        """A kill in the middle of a commit, and the journal that would undo it is removed."""
        for i in range(3):
            process, database = self.begin("journal"), self.place / "journal" / "crash" / "results.db"
            caught = stop_in_commit(process, database)
            process.kill()
            process.communicate(timeout=60)
            if not caught:
                yield f"steady: journal {i + 1}", False, "the run ended before it was caught in a commit"
                return
            if i > 0:
                database.with_name("results.db-journal").unlink()
            o = run([self.stochopt, "status", str(database.parent)])
            wrong = [] if survived(o, codes=(0, 1, 2)) else [f"status: {o}"]
            wrong += self.resumed("journal")
            checked = run([self.stochopt, "verify", str(database.parent)], seconds=60)
            wrong += [] if survived(checked, codes=(0,)) else [f"verify: {checked}"]
            what = "and its journal removed" if i > 0 else "and its journal kept"
            yield f"steady: a kill in the middle of a commit, {what}", not wrong, "; ".join(wrong)

    def others(self):
        """A folder of another user that may be read and not written."""
        if os.getuid() != 0:
            yield "steady: a folder of another user: skipped, only root can make one", True, ""
            return
        with tempfile.TemporaryDirectory(prefix="crash-") as place:
            place = pathlib.Path(place)
            place.chmod(0o755)
            shutil.copy(self.stochopt, place / "stochopt")
            shutil.copy(self.place / "spec.yaml", place)
            shutil.copytree(self.whole, place / "results" / "crash")
            for verb in ("status results/crash", "claims results/crash", "export results/crash --to jsonl", "run spec.yaml",
                         "run spec.yaml --fresh"):
                o = run([str(place / "stochopt"), *verb.split()], cwd=place, user=NOBODY, env={"HOME": str(place)})
                if verb.startswith("run"):
                    ok = survived(o, codes=(1, 2), says=("cannot write", "results/crash"))
                elif o.code == 0:
                    ok = survived(o) and (not verb.startswith("export") or o.out.encode() == self.records)
                else:
                    ok = survived(o, codes=(1, 2), says=("permission denied", "results/crash"))
                yield f"steady: a folder of another user, {verb}", ok, str(o)

    def full(self):
        """A small file system that fills up at several moments of a run."""
        mounted = self.place / "full"
        mounted.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", mounted], capture_output=True).returncode != 0:
            yield "steady: a full disk: skipped, no file system can be mounted", True, ""
            return
        try:
            whole = sum(f.stat().st_size for f in self.whole.rglob("*"))
            database = size(self.whole / "results.db")
            for room in (0, 8 << 10, 100 << 10, database // 4, database // 2, database + (64 << 10), (database + whole) // 2):
                with open(mounted / "filler", "wb") as f:
                    free = os.statvfs(mounted)
                    f.write(bytes(max(0, free.f_bavail * free.f_frsize - room)))
                o = self.run(mounted)
                wrong = [] if survived(o, codes=(1, 2)) and re.search("free space|use another --out", o.text) else [str(o)]
                (mounted / "filler").unlink()
                wrong += self.resumed(mounted)
                shutil.rmtree(mounted / "crash")
                yield f"steady: a disk with room for {room >> 10} kB", not wrong, "; ".join(wrong)
        finally:
            subprocess.run(["umount", "-l", mounted], check=True)

    def imports(self):
        """Kills of import of a text folder, which is repeated until it completes."""
        source = self.place / "text" / "crash"
        source.mkdir(parents=True)
        (source / "runs.jsonl").write_bytes(self.records)
        for name in ("spec.yaml", "manifest.json"):
            shutil.copy(self.whole / name, source)
        command = [self.stochopt, "import", str(source), "--out", "imported"]
        o = run(command, cwd=self.place)
        wrong = [] if survived(o, codes=(0,)) else [str(o)]
        kills = 0
        for _ in range(8):
            shutil.rmtree(self.place / "imported", ignore_errors=True)
            for attempt in range(20):
                if killed(command, self.place, self.rng.uniform(0.02, 1) * o.seconds)[0] == 0:
                    break
                kills += 1
            last = run(command, cwd=self.place)
            wrong += [] if survived(last, codes=(0,)) else [f"imported again: {last}"]
            wrong += [f"{name} is left" for name in left(self.place / "imported")]
            if exported(self.stochopt, self.place / "imported" / "crash") != self.records:
                wrong.append("the exports differ")
        resumed = self.resumed("imported", says=("of them from the record",))
        yield f"steady: {kills} kills of import", kills > 0 and not wrong + resumed, "; ".join(wrong + resumed)

    def exports(self):
        """Kills of export: its file is whole, or what it was before."""
        for name in ("runs.jsonl", "runs.jsonl.gz"):
            file = self.place / "out" / name
            file.parent.mkdir(exist_ok=True)
            command = [self.stochopt, "export", str(self.whole), "--to", "jsonl", "-o", str(file)]
            takes, kills, wrong = run(command).seconds, 0, []
            for _ in range(8):
                file.write_bytes(b"before")
                kills += killed(command, self.place, self.rng.uniform(0.1, 1.1) * takes)[0] == -signal.SIGKILL
                data = file.read_bytes()
                if data != b"before" and unpacked(file, data) != self.records:
                    wrong.append(f"{len(data)} bytes of it are there")
            o = run(command)
            if not survived(o, codes=(0,)) or unpacked(file, file.read_bytes()) != self.records:
                wrong.append(f"exported again: {o}")
            yield f"steady: {kills} kills of export to {name}", kills > 0 and not wrong, "; ".join(wrong)


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)


def recorded(database):
    """How many runs a database has."""
    if size(database) == 0:
        return 0
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5)
    with contextlib.suppress(sqlite3.Error), contextlib.closing(db):
        return db.execute("SELECT count(*) FROM run").fetchone()[0]
    return 0


def size(path):
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def failed(code, said, name):
    """What is wrong with the end of a run whose folder has gone."""
    return [] if code == 1 and name in said and "goroutine" not in said else [f"exit {code}: {said[-500:]}"]


def stop_in_commit(process, database):
    """Stops a process at a moment at which there is a rollback journal."""
    journal = database.with_name("results.db-journal")
    while process.poll() is None:
        if size(journal) == 0:
            continue
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if size(journal) > 0:
            return True
        process.send_signal(signal.SIGCONT)
    return False


def unpacked(file, data):
    return gzip.decompress(data) if file.suffix == ".gz" else data


def points(rng, file, n):
    """A LIBSVM file of n points of two classes that overlap."""
    with open(file, "w") as f:
        for i in range(n):
            side = 1 if i % 3 else -1
            f.write(f"{side:+d} 1:{side + rng.gauss(0, 0.8):.4f} 2:{rng.gauss(0, 0.8):.4f} 3:{rng.gauss(0, 1):.4f}\n")


def head(rng, task, budget):
    return (f"version: 1\nname: crash\ntitle: Killed and resumed\ntask: {task}\nseed: {rng.randrange(1 << 30)}\n"
            f"repeats: {rng.randint(3, 6)}\nbudget: {budget}\nrecord: {{points: {rng.randint(3, 12)}}}\n")


def pca(rng, place):
    k = rng.randint(1, 4)
    names = rng.sample(("incremental", "capped-msg", "warmuth-kuzmin"), 2)
    first, others = names[0], "".join(f"  - {{id: {a}}}\n" for a in names)
    steps = sorted(rng.sample((0.25, 0.5, 1, 2, 4), rng.randint(1, 3)))
    return head(rng, "pca", f"{{iterations: {rng.randint(500, 4000)}}}") + f"""datasets:
  - {{id: g, source: simulated-gaussian, with: {{dim: {rng.randint(8, 32)}, gap: {k}}}, problem: {{k: {k}}}}}
defaults:
  step: {{c: {steps}}}
algorithms:
  - {{id: msg}}
{others}select: {{by: oracle}}
figures:
  - {{id: fig, x: iterations, y: suboptimality, log: [x, y]}}
tables:
  - {{id: tab, columns: [mean_rank, final_suboptimality, runs]}}
claims:
  - id: c
    source: none
    says: MSG is about as good as another
    shown: fig
    check: {{ratio: {{of: {{series: msg, read: mean}}, to: {{series: {first}, read: mean}}, between: [0.3, 3]}}}}
"""


def svm(rng, place):
    points(rng, place / "train.svm", rng.randint(60, 300))
    points(rng, place / "test.svm", 60)
    names = rng.sample(("sdca", "smo", "pegasos", "perceptron"), 2)
    first, others = names[0], "".join(f"  - {{id: {a}}}\n" for a in names)
    return head(rng, "svm", f"{{passes: {rng.randint(3, 10)}}}") + f"""datasets:
  - {{id: b, path: train.svm, test: test.svm, format: libsvm, problem: {{sigma2: {rng.choice((0.5, 1, 2))}, C: {rng.choice((0.5, 1))}}}}}
algorithms:
  - {{id: sbp}}
{others}figures:
  - {{id: fig, x: kernel_evals, y: error, log: [x]}}
tables:
  - {{id: tab, columns: [runs]}}
claims:
  - id: c
    source: none
    says: SBP is below another
    shown: fig
    check: {{order: {{series: sbp, below: [{first}], metric: error, cost: kernel_evals, from: 0.001}}}}
"""


def sparse(rng, place):
    points(rng, place / "train.svm", rng.randint(60, 200))
    points(rng, place / "test.svm", 60)
    return head(rng, "svm-sparse", f"{{passes: {rng.randint(3, 8)}}}") + f"""datasets:
  - {{id: b, path: train.svm, test: test.svm, format: libsvm, problem: {{sigma2: 1, C: {rng.choice((0.5, 1))}}}}}
algorithms:
  - {{id: sparsify, with: {{eta: [0.25, {rng.choice((0.5, 1))}]}}}}
  - {{id: rsvm, with: {{ratio: {rng.choice((0.1, 0.3))}}}}}
select: {{by: halvings, halvings: 20, tune: [eta, ratio]}}
figures:
  - {{id: fig, draw: tradeoff}}
tables:
  - {{id: tab, columns: [runs]}}
claims:
  - id: c
    source: none
    says: Sparsifying is below a random subset
    shown: fig
    check: {{order: {{series: sparsify, below: [rsvm], metric: error, cost: support}}}}
"""


SPECS = {"pca": pca, "svm": svm, "svm-sparse": sparse}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default="build/stochopt")
    parser.add_argument("-n", "--kills", type=int)
    parser.add_argument("--seed", type=int, help="of the specs and the moments; printed")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    kills, binary = options.kills or KILLS, os.path.abspath(options.binary)
    print(f"{kills} kills, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        tried = list(cases(binary, folder, kills, seed))
    lost = {(what.partition(": kill ")[0], detail) for what, ok, detail in tried if not ok}
    for what, detail in sorted(lost):
        print(f"{what}: {detail}")
    for what, _, _ in tried:
        if "skipped" in what:
            print(what)
    print(f"{sum(ok for _, ok, _ in tried)} of {len(tried)} crashes survived, bytes equal")
    return 1 if lost or len(tried) < kills else 0


if __name__ == "__main__":
    sys.exit(main())
