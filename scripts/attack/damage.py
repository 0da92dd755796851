"""Damage on disk: flipped bits, cut lines and edited numbers in a results folder.

Whatever is damaged in the lines of a folder has to be said by the next command, kept in
damaged.jsonl, and done anew by the next run, which ends with the records that were there.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys

FLIPS = 6  # of each file
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


class Case:
    """A copy of a sound folder, to be damaged in one file."""

    def __init__(self, stochopt, home, sound, name):
        self.stochopt, self.home, self.name = stochopt, home, name
        self.dir = os.path.join(home, "results", "damage")
        shutil.rmtree(self.dir, ignore_errors=True)
        shutil.copytree(sound, self.dir)
        self.sound = sound
        self.file = os.path.join(self.dir, name)

    def survived(self, readers=True, redone=True):
        """Tries readers and a run on the damaged folder; what fails is returned."""
        damaged = text(self.file)
        wrong = []
        if readers:
            code, said, memory = run(self.home, self.stochopt, "status", "results/damage")
            wrong += self.check("status", code in (0, 1), said, memory, self.name)
            code, said, memory = run(self.home, self.stochopt, "report", "results/damage", "-o", "page.html")
            wrong += self.check("report", code == 0, said, memory, self.name)
            if os.path.exists(os.path.join(self.dir, "damaged.jsonl")):
                wrong.append("status wrote to the folder")
        code, said, memory = run(self.home, self.stochopt, "run", "spec.yaml")
        wrong += self.check("run", code == 0, said, memory, self.name)
        wrong += self.kept(damaged)
        for name in ("runs.jsonl", "plan.jsonl") + (("references.jsonl",) if redone else ()):
            if text(os.path.join(self.dir, name)) != text(os.path.join(self.sound, name)):
                wrong.append(f"{name} is not what it was")
        timings = {json.loads(line)["key"] for line in text(os.path.join(self.dir, "timings.jsonl")).splitlines()}
        if timings != {json.loads(line)["key"] for line in text(os.path.join(self.sound, "timings.jsonl")).splitlines()}:
            wrong.append("timings are missing")
        code, said, _ = run(self.home, self.stochopt, "run", "spec.yaml")
        if code or "warning" in said and "damaged line" in said:
            wrong.append("the second run still warns: " + said)
        return wrong

    def check(self, verb, good, said, memory, name):
        wrong = []
        if not good or "goroutine" in said:
            wrong.append(f"{verb}: {said[-400:]}")
        if name not in said or "damaged" not in said:
            wrong.append(f"{verb} does not say it: {said[-400:]}")
        if memory > MEMORY:
            wrong.append(f"{verb} took {memory >> 20} MiB")
        return wrong

    def kept(self, damaged):
        """Every line of the damaged file that was not there before has to be kept."""
        before = set(text(os.path.join(self.sound, self.name)).split(b"\n"))
        path = os.path.join(self.dir, "damaged.jsonl")
        kept = [json.loads(line) for line in text(path).splitlines()] if os.path.exists(path) else []
        new = [line for line in damaged.split(b"\n") if line not in before]
        return [] if len(kept) == len(new) else [f"{len(kept)} lines are kept of {len(new)}"]


def sound_folder(stochopt, home, spec):
    """Makes a folder of results, and returns a copy of it."""
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    rows(os.path.join(home, "rows.svm"))
    with open(os.path.join(home, "spec.yaml"), "w") as f:
        f.write(spec)
    code, said, _ = run(home, stochopt, "run", "spec.yaml")
    if code:
        raise RuntimeError(said)
    sound = os.path.join(home, "sound")
    shutil.copytree(os.path.join(home, "results", "damage"), sound)
    return sound


def journals(stochopt, home, sound):
    """Runs one shard of the spec, which leaves its records in a journal."""
    shutil.rmtree(os.path.join(home, "results", "damage"))
    run(home, stochopt, "run", "spec.yaml", "--shard", "1/1")
    dir = os.path.join(home, "results", "damage")
    names = [n for n in os.listdir(dir) if n.startswith("journal-") and n.endswith(".jsonl")]
    whole = os.path.join(home, "sharded")
    shutil.copytree(dir, whole)
    return whole, names


def flips(stochopt, home, sound, rng):
    for name in ("runs.jsonl", "timings.jsonl", "plan.jsonl", "references.jsonl"):
        for _ in range(FLIPS):
            case = Case(stochopt, home, sound, name)
            data = bytearray(text(case.file))
            at, bit = rng.randrange(len(data)), rng.randrange(8)
            data[at] ^= 1 << bit
            put(case.file, bytes(data))
            # A reference is solved again by the run that needs it: all are on record.
            wrong = case.survived(redone=name != "references.jsonl")
            yield f"bit {bit} of byte {at} of {name} flipped", not wrong, "; ".join(wrong)


def journal_flips(stochopt, home, sound, rng):
    whole, names = journals(stochopt, home, sound)
    for _ in range(FLIPS):
        name = rng.choice(names)
        dir = os.path.join(home, "results", "damage")
        shutil.rmtree(dir, ignore_errors=True)
        shutil.copytree(whole, dir)
        data = bytearray(text(os.path.join(dir, name)))
        at, bit = rng.randrange(len(data)), rng.randrange(8)
        data[at] ^= 1 << bit
        put(os.path.join(dir, name), bytes(data))
        code, said, memory = run(home, stochopt, "run", "spec.yaml")
        good = (code == 0 and name in said and "moved to" in said and memory <= MEMORY
                and text(os.path.join(dir, "runs.jsonl")) == text(os.path.join(sound, "runs.jsonl")))
        yield f"bit {bit} of byte {at} of a journal flipped", good, "" if good else said[-400:]


def cuts(stochopt, home, sound, rng):
    for name in ("runs.jsonl", "timings.jsonl", "plan.jsonl"):
        case = Case(stochopt, home, sound, name)
        lines = text(case.file).split(b"\n")
        lines[1] = lines[1][: rng.randrange(5, len(lines[1]))]
        put(case.file, b"\n".join(lines))
        wrong = case.survived()
        yield f"a line in the middle of {name} cut short", not wrong, "; ".join(wrong)


def edited(stochopt, home, sound):
    """Primal and dual values times 0.9, with the old checksum."""
    case = Case(stochopt, home, sound, "references.jsonl")
    out = []
    for line in text(case.file).splitlines():
        fields = json.loads(line)
        fields["primal"] *= 0.9
        fields["dual"] *= 0.9
        out.append(json.dumps(fields, separators=(",", ":")).encode())
    put(case.file, b"\n".join(out) + b"\n")
    # Its runs have to ask for it again.
    for name in ("runs.jsonl", "timings.jsonl"):
        os.remove(os.path.join(case.dir, name))
    wrong = case.survived(readers=False)
    return "primal and dual values of references times 0.9, with the old checksum", not wrong, "; ".join(wrong)


def described(stochopt, home, sound, name, data):
    case = Case(stochopt, home, sound, name)
    put(case.file, data)
    code, said, memory = run(home, stochopt, "run", "spec.yaml")
    good = code == 0 and name + " is damaged" in said and memory <= MEMORY
    good = good and text(os.path.join(case.dir, "runs.jsonl")) == text(os.path.join(sound, "runs.jsonl"))
    good = good and text(os.path.join(case.dir, "spec.yaml")) == text(os.path.join(sound, "spec.yaml"))
    return f"{name} overwritten", good, "" if good else said[-400:]


def cases(stochopt, folder):
    stochopt = os.path.abspath(stochopt)
    rng = random.Random(20130719)
    home = os.path.join(os.path.abspath(folder), "pca")
    sound = sound_folder(stochopt, home, PCA)
    yield from flips(stochopt, home, sound, rng)
    yield from cuts(stochopt, home, sound, rng)
    yield described(stochopt, home, sound, "spec.yaml", b"name: [\0")
    yield described(stochopt, home, sound, "manifest.json", b"{\"tool\":")
    yield from journal_flips(stochopt, home, sound, rng)
    home = os.path.join(os.path.abspath(folder), "svm")
    sound = sound_folder(stochopt, home, SVM)
    yield edited(stochopt, home, sound)


if __name__ == "__main__":
    tried = survived = 0
    for what, ok, detail in cases(sys.argv[1], sys.argv[2]):
        tried, survived = tried + 1, survived + ok
        print("ok  " if ok else "FAIL", what, detail)
    print(f"{survived} of {tried} survived")
    sys.exit(survived != tried)
