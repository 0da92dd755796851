"""Runs of one spec that are stopped, lose their folder or disk, or are read and copied by other processes."""
import contextlib
import gzip
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

from common import differences, exported, killed, left, run, survived

NOBODY = 65534
# Many runs, which take about a second in sequence.
STEADY = """version: 1
name: crash
task: pca
seed: 3
repeats: 60
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


class Steady:
    """A spec of many runs, with the results of an uninterrupted run."""

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

    def command(self, out):
        return [self.stochopt, "run", "spec.yaml", "--out", str(out), "-j", "1"]

    def run(self, out):
        return run(self.command(out), seconds=60, cwd=self.place)

    def begin(self, out, rows=20):
        """Starts a run and waits until it has recorded something."""
        shutil.rmtree(self.place / out, ignore_errors=True)
        process = subprocess.Popen(self.command(out), cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        database = self.place / out / "crash" / "results.db"
        until(lambda: process.poll() is not None or recorded(database) >= rows)
        return process

    def resumed(self, out, says=()):
        """Returns the errors after the command is repeated."""
        o = self.run(out)
        wrong = [] if survived(o, codes=(0,), says=says) else [f"resumed: {o}"]
        return wrong + differences(self.stochopt, self.whole, self.place / out / "crash")

    def stopped(self):
        for sent in (signal.SIGHUP, signal.SIGTERM):
            process = self.begin("stopped")
            process.send_signal(sent)
            stderr = process.communicate(timeout=60)[1]
            wrong = [] if process.returncode == 130 else [f"exit {process.returncode}: {stderr[-300:]}"]
            wrong += [f"{name} was not removed" for name in left(self.place / "stopped")] + self.resumed("stopped")
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
        stderr = process.communicate(timeout=60)[1]
        wrong = failed(process.returncode, stderr, "renamed/crash")
        if folder.exists():
            wrong.append(f"the folder was created again: {[f.name for f in folder.iterdir()]}")
            shutil.rmtree(folder)
        moved.rename(folder)
        wrong += self.resumed("renamed")
        yield "steady: the folder is renamed during a run, and back", not wrong, "; ".join(wrong)

    def deleted(self):
        process = self.begin("deleted")
        shutil.rmtree(self.place / "deleted")
        stderr = process.communicate(timeout=60)[1]
        wrong = failed(process.returncode, stderr, "deleted/crash") + self.resumed("deleted")
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
        """A kill during a commit, with and without the journal that rolls it back."""
        for i in range(3):
            process, database = self.begin("journal"), self.place / "journal" / "crash" / "results.db"
            caught = stop_in_commit(process, database)
            process.kill()
            process.communicate(timeout=60)
            if not caught:
                yield f"steady: journal {i + 1}", False, "the run ended before it was stopped in a commit"
                return
            if i > 0:
                database.with_name("results.db-journal").unlink()
            o = run([self.stochopt, "status", str(database.parent)])
            wrong = [] if survived(o, codes=(0, 1, 2)) else [f"status: {o}"]
            wrong += self.resumed("journal")
            checked = run([self.stochopt, "verify", str(database.parent)], seconds=60)
            wrong += [] if survived(checked, codes=(0,)) else [f"verify: {checked}"]
            what = "and its journal removed" if i > 0 else "and its journal kept"
            yield f"steady: a kill during a commit, {what}", not wrong, "; ".join(wrong)

    def others(self):
        """A folder of another user that can be read but not written."""
        if os.getuid() != 0:
            yield "steady: a folder of another user: skipped, needs root", True, ""
            return
        with tempfile.TemporaryDirectory(prefix="crash-") as place:
            place = pathlib.Path(place)
            place.chmod(0o755)
            shutil.copy(self.stochopt, place / "stochopt")
            shutil.copy(self.place / "spec.yaml", place)
            shutil.copytree(self.whole, place / "results" / "crash")
            for verb in ("status results/crash", "claims results/crash", "export results/crash --to jsonl", "run spec.yaml"):
                o = run([str(place / "stochopt"), *verb.split()], cwd=place, user=NOBODY, env={"HOME": str(place)})
                if verb.startswith("run"):
                    ok = survived(o, codes=(1, 2), says=("cannot write", "results/crash"))
                elif o.code == 0:
                    ok = survived(o) and (not verb.startswith("export") or o.out.encode() == self.records)
                else:
                    ok = survived(o, codes=(1, 2), says=("permission denied", "results/crash"))
                yield f"steady: a folder of another user, {verb}", ok, str(o)

    def full(self):
        """A small file system that fills up at different times of a run."""
        mounted = self.place / "full"
        mounted.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", mounted], capture_output=True).returncode != 0:
            yield "steady: a full disk: skipped, cannot mount a file system", True, ""
            return
        try:
            whole = sum(f.stat().st_size for f in self.whole.rglob("*"))
            database = size(self.whole / "results.db")
            for room in (0, 8 << 10, 100 << 10, database // 4, database // 2, database + (64 << 10), (database + whole) // 2):
                with open(mounted / "filler", "wb") as f:
                    free = os.statvfs(mounted)
                    f.write(bytes(max(0, free.f_bavail * free.f_frsize - room)))
                o = self.run(mounted)
                wrong = [] if survived(o, codes=(1, 2)) and re.search("free (some |disk )?space|use another --out", o.text) else [str(o)]
                (mounted / "filler").unlink()
                wrong += self.resumed(mounted)
                shutil.rmtree(mounted / "crash")
                yield f"steady: a disk with room for {room >> 10} kB", not wrong, "; ".join(wrong)
        finally:
            subprocess.run(["umount", "-l", mounted], check=True)

    def imports(self):
        """Kills of the import of a text folder, which is repeated until it completes."""
        source = self.place / "text" / "crash"
        source.mkdir(parents=True)
        (source / "runs.jsonl").write_bytes(self.records)
        for name in ("spec.yaml", "manifest.json"):
            shutil.copy(self.whole / name, source)
        command = [self.stochopt, "import", str(source), "--out", "imported"]
        o = run(command, cwd=self.place)
        wrong = [] if survived(o, codes=(0,)) else [str(o)]
        kills = 0
        for _ in range(6):
            shutil.rmtree(self.place / "imported", ignore_errors=True)
            for _ in range(3):
                kills += killed(command, self.place, self.rng.uniform(0, 0.8) * o.seconds)[0] == -signal.SIGKILL
            last = run(command, cwd=self.place)
            wrong += [] if survived(last, codes=(0,)) else [f"imported again: {last}"]
            if exported(self.stochopt, self.place / "imported" / "crash") != self.records:
                wrong.append("the exports differ")
        resumed = self.resumed("imported", says=(" reused",))
        yield f"steady: {kills} kills of import", kills > 0 and not wrong + resumed, "; ".join(wrong + resumed)

    def exports(self):
        """Kills of export. Its file is complete or unchanged."""
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
                    wrong.append(f"the file has {len(data)} bytes")
            o = run(command)
            if not survived(o, codes=(0,)) or unpacked(file, file.read_bytes()) != self.records:
                wrong.append(f"exported again: {o}")
            yield f"steady: {kills} kills of export to {name}", kills > 0 and not wrong, "; ".join(wrong)


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)


def recorded(database):
    """Returns the number of runs in a database."""
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


def failed(code, stderr, name):
    """Returns the errors in the outcome of a run whose folder is gone."""
    return [] if code == 1 and name in stderr and "goroutine" not in stderr else [f"exit {code}: {stderr[-500:]}"]


def stop_in_commit(process, database):
    """Stops a process while there is a rollback journal."""
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
