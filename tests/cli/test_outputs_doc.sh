#!/bin/sh
# The commands of docs/OUTPUTS.md run, one after the other in one folder.
. "$SOURCE_DIR/tests/cli/lib.sh"
mkdir bin
ln -s "$SPECREG" bin/specreg
PATH=$PWD/bin:$PATH
awk '
/^```/ { inside = $0 == "```console"; next }
!inside { next }
/^\$ / { n++; sub(/^\$ /, ""); print > (n ".command"); next }
/^> / { sub(/^> /, ""); print > (n ".command") }
' "$SOURCE_DIR/docs/OUTPUTS.md"
n=1
while [ -e $n.command ]; do
    checking "$(head -n 1 $n.command)"
    sh ./$n.command >"$out" 2>"$err"
    rc=$?
    [ $rc -eq 0 ] && [ ! -s "$err" ] || fail "$(cat $n.command)"
    n=$((n + 1))
done
[ $n -gt 6 ] || fail "docs/OUTPUTS.md should have some commands"
prints '^mark$' # the last one predicts
[ "$(wc -l <"$out")" -eq 3 ] || fail "two predictions"
