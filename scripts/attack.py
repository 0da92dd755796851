#!/usr/bin/env python3
"""Attack the built binary with hostile input, and count the attacks it survives.

Each scripts/attack/<part>.py with a function cases(stochopt, folder) is a part. It writes its input to
the folder, runs the binary, and yields one tuple (what: str, ok: bool, detail: str) per attack. A part
that raises an exception or exceeds the time limit counts as a failed attack.
scripts/attack/common.py runs a command with a time limit and measures its peak memory.

    scripts/attack.py [-v] [--binary FILE] [--limit SECONDS] [PART...]

Exits with 1 if an attack fails, and with 2 for an unknown part.
"""
import argparse
import importlib
import inspect
import pathlib
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PARTS = HERE / "attack"


class TooLong(Exception):
    pass


def too_long(*_):
    raise TooLong


def attack(module, stochopt, folder, limit, verbose):
    """Runs the cases of one part and returns them. An error that ends the part counts as a case."""
    tried = []
    signal.alarm(limit)
    try:
        for what, ok, detail in module.cases(stochopt, str(folder)):
            tried.append((what, ok, detail))
            if verbose:
                print(f"{'ok  ' if ok else 'FAIL'} {what}: {shown(detail)}", flush=True)
    except TooLong:
        tried.append(("the whole part", False, f"took longer than {limit} s"))
    except Exception as e:
        at = inspect.trace()[-1]
        tried.append(("the part itself", False, f"{at.filename}:{at.lineno}: {type(e).__name__}: {e}"))
    finally:
        signal.alarm(0)
    return tried


def shown(text):
    """Returns a text on one line, without control characters."""
    line = " | ".join(str(text).strip().splitlines())
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return line if len(line) <= 600 else line[:300] + " … " + line[-300:]


def load(wanted):
    """Returns the modules of the wanted parts by name, or of all parts."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(PARTS))
    there = sorted(f.stem for f in PARTS.glob("*.py"))
    missing = [name for name in wanted if name not in there]
    if missing:
        print(f"unknown part: {', '.join(missing)}; the parts are {', '.join(there)}", file=sys.stderr)
        raise SystemExit(2)
    modules = {name: importlib.import_module(name) for name in wanted or there}
    return {name: m for name, m in modules.items() if hasattr(m, "cases")}


def main():
    parser = argparse.ArgumentParser(description="Attack the built binary, and count the attacks it survives.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="a part (default: all)")
    parser.add_argument("--binary", default=str(HERE.parent / "build" / "stochopt"))
    parser.add_argument("--limit", type=int, default=150, help="time limit of a part in seconds (default 150)")
    parser.add_argument("-v", "--verbose", action="store_true", help="print each attack with its result")
    options = parser.parse_args()
    stochopt = pathlib.Path(options.binary).resolve()
    if not stochopt.exists():
        parser.error(f"{stochopt} does not exist; run make build")
    signal.signal(signal.SIGALRM, too_long)

    rows, lost = [], []
    modules = load(options.parts)
    for name, module in modules.items():
        with tempfile.TemporaryDirectory(prefix=f"attack-{name}-", ignore_cleanup_errors=True) as folder:
            start = time.monotonic()
            tried = attack(module, str(stochopt), folder, options.limit, options.verbose)
            seconds = time.monotonic() - start
        failed = [(name, what, detail) for what, ok, detail in tried if not ok]
        rows.append((name, len(tried), len(tried) - len(failed), seconds))
        lost += failed

    rows.append(("all", *(sum(row[i] for row in rows) for i in (1, 2, 3))))
    width = max(len(row[0]) for row in rows + [("part",)])
    print(f"{'part':{width}}  {'tried':>6}  {'survived':>8}  {'seconds':>7}")
    for name, tried, survived, seconds in rows:
        print(f"{name:{width}}  {tried:6}  {survived:8}  {seconds:7.1f}")
    if lost:
        print("\nnot survived:")
        for name, what, detail in lost:
            print(f"  {name}: {what}: {shown(detail)}")
    empty = [row[0] for row in rows if row[1] == 0]
    if empty:
        print(f"\nparts without attacks: {', '.join(empty)}")
    return 1 if lost or empty else 0


if __name__ == "__main__":
    sys.exit(main())
