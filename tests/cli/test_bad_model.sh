#!/bin/sh
# Model files that are not, no longer, or not yet what they should be.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 40 1
ok fit train.csv -q -o good.srm
size=$(wc -c <good.srm)

bad() { # PATTERN FILE
    refused 1 "$1" predict "$2" train.csv -o out.csv
    refused 1 "$1" eval "$2" train.csv
}

checking "not there, a directory, empty, something else"
bad 'nope.srm' nope.srm
mkdir folder
bad 'folder' folder
: >empty.srm
bad 'empty.srm' empty.srm
bad 'train.csv' train.csv

checking "cut off anywhere"
for part in 1 7 8 9 50 $((size / 4)) $((size / 2)) $((size - 1)); do
    head -c "$part" good.srm >cut.srm
    bad 'cut.srm' cut.srm
done

checking "longer than it should be"
cp good.srm longer.srm
printf 'x' >>longer.srm
bad 'longer.srm' longer.srm

checking "any byte changed"
for at in 0 3 8 20 $((size / 3)) $((size / 2)) $((size - 9)) $((size - 1)); do
    python3 - "$at" <<'PY'
import sys
data = bytearray(open("good.srm", "rb").read())
data[int(sys.argv[1])] ^= 0x41
open("changed.srm", "wb").write(data)
PY
    bad 'changed.srm' changed.srm
done

checking "of a later version"
python3 - <<'PY'
import json, struct
data = open("good.srm", "rb").read()
n = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + n])
meta = header["__metadata__"]
keys = [k for k in meta if "version" in k]
assert keys, "the metadata should hold a format version"
for k in keys:
    meta[k] = "999"
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open("newer.srm", "wb").write(struct.pack("<Q", len(text)) + text + data[8 + n:])
PY
bad 'newer.srm.*(version|newer)' newer.srm

checking "a header length beyond the file"
python3 -c 'open("huge.srm", "wb").write(b"\xff" * 7 + b"\x7f" + open("good.srm", "rb").read()[8:])'
bad 'huge.srm' huge.srm
ok predict good.srm train.csv
