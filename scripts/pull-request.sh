#!/usr/bin/env bash
# Runs a spec at a small scale with the program of this checkout, and tests whether its curves are worse than those
# of a baseline. action.yml calls it on a pull request; see docs/ci.md.
#
#   scripts/pull-request.sh compare   compare with the baseline; exit codes of `stochopt compare`
#   scripts/pull-request.sh refresh   replace the baseline
#
# Environment variables: SPEC, the spec; BASELINE, the folder of the baseline; PROFILE (smoke); SETS, changes of the
# spec, one per line, such as repeats=10; FLAGS, more flags of run, separated by spaces; TOLERANCE (0.05); OUT, the
# output folder (build/pull-request). compare appends to the files in GITHUB_STEP_SUMMARY and GITHUB_OUTPUT.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
mode=${1:-compare}
: "${SPEC:?set it to the spec}" "${BASELINE:?set it to the folder of the baseline}"
out=${OUT:-build/pull-request}
program=$out/stochopt

# Prints an error and exits with the code of compare for internal errors.
fail() { echo "pull-request.sh: $*" >&2; exit 3; }

rm -rf "$out/runs" "$out/artifact"
mkdir -p "$out/artifact"
out=$(cd "$out" && pwd)
program=$out/stochopt
(cd "$here" && GOAMD64=v1 go build -trimpath -o "$program" ./harness) || fail "cannot build the program"

run=(run "$SPEC" --profile "${PROFILE:-smoke}" --stand-in only --out "$out/runs")
while IFS= read -r change; do
  [[ -z $change ]] || run+=(--set "$change")
done <<<"${SETS:-}"
read -ra flags <<<"${FLAGS:-}"
code=0
"$program" "${run[@]}" "${flags[@]}" >"$out/run.log" 2>&1 || code=$?
cat "$out/run.log"
((code <= 1)) || fail "cannot run the spec: exit code $code"
results=("$out"/runs/*/)

# Exports a baseline: records without times, the spec and the manifest.
export_to() {
  mkdir -p "$1"
  "$program" export "${results[0]}" --to jsonl -o "$1/runs.jsonl.gz"
  cp "${results[0]}"/{spec.yaml,manifest.json} "$1"
}

case $mode in
  refresh)
    ((code == 0)) || fail "a run failed: a baseline needs all runs"
    export_to "$BASELINE"
    echo "replaced $BASELINE: commit it, and explain in the message why the numbers changed"
    exit
    ;;
  compare) ;;
  *) fail "$mode: want compare or refresh" ;;
esac

export_to "$out/artifact/baseline"
report=$out/artifact/report.md
compare=("$program" compare "$BASELINE" "${results[0]}" --strict --tolerance "${TOLERANCE:-0.05}" --format markdown)
code=0
"${compare[@]}" --overlay "$out/artifact/overlay" >"$out/report.txt" 2>"$out/compare.log" || code=$?
cat "$out/compare.log" >&2
{
  echo "### $(basename "$SPEC"): curves against the baseline"
  echo
  grep -v '^- overlays ' "$out/report.txt" || { echo '```'; cat "$out/compare.log"; echo '```'; } # omit local paths
} >"$report"
cat "$report"
[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || cat "$report" >>"$GITHUB_STEP_SUMMARY"
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  {
    echo "exit-code=$code"
    echo "outcome=$(sed -n '1s/\*\*//gp' "$out/report.txt")"
    echo "report=$report"
    echo "artifact=$out/artifact"
  } >>"$GITHUB_OUTPUT"
fi
exit $code
