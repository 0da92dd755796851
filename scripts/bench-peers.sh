#!/usr/bin/env bash
# Side by side on this machine: svm-train (LIBSVM) against this project's sbp and
# smo (the sbp draws pairs, its default with a bias), the cost of sharing kernel rows,
# and peak memory. Prints tables of ratios.
# Installs svm-train from Debian if it is missing. Needs the real data (a cache
# filled by `datasets fetch`, or HARNESS_MIRROR) and an otherwise idle machine.
# Takes about an hour: nearly all of it is svm-train.
#
#   scripts/bench-peers.sh                    all parts
#   scripts/bench-peers.sh adult mnist        of: adult mnist sharing memory
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v svm-train >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libsvm-tools
fi
make -s build
exec python3 scripts/bench-peers.py "$@"
