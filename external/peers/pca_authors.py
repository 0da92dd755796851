"""The authors' code of AdaOja (github.com/aamcbee/AdaOja) or history PCA (github.com/Puyudi/HistoryPCA).
The argument is streaming_subclass.py or HistoryPCA.py in a clone. AdaOja needs Debian's python3-scipy."""

import importlib
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import stochopt  # noqa: E402, first, so that the output of other modules goes to the log

import numpy as np  # noqa: E402

# AdaOja imports matplotlib only for figures.
sys.modules["matplotlib"] = types.ModuleType("matplotlib")
sys.modules["matplotlib"].pyplot = None
folder, name = os.path.split(os.path.abspath(sys.argv[1]))
sys.path.insert(0, folder)
authors = importlib.import_module(os.path.splitext(name)[0])


class Authors(stochopt.Method):
    version, tasks, serve, rank = 1, ["pca"], ["samples"], "fixed"
    params = [stochopt.param("batch", int, min=1, default=10, help="samples in a block")]

    def init(self, run):
        self.batch = run.params["batch"]
        np.random.seed(run.seed % 2**32)


class AdaOja(Authors):
    name = "AdaOja, its authors' code"

    def init(self, run):
        super().init(run)
        self.waiting = np.empty((0, run.d))
        self.pca = authors.AdaOja(run.d, run.k, B=self.batch)

    def advance(self, t, block):
        rows = np.vstack((self.waiting, block))
        full = len(rows) - len(rows) % self.batch
        for at in range(0, full, self.batch):
            self.pca.add_block(rows[at:at + self.batch])
        self.waiting = rows[full:]

    def state(self):
        return {"U": self.pca.Q}


class History(Authors):
    """Restarts for each recorded point, because the code takes all samples at once and shuffles them."""

    name = "History PCA, its authors' code"

    def init(self, run):
        super().init(run)
        self.rows = np.empty((run.iterations, run.d))
        self.seen = 0

    def advance(self, t, block):
        self.seen = t + len(block)
        self.rows[t:self.seen] = block

    def state(self):
        U = np.eye(self.run.d, self.run.k)  # the code computes distances to it, which are unused
        if self.seen > self.batch:
            np.random.seed(self.run.seed % 2**32)
            U = authors.ours(U, self.rows[:self.seen], self.run.k, self.batch, 1)[3]
        return {"U": U}


stochopt.main({"streaming_subclass.py": AdaOja, "HistoryPCA.py": History}[name])
