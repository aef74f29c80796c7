#!/bin/sh
# fit --search coarse and race against grid: 2,000 rows train, the others test.  Prints what the
# choice went by, the test error, and the processor seconds of the three with their ratios.
#   search_bench.sh [BUILD-FOLDER] [OPTIONS OF FIT...]
# One thread: processor time then says the same on a busy machine.  SPECREG_DATA names the data
# folder, SPECREG_SETS the sets in it.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build}
[ $# -eq 0 ] || shift
data=${SPECREG_DATA:-$here/../shared/data}
rows=2000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Into train.csv and test.csv, in an order that is always the same and not the file's.
divide() {
    gzip -dc "$1" | awk 'NR > 1 { print (NR * 7919 * 104729) % 1000003, NR }' | sort -n >"$work/order"
    gzip -dc "$1" | awk -v rows=$rows -v train="$work/train.csv" -v test="$work/test.csv" '
        NR == FNR { place[$2] = NR; next }
        FNR == 1 { print > train; print > test; next }
        { print > (place[FNR] <= rows ? train : test) }' "$work/order" -
}

cat >"$work/compare.py" <<'PY'
import json, resource, subprocess, sys
folder, command, name, *options = sys.argv[1:]
used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
grid = None
for how in "grid", "coarse", "race":
    before = used()
    subprocess.run([command, "fit", f"{folder}/train.csv", "-o", f"{folder}/model", "--search", how,
                    "--threads", "1", "-q", "--json", f"{folder}/fit.json", *options], check=True)
    seconds = used() - before
    grid = grid or seconds
    subprocess.run([command, "eval", f"{folder}/model", f"{folder}/test.csv", "-q", "--json",
                    f"{folder}/test.json"], check=True)
    fit, test = (json.load(open(f"{folder}/{kind}.json")) for kind in ("fit", "test"))
    classes = "error_rate" in test["test"]
    error = 100 * test["test"]["error_rate"] if classes else test["test"]["mse"]
    value = fit["selection"]["value"] * (100 if classes else 1)
    print("%-18s %-6s  %s %-8.4g  test %-8.4g  sigma %-6.4g  %6.2f s  ratio %.2f  %s" %
          (name, how, fit["selection"]["method"], value, error, fit["kernel"].get("sigma", 0),
           seconds, seconds / grid, next((n for n in fit.get("notes", []) if how in n), "")),
          flush=True)
PY

for set in ${SPECREG_SETS:-ida/image ida/splice ida/waveform ida/ringnorm regression/kin8nm \
    regression/abalone}; do
    if [ ! -r "$data/$set.csv.gz" ]; then
        echo "search: skipped, there is no $data/$set.csv.gz (SPECREG_DATA names the data folder)"
        continue
    fi
    divide "$data/$set.csv.gz"
    "${PYTHON:-/usr/bin/python3}" "$work/compare.py" "$work" "$build/specreg" "$set" "$@"
done
