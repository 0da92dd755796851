#!/usr/bin/env bash
# Measures the time and peak memory of verbs on a results folder of many short runs, which it creates first:
# 12 series, 100 repeats of each step size, 20 points per run.
#
#   scripts/bench-many.sh 60000 /tmp/many
#   scripts/bench-many.sh 1000000 /tmp/many     5 GB of disk, and about an hour
set -euo pipefail
if [ $# -ne 2 ]; then
  echo "usage: scripts/bench-many.sh RUNS FOLDER" >&2
  exit 2
fi
runs=$1 folder=$(realpath -m "$2")
cd "$(dirname "$0")/.."
make -s build
mkdir -p "$folder"
if [ ! -f "$folder/many/results.db" ]; then
  cat >"$folder/many.yaml" <<END
version: 1
name: many
task: pca
seed: 1
repeats: 100
budget: {iterations: 20}
record: {points: 20, spacing: linear}
defaults: {step: {schedule: inverse-sqrt, c: {linspace: [0.01, 2, $((runs / 1200))]}}}
datasets:
  - {id: a, source: simulated-gaussian, with: {dim: 4, gap: 1}, problem: {k: 1}}
  - {id: b, source: simulated-gaussian, with: {dim: 4, gap: 2}, problem: {k: 2}}
  - {id: c, source: simulated-orthogonal, with: {dim: 4, gap: 1}, problem: {k: 1}}
  - {id: d, source: simulated-orthogonal, with: {dim: 4, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: warmuth-kuzmin, with: {start: random-low-rank}}
  - {id: msg}
  - {id: capped-msg}
select: {by: oracle, metric: suboptimality, over: mean-over-curve}
figures:
  - {id: fig, x: iterations, y: suboptimality, facet: {cols: dataset}, band: runs}
tables:
  - {id: tab, columns: [step.c, sum_kt2, final_suboptimality, runs]}
claims:
  - {id: faster, says: MSG is better than capped MSG, check: {order: {series: msg, below: [capped-msg], from: 0.3}}}
END
  GOGC=50 build/stochopt run "$folder/many.yaml" --out "$folder"
  rm -rf "$folder/copy"
  mkdir "$folder/copy"
  cp -r "$folder/many" "$folder/copy/many"
fi
stochopt=$PWD/build/stochopt
measure() {
  local what=$1
  shift
  /usr/bin/time -f "%e s, %U s of CPU, %M KB  $what" "$@" >"$folder/out.log" 2>"$folder/err.log" || true
  tail -n 1 "$folder/err.log"
}
"$stochopt" run "$folder/many.yaml" --out "$folder" >"$folder/out.log" 2>&1
measure "run, nothing to do" "$stochopt" run "$folder/many.yaml" --out "$folder"
measure "status" "$stochopt" status "$folder/many"
measure "plot" "$stochopt" plot "$folder/many"
measure "claims" "$stochopt" claims "$folder/many" --no-fail
"$stochopt" run "$folder/many.yaml" --out "$folder/copy" >"$folder/out.log" 2>&1
measure "compare" "$stochopt" compare "$folder/many" "$folder/copy/many"
