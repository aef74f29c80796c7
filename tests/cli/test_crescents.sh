#!/bin/sh
# data/crescents.c, compiled and run as its head says, draws both files of the demo byte for byte.
. "$SOURCE_DIR/tests/cli/lib.sh"
: >"$out" >"$err"

command -v cc >/dev/null || { echo "skipped: no cc here"; exit 77; }
ln -s "$SOURCE_DIR/src" src
mkdir data
cp "$SOURCE_DIR/data/crescents.c" data

checking "the head of data/crescents.c says how"
sed -n 's/^ \*     \(.*[^/ ]\)\( \*\/\)*$/\1/p' data/crescents.c >commands
[ "$(wc -l <commands)" -eq 3 ] || fail "three commands should stand there, found: $(cat commands)"
sh -e commands >"$out" 2>"$err" || fail "its commands should run: $(cat commands)"

for part in train test; do
    checking "crescents-$part.csv comes out as it is kept"
    cmp "$SOURCE_DIR/data/crescents-$part.csv" "data/crescents-$part.csv" >"$out" 2>&1 ||
        fail "data/crescents-$part.csv differs from what the program draws"
done
