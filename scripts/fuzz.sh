#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other, for the time given.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
go list ./... | while read -r pkg; do
  { go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true; } | while read -r target; do
    echo "== $pkg $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
  done
done
