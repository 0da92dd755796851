#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other. The time given, in seconds,
# is for all of them together, building included: what is left of it is shared equally by
# the targets that are left. Each gets one second at least.
set -euo pipefail
cd "$(dirname "$0")/.."
total=${1:-300}
began=$SECONDS
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
# Targets that write files force them to disk; Go's own may be too large for memory.
export GOTMPDIR=$scratch
if [[ -z ${TMPDIR:-} && -w /dev/shm ]]; then
  export TMPDIR=/dev/shm
fi

# Before Go 1.27 a target can fail with nothing but this line when its time is up. A target
# that found something names the failing input, or prints its own message.
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
    echo "the time was up while a worker was busy (go.dev/issue/75804); no input failed"
  fi
done <<<"$targets"
