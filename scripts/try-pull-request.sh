#!/usr/bin/env bash
# Tests scripts/pull-request.sh, which action.yml calls, without a network. A bare clone stands for the hosting
# service, and a fresh clone of each branch for the runner. Takes about a minute; the Go cache must have the modules.
#
#   scripts/try-pull-request.sh
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOPROXY=off SPEC=sweep.yaml BASELINE=baseline/sweep SETS=repeats=10 OUT=$work/out
author=(-c user.name=author -c user.email=author@localhost)
git clone -q --bare . "$work/host.git"
git -C "$work/host.git" branch -f trunk HEAD

# Creates a branch from another one with a command in a clone, and pushes it.
branch() { # NAME FROM COMMAND...
  rm -rf "$work/clone"
  git clone -q -b "$2" "$work/host.git" "$work/clone"
  (cd "$work/clone" && git checkout -q -B "$1" && "${@:3}" && git add -A && git "${author[@]}" commit -qm "$1" && git push -q -f origin "$1")
}

# Runs the action on a branch, and checks the exit code and the summary.
runner() { # BRANCH EXIT-CODE PATTERN...
  rm -rf "$work/runner" "$work/summary" "$work/output"
  git clone -q -b "$1" "$work/host.git" "$work/runner"
  code=0
  (cd "$work/runner" && GITHUB_STEP_SUMMARY=$work/summary GITHUB_OUTPUT=$work/output scripts/pull-request.sh) >"$work/log" 2>&1 || code=$?
  [[ $code == "$2" ]] || { cat "$work/log"; echo "$1: exit code $code, want $2"; exit 1; }
  grep -qx "exit-code=$2" "$work/output" || { cat "$work/output"; echo "$1: the outputs lack the exit code"; exit 1; }
  for text in "${@:3}"; do
    grep -qE -- "$text" "$work/summary" || { cat "$work/summary"; echo "$1: the summary lacks $text"; exit 1; }
  done
  cmp -s "$work/out/artifact/report.md" "$work/summary" || { echo "$1: the artifact lacks the report"; exit 1; }
  echo "$1: exit code $code, $(sed -n 's/^outcome=//p' "$work/output") ($SECONDS s)"
}

spec() {
  cat >sweep.yaml <<'END'
version: 1
name: sweep
task: pca
seed: 7
repeats: 2
budget: {iterations: 400}
record: {points: 20}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: 1}}
  - {id: incremental}
select: {by: none}
profiles:
  smoke: {}
END
  scripts/pull-request.sh refresh
}
branch trunk trunk spec >/dev/null
branch harmless trunk sed -i '1i # a comment' sweep.yaml
branch worse-step trunk sed -i 's/c: 1}/c: 0.05}/' sweep.yaml
branch without-series trunk sed -i '/id: incremental/d' sweep.yaml
branch other-algorithm trunk sed -i 's/eta = s.step.At(t)/eta = 0.5 * s.step.At(t)/' algorithms/pca/stream.go
runner harmless 0 PASS
runner worse-step 1 'REGRESSION: 1 cell worse' '^\| g +\| msg +\|.*worse' '1 identical, 1 worse'
[[ -s $work/out/artifact/overlay/sweep.svg && -s $work/out/artifact/baseline/runs.jsonl.gz ]] || { echo "the artifact lacks files"; exit 1; }
runner without-series 2 'INCOMPLETE' 'incremental is missing'
runner other-algorithm 1 'BITS CHANGED' 'SAME KEY, OTHER BITS'
cp -r "$work/out/artifact/baseline" "$work/new"
branch refreshed other-algorithm cp -rT "$work/new" baseline/sweep
runner refreshed 0 PASS
