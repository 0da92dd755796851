"""Results folders that were tampered with: verify is to find whatever was done, and to leave whole ones alone."""
import gzip
import json
import pathlib
import random
import shutil

from common import run, sealed, survived

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
FLIPS = 12          # bits flipped in each file
PEAK = 400 << 20    # bytes of resident memory


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
        for what, damage in damages(name, rng):
            copy = folder / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(whole, copy)
            damage(copy / name)
            o = verify(stochopt, copy, "--all")
            yield f"{name}: {what}", survived(o, codes=(1,), peak=PEAK), str(o)
    yield from timings(stochopt, folder, whole)
    yield from odd(stochopt, folder, whole)


def verify(stochopt, folder, *args):
    return run([stochopt, "verify", str(folder), "-j", "2", *args], seconds=30)


def damages(name, rng):
    """Yields what is done to a file, and what does it."""
    for _ in range(FLIPS):
        place, bit = rng.random(), rng.randrange(8)
        yield f"bit {bit} at {place:.4f} flipped", lambda path, place=place, bit=bit: flip(path, place, bit)
    yield "deleted", lambda path: path.unlink()
    yield "emptied", lambda path: path.write_bytes(b"")
    yield "cut in half", lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    yield "a line there twice", twice
    yield "zeros at the end", lambda path: path.write_bytes(path.read_bytes() + bytes(100))
    if name.endswith(".jsonl"):
        yield "its last line deleted", lambda path: path.write_text("".join(path.read_text().splitlines(True)[:-1]))
    if name in ("plan.jsonl", "runs.jsonl", "timings.jsonl"):   # optima may come in any order
        yield "its lines in another order", reverse


def flip(path, place, bit):
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    path.write_bytes(data)


def reverse(path):
    path.write_text("".join(path.read_text().splitlines(True)[::-1]))


def twice(path):
    lines = path.read_bytes().splitlines(True)
    at = len(lines) // 2
    path.write_bytes(b"".join(lines[: at + 1] + lines[at:]))


def timings(stochopt, folder, whole):
    """Times that contradict themselves, with the checksum of the line made anew."""
    def ends(t):
        t["seconds"][-1] = 2 * t["step_seconds"] + 1

    def back(t):
        t["seconds"][-1] = t["seconds"][0] / 2

    def shorter(t):
        t["seconds"].pop()

    def total(t):
        t["step_seconds"] = 0

    def negative(t):
        t["seconds"][0] = -1

    def share(t):
        t["cpu_seconds"] = [s + 60 for s in t["seconds"]]

    def reference(t):
        t["reference_seconds"] = 1e6

    def date(t):
        t["finished"] = "2999-01-01T00:00:00Z"

    for do in (ends, back, shorter, total, negative, share, reference, date):
        copy = folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(whole, copy)
        path = copy / "timings.jsonl"
        lines = path.read_text().splitlines()
        t = json.loads(lines[1])
        del t["crc32c"]
        do(t)
        lines[1] = sealed(json.dumps(t, separators=(",", ":")))
        path.write_text("\n".join(lines) + "\n")
        o = verify(stochopt, copy, "--sample", "1")
        yield f"timings.jsonl, resealed: {do.__name__}", survived(o, codes=(1,), says=["timings.jsonl"], peak=PEAK) and "checksum is" not in o.text, str(o)


def odd(stochopt, folder, whole):
    """What is no results folder, or one of another make."""
    def copy(name):
        to = folder / name
        shutil.copytree(whole, to)
        return to

    dir = copy("deep")
    (dir / "manifest.json").write_text("[" * 1000000)
    o = verify(stochopt, dir)
    yield "a manifest of a million brackets", survived(o, codes=(1,), says=["manifest.json"], peak=PEAK), str(o)
    dir = copy("newer")
    (dir / "runs.jsonl").write_text(sealed('{"schema":99,"key":"k"}') + "\n")
    o = verify(stochopt, dir)
    yield "records of a newer schema", survived(o, codes=(2,), says=["schema 99"], peak=PEAK), str(o)
    dir = copy("long")
    (dir / "tables" / "tab.md").write_bytes(b"x" * (300 << 20))
    o = verify(stochopt, dir)
    yield "a table of 300 MB", survived(o, codes=(1,), says=["tables/tab.md"], peak=PEAK), str(o)
    dir = copy("packed")
    (dir / "runs.jsonl.gz").write_bytes(gzip.compress((dir / "runs.jsonl").read_bytes())[:-20])
    (dir / "runs.jsonl").unlink()
    o = verify(stochopt, dir)
    yield "packed records cut short", survived(o, codes=(2,), says=["runs.jsonl.gz"], peak=PEAK), str(o)
    o = verify(stochopt, folder)
    yield "no results folder", survived(o, codes=(2,), says=["manifest.json"], peak=PEAK), str(o)
    o = verify(stochopt, whole, "--sample", "3", "--seed", "1", "--json")
    found = json.loads(o.out)["sample"]["found"][0]["probability"] if o.code == 0 else None
    yield "what a sample of 3 of 18 finds", found is not None and abs(found - 3 / 18) < 1e-12, str(o)
