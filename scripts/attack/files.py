"""User files that are larger than they look, and excessive YAML."""
import bz2
import gzip
import pathlib
import struct

from common import MB, run, survived

LIMIT = "64MiB"
PEAK = 500 * MB
SMALL = """version: 1
name: small
task: pca
budget: {iterations: 40}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms: [{id: incremental}]
claims:
  - {id: length, source: section 1, says: it takes 40 steps, check: {level: {series: incremental, read: cost, between: [39, 41]}}}
"""
SPEC = """version: 1
name: own
task: pca
budget: {{iterations: 5}}
datasets:
  - {{id: own, path: {path}, problem: {{k: 1}}}}
algorithms: [{{id: incremental}}]
"""


def bomb(path, opener, head, unit, size):
    """Writes a compressed file that repeats a unit up to the given uncompressed size in bytes."""
    block = unit * (MB // len(unit) + 1)
    with opener(path, "wb") as f:
        f.write(head)
        for _ in range(size // len(block) + 1):
            f.write(block)


def members(path, unit, size):
    """Like bomb with gzip, but faster: it repeats a gzip member of 64 MB."""
    block = gzip.compress(unit * (64 * MB // len(unit)), 1)
    with open(path, "wb") as f:
        for _ in range(size // (64 * MB)):
            f.write(block)


def idx(path, dims, data=b"", kind=8):
    path.write_bytes(bytes([0, 0, kind, len(dims)]) + b"".join(struct.pack(">I", d) for d in dims) + data)


def files(folder):
    """Yields pairs of a file and the expected message."""
    line, rows = "is longer than", "the rows take more than"
    for name, unit, says in (("zeros.csv.gz", b"\0", line), ("zeros.svm.gz", b"\0", line), ("line.csv.gz", b"1,", line),
                             ("line.svm.gz", b"1:1 ", line), ("spaces.svm.gz", b" ", line), ("rows.csv.gz", b"1,2,3\n", rows),
                             ("rows.svm.gz", b"1 7:1 9:2\n", rows), ("labels.svm.gz", b"1\n", rows)):
        members(folder / name, unit, 3 << 30)
        yield name, says
    bomb(folder / "rows.csv.bz2", bz2.open, b"", b"1,2,3\n", 32 * MB)
    yield "rows.csv.bz2", rows
    bomb(folder / "quote.csv.gz", gzip.open, b'"', b"1,2\n", 32 * MB)
    yield "quote.csv.gz", line
    bomb(folder / "line.csv", open, b"a,b\n", b"1", 256 * MB)
    yield "line.csv", line
    (folder / "wide.csv").write_text((",".join(["1.5"] * 1000000) + "\n") * 20)
    yield "wide.csv", line
    (folder / "columns.csv").write_text((",".join(["1"] * 500000) + "\n") * 20)
    yield "columns.csv", rows
    idx(folder / "big.idx", [1 << 20, 28, 28], b"x" * 1000)
    yield "big.idx", rows
    idx(folder / "lie.idx", [2147483648, 2147483648, 1])
    yield "lie.idx", "impossible dimensions"
    idx(folder / "overflow.idx", [4294967295] * 255)
    yield "overflow.idx", "impossible dimensions"
    idx(folder / "short.idx", [1000, 1000], b"x")
    yield "short.idx", "truncated"
    with gzip.open(folder / "big.idx.gz", "wb") as f:
        f.write(bytes([0, 0, 8, 2]) + struct.pack(">II", 3 << 20, 1024))
    yield "big.idx.gz", rows
    (folder / "index.svm").write_text("1 1:1\n-1 99999999999999999999:1\n")
    yield "index.svm", "index.svm:2: "
    (folder / "index32.svm").write_text("1 1:1\n-1 2147483648:1\n")
    yield "index32.svm", "index.svm"[:5]
    (folder / "archive.csv").write_bytes(b"PK\x03\x04" + b"x" * 100)
    yield "archive.csv", "a ZIP archive"
    (folder / "array.csv").write_bytes(b"\x93NUMPY\x01\x00" + b"x" * 100)
    yield "array.csv", "a NumPy array"
    (folder / "cut.csv.gz").write_bytes(gzip.compress(b"1,2\n" * 1000)[:-12])
    yield "cut.csv.gz", "truncated gzip data"


def yaml(folder):
    """Specs that must be rejected quickly and with little memory."""
    bombs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i + 1}: &a{i + 1} [" + ", ".join([f"*a{i}"] * 10) + "]\n" for i in range(9))
    keys = "".join(f"k{i}: 1\n" for i in range(90000))
    texts = {
        "100 MB of - 1": "- 1\n" * (25 * MB), "1 MiB of - 1": "- 1\n" * (MB // 4), "1 MiB of -": "-\n" * (MB // 2),
        "1 MiB of [1,": "[" + "1," * (MB // 2 - 2) + "1]", "keys": keys, "keys, each twice": keys[:400000] + keys[:400000],
        "brackets": "[" * MB, "question marks": "? " * (MB // 2), "aliases": bombs, "a text of 1 MB": "name: " + "x" * 1000000,
        "anchors": "".join(f"- &a{i} x\n" for i in range(60000)), "a line of 5 MB": "x" * (5 * MB),
        "merges": "a: &a {" + ", ".join(f"k{i}: 1" for i in range(60000)) + "}\n<<: *a\n",
        "20000 data sets": "version: 1\nname: n\ntask: pca\nbudget: {iterations: 1}\nalgorithms: [{id: saa}]\ndatasets:\n"
                           + "".join(f"- {{id: d{i}}}\n" for i in range(20000)),
    }
    for what, text in texts.items():
        (folder / "bad.yaml").write_text(text)
        yield what, folder / "bad.yaml"


def own(stochopt, folder):
    """Files of the program that were enlarged afterwards."""
    (folder / "small.yaml").write_text(SMALL)
    made = run([stochopt, "run", "small.yaml"], cwd=folder)
    yield "a small run", survived(made, codes=(0,)), str(made)
    small = folder / "results" / "small"
    for name, start, size, end, command, codes, says in (
            ("manifest.json", "", 300 * MB, "", "status results/small", (2,), "it is longer than"),
            ("manifest.json", '{"datasets":[', 2 * MB - 100, "{}]}", "status results/small", (0,), "runs on record"),
            ("spec.yaml", "#", 300 * MB, "", "claims results/small", (2,), "is longer than 1 MiB"),
            ("claims.json", "", 300 * MB, "", "report results/small -o page.html", (0,), "page.html"),
            ("claims.json", '{"schema":1,"claims":[{"parts":[', 2 * MB - 100, "{}]}]}", "report results/small -o page.html", (0,), "page.html")):
        path = small / name
        before = path.read_text() if path.exists() else None
        with open(path, "w") as f:
            f.write(start)
            f.truncate(size) if not end else f.write("{}," * (size // 3) + end)
        o = run([stochopt, *command.split()], cwd=folder)
        yield f"{path.name} of {size / MB:.0f} MiB, {command}", survived(o, codes=codes, says=[says], peak=PEAK), str(o)
        path.write_text(before) if before is not None else path.unlink()


def cases(stochopt, folder):
    folder = pathlib.Path(folder)
    spec = folder / "own.yaml"
    for name, says in files(folder):
        spec.write_text(SPEC.format(path=folder / name))
        o = run([stochopt, "run", str(spec), "--out", str(folder / "out"), "--memory", LIMIT], seconds=60)
        yield f"{name} under --memory {LIMIT}", survived(o, codes=(2,), says=[f"{spec}:6:5: ", name, says], peak=PEAK), str(o)
        (folder / name).unlink()
    for what, path in yaml(folder):
        o = run([stochopt, "validate", str(path)], seconds=30)
        yield f"YAML: {what}", survived(o, codes=(2,), says=["bad.yaml:"], peak=PEAK) and len(o.err) < 200000, str(o)
    spec.write_text(SPEC.format(path=folder / "none.csv"))
    with open(spec, "a") as f:
        f.write("title: " + "x" * 2000000)
    o = run([stochopt, "run", str(spec)])
    yield "a spec of 2 MB, run", survived(o, codes=(2,), says=["is longer than 1 MiB"], peak=PEAK), str(o)
    yield from own(stochopt, folder)
