"""scikit-learn's IncrementalPCA and randomised PCA. Both centre the samples, but the objective of the
harness is uncentred, so compare them on centred data."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import stochopt  # noqa: E402, first, so that the output of other modules goes to the log

import numpy as np  # noqa: E402
from sklearn.decomposition import PCA, IncrementalPCA  # noqa: E402


class Incremental(stochopt.Method):
    name, version, tasks, serve = "scikit-learn IncrementalPCA", 1, ["pca"], ["samples"]
    rank = "fixed"
    params = [stochopt.param("batch", int, min=1, help="samples per decomposition, at least k", default=64)]

    def init(self, run):
        self.pca = IncrementalPCA(n_components=run.k)
        self.waiting = np.empty((0, run.d))
        self.batch = max(run.k, run.params["batch"])
        self.U = np.eye(run.d, run.k)

    def advance(self, t, block):
        rows = np.vstack((self.waiting, block))
        full = len(rows) - len(rows) % self.batch
        for at in range(0, full, self.batch):
            self.pca.partial_fit(rows[at:at + self.batch])
            self.U = self.pca.components_.T
        self.waiting = rows[full:]

    def state(self):
        return {"U": self.U}


class Randomised(stochopt.Method):
    name, version, tasks, serve = "scikit-learn PCA, randomised", 1, ["pca"], ["samples"]
    rank = "fixed"

    def init(self, run):
        self.rows, self.t = np.empty((run.iterations, run.d)), 0

    def advance(self, t, block):
        self.rows[t:t + len(block)] = block
        self.t = t + len(block)

    def state(self):
        k, d = self.run.k, self.run.d
        if self.t <= k:
            return {"U": np.eye(d, k)}
        pca = PCA(k, svd_solver="randomized", random_state=self.run.seed % 2**32).fit(self.rows[:self.t])
        return {"U": pca.components_.T}


stochopt.main({"incremental": Incremental, "randomised": Randomised}[sys.argv[1]])
