#!/bin/sh
# The CSV reader against pandas.read_csv on one core, on plain numbers: short ones (1.234567) and
# doubles as they print (17 digits).  Prints MB per second of processor
# time of both, and the ratio.
#   csv_bench.sh [BUILD-FOLDER-WITH-LIBSPECREG] [MEGABYTES]
# Without a build folder the reader is compiled from the sources.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-}
size=${2:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-/usr/bin/python3}

if [ -n "$build" ]; then
    cc -O2 -I"$here/include" "$here/bench/csv_read.c" -L"$build" -lspecreg -Wl,-rpath,"$build" \
        -o "$work/csv_read"
else
    cc -std=c11 -D_GNU_SOURCE -O2 -I"$here/include" -I"$here/src" "$here"/src/core/context.c \
        "$here"/src/core/memory.c "$here"/src/core/options.c "$here"/src/core/text.c \
        "$here"/src/data/table.c "$here"/src/data/table_make.c "$here"/src/data/texts.c \
        "$here"/src/data/io/*.c "$here/bench/csv_read.c" \
        $(pkg-config --libs zlib libzstd libutf8proc) -lm -o "$work/csv_read"
fi

"$python" - "$work" "$size" <<'PY'
import sys, numpy as np
folder, size = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
X = rng.normal(size=(20000, 10))
for name, form in (("short", "%.6f"), ("long", None)):
    rows = [",".join((form % v) if form else repr(float(v)) for v in row) for row in X]
    text = ("\n".join(rows) + "\n").encode()
    with open(f"{folder}/{name}.csv", "wb") as f:
        f.write((",".join(f"c{i}" for i in range(10)) + "\n").encode())
        for _ in range(max(1, size * 1000000 // len(text))):
            f.write(text)
PY

cat >"$work/theirs.py" <<'PY'
import os, sys, time, pandas as pd
best = 0
for _ in range(3):
    start = time.process_time()
    pd.read_csv(sys.argv[1])
    best = max(best, os.path.getsize(sys.argv[1]) / 1e6 / (time.process_time() - start))
print(f"{best:.0f}")
PY

one=""
command -v taskset >/dev/null && one="taskset -c 0"
for name in short long; do
    ours=$($one "$work/csv_read" "$work/$name.csv" 5)
    theirs=$($one "$python" "$work/theirs.py" "$work/$name.csv")
    echo "$name numbers: specreg $ours MB/s, pandas $theirs MB/s, ratio $(echo "$ours $theirs" | awk '{printf "%.1f", $1 / $2}')"
done
