"""Functions that the parts share: run a command with limits, and check its outcome."""
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
# Peak memory of a process with a small task, with a margin for the garbage collector.
USUAL = 600 * MB
# Files that are compared in addition to the records. Other files contain times.
COMPARED = ("curves.csv", "selection.csv", "claims.json")
FOLDERS = ("tables", "figures")


@dataclass
class Outcome:
    code: int        # exit code; minus the signal that ended it; None after the time limit
    out: str
    err: str
    peak: int        # peak resident memory in bytes
    seconds: float

    @property
    def text(self):
        return self.err + self.out

    def __str__(self):
        ended = f"exit {self.code}" if self.code is not None else "time is up"
        return f"{ended}, {self.peak / MB:.0f} MB, {self.seconds:.1f} s: {self.text.strip()[-500:]}"


def run(command, seconds=30, cwd=None, stdin=None, env=None, address_space=None, user=None):
    """Runs a command in its own process group, which is killed after the time limit.

    stdin is bytes. env is added to the environment. address_space bounds the address space in bytes; a Go
    program maps more than it uses. user is the id of another user to run the command as; this needs root.
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
            process.returncode = 0   # the process is reaped already
        took = time.monotonic() - start
        code = None if up.is_set() else os.waitstatus_to_exitcode(status)
        return Outcome(code, text(out), text(err), usage.ru_maxrss * 1024, took)


def exported(stochopt, folder):
    """Returns the records of a results folder as lines, or the error of the command."""
    command = [stochopt, "export", str(folder), "--to", "jsonl"]
    o = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return o.stdout if o.returncode == 0 else f"exit {o.returncode}: ".encode() + o.stderr


def killed(command, cwd, after):
    """Kills a command after some seconds. Returns its exit code and standard error."""
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
    """Returns the differences between two results folders, and files in got that a run should have removed."""
    names = set(COMPARED)
    for folder in FOLDERS:
        for side in (want, got):
            # PDF and PNG files show the same drawing as the SVG file.
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
    return out + [f"{name} was not removed" for name in left(got)]


def left(folder):
    """Returns the files that a killed process may leave and the next run removes."""
    return [f.name for f in folder.rglob("*") if f.name.startswith("results.lock") or f.name == "results.db-journal"
            or f.suffix == ".new" or ".tmp" in f.name]


def text(file):
    file.seek(0)
    return file.read(8 * MB).decode(errors="replace")


def survived(outcome, codes=(0, 2), says=(), peak=USUAL):
    """Reports whether a command ended with one of the exit codes, printed all texts in says, stayed within the
    memory limit, and did not panic."""
    printed = outcome.text
    return (outcome.code in codes and outcome.peak <= peak
            and all(word in printed for word in says)
            and not re.search(r"goroutine \d+ \[|^panic:|^fatal error:", printed, re.MULTILINE))


def checksum(data):
    """Returns the CRC-32C of bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def sealed(line):
    """Returns a line with its checksum."""
    return f'{line[:-1]},"crc32c":"{checksum(line.encode()):08x}"}}'
