#!/usr/bin/env python3
"""Attack the built binary with hostile input, and count what it survives.

Every scripts/attack/<part>.py with a function cases(stochopt, folder) is a part:
it makes its input below the folder, runs the binary, and yields tuples
(what: str, ok: bool, detail: str), one for each attack tried. A part that raises or
takes longer than the limit counts as an attack that was not survived.
scripts/attack/common.py runs a command with a time limit and tells its peak memory.

    scripts/attack.py [-v] [--binary FILE] [--limit SECONDS] [PART...]

Exits with 1 when anything was not survived, with 2 for a part that is not there.
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
    """Runs the cases of one part; returns them with what ended the part early, if anything."""
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
    """What was said, on one line that does nothing to a terminal."""
    line = " | ".join(str(text).strip().splitlines())
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return line if len(line) <= 600 else line[:300] + " … " + line[-300:]


def load(wanted):
    """The modules of the parts by name; of all where none is named."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(PARTS))
    there = sorted(f.stem for f in PARTS.glob("*.py"))
    missing = [name for name in wanted if name not in there]
    if missing:
        print(f"no such part: {', '.join(missing)}; there are {', '.join(there)}", file=sys.stderr)
        raise SystemExit(2)
    modules = {name: importlib.import_module(name) for name in wanted or there}
    return {name: m for name, m in modules.items() if hasattr(m, "cases")}


def main():
    parser = argparse.ArgumentParser(description="Attack the built binary, and count what it survives.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="all by default")
    parser.add_argument("--binary", default=str(HERE.parent / "build" / "stochopt"))
    parser.add_argument("--limit", type=int, default=150, help="seconds a part may take (default 150)")
    parser.add_argument("-v", "--verbose", action="store_true", help="print every attack as it is tried")
    options = parser.parse_args()
    stochopt = pathlib.Path(options.binary).resolve()
    if not stochopt.exists():
        parser.error(f"{stochopt} is not there; run make build")
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
        print(f"\nnothing was tried: {', '.join(empty)}")
    return 1 if lost or empty else 0


if __name__ == "__main__":
    sys.exit(main())
