#!/usr/bin/env bash
# Compares our code with the Octave code of Arora and others (github.com/r3831/RMSG), in FOLDER: MSG from M = 0
# and the incremental algorithm, on the same samples, for k = 1 and 4 and three step sizes. Prints the
# largest differences of M and of the projection onto the incremental subspace over 3,000 steps. Needs
# Debian's octave.
set -euo pipefail
folder=$(cd "${1:?usage: scripts/cross-check-authors.sh FOLDER, a clone of github.com/r3831/RMSG}" && pwd)
cd "$(dirname "$0")/.."
command -v octave-cli >/dev/null || { echo "octave-cli is missing: install Debian's octave" >&2; exit 1; }
[[ -f $folder/msg.m && -f $folder/incremental.m ]] ||
  { echo "$folder has no msg.m and incremental.m: pass a clone of github.com/r3831/RMSG" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/run.m" <<'END'
args = argv();
addpath(args{1});
d = 32; n = 3000;
randn('seed', 1);
X = diag(1.2 .^ -(1:d)) * randn(d, n);
X = X / sqrt(mean(sum(X .^ 2)));
function put(name, values)
  f = fopen(fullfile(argv(){2}, name), 'a');
  fwrite(f, values, 'double');
  fclose(f);
end
put('samples', X);
for k = [1 4]
  for c = [0.05 0.5 5]
    U = zeros(d, k); S = zeros(1, k);
    for t = 1:n
      [U, S] = msg(k, U, S, c / sqrt(t), X(:, t), 1e-10);
      put(sprintf('msg %d %g', k, c), U * diag(S) * U');
    end
  end
  U = zeros(d, 0); S = zeros(0, 0);
  for t = 1:n
    [U, S] = incremental(U, S, X(:, t), k);
    put(sprintf('incremental %d 0', k), U * U');
  end
end
END
octave-cli --quiet "$scratch/run.m" "$folder" "$scratch"
rm "$scratch/run.m"
AUTHORS=$scratch go test -count 1 -v -run '^TestAuthors$' ./algorithms/pca
