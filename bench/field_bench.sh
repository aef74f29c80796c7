#!/bin/sh
# A vector field from many points, whose kernel matrix is never stored: 20,000 points in the plane, which are
# 40,000 unknowns, within --memory 8G.  The field is a swirl and half a source,
#     u = sin a cos b + cos a sin b / 2,  v = -cos a sin b + sin a cos b / 2,  a = 2 pi x, b = 2 pi y,
# with noise of deviation 0.1; tested where it has none.  Prints seconds, peak memory and the errors of
# the field and of its divergence-free part, u = sin a cos b, v = -cos a sin b.
#   field_bench.sh [BUILD-FOLDER] [POINTS] [OPTIONS OF FIT...]
# By default tikhonov and five folds; --engine krylov, or --filter nu --engine iterate, take longer.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build}
points=${2:-20000}
[ $# -lt 1 ] || shift
[ $# -lt 1 ] || shift
[ $# -gt 0 ] || set -- --filter tikhonov --select kfold
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
field() { # ROWS SEED NOISE
    awk -v n="$1" -v seed="$2" -v noise="$3" '
        function normal() { return sqrt(-2 * log(1 - rand())) * cos(tau * rand()) }
        BEGIN {
            srand(seed); tau = 8 * atan2(1, 1); print "x,y,u,v"
            for (i = 0; i < n; i++) {
                x = rand(); y = rand(); a = tau * x; b = tau * y
                printf "%.9f,%.9f,%.9f,%.9f\n", x, y,
                    sin(a) * cos(b) + cos(a) * sin(b) / 2 + noise * normal(),
                    sin(a) * cos(b) / 2 - cos(a) * sin(b) + noise * normal()
            }
        }'
}
field "$points" 1 0.1 >"$work/train.csv"
field 2000 2 0 >"$work/test.csv"
"$build/specreg" fit "$work/train.csv" --target u,v --kernel 'helmholtz:sigma=0.2,gamma={0.25,0.5,0.75}' \
    --memory 8G -q -o "$work/field.srm" --json "$work/fit.json" "$@"
"$build/specreg" eval "$work/field.srm" "$work/test.csv" -q --json "$work/test.json"
"$build/specreg" predict "$work/field.srm" "$work/test.csv" --parts -q -o "$work/parts.csv"
paste -d, "$work/test.csv" "$work/parts.csv" | awk -F, '
    NR > 1 {
        a = 8 * atan2(1, 1) * $1; b = 8 * atan2(1, 1) * $2
        du = $7 - sin(a) * cos(b); dv = $10 + cos(a) * sin(b); sum += du * du + dv * dv
    }
    END { print sum / (NR - 1) / 2 }' >"$work/part"
python3 - "$work" "$points" "$*" <<'PY'
import json, sys
work, points, options = sys.argv[1:]
fit, test = (json.load(open(f"{work}/{name}.json")) for name in ("fit", "test"))
print(f"field of {points} points, {options}")
print(f"  {fit['seconds']['total']:.1f} s, peak memory {fit['peak_bytes'] / 2**30:.2f} GiB, engine "
      f"{fit['engine']}, {fit.get('steps', 0)} products, gamma {fit['kernel']['gamma']}, "
      f"{fit['threads']} threads")
print(f"  mse {test['test']['mse']:.3g}, angular error {test['test']['angular_error']:.3g} degrees, mse of "
      f"the part without divergence {float(open(f'{work}/part').read()):.3g}")
PY
