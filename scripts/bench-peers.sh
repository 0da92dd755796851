#!/usr/bin/env bash
# Compares this project with other solvers on one core of this machine: smo and sbp (which draws pairs, its
# default with a bias) with LIBSVM's svm-train, ThunderSVM and LPD-SVM; incremental and msg with scikit-learn's
# IncrementalPCA and the code of the authors of AdaOja and history PCA. Also measures the cost of sharing kernel
# rows, and peak memory. Prints Markdown tables. Needs the real data (a cache filled by `datasets fetch`, or
# HARNESS_MIRROR) and an otherwise idle machine. Installs missing Debian packages. adult takes about 15 minutes,
# mnist about three hours, mostly for svm-train.
#
#   scripts/bench-peers.sh [--limit SECONDS] [--runs N] [adult mnist pca sharing memory]
#
# Solvers without a package are included if these variables are set to clones of their repositories:
#   THUNDERSVM  github.com/Xtra-Computing/thundersvm  built here, in its folder build
#   LPDSVM      github.com/TGlas/LPD-SVM              built here, for this processor, unlike with its Makefile
#   ADAOJA      github.com/aamcbee/AdaOja
#   HISTORYPCA  github.com/Puyudi/HistoryPCA
set -euo pipefail
cd "$(dirname "$0")/.."
need() { # PROGRAM OR FILE, PACKAGE...
  command -v "$1" >/dev/null || [[ -e $1 ]] && return
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${@:2}"
}
need svm-train libsvm-tools
if [[ -n ${THUNDERSVM:-} && ! -x $THUNDERSVM/build/bin/thundersvm-train ]]; then
  need cmake cmake g++ libeigen3-dev
  need /usr/include/eigen3 libeigen3-dev
  # Without CUDA, a function for prediction is missing (issue 276 of ThunderSVM): the linker may ignore this.
  cmake -S "$THUNDERSVM" -B "$THUNDERSVM/build" -DUSE_CUDA=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined,-z,lazy -DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,lazy >/dev/null
  cmake --build "$THUNDERSVM/build" --target thundersvm-train >/dev/null
fi
if [[ -n ${LPDSVM:-} && ! -x $LPDSVM/cpu-svm ]]; then
  need g++ g++
  make -s -C "$LPDSVM" cpu-svm DEBUGFLAGS='-O3 -march=native -DNDEBUG' 2>/dev/null
fi
/usr/bin/python3 -c 'import scipy, sklearn' 2>/dev/null || need '' python3-sklearn
make -s build
exec python3 scripts/bench-peers.py "$@"
