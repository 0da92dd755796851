#!/usr/bin/env bash
# Makes the records that `make regression` compares with from those of a smoke run on
# stand-ins: reference.sh FROM TO. The same records give the same bytes.
set -euo pipefail
from=$1 to=$2

# Left out: see results/reference/README.md.
omitted=(svm-sparse-bounds)

for folder in "$from"/*/; do
  name=$(basename "$folder")
  [[ " ${omitted[*]} " == *" $name "* ]] && continue
  mkdir -p "$to/$name"
  cp "$folder/spec.yaml" "$folder/manifest.json" "$to/$name/"
  # svm-train is not installed everywhere, nor of one version.
  grep -v '"algorithm":"libsvm"' "$folder/runs.jsonl" | gzip -9n >"$to/$name/runs.jsonl.gz"
done

for folder in "$to"/*/; do
  [[ -e $from/$(basename "$folder")/manifest.json ]] || echo "$folder is of an experiment that is no more: remove it" >&2
done
du -ch "$to"/*/runs.jsonl.gz | tail -1
