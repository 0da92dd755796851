"""What the parts share: running a command with limits, and telling whether it went well."""
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

MB = 1 << 20
# What a process that does little takes, with room for the garbage collector.
USUAL = 600 * MB
# Besides the records. The other files hold times.
COMPARED = ("curves.csv", "selection.csv", "claims.json")
FOLDERS = ("tables", "figures")


@dataclass
class Outcome:
    code: int        # exit code; minus the signal where one ended it, None where the time was up
    out: str
    err: str
    peak: int        # most resident memory, in bytes
    seconds: float

    @property
    def text(self):
        return self.err + self.out

    def __str__(self):
        ended = "time is up" if self.code is None else f"exit {self.code}"
        return f"{ended}, {self.peak / MB:.0f} MB, {self.seconds:.1f} s: {self.text.strip()[-500:]}"


def run(command, seconds=30, cwd=None, stdin=None, env=None, address_space=None, user=None):
    """Runs a command in a group of its own, which is killed when the time is up.

    stdin is bytes. env is added to the environment. address_space bounds what
    the process may map, in bytes: a Go program maps more than it touches. user
    is the number of another user to run it as, which takes root.
    """
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given:
        given.write(stdin or b"")
        given.seek(0)
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=cwd, stdin=given, stdout=out, stderr=err, preexec_fn=limits, user=user,
                                   start_new_session=True, env={**os.environ, **(env or {})})
        up = threading.Event()

        def end():
            up.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            os.wait4(process.pid, 0)
            raise
        finally:
            timer.cancel()
            process.returncode = 0   # it has been waited for
        took = time.monotonic() - start
        code = None if up.is_set() else os.waitstatus_to_exitcode(status)
        return Outcome(code, text(out), text(err), usage.ru_maxrss * 1024, took)


def exported(stochopt, folder):
    """The records of a results folder as lines, or the error of the command."""
    command = [stochopt, "export", str(folder), "--to", "jsonl"]
    o = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return o.stdout if o.returncode == 0 else f"exit {o.returncode}: ".encode() + o.stderr


def killed(command, cwd, after):
    """Kills a command after some seconds; returns its exit code and its messages."""
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
    """Differences between two results folders, and files in got that a run should have removed."""
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
    """Files that a killed process may leave, and the next run removes."""
    return [f.name for f in folder.rglob("*") if f.name.startswith("results.lock") or f.name == "results.db-journal"
            or f.suffix == ".new" or ".tmp" in f.name]


def text(file):
    file.seek(0)
    return file.read(8 * MB).decode(errors="replace")


def survived(outcome, codes=(0, 2), says=(), peak=USUAL):
    """Whether a command ended with one of the exit codes, said what it should (all of
    says), within the memory, and did not dump goroutines."""
    said = outcome.text
    return (outcome.code in codes and outcome.peak <= peak
            and all(word in said for word in says)
            and not re.search(r"goroutine \d+ \[|^panic:|^fatal error:", said, re.MULTILINE))


def checksum(data):
    """The CRC-32C of bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def sealed(line):
    """A line with its checksum."""
    return f'{line[:-1]},"crc32c":"{checksum(line.encode()):08x}"}}'
