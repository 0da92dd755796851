#!/usr/bin/env bash
# Runs the commands of README.md and of the pages of docs/, in order, in a copy of the
# checkout: every line of their fenced sh blocks. A block after the comment <!-- not run --> is
# left out, and so are the commands that are given as arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
case ${HARNESS_MIRROR:-} in
  "" | /* | http*) ;;
  *) export HARNESS_MIRROR=$PWD/$HARNESS_MIRROR ;;
esac
cd "$copy"
awk '
  /^<!-- not run -->/ { skip = 1; next }
  /^```sh/            { if (!skip) on = 1; next }
  /^```/              { on = 0; skip = 0; next }
  on                  { print }
' README.md docs/quickstart.md docs/kernel-svm.md docs/sparse-svm.md docs/claims.md docs/compare.md | { if (($#)); then grep -vxF -- "$(printf '%s\n' "$@")"; else cat; fi; } > commands.sh
echo "running:"
sed 's/^/  /' commands.sh
bash -euo pipefail commands.sh
