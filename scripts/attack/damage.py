"""Damage on disk: results.db, parts and exported text with flipped bits, missing pages, foreign
bytes, and deleted or edited rows.

For any damage, no reader crashes or accepts damaged numbers. The next run reports the damage, keeps the
damaged file, and ends with the original records.
"""

import gzip
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3

from common import checksum, exported, run, survived

FLIPS = 25
SCHEMA = range(60, 64)   # the bytes of user_version in the header of a database
# Words in reports of damage.
DAMAGED = ("damaged", "wrong checksum")

PCA = """version: 1
name: damage
task: pca
seed: 7
repeats: 3
budget: {iterations: 40}
record: {points: 8}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
  - {id: o, source: simulated-orthogonal, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [0.25, 1]}}
  - {id: incremental}
select: {by: oracle}
"""

SVM = """version: 1
name: damage
task: svm
seed: 7
repeats: 2
budget: {iterations: 60}
record: {points: 3}
datasets:
  - {id: d, path: rows.svm, split: {train: 0.5, validation: 0.2, test: 0.3}, problem: {kernel: linear, lambda: 0.05}}
algorithms:
  - {id: pegasos}
"""


class Folder:
    """The results of a spec, which are damaged repeatedly."""

    def __init__(self, stochopt, home, spec):
        self.stochopt, self.home = stochopt, pathlib.Path(home)
        self.dir, self.sound = self.home / "results" / "damage", self.home / "sound"
        self.file = self.dir / "results.db"
        self.home.mkdir()
        rng = random.Random(1)
        sides = [1 if i % 2 else -1 for i in range(60)]
        (self.home / "rows.svm").write_text("".join(
            f"{y:+d} 1:{y + rng.gauss(0, 1):.6f} 2:{rng.gauss(0, 1):.6f}\n" for y in sides))
        (self.home / "spec.yaml").write_text(spec)
        made = self.run("run", "spec.yaml")
        if made.code != 0:
            raise RuntimeError(str(made))
        self.records = exported(stochopt, self.dir)
        self.dir.rename(self.sound)

    def run(self, *args):
        return run([self.stochopt, *args], cwd=self.home)

    def again(self, source=None):
        shutil.rmtree(self.dir, ignore_errors=True)
        shutil.copytree(source or self.sound, self.dir)

    def survived(self, what, harmless=False, refused=None, kept=None):
        """Returns a case: readers, run and verify on the damaged folder. Harmless damage need not be reported.
        If refused is given, run must fail with a message that contains its words."""
        wrong, reported, before = [], False, kept and kept.read_bytes()
        for verb in ("status", "report", "export", "verify"):
            more = {"report": ("-o", "page.html"), "export": ("--to", "jsonl")}.get(verb, ())
            o = self.run(verb, "results/damage", *more)
            reported = reported or any(word in o.text for word in (refused or DAMAGED))
            wrong += [] if survived(o, codes=(0, 1, 2)) else [f"{verb}: {o}"]
            if verb == "export" and o.code == 0 and not set(o.out.splitlines()) <= set(self.records.decode().splitlines()):
                wrong.append("export has other numbers")
            reported = reported or verb == "status" and not re.search(r"\b(\d+) of \1 runs on record", o.text)
            if verb == "export" and o.code == 0 and not reported and o.out.encode() != self.records:
                wrong.append("export hides runs")
        if kept and kept.read_bytes() != before:
            wrong.append("a reader has changed the file")
        o = self.run("run", "spec.yaml")
        reported = reported or any(word in o.text for word in (refused or DAMAGED))
        if refused:
            wrong += [] if survived(o, codes=(1, 2), says=refused) else [f"run is not refused: {o}"]
        else:
            wrong += [] if survived(o, codes=(0,)) else [f"run: {o}"]
            wrong += self.whole()
        if not reported and not harmless:
            wrong.append(f"the damage is not reported: {o}")
        if kept and reported and not refused and not any(f.read_bytes() == before for f in self.dir.glob("results.db*damaged*")):
            wrong.append("the damaged file is not kept")
        return what, not wrong, "; ".join(wrong)

    def whole(self):
        """Returns the errors after the spec was run again."""
        wrong = [] if exported(self.stochopt, self.dir) == self.records else ["the export differs"]
        o = self.run("run", "spec.yaml")
        wrong += [] if survived(o, codes=(0,)) and not any(word in o.text for word in DAMAGED) else [f"the second run: {o}"]
        o = self.run("verify", "results/damage")
        return wrong + ([] if survived(o, codes=(0,)) else [f"verify: {o}"])


def flips(f, rng):
    """Flipped bits of the database. Bits of free space and of a few counters are harmless."""
    for i in range(FLIPS):
        f.again()
        data = bytearray(f.file.read_bytes())
        at, bit = rng.randrange(100 if i % 5 == 0 else len(data)), rng.randrange(8)
        data[at] ^= 1 << bit
        f.file.write_bytes(data)
        refused = ("schema",) if at in SCHEMA and 0 < int.from_bytes(data[60:64], "big") < 1000 else None
        yield f.survived(f"bit {bit} of byte {at} of results.db flipped", harmless=True, refused=refused, kept=f.file)


def pages(f, rng):
    """Truncation, pages of zeros, and foreign files in place of the database."""
    whole = (f.sound / "results.db").read_bytes()
    size, page = len(whole), 4096
    for cut in (0, 10, 99, page, size // 2, size - page, size - 1):
        f.again()
        f.file.write_bytes(whole[:cut])
        yield f.survived(f"results.db cut to {cut} of {size} bytes", kept=f.file)
    for at in (0, *rng.sample(range(1, size // page), 4)):
        f.again()
        f.file.write_bytes(whole[:at * page] + bytes(page) + whole[(at + 1) * page:])
        yield f.survived(f"page {at} of results.db of zeros", kept=f.file)
    other = f.home / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE run (id INTEGER PRIMARY KEY, record TEXT)")
    db.close()
    for what, data in (("zeros", bytes(size)), ("a compressed file", gzip.compress(whole)), ("a text", b"results\n" * 1000),
                       ("random bytes", rng.randbytes(size)), ("another database", other.read_bytes())):
        f.again()
        f.file.write_bytes(data)
        yield f.survived(f"{what} in the place of results.db", kept=f.file)
    f.again()
    f.file.unlink()
    f.file.mkdir()
    yield f.survived("a folder in the place of results.db", refused=("results.db", "not a regular file"))


def rows(f):
    """Rows that were deleted, moved or edited with the right types but the old checksums."""
    last = "(SELECT max(id) FROM run)"
    for sql, harmless in (
            (f"DELETE FROM run WHERE id = {last}", False), ("DELETE FROM run", False), (f"DELETE FROM curve WHERE run = {last}", False),
            (f"DELETE FROM times WHERE run = {last}", False), ("DELETE FROM plan WHERE position = 1", False), ("DELETE FROM plan", False),
            ("DELETE FROM meta WHERE name = 'runs'", False), ("DELETE FROM meta WHERE name = 'plan'", False), ("DELETE FROM meta", False),
            ("UPDATE run SET record = replace(record, '\"seed\":', '\"seed\":1') WHERE id = 2", False),
            ("UPDATE run SET step_seconds = 1e6 WHERE id = 2", False),
            ("UPDATE run SET record = '{}' WHERE id = 2", False), ("UPDATE curve SET data = x'ff00' WHERE run = 2", False),
            ("UPDATE curve SET data = replace(data, '0.1', '0.2')", False),
            ("UPDATE curve SET run = -run", False), ("UPDATE curve SET run = 1 - run; UPDATE curve SET run = 2 - run WHERE run > -2", False),
            ("UPDATE times SET data = replace(data, ':0.', ':1.')", False),
            ("UPDATE plan SET panel = 'p' WHERE position = 1", False),
            ("UPDATE meta SET value = value || ' '", False), ("UPDATE meta SET value = '0 0' WHERE name = 'runs'", False),
            ("UPDATE optimum SET data = replace(data, '0.', '1.')", False),
            ("DROP VIEW points", False), ("DROP TABLE curve", False), ("ALTER TABLE run ADD COLUMN mine", False),
            ("VACUUM", True), ("PRAGMA page_size = 1024; VACUUM", True), ("PRAGMA auto_vacuum = FULL; VACUUM", True),
            ("PRAGMA application_id = 7", True)):
        f.again()
        edit(f.file, sql)
        yield f.survived(f"results.db after {sql}", harmless=harmless, kept=f.file)
    f.again()
    edit(f.file, "PRAGMA user_version = 2")
    yield f.survived("results.db of another schema", refused=("schema 2", "this build reads schema 1"))


def edit(file, sql):
    db = sqlite3.connect(file, isolation_level=None)
    db.executescript(sql)
    db.close()


def parts(f, rng):
    """Parts that were damaged before they are imported."""
    shutil.rmtree(f.dir, ignore_errors=True)
    for shard in "1/2", "2/2":
        made = f.run("run", "spec.yaml", "--shard", shard)
        if made.code != 0:
            yield f"shard {shard}", False, str(made)
            return
    shards = f.home / "shards"
    shutil.copytree(f.dir, shards)
    names = sorted(p.name for p in (shards / "parts").glob("*.jsonl") if p.name != "plan.jsonl")

    def flipped(data):
        data = bytearray(data)
        data[rng.randrange(len(data) - 1)] ^= 1 << rng.randrange(8)
        return bytes(data)

    def later(data):
        return data.replace(b'"schema":', b'"schema":9')

    for what, name, change, harmless in (
            *((f"a bit of {n} flipped", n, flipped, False) for n in names for _ in range(4)),
            ("the last line torn", names[0], lambda data: data[:-30], True),
            ("a line cut short", names[0], lambda data: data[:200] + b"\n" + data[201:], False),
            ("a foreign line", names[1], lambda data: b"{}\n" + data, False),
            ("no lines", names[0], lambda data: b"", True), ("zeros", names[1], lambda data: bytes(len(data)), True),
            ("lines of another schema, with old checksums", names[0], later, False),
            ("a line of the plan missing", "plan.jsonl", lambda data: data.split(b"\n", 1)[1], True),
            ("a bit of the plan flipped", "plan.jsonl", flipped, False)):
        f.again(shards)
        file = f.dir / "parts" / name
        file.write_bytes(change(file.read_bytes()))
        yield f.survived(f"parts: {what}", harmless=harmless)
    f.again(shards)
    (f.dir / "parts" / "mine.jsonl").write_bytes(os.urandom(5000) + b"\n")
    yield f.survived("parts: a foreign file")


def texts(f, rng):
    """Damaged exported text: readers report it, and import imports the undamaged lines."""
    folder = f.home / "text" / "damage"
    folder.mkdir(parents=True)
    for name in "spec.yaml", "manifest.json":
        shutil.copy(f.sound / name, folder)
    lines = f.records.splitlines(keepends=True)
    flipped = bytearray(f.records)
    flipped[len(flipped) // 2] ^= 4
    for what, name, data, reads in (
            ("a bit flipped", "runs.jsonl", bytes(flipped), True), ("cut", "runs.jsonl", f.records[:-100], True),
            ("a foreign line", "runs.jsonl", lines[0] + b"x\n" + b"".join(lines[1:]), True),
            ("compressed and cut", "runs.jsonl.gz", gzip.compress(f.records)[:-100], False),
            ("not compressed", "runs.jsonl.gz", f.records, False)):
        shutil.rmtree(f.dir.parent, ignore_errors=True)
        path = folder / name
        path.write_bytes(data)
        wrong = []
        o = f.run("status", "text")
        wrong += [] if survived(o, codes=(0, 1, 2), says=(name,)) else [f"status: {o}"]
        o = f.run("import", "text/damage", "--out", "results")
        if not survived(o, codes=(0, 1) if reads else (1, 2), says=(name,)):
            wrong.append(f"import: {o}")
        if reads:
            o = f.run("run", "spec.yaml")
            wrong += [] if survived(o, codes=(0,)) else [f"run: {o}"]
            wrong += f.whole()
        path.unlink()
        yield f"exported text: {what}", not wrong, "; ".join(wrong)


def described(f):
    """A damaged spec or manifest, which the next run restores."""
    for name, data in (("spec.yaml", b"name: [\0"), ("manifest.json", b'{"tool":')):
        f.again()
        (f.dir / name).write_bytes(data)
        o = f.run("run", "spec.yaml")
        wrong = [] if survived(o, codes=(0,), says=(f"{name} is damaged",)) else [str(o)]
        wrong += f.whole()
        if name == "spec.yaml" and (f.dir / name).read_bytes() != (f.sound / name).read_bytes():
            wrong.append("the spec differs from the original")
        yield f"{name} overwritten", not wrong, "; ".join(wrong)


def optima(f):
    """Optima with primal and dual values times 0.9, with the old or a correct checksum, that new runs need."""
    more = ("--set", "repeats=3")
    f.again()
    f.run("run", "spec.yaml", *more)
    want = exported(f.stochopt, f.dir)
    for how in "the old", "the right":
        f.again()
        db = sqlite3.connect(f.file, isolation_level=None)
        for id, data, crc in db.execute("SELECT id, data, crc FROM optimum").fetchall():
            fields = json.loads(data)
            fields["primal"] *= 0.9
            fields["dual"] *= 0.9
            data = json.dumps(fields, separators=(",", ":"))
            if how == "the right":
                crc = checksum(id.encode() + b"\0" + data.encode())
            db.execute("UPDATE optimum SET data = ?, crc = ? WHERE id = ?", (data, crc, id))
        db.close()
        o = f.run("run", "spec.yaml", *more)
        ok = survived(o, codes=(0,), says=("optimum",)) and exported(f.stochopt, f.dir) == want
        yield f"primal and dual values times 0.9, with {how} checksum", ok, str(o)


def cases(stochopt, folder):
    rng = random.Random(20130719)
    f = Folder(stochopt, os.path.join(folder, "pca"), PCA)
    yield from flips(f, rng)
    yield from pages(f, rng)
    yield from rows(f)
    yield from parts(f, rng)
    yield from texts(f, rng)
    yield from described(f)
    yield from optima(Folder(stochopt, os.path.join(folder, "svm"), SVM))
