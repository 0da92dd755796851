"""Kernel Pegasos: a subgradient step of the SVM objective for one training row at a time.
It asks for a kernel row when the row's margin is violated, so its cost is counted."""

import numpy as np
import stochopt


class KernelPegasos(stochopt.Method):
    name, version, tasks, serve = "Kernel Pegasos in Python", 1, ["svm"], ["rows", "order"]

    def init(self, run):
        self.sums = np.zeros(run.n)  # of the labels of the rows that have taken a step
        self.responses = np.zeros(run.n)
        self.t = 0

    def step(self, t, i):
        self.t, y = t, self.run.y[i]
        if t > 1 and y * self.responses[i] >= self.run.params["lambda"] * (t - 1):
            return
        self.sums[i] += y
        self.responses += y * self.run.rows([i], copy=False)[0]

    def state(self):
        return {"alpha": self.sums / (self.run.params["lambda"] * max(self.t, 1)), "bias": 0}


stochopt.main(KernelPegasos)
