"""Small attacks: odd files in place of regular ones, hostile titles and names, links out of the results
folder, and a very slow server."""
import http.server
import os
import pathlib
import re
import shutil
import socket
import threading
import time

from common import run, survived

SPEC = """version: 1
name: small
title: "{title}"
task: pca
seed: 7
budget: {{iterations: 40}}
record: {{points: 4}}
datasets:
  - {{id: g, source: simulated-gaussian, with: {{dim: 6, gap: 2}}, problem: {{k: 2}}}}
algorithms:
  - {{id: incremental}}
figures:
  - {{id: fig, title: "{title}", x: iterations, y: suboptimality}}
tables:
  - {{id: tab, title: "{title}", columns: [k, runs]}}
"""
OWN = """version: 1
name: own
task: pca
budget: {iterations: 10}
datasets:
  - {id: d, path: rows.csv, format: csv, problem: {k: 1}}
algorithms:
  - {id: incremental}
"""
# Control characters that change a terminal: title, screen, overwriting, 8-bit controls, text direction.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def cases(stochopt, folder):
    folder = pathlib.Path(folder)
    (folder / "spec.yaml").write_text(SPEC.format(title="Plain"))
    o = run([stochopt, "run", "spec.yaml"], cwd=folder)
    yield "a plain run", survived(o, codes=(0,)), str(o)
    yield from odd_files(stochopt, folder)
    yield from links(stochopt, folder)
    yield from hostile_text(stochopt, folder)
    yield from trickle(stochopt, folder)


def odd_files(stochopt, folder):
    """A pipe, device, socket or folder in place of each file that is read."""
    (folder / "own.yaml").write_text(OWN)
    pipe, sock = folder / "pipe", folder / "sock"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(sock))
    kinds = {"a pipe": pipe, "an endless device": pathlib.Path("/dev/zero"), "a socket": sock, "a folder": folder}
    for kind, target in kinds.items():
        o = run([stochopt, "validate", str(target)], seconds=5)
        yield f"{kind} in the place of a spec", survived(o, codes=(2,)), str(o)
        place(folder / "rows.csv", target)
        o = run([stochopt, "run", "own.yaml"], cwd=folder, seconds=5)
        yield f"{kind} in the place of data", survived(o, codes=(1, 2), says=("rows.csv",)), str(o)
        for name in ("results.db", "results.lock", "manifest.json", "spec.yaml", "parts", "parts/shard1.jsonl", "parts/plan.jsonl"):
            copy = fresh_copy(folder)
            made_of_it(kind, copy / "small" / name)
            for verb in (["status", str(copy / "small")], ["run", "spec.yaml", "--out", copy.name]):
                o = run([stochopt, *verb], cwd=folder, seconds=10)
                yield f"{kind} in the place of {name}, {verb[0]}", survived(o, codes=(0, 1, 2)), str(o)


def made_of_it(kind, path):
    """Creates a file of the given kind at path. A device is a link, because only root can create one."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a socket":
        here = os.getcwd()
        os.chdir(path.parent)    # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path.name)
        os.chdir(here)
    else:
        path.symlink_to("/dev/zero")


def place(path, target):
    """Creates a link to target at path."""
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def fresh_copy(folder):
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "results", copy)
    return copy


def links(stochopt, folder):
    """Product folders that are symbolic links to a place outside the results folder."""
    for name in ("figures", "tables"):
        copy, outside = fresh_copy(folder), folder / f"outside-{name}"
        outside.mkdir()
        for f in (copy / "small" / name).iterdir():
            (outside / f.name).write_text("mine")
        shutil.rmtree(copy / "small" / name)
        (copy / "small" / name).symlink_to(outside)
        for verb in ("plot copy/small", "table copy/small", "run spec.yaml --out copy"):
            o = run([stochopt, *verb.split()], cwd=folder)
            kept = all(f.read_text() == "mine" for f in outside.iterdir()) and len(list(outside.iterdir())) >= 3
            touched = verb.startswith("run") or verb.startswith("plot") == (name == "figures")
            ok = kept and survived(o, codes=(1, 2, 3) if touched else (0, 1, 2, 3), says=("symbolic link",) if touched else ())
            yield f"{name} leads out of the folder, {verb}", ok, f"kept {kept}, {o}"
    yield from linked_files(stochopt, folder)


def linked_files(stochopt, folder):
    """Products that are symbolic links out of the results folder are replaced, and their targets do not
    change. The database may be a link, because a user may store it elsewhere."""
    outside = folder / "outside-files"
    for name in ("manifest.json", "spec.yaml", "selection.csv", "curves.csv", "tables/tab.csv", "results.db"):
        copy = fresh_copy(folder)
        shutil.rmtree(outside, ignore_errors=True)
        path, target = copy / "small" / name, outside / name
        target.parent.mkdir(parents=True)
        shutil.copy(path, target)
        before = target.read_bytes()
        place(path, target)
        o = run([stochopt, "run", "spec.yaml", "--out", "copy"], cwd=folder)
        kept = target.read_bytes() == before
        ok = survived(o, codes=(0,)) and (kept or name == "results.db" and path.is_symlink())
        yield f"{name} is a link out of the folder", ok, f"kept {kept}, {o}"


def hostile_text(stochopt, folder):
    evil = r"\e]0;owned\a\e[2J\rok\x9b31m\u202e<script>alert(1)</script>|[a](javascript:x)"
    (folder / "evil.yaml").write_text(SPEC.format(title=evil).replace("name: small", "name: evil"))
    (folder / "key.yaml").write_text(f'"{evil}": 1\n')
    os.close(os.open(os.fsencode(folder) + b"/\x1b[2J\x9b\xff.yaml", os.O_CREAT))
    for command in ("run evil.yaml", "status results/evil", "table results/evil", "claims results/evil", "verify results/evil",
                    "validate key.yaml", "plan evil.yaml", "validate \x1b[2J\udc9b\udcff.yaml", "datasets info \x1b[2J", "\x1b[2J",
                    "validate evil.yaml --set \x1b[2J=1", "compare results/evil results/\x1b[2J", "report results/\x1b]0;x\x07 -o x.html"):
        o = run([stochopt, *command.split(" ")], cwd=folder)
        found = STEERS.search(o.text)
        ok = not found and survived(o, codes=(0, 1, 2, 3))
        yield f"text that steers a terminal, {shown(command)}", ok, f"{o.text[max(0, found.start() - 20):][:60]!r}" if found else str(o)
    text = (folder / "results" / "evil" / "tables" / "tab.md").read_text()
    for what in ("<script>", "](javascript", "</script>|"):
        yield f"{what} in a table in Markdown", what not in text, text[:300]


def shown(text):
    return text.encode(errors="surrogateescape").decode(errors="replace").encode("unicode_escape").decode()


class Trickle(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "9912422")  # the size of the first file of mnist
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"\x1f")
                time.sleep(1)
        except OSError:
            pass

    def log_message(self, *_):
        pass


def trickle(stochopt, folder):
    """A download from a mirror that sends one byte per second fails."""
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Trickle)
    httpd.daemon_threads = True
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    (folder / "digits.yaml").write_text(OWN.replace("path: rows.csv, format: csv", "source: mnist"))
    env = {"HARNESS_CACHE": "cache", "HARNESS_MIRROR": f"http://127.0.0.1:{httpd.server_port}", "https_proxy": "http://127.0.0.1:9", "http_proxy": ""}
    command = [stochopt, "datasets", "fetch", "mnist"]
    o = run(command, cwd=folder, seconds=120, env=env)  # four files, of 20 s each
    yield "a download at one byte per second fails", o.code == 1, str(o)
    left = [f.name for f in (folder / "cache").rglob("*") if f.is_file()]
    yield "and leaves no files", not left, f"files left: {left}"
    httpd.shutdown()
