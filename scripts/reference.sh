#!/usr/bin/env bash
# Writes the reference records of `make regression` from a smoke run on stand-ins:
# reference.sh STOCHOPT FROM TO. If the records of a folder are unchanged, only its spec is updated, because
# its manifest has the date and the program of the records.
set -euo pipefail
stochopt=$1 from=$2 to=$3

# Omitted experiments: see results/reference/README.md.
omitted=(svm-sparse-bounds)

# Records of svm-train are omitted, because it is not installed everywhere and versions differ.
records() { "$stochopt" export "$1" --to jsonl | grep -v '"algorithm":"libsvm"'; }

for folder in "$from"/*/; do
  name=$(basename "$folder")
  [[ " ${omitted[*]} " == *" $name "* ]] && continue
  mkdir -p "$to/$name"
  kept=$to/$name/runs.jsonl.gz
  if ! cmp -s <(records "$folder") <(gzip -dc "$kept" 2>/dev/null); then
    records "$folder" | gzip -9n >"$kept"
    cp "$folder/manifest.json" "$to/$name/"
    echo "$name: new records"
  fi
  cmp -s "$folder/spec.yaml" "$to/$name/spec.yaml" || cp "$folder/spec.yaml" "$to/$name/"
done

for folder in "$to"/*/; do
  [[ -e $from/$(basename "$folder")/manifest.json ]] || echo "$folder belongs to an experiment that no longer exists: remove it" >&2
done
du -ch "$to"/*/runs.jsonl.gz | tail -1
