"""Methods in Python for stochopt, using protocol 1 (docs/external.md). Requires numpy.

A method is a class; stochopt.main(Class) runs it:

    class Mine(stochopt.Method):
        name, version, tasks, serve = "My method", 1, ["pca"], ["samples"]

        def init(self, run): ...        # once per run
        def step(self, t, x): ...       # iteration t = 1, 2, ...
        def state(self): return {"U": self.U}

    stochopt.main(Mine)

Import this module first. It reserves standard output for the protocol and redirects the
output of the program and its children to the log.
"""

import json
import os
import sys
import traceback

import numpy as np

PROTOCOL = 1
_KINDS = {int: "int", float: "float", bool: "bool", str: "string"}


def param(name, kind, default=None, min=None, max=None, values=None, help=""):
    """Declares a parameter of `with:`. kind is int, float, bool or str. A parameter without
    a default is required."""
    p = {"name": name, "kind": _KINDS[kind], "doc": help, "default": default, "min": min, "max": max, "choices": values}
    return {key: value for key, value in p.items() if value is not None}


_POWERS = {"inverse-sqrt": 0.5, "inverse": 1.0, "constant": 0.0}
_STEP = [param("step.schedule", str, "inverse-sqrt", values=list(_POWERS)), param("step.c", float, min=0)]


class Method:
    """Base class of methods. The attributes have common defaults."""

    name = ""               # displayed in figures
    version = 1             # raise it when results change; must agree with the spec
    tasks = []              # "pca", "svm"
    serve = []              # pca: "samples"; svm: "rows", "order", "data"
    params = []             # results of param(...)
    step_size = False       # accepts `step:`; run.step(t) is then the step size
    deterministic = True    # the same seed gives the same bytes
    counters = []           # costs reported in self.cost, such as "sum_kt2"
    rank = ""               # "fixed": each iterate of a PCA method has rank k

    def __init__(self):
        self.run = None                             # a Run, set before init
        self.cost = dict.fromkeys(self.counters, 0)  # cumulative

    def init(self, run):
        """Prepares for a run."""

    def advance(self, t, block):
        """Performs iterations t+1, t+2, ..., one for each element of block: samples (pca),
        indices of training rows ("order"), or a range if neither is served. The block is
        read-only and valid until advance returns. Returns None, or converged(...) or
        diverged(...) to end the run."""
        for i, item in enumerate(block):
            end = self.step(t + 1 + i, item)
            if end is not None:
                end.setdefault("to", t + 1 + i)
                return end
        return None

    def step(self, t, item):
        """Performs iteration t with one sample or one index. Returns the same as advance."""
        raise NotImplementedError("a method must define step or advance")

    def state(self):
        """Returns the iterate as a dict of arrays and the numbers "bulk" or "bias".
        docs/external.md lists the parts for each task."""
        raise NotImplementedError("a method must define state")


def converged(reason="", at=None, status="converged"):
    """Ends the run after iteration `at` (default: the current one)."""
    return {"status": status, "reason": reason, **({"to": at} if at is not None else {})}


def diverged(reason="", at=None):
    """Ends the run as diverged."""
    return converged(reason, at, "diverged")


class Run:
    """The inputs of a run: seed, repeat, iterations (the budget) and params, including those of
    the problem ("k", "kernel", "gamma", "C", "lambda", ...). For pca also d and k; for svm n, d,
    the labels y and, if data are served, X. Other attributes have the value None. rng is a
    generator with this seed."""

    def __init__(self, message, link):
        self._link = link
        for key in ("seed", "repeat", "iterations", "d", "k", "n"):
            setattr(self, key, message.get(key))
        self.params = message["params"]
        self.X, self.y = None, None
        if "arrays" in message:
            self.X = link.load(message["arrays"]["X"])
        if self.n is not None:
            self.y = np.where(np.arange(self.n) < message["positive"], 1.0, -1.0)
        self.rng = np.random.Generator(np.random.PCG64(self.seed))

    def step(self, t):
        """The step size of iteration t >= 1, from `step:` of the spec."""
        return self.params["step.c"] / t ** _POWERS[self.params["step.schedule"]]

    def rows(self, indices, copy=True):
        """Returns kernel rows of training points, len(indices) x n float32. Each row costs n
        kernel evaluations. With copy=False they are valid only until the next call."""
        reply = self._link.ask({"rows": [int(i) for i in indices]}, "rows")
        rows = self._link.load(reply)
        return rows.copy() if copy else rows


class _Link:
    """The protocol: lines of JSON, and arrays in files."""

    def __init__(self):
        self.out, self.into = _streams or _claim()
        self.maps = {}

    def send(self, message):
        data = (json.dumps(message, separators=(",", ":"), allow_nan=False) + "\n").encode()
        while data:
            data = data[os.write(self.out, data):]

    def receive(self):
        """Returns the next message as (verb, body), or None at the end of the input."""
        line = self.into.readline()
        if not line:
            return None
        message = json.loads(line)
        if not isinstance(message, dict) or len(message) != 1:
            raise ValueError(f"a message must be an object with one key: {line[:80]!r}")
        return next(iter(message.items()))

    def ask(self, message, verb):
        self.send(message)
        reply = self.receive()
        if not reply:
            raise SystemExit(0)
        if reply[0] != verb:
            raise ValueError(f"expected message {verb}, received {reply[0]}")
        return reply[1]

    def load(self, a):
        """Returns an array written by the harness, read-only and without copying."""
        name, shape, kind = a["file"], tuple(a["shape"]), np.dtype(a["dtype"])
        count, size = int(np.prod(shape)) * kind.itemsize, os.path.getsize(a["file"])
        if count == 0:
            return np.zeros(shape, kind)
        if name not in self.maps or self.maps[name].size != size:
            self.maps[name] = np.asarray(np.memmap(name, np.uint8, "r"))
        return self.maps[name][:count].view(kind).reshape(shape)

    def store(self, name, array):
        """Writes an array to a file, which stays mapped."""
        array = np.asarray(array, "<f8")
        if array.size:
            known = self.maps.get("<" + name)
            if getattr(known, "nbytes", 0) != array.nbytes:
                known = self.maps["<" + name] = np.memmap(name, "<f8", "w+", shape=(array.size,))
            known.reshape(array.shape)[...] = array
        else:
            open(name, "wb").close()
        return {"file": name, "dtype": "<f8", "shape": list(array.shape)}


def _claim():
    """Reserves standard input and output for the protocol and redirects output to the log."""
    out, into = os.dup(1), os.dup(0)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return out, os.fdopen(into, "rb")


_streams = _claim() if "STOCHOPT_PROTOCOL" in os.environ else None


def main(method):
    """Runs a method, a subclass of Method, until the harness sends stop."""
    if "STOCHOPT_PROTOCOL" not in os.environ:
        sys.exit(f"{sys.argv[0]} must be started by stochopt: try `stochopt external check python3 {sys.argv[0]}`")
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
                if name in ("bulk", "bias") and part is not None:
                    state[name] = float(part)
                elif part is not None:
                    state["arrays"][name] = link.store(name, part)
            link.send({"state": state})
        elif verb == "stop":
            return
        else:
            raise ValueError(f"unexpected message {verb}")


def _hello(method, body):
    if body.get("protocol") != PROTOCOL:
        raise ValueError(f"this program supports protocol {PROTOCOL}, not {body.get('protocol')}")
    if body.get("task") not in method.tasks:
        raise ValueError(f"{method.name} supports {', '.join(method.tasks)}, not {body.get('task')}")
    return {
        "protocol": PROTOCOL, "name": method.name, "version": method.version, "tasks": list(method.tasks),
        "serve": list(method.serve), "params": list(method.params) + (_STEP if method.step_size else []),
        "deterministic": method.deterministic, "counters": list(method.counters), "rank": method.rank,
    }
