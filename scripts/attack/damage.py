"""Damage on disk: flipped bits, cut lines and edited numbers in a results folder.

Each is harmless, or a command reports it. The next run repeats what is lost, and ends with the
records that were there.
"""

import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys

from common import checksum

FLIPS = 20  # of each file
SECONDS = 60
MEMORY = 2 << 30  # peak of resident memory, bytes

PCA = """version: 1
name: damage
task: pca
seed: 7
repeats: 2
budget: {iterations: 40}
record: {points: 3}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
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


def run(folder, *args):
    """Runs a command and returns its exit code, its output and its peak memory."""
    out = open(os.path.join(folder, "out.txt"), "w+")
    p = subprocess.Popen(args, cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    out.seek(0)
    return p.returncode, out.read(), used.ru_maxrss * 1024


def text(path):
    with open(path, "rb") as f:
        return f.read()


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)


def rows(path):
    rng = random.Random(1)
    with open(path, "w") as f:
        for i in range(60):
            y = 1 if i % 2 else -1
            f.write(f"{y:+d} 1:{y + rng.gauss(0, 1):.6f} 2:{rng.gauss(0, 1):.6f}\n")


def sound_folder(stochopt, home, spec, *options):
    """Makes a folder of results, and returns a copy of it."""
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    rows(os.path.join(home, "rows.svm"))
    with open(os.path.join(home, "spec.yaml"), "w") as f:
        f.write(spec)
    code, said, _ = run(home, stochopt, "run", "spec.yaml", *options)
    if code:
        raise RuntimeError(said)
    sound = os.path.join(home, "sound")
    shutil.copytree(os.path.join(home, "results", "damage"), sound)
    return sound


def restored(home, sound):
    """Puts a copy of the sound folder in the place of the results."""
    folder = os.path.join(home, "results", "damage")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound, folder)
    return folder


def exported(stochopt, home, folder):
    """The canonical bytes of the records of a folder, or what the command says in their place."""
    return run(home, stochopt, "export", folder, "--to", "jsonl")[1]


def flipped(path, rng):
    """Flips a bit of a file, and says which."""
    data = bytearray(text(path))
    at, bit = rng.randrange(len(data)), rng.randrange(8)
    data[at] ^= 1 << bit
    put(path, bytes(data))
    return f"bit {bit} of byte {at} of {os.path.basename(path)} flipped"


def repaired(stochopt, home, want, *options):
    """Runs the spec in a damaged folder. Returns what is wrong then, and what the run said."""
    code, said, memory = run(home, stochopt, "run", "spec.yaml", *options)
    wrong = []
    if code or "goroutine" in said:
        wrong.append(f"run, exit {code}: {said[-400:]}")
    if memory > MEMORY:
        wrong.append(f"run took {memory >> 20} MiB")
    if exported(stochopt, home, "results/damage") != want:
        wrong.append("the records are not what they were")
    code, again, _ = run(home, stochopt, "run", "spec.yaml", *options)
    if code or "damaged" in again or "as it was written" in again:
        wrong.append("the second run still warns: " + again[-400:])
    return wrong, said


def flips(stochopt, home, sound, rng):
    """Bits of the database. Without a report the records are what they were."""
    want = exported(stochopt, home, "sound")
    for _ in range(FLIPS):
        folder = restored(home, sound)
        what = flipped(os.path.join(folder, "results.db"), rng)
        code, said, memory = run(home, stochopt, "verify", "results/damage", "--sample", "1")
        wrong = [] if memory <= MEMORY and "goroutine" not in said else [f"verify: {said[-400:]}"]
        if code == 0 and exported(stochopt, home, "results/damage") != want:
            wrong.append("verify does not see it")
        more, _ = repaired(stochopt, home, want)
        yield what, not wrong + more, "; ".join(wrong + more)


def part_of(folder):
    """The path of the only file of a shard."""
    parts = os.path.join(folder, "parts")
    name, = (n for n in os.listdir(parts) if n.startswith("shard"))
    return os.path.join(parts, name)


def part_damage(stochopt, home, want, rng):
    """Bits of the file of a shard, and a last line that is cut short."""
    sound = sound_folder(stochopt, home, PCA, "--shard", "1/1")
    for _ in range(FLIPS):
        folder = restored(home, sound)
        what = flipped(part_of(folder), rng)
        code, status, _ = run(home, stochopt, "status", "results/damage")
        wrong, said = repaired(stochopt, home, want)
        if code or part_of(folder).rpartition("/")[2] not in status + said:
            wrong.append(f"nobody says it: {status[-400:]}{said[-400:]}")
        yield what, not wrong, "; ".join(wrong)
    folder = restored(home, sound)
    data = text(part_of(folder))
    put(part_of(folder), data[:-rng.randrange(2, 200)])
    wrong, said = repaired(stochopt, home, want)
    if "5 of them from the record" not in said:
        wrong.append(f"another run is repeated: {said[-400:]}")
    yield "the last line of a part cut short", not wrong, "; ".join(wrong)


def edited(stochopt, home, sound, sealed):
    """Primal and dual values of an optimum times 0.9, with the old checksum or the right one."""
    more = ("--set", "repeats=3")  # they need the optimum, or one of their own
    restored(home, sound)
    run(home, stochopt, "run", "spec.yaml", *more)
    want = exported(stochopt, home, "results/damage")
    folder = restored(home, sound)
    with sqlite3.connect(os.path.join(folder, "results.db")) as db:
        for id, data, crc in db.execute("SELECT id, data, crc FROM optimum").fetchall():
            fields = json.loads(data)
            fields["primal"] *= 0.9
            fields["dual"] *= 0.9
            data = json.dumps(fields, separators=(",", ":"))
            if sealed:
                crc = checksum(id.encode() + b"\0" + data.encode() + b"\0")
            db.execute("UPDATE optimum SET data = ?, crc = ? WHERE id = ?", (data, crc, id))
    db.close()
    code, said, _ = run(home, stochopt, "run", "spec.yaml", *more)
    good = code == 0 and "optimum" in said and exported(stochopt, home, "results/damage") == want
    how = "the right" if sealed else "the old"
    return f"primal and dual values times 0.9, with {how} checksum", good, "" if good else said[-400:]


def described(stochopt, home, sound, want, name, data):
    folder = restored(home, sound)
    put(os.path.join(folder, name), data)
    wrong, said = repaired(stochopt, home, want)
    if name + " is damaged" not in said:
        wrong.append(f"run does not say it: {said[-400:]}")
    if text(os.path.join(folder, "spec.yaml")) != text(os.path.join(sound, "spec.yaml")):
        wrong.append("spec.yaml is not what it was")
    return f"{name} overwritten", not wrong, "; ".join(wrong)


def cases(stochopt, folder):
    stochopt = os.path.abspath(stochopt)
    rng = random.Random(20130719)
    home = os.path.join(os.path.abspath(folder), "pca")
    sound = sound_folder(stochopt, home, PCA)
    want = exported(stochopt, home, "sound")
    yield from flips(stochopt, home, sound, rng)
    yield described(stochopt, home, sound, want, "spec.yaml", b"name: [\0")
    yield described(stochopt, home, sound, want, "manifest.json", b"{\"tool\":")
    yield from part_damage(stochopt, os.path.join(os.path.abspath(folder), "parts"), want, rng)
    home = os.path.join(os.path.abspath(folder), "svm")
    sound = sound_folder(stochopt, home, SVM)
    for sealed in (False, True):
        yield edited(stochopt, home, sound, sealed)


if __name__ == "__main__":
    tried = survived = 0
    for what, ok, detail in cases(sys.argv[1], sys.argv[2]):
        tried, survived = tried + 1, survived + ok
        print("ok  " if ok else "FAIL", what, detail)
    print(f"{survived} of {tried} survived")
    sys.exit(survived != tried)
