#!/bin/sh
# Landweber with 7,000 steps against the nu-method with 450 on the first 1,300 rows of IDA image,
# whole commands and what the record says of them; the minimum of ten, in turns.
#   steps_bench.sh [BUILD-FOLDER]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build}
rows=${SPECREG_DATA:-$here/../shared/data}/ida/image.csv.gz
if [ ! -r "$rows" ]; then
    echo "Landweber against nu: skipped, there is no $rows (SPECREG_DATA names the data folder)"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gzip -dc "$rows" | head -n 1301 > "$work/image.csv"
python3 - "$build/specreg" "$work" <<'PY'
import json
import subprocess
import sys
import time

command, work = sys.argv[1:]
best = {}
for _ in range(10):
    for name, t in (("landweber", 7000), ("nu", 450)):
        start = time.perf_counter()
        subprocess.run([command, "fit", f"{work}/image.csv", "--kernel", "rbf:sigma=2", "--filter",
                        name, "--param", f"t={t}", "--select", "none", "-q", "-o", f"{work}/model",
                        "--json", f"{work}/record"], check=True)
        whole = time.perf_counter() - start
        with open(f"{work}/record") as file:
            record = json.load(file)
        old = best.get(name, (9e9, 9e9, 0, 0))
        best[name] = (min(old[0], whole), min(old[1], record["seconds"]["solve"]),
                      record["engine"], record.get("steps", t))
print("image, 1,300 rows, rbf, one machine, minimum of 10")
for name, t in (("landweber", 7000), ("nu", 450)):
    whole, solve, engine, steps = best[name]
    print(f"  {name:9} {t:5} steps  {whole:.4f} s, {solve:.4f} s of it {engine} ({steps} products)")
a, b = best["landweber"], best["nu"]
print(f"  ratio {a[0] / b[0]:.2f}, of the engines {a[1] / b[1]:.2f} (limit 1.5)")
PY
