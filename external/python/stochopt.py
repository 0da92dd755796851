"""Methods in Python for stochopt, by its protocol 1 (docs/external.md). Needs numpy.

A method is a class; stochopt.main(Class) serves it:

    class Mine(stochopt.Method):
        name, version, tasks, serve = "My method", 1, ["pca"], ["samples"]

        def init(self, run): ...        # once a run
        def step(self, t, x): ...       # iteration t = 1, 2, ...
        def state(self): return {"U": self.U}

    stochopt.main(Mine)

Import this module first: from then on what the program or its children print goes to
the log, and the protocol has the real standard output to itself.
"""

import json
import os
import sys
import traceback

import numpy as np

PROTOCOL = 1
_KINDS = {int: "int", float: "float", bool: "bool", str: "string"}


def param(name, kind, default=None, min=None, max=None, values=None, help=""):
    """Declares a parameter of `with:`. kind is int, float, bool or str; without a default
    it must be given."""
    p = {"name": name, "kind": _KINDS[kind], "help": help}
    for key, value in (("default", default), ("min", min), ("max", max), ("values", values)):
        if value is not None:
            p[key] = value
    return p


_POWERS = {"inverse-sqrt": 0.5, "inverse": 1.0, "constant": 0.0}
_STEP = [param("step.schedule", str, "inverse-sqrt", values=list(_POWERS)), param("step.c", float, min=0)]


class Method:
    """Base of a method. What is not overridden says what most methods are."""

    name = ""               # as figures show it
    version = 1             # raise it when results change; the spec's must be equal
    tasks = []              # of "pca", "svm"
    serve = []              # pca: "samples"; svm: "rows", "order", "data"
    params = []             # of param(...)
    step_size = False       # whether it takes `step:`; then run.step(t) is the size
    deterministic = True    # the same seed gives the same bytes
    many = False            # one process may serve one run after another
    counters = []           # the costs that it declares in self.cost, such as "sum_kt2"
    rank = ""               # "fixed": each iterate of a PCA method has rank k

    def __init__(self):
        self.run = None                             # a Run, from init on
        self.cost = dict.fromkeys(self.counters, 0)  # cumulative

    def init(self, run):
        """Makes ready for a run."""

    def advance(self, t, block):
        """Does iterations t+1, t+2, ...: one for each row of block, which holds samples (pca)
        or indices of training rows ("order"), or is a range if none are served. The block is
        read-only and valid until the return. Returns None, or converged(...) or
        diverged(...) to end the run."""
        for i, item in enumerate(block):
            end = self.step(t + 1 + i, item)
            if end is not None:
                end.setdefault("to", t + 1 + i)
                return end
        return None

    def step(self, t, item):
        """Does iteration t with one sample, or one index. Returns what advance does."""
        raise NotImplementedError("a method has step or advance")

    def state(self):
        """Returns the iterate by its parts, which docs/external.md lists for each task: arrays,
        and the numbers "bulk" or "bias"."""
        raise NotImplementedError("a method has state")


def converged(reason="", at=None):
    """Ends the run after iteration `at` (default: the one under way)."""
    return _end("converged", reason, at)


def diverged(reason="", at=None):
    """Ends the run as diverged."""
    return _end("diverged", reason, at)


def _end(status, reason, at):
    end = {"status": status, "reason": reason}
    if at is not None:
        end["to"] = at
    return end


class Run:
    """What a run is given: seed, repeat, iterations (the budget), params; for pca d and k;
    for svm n, y, kernel, C, lambda_ (1/(Cn)), nu, R, bias, and X where data are served.
    What does not apply is None. rng is a generator of that seed."""

    def __init__(self, message, link):
        self._link = link
        self.message = message
        for key in ("seed", "repeat", "iterations", "d", "k", "n", "kernel", "C", "nu", "R", "bias"):
            setattr(self, key, message.get(key))
        self.lambda_ = message.get("lambda")
        self.params = message.get("params") or {}
        self.arrays = {name: link.load(a) for name, a in (message.get("arrays") or {}).items()}
        self.X, self.y = self.arrays.get("X"), self.arrays.get("y")
        if self.y is None and "positive" in message:
            self.y = np.where(np.arange(self.n) < message["positive"], 1.0, -1.0)
        self.rng = np.random.Generator(np.random.PCG64(self.seed))

    def step(self, t):
        """The step size of iteration t >= 1, from `step:` of the spec."""
        return self.params["step.c"] / t ** _POWERS[self.params["step.schedule"]]

    def rows(self, indices, copy=True):
        """Kernel rows of training points, len(indices) x n float32, each charged n kernel
        evaluations. With copy=False they are valid until the next call only."""
        reply = self._link.ask({"rows": [int(i) for i in indices]}, "rows")
        rows = self._link.load(reply)
        return rows.copy() if copy else rows


class _Link:
    """The protocol: lines out and in, and the arrays beside them."""

    def __init__(self):
        self.out, self.into = _streams or _claim()
        self.maps = {}

    def send(self, message):
        data = (json.dumps(message, separators=(",", ":"), allow_nan=False) + "\n").encode()
        while data:
            data = data[os.write(self.out, data):]

    def receive(self):
        """The next message as (verb, body), or None at the end of the input."""
        line = self.into.readline()
        if not line:
            return None
        message = json.loads(line)
        if not isinstance(message, dict) or len(message) != 1:
            raise ValueError(f"a message has one key: {line[:80]!r}")
        return next(iter(message.items()))

    def ask(self, message, verb):
        self.send(message)
        reply = self.receive()
        if reply is None:
            raise SystemExit(0)
        if reply[0] != verb:
            raise ValueError(f"{verb} expected, and {reply[0]} received")
        return reply[1]

    def load(self, a):
        """An array that the harness has written: read-only, not copied where it is a file."""
        if "format" in a:  # CSR
            parts = {key: self.load(a[key]) for key in ("indptr", "indices", "values")}
            return CSR(tuple(a["shape"]), **parts)
        name, shape = a["file"], tuple(a["shape"])
        kind = np.dtype(a["dtype"])
        size = os.stat(name)
        known = self.maps.get(name)
        if known is None or known[:2] != (size.st_ino, size.st_size):
            data = np.memmap(name, np.uint8, "r") if size.st_size else np.zeros(0, np.uint8)
            start = 0
            if name.endswith(".npy"):
                with open(name, "rb") as f:
                    major, _ = np.lib.format.read_magic(f)
                    (np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0)(f)
                    start = f.tell()
            known = self.maps[name] = size.st_ino, size.st_size, np.asarray(data)[start:]
        count = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        if count > known[2].size:
            raise ValueError(f"{name} has {known[2].size} bytes of data, and {count} are announced")
        return known[2][:count].view(kind).reshape(shape)

    def store(self, name, array):
        """Writes an array beside the protocol, into a file that stays mapped."""
        array = np.asarray(array, "<f8")
        if array.size:
            known = self.maps.get("<" + name)
            if known is None or known.nbytes != array.nbytes:
                known = self.maps["<" + name] = np.memmap(name, "<f8", "w+", shape=(array.size,))
            known.reshape(array.shape)[...] = array
        else:
            open(name, "wb").close()
        return {"file": name, "dtype": "<f8", "shape": list(array.shape)}


class CSR:
    """Sparse rows: row i has values[indptr[i]:indptr[i+1]] at the features indices[...]."""

    def __init__(self, shape, indptr, indices, values):
        self.shape, self.indptr, self.indices, self.values = shape, indptr, indices, values


def _claim():
    """Takes standard input and output for the protocol; the log gets what is printed."""
    out, into = os.dup(1), os.dup(0)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return out, os.fdopen(into, "rb")


_streams = _claim() if "STOCHOPT_PROTOCOL" in os.environ else None


def main(method):
    """Serves a method, a subclass of Method, until the harness says stop."""
    if "STOCHOPT_PROTOCOL" not in os.environ:
        sys.exit(f"{sys.argv[0]} is started by stochopt: try `stochopt external check python3 {sys.argv[0]}`")
    link = _Link()
    try:
        _serve(method, link)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as error:
        traceback.print_exc()
        try:
            link.send({"error": f"{type(error).__name__}: {error}"[:2000]})
        except BrokenPipeError:
            pass
        sys.exit(1)


def _serve(method, link):
    current, t = None, 0
    while (message := link.receive()) is not None:
        verb, body = message
        if verb == "hello":
            link.send({"hello": _hello(method, body)})
        elif verb == "init":
            current, t = method(), 0
            current.run = Run(body, link)
            current.init(current.run)
            link.send({"ready": {}})
        elif verb == "advance" and current is not None:
            to = body["to"]
            block = next((link.load(body[key]) for key in ("samples", "order") if key in body), range(t, to))
            end = current.advance(t, block) or {"status": "running"}
            t = end.setdefault("to", to)
            link.send({"advanced": {**end, "cost": {name: int(count) for name, count in current.cost.items()}}})
        elif verb == "state" and current is not None:
            parts = current.state()
            state = {"arrays": {}}
            for name, part in parts.items():
                if part is None:
                    continue
                if name in ("bulk", "bias", "norm_sq"):
                    state[name] = float(part)
                else:
                    state["arrays"][name] = link.store(name, part)
            link.send({"state": state})
        elif verb == "reset":
            current, t = None, 0
            link.maps.clear()
            link.send({"ready": {}})
        elif verb == "stop":
            return
        else:
            raise ValueError(f"{verb} is not a message that can come now")


def _hello(method, body):
    if body.get("protocol") != PROTOCOL:
        raise ValueError(f"this program speaks protocol {PROTOCOL}, not {body.get('protocol')}")
    if body.get("task") not in method.tasks:
        raise ValueError(f"{method.name} is for {', '.join(method.tasks)}, not for {body.get('task')}")
    return {
        "protocol": PROTOCOL, "name": method.name, "version": method.version, "tasks": list(method.tasks),
        "serve": list(method.serve), "params": list(method.params) + (_STEP if method.step_size else []),
        "deterministic": method.deterministic, "many": method.many, "counters": list(method.counters), **({"rank": method.rank} if method.rank else {}),
    }
