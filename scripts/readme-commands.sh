#!/usr/bin/env bash
# Runs the commands of README.md and of the pages of docs/, in order, in a copy of the checkout: every line of
# their fenced sh blocks. It omits blocks after the comment <!-- not run -->, and commands that are passed as
# arguments. Blocks in SQL (on the database $db), Python and R also run if their tools are installed. At the
# smoke profile, the commands reuse the runs in build/smoke, if `make smoke` has created it.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
if [[ ${PROFILE:-} == smoke && -d build/smoke ]]; then cp -r build/smoke/. "$copy/results"; fi
case ${HARNESS_MIRROR:-} in
  "" | /* | http*) ;;
  *) export HARNESS_MIRROR=$PWD/$HARNESS_MIRROR ;;
esac
cd "$copy"
others=
if command -v sqlite3 && python3 -c 'import matplotlib, pandas' && Rscript -e 'library(RSQLite)'; then
  others=1
else
  echo "skipped: SQL, Python and R, which need Debian's sqlite3, python3-matplotlib, python3-pandas and r-cran-rsqlite"
fi >&2
awk -v others=$others '
  BEGIN {
    with["sql"] = "sqlite3 -readonly -box $db"
    with["python"] = "python3 -"
    with["r"] = "Rscript -"
  }
  /^<!-- not run -->/       { skip = 1; next }
  /^```sh/                  { if (!skip) on = 1; next }
  /^```(sql|python|r)$/     { if (!skip && others) { on = 2; print with[substr($0, 4)] " <<\047END\047" } next }
  /^```/                    { if (on == 2) print "END"; on = 0; skip = 0; next }
  on                        { print }
' README.md docs/{quickstart,figures,tasks,claims,compare,results-folder}.md | { if (($#)); then grep -vxF -- "$(printf '%s\n' "$@")"; else cat; fi; } > commands.sh
echo "running:"
sed 's/^/  /' commands.sh
bash -euo pipefail commands.sh
