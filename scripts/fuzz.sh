#!/usr/bin/env bash
# Runs every fuzz target of the module in turn: fuzz.sh SECONDS. The time is for all targets together,
# including builds. The remaining targets share the remaining time equally; each gets at least one second.
set -euo pipefail
cd "$(dirname "$0")/.."
total=${1:-300}
began=$SECONDS
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
# Some targets sync files to disk, so their temporary folder is in memory. Go's own may be too large for that.
export GOTMPDIR=$scratch
if [[ -z ${TMPDIR:-} && -w /dev/shm ]]; then
  export TMPDIR=/dev/shm
fi

# Before Go 1.27, a target may fail with only this line at its time limit. A target that finds a failure
# also names the failing input or prints its own message.
ended_by_the_clock() {
  ! grep -q -e 'Failing input written' -e 'panic:' "$log" &&
    grep -A1 -e '^--- FAIL: Fuzz' "$log" | tail -n 1 | grep -qx ' *context deadline exceeded'
}

targets=$(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*\(' . | sed -E 's#^\./(.*)/[^/]*:func (.*)\($#./\1 \2#' | sort)
left=$(wc -l <<<"$targets")
while read -r package target; do
  share=$(((total - (SECONDS - began)) / left))
  left=$((left - 1))
  echo "== $package $target"
  if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$((share > 1 ? share : 1))s" -fuzzminimizetime 10x "$package" 2>&1 | tee "$log"; then
    ended_by_the_clock || exit 1
    echo "the time limit was reached while a worker was busy (go.dev/issue/75804); no input failed"
  fi
done <<<"$targets"
