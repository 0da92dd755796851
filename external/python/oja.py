"""Oja's rule: a stochastic gradient step, followed by orthonormalisation of the basis."""

import numpy as np
import stochopt


class Oja(stochopt.Method):
    name, version, tasks, serve = "Oja's rule", 1, ["pca"], ["samples"]
    step_size, rank = True, "fixed"

    def init(self, run):
        self.U = np.linalg.qr(run.rng.standard_normal((run.d, run.k)))[0]

    def step(self, t, x):
        self.U += self.run.step(t) * np.outer(x, x @ self.U)
        self.U = np.linalg.qr(self.U)[0]

    def state(self):
        return {"U": self.U}


stochopt.main(Oja)
