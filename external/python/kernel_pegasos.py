"""Kernel Pegasos: subgradient steps on the SVM objective, one training row at a time. It requests a
kernel row from the harness only if the margin is violated, so the harness counts its cost."""

import numpy as np
import stochopt


class KernelPegasos(stochopt.Method):
    name, version, tasks, serve = "Kernel Pegasos in Python", 1, ["svm"], ["rows", "order"]

    def init(self, run):
        self.sums = np.zeros(run.n)  # by row, sums of the labels in its steps
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
