#!/usr/bin/env bash
# Runs every spec at the quick profile with the program of a commit: net.sh FOLDER [COMMIT].
# net-diff.py compares two such folders, to see the effects of a change. The results are in
# FOLDER/stand-in (stand-ins), FOLDER/real (real data, if HARNESS_MIRROR is set) and FOLDER/seed (some
# specs with another seed). FOLDER/compare.txt is the comparison of the two seeds. A second call resumes.
set -euo pipefail
folder=$(realpath -m "$1") commit=${2:-HEAD}
cd "$(dirname "$0")/.."
mkdir -p "$folder"
if [[ ! -x $folder/stochopt ]]; then
  rm -rf "$folder/src"
  git worktree prune
  git worktree add --detach "$folder/src" "$commit"
  (cd "$folder/src" && GOAMD64=v1 go build -o "$folder/stochopt" ./harness)
fi
cd "$folder/src"
run() { # OUT OPTIONS...
  local out=$folder/$1
  shift
  "$folder/stochopt" run --profile quick --out "$out" "$@" >"$out.log" 2>&1 || { tail -5 "$out.log"; return 1; }
}
all=(configs/*.yaml configs/investigations/*.yaml)
run stand-in --stand-in only "${all[@]}"
[[ -z ${HARNESS_MIRROR:-} ]] || run real --stand-in allow "${all[@]}"
some=(pca-simulated pca-efficiency svm-experiments svm-sparse-variants)
specs=("${some[@]/#/configs/}")
run seed --stand-in only --set seed=2 "${specs[@]/%/.yaml}"
compared=("${some[@]/#/--experiment=}")
"$folder/stochopt" compare "$folder/stand-in" "$folder/seed" "${compared[@]}" >"$folder/compare.txt" 2>&1 || (($? < 3))
