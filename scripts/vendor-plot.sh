#!/usr/bin/env bash
# Builds the plotting library of the results page: one script with Observable Plot and the parts of D3 that
# it needs, preceded by their licences. package.json and package-lock.json in the folder pin versions and
# checksums. Needs node 18 or later and npm. With --check it only compares the result with the script in
# the folder.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=harness/internal/page/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$folder"/{entry.js,package.json,package-lock.json} "$work"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)

(cd "$work" && node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=Plot \
  --target=es2022 --charset=ascii --legal-comments=none --log-level=warning --metafile=meta.json --outfile=bundle.js)

# The packages in the bundle with their licences.
node - "$work" >"$work/LICENSES.txt" <<'END'
const fs = require("fs"), path = require("path"), work = process.argv[2];
const inputs = Object.values(JSON.parse(fs.readFileSync(path.join(work, "meta.json"))).outputs)[0].inputs;
const names = new Set();
for (const [file, {bytesInOutput}] of Object.entries(inputs)) {
  const m = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
  if (m && bytesInOutput > 0) names.add(m[1]);
}
for (const name of [...names].sort()) {
  const dir = path.join(work, "node_modules", name);
  const {version, license} = JSON.parse(fs.readFileSync(path.join(dir, "package.json")));
  const text = fs.readdirSync(dir).filter((f) => /^licen[cs]e/i.test(f)).sort();
  if (!text.length) throw new Error(`${name} has no licence file`);
  console.log(`${name} ${version} (${license})\n`);
  console.log(fs.readFileSync(path.join(dir, text[0]), "utf8").replace(/\*\//g, "* /").trim() + "\n");
}
END

{
  printf '/*!\n'
  cat "$work/LICENSES.txt"
  printf '*/\n'
  cat "$work/bundle.js"
} >"$work/plot.min.js"

if [[ ${1:-} == --check ]]; then
  cmp "$work/plot.min.js" "$folder/plot.min.js"
  echo "$folder/plot.min.js is up to date"
  exit
fi
cp "$work/plot.min.js" "$work/LICENSES.txt" "$folder"
wc -c "$folder/plot.min.js"
