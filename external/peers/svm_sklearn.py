"""scikit-learn's SVC (LIBSVM), and its linear SGDClassifier on Nystroem and random Fourier features. An
iteration of SVC is an iteration of LIBSVM; an iteration of the others is a training row."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import stochopt  # noqa: E402, first, so that the output of other modules goes to the log

import warnings  # noqa: E402

import numpy as np  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.kernel_approximation import Nystroem, RBFSampler  # noqa: E402
from sklearn.linear_model import SGDClassifier  # noqa: E402
from sklearn.svm import SVC  # noqa: E402


def gamma(run):
    if run.params["kernel"] != "gaussian":
        raise ValueError("only the Gaussian kernel is supported")
    return run.params["gamma"]


class LibSVM(stochopt.Method):
    """Restarts for each recorded point, because SVC cannot continue a fit."""

    name, version, tasks, serve = "scikit-learn SVC", 1, ["svm"], ["data"]

    def init(self, run):
        self.X, self.alpha, self.bias = np.array(run.X), np.zeros(run.n), 0.0

    def advance(self, t, block):
        svc = SVC(C=self.run.params["C"], gamma=gamma(self.run), max_iter=block.stop)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            svc.fit(self.X, self.run.y)
        self.alpha[:] = 0
        self.alpha[svc.support_] = svc.dual_coef_[0]
        self.bias = svc.intercept_[0]
        if svc.n_iter_[0] < block.stop:
            return stochopt.converged("to the tolerance of SVC", at=block.stop)

    def state(self):
        return {"alpha": self.alpha, "bias": self.bias}


class Features(stochopt.Method):
    """A linear classifier on features of the rows."""

    version, tasks, serve = 1, ["svm"], ["data", "order"]
    params = [stochopt.param("features", int, min=1, default=256, help="number of features")]

    def init(self, run):
        seed, m = run.seed % 2**32, min(run.params["features"], run.n)
        self.map = self.features(gamma(run), m, seed)
        self.Z = self.map.fit_transform(np.array(run.X))
        self.sgd = SGDClassifier("hinge", alpha=1 / (run.n * run.params["C"]), random_state=seed)
        self.w, self.bias = np.zeros(m), 0.0

    def advance(self, t, block):
        self.sgd.partial_fit(self.Z[block], self.run.y[block], classes=[-1.0, 1.0])
        self.w, self.bias = self.sgd.coef_[0], self.sgd.intercept_[0]


class Nystrom(Features):
    name = "scikit-learn SGD, Nyström"

    def features(self, gamma, m, seed):
        return Nystroem(kernel="rbf", gamma=gamma, n_components=m, random_state=seed)

    def state(self):
        coefficients = self.map.normalization_.T @ self.w
        return {"vectors": self.map.components_, "coefficients": coefficients, "bias": self.bias}


class Fourier(Features):
    name = "scikit-learn SGD, Fourier"

    def features(self, gamma, m, seed):
        return RBFSampler(gamma=gamma, n_components=m, random_state=seed)

    def state(self):
        coefficients = np.sqrt(2 / len(self.w)) * self.w
        return {"vectors": self.map.random_weights_.T, "coefficients": coefficients,
                "phases": self.map.random_offset_, "bias": self.bias}


stochopt.main({"svc": LibSVM, "nystrom": Nystrom, "fourier": Fourier}[sys.argv[1]])
