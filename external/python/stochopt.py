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
    p = {"name": name, "kind": _KINDS[kind], "doc": help, "default": default, "min": min, "max": max, "choices": values}
    return {key: value for key, value in p.items() if value is not None}


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
    """What a run is given: seed, repeat, iterations (the budget), and params, those of the
    problem among them ("k", "kernel", "gamma", "C", "lambda", ...); for pca d and k; for svm n, d,
    the labels y, and X where data are served. What does not apply is None. rng is a generator
    of that seed."""

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
        """An array that the harness has written: read-only, and not copied."""
        name, shape, kind = a["file"], tuple(a["shape"]), np.dtype(a["dtype"])
        count, size = int(np.prod(shape)) * kind.itemsize, os.path.getsize(a["file"])
        if count == 0:
            return np.zeros(shape, kind)
        if name not in self.maps or self.maps[name].size != size:
            self.maps[name] = np.asarray(np.memmap(name, np.uint8, "r"))
        return self.maps[name][:count].view(kind).reshape(shape)

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
                if name in ("bulk", "bias"):
                    state[name] = float(part)
                else:
                    state["arrays"][name] = link.store(name, part)
            link.send({"state": state})
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
        "deterministic": method.deterministic, "counters": list(method.counters), "rank": method.rank,
    }
