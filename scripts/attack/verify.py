"""Results folders that were tampered with: verify finds all damage, and accepts undamaged folders."""
import gzip
import json
import pathlib
import random
import shutil
import sqlite3

from common import run, survived

SPEC = """version: 1
name: victim
task: pca
seed: 7
repeats: 3
budget: {iterations: 60}
record: {points: 5}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 2}}
  - {id: o, source: simulated-orthogonal, with: {dim: 8, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [0.25, 1]}}
  - {id: incremental}
select: {by: oracle}
tables:
  - {id: tab, columns: [k, mean_rank, final_suboptimality]}
claims:
  - {id: length, source: section 1, says: MSG takes 60 steps, check: {level: {series: msg, read: cost, between: [59, 61]}}}
"""
DATABASE = "results.db"
FLIPS = 12            # bits flipped in each file
DATABASE_FLIPS = 200  # bits flipped in the database
PEAK = 400 << 20      # bytes of resident memory


def cases(stochopt, folder):
    folder = pathlib.Path(folder)
    spec = folder / "victim.yaml"
    spec.write_text(SPEC)
    made = run([stochopt, "run", str(spec), "--out", str(folder / "out"), "-j", "2"], seconds=60)
    whole = folder / "out" / "victim"
    yield "making a folder to tamper with", made.code == 0, str(made)
    o = verify(stochopt, whole, "--all")
    yield "a whole folder", survived(o, codes=(0,), peak=PEAK), str(o)
    names = sorted(str(p.relative_to(whole)) for p in whole.rglob("*") if p.is_file())
    rng = random.Random(13)
    for name in names:
        for what, damage in damages(rng, DATABASE_FLIPS if name == DATABASE else FLIPS):
            copy = copied(whole, folder / "copy")
            damage(copy / name)
            o = verify(stochopt, copy, "--all")
            good = survived(o, codes=(1,), peak=PEAK)
            if name == DATABASE and o.code == 0:   # bytes that SQLite does not use
                good = contents(copy / name) == contents(whole / name)
            yield f"{name}: {what}", good, str(o)
    yield from statements(stochopt, folder, whole)
    yield from odd(stochopt, folder, whole)


def verify(stochopt, folder, *args):
    return run([stochopt, "verify", str(folder), "-j", "2", *args], seconds=30)


def copied(whole, to):
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(whole, to)
    return to


def damages(rng, flips):
    """Yields pairs of a description and a function that damages a file."""
    for _ in range(flips):
        place, bit = rng.random(), rng.randrange(8)
        yield f"bit {bit} at {place:.4f} flipped", lambda path, place=place, bit=bit: flip(path, place, bit)
    yield "deleted", lambda path: path.unlink()
    yield "emptied", lambda path: path.write_bytes(b"")
    yield "cut in half", lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    yield "a line repeated", twice
    yield "zeros at the end", lambda path: path.write_bytes(path.read_bytes() + bytes(100))


def flip(path, place, bit):
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    path.write_bytes(data)


def twice(path):
    lines = path.read_bytes().splitlines(True)
    at = len(lines) // 2
    path.write_bytes(b"".join(lines[: at + 1] + lines[at:]))


def contents(path):
    """Returns all values in the tables of a database."""
    db = sqlite3.connect(path)
    try:
        return [db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
                for table in ("run", "curve", "times", "plan", "optimum", "part", "meta")]
    finally:
        db.close()


def statements(stochopt, folder, whole):
    """Changes to the database by SQL that do not update the checksums."""
    for statement in (
            "DELETE FROM run WHERE id = 3",
            "DELETE FROM curve WHERE run = 3",
            "DELETE FROM times WHERE run = 3",
            "DELETE FROM plan WHERE position = 3",
            "DELETE FROM meta WHERE name = 'runs'",
            "DELETE FROM meta WHERE name = 'plan'",
            "INSERT INTO run (record, step_seconds, eval_seconds, crc) SELECT record, step_seconds, eval_seconds, crc FROM run LIMIT 1",
            "UPDATE run SET record = replace(record, 'finished', 'diverged') WHERE id = 3",
            "UPDATE run SET step_seconds = 2 * step_seconds",
            "UPDATE curve SET data = (SELECT data FROM curve WHERE run = 1), crc = (SELECT crc FROM curve WHERE run = 1) WHERE run = 3",
            "UPDATE times SET data = replace(data, ':', ': ') WHERE run = 3",
            "UPDATE plan SET series = 'mine' WHERE position = 3",
            "UPDATE optimum SET data = replace(data, '1', '2')",
            "DROP VIEW points"):
        copy = copied(whole, folder / "copy")
        db = sqlite3.connect(copy / DATABASE)
        db.execute(statement)
        db.commit()
        db.close()
        o = verify(stochopt, copy, "--all")
        yield statement, survived(o, codes=(1,), peak=PEAK), str(o)


def odd(stochopt, folder, whole):
    """Folders without results, unusual files, and results of another version."""
    dir = copied(whole, folder / "deep")
    (dir / "manifest.json").write_text("[" * 1000000)
    o = verify(stochopt, dir)
    yield "a manifest of a million brackets", survived(o, codes=(1,), says=["manifest.json"], peak=PEAK), str(o)
    dir = copied(whole, folder / "newer")
    db = sqlite3.connect(dir / DATABASE)
    db.execute("PRAGMA user_version = 99")
    db.close()
    o = verify(stochopt, dir)
    yield "a database of a newer schema", survived(o, codes=(2,), says=["schema 99"], peak=PEAK), str(o)
    dir = copied(whole, folder / "long")
    (dir / "tables" / "tab.md").write_bytes(b"x" * (300 << 20))
    o = verify(stochopt, dir)
    yield "a table of 300 MB", survived(o, codes=(1,), says=["tables/tab.md"], peak=PEAK), str(o)
    dir = copied(whole, folder / "text")
    (dir / "runs.jsonl.gz").write_bytes(gzip.compress(random.Random(1).randbytes(1000))[:-20])
    (dir / DATABASE).unlink()
    o = verify(stochopt, dir)
    yield "text that is cut short", survived(o, codes=(2,), says=["runs.jsonl.gz"], peak=PEAK), str(o)
    o = verify(stochopt, folder)
    yield "no results folder", survived(o, codes=(2,), says=["manifest.json"], peak=PEAK), str(o)
    o = verify(stochopt, whole, "--sample", "3", "--seed", "1", "--json")
    checks = {c["name"]: c for c in json.loads(o.out)["checks"]} if o.code == 0 else {}
    sample = checks.get("records re-run", {})
    yield "a sample of 3 of 18", (sample.get("checked"), sample.get("of")) == (3, 18), str(o)
