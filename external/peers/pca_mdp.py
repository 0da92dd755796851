"""CCIPCA, candid covariance-free incremental PCA, from MDP (Debian: python3-mdp)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import stochopt  # noqa: E402, first, so that the output of other modules goes to the log

import mdp  # noqa: E402
import numpy as np  # noqa: E402


class CCIPCA(stochopt.Method):
    name, version, tasks, serve = "MDP CCIPCA", 1, ["pca"], ["samples"]
    rank = "fixed"

    def init(self, run):
        rng = np.random.RandomState(run.seed % 2**32)
        self.node = mdp.nodes.CCIPCANode(input_dim=run.d, output_dim=run.k, numx_rng=rng)

    def advance(self, t, block):
        self.node.train(np.array(block))

    def state(self):
        v = self.node.v  # normalised columns; get_projmatrix would end the training
        return {"U": np.linalg.qr(v)[0]}


stochopt.main(CCIPCA)
