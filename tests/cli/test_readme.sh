#!/bin/sh
# README.md and docs/TOUR.md do what they print: the commands of their ```console blocks are run,
# in order and in one folder, and their output is compared; the ```c block is compiled and run.
#
# In a block "$ " begins a command, "> " goes on with it, and what follows is its output, where a
# line "..." stands for any number of lines.  Numbers need only agree to about three digits; of
# times, sizes in memory and counts of threads only the text around them must agree.
#
# When output has changed for good, both pages are brought up to date by
#     README_UPDATE=1 tests/cli/run tests/cli/test_readme.sh /tmp/scratch
# which leaves the commands and the outputs that still agree as they are.
. "$SOURCE_DIR/tests/cli/lib.sh"
: >"$out" >"$err"

mkdir bin
ln -s "$SPECREG" bin/specreg
ln -s "$SOURCE_DIR/data" data
PATH=$PWD/bin:$PATH
readme=$SOURCE_DIR/README.md
examples=$SOURCE_DIR/docs/TOUR.md

# Files 1.command, 1.expected, 2.command, ...; and block.c
awk '
/^```/ { inside = $0 == "```console"; code = $0 == "```c"; next }
code { print > "block.c" }
!inside { next }
/^\$ / { n++; sub(/^\$ /, ""); print > (n ".command"); printf "" > (n ".expected"); asking = 1; next }
/^> / && asking { sub(/^> /, ""); print > (n ".command"); next }
n { asking = 0; print > (n ".expected") }
' "$readme" "$examples"
[ -s 1.command ] || fail "README.md has no console blocks"

# compare EXPECTED FOUND: says what differs.  A line is its text, with # for each number, and its
# numbers.
cat >compare.awk <<'AWK'
function close_to(a, b,  d, size)
{
    d = a - b < 0 ? b - a : a - b
    size = (a < 0 ? -a : a) + (b < 0 ? -b : b)
    return d <= 0.002 * size + 1e-12
}
# Takes a line apart: the text is returned, the numbers go to number[1..count].
function skeleton(line, number,  text)
{
    count = 0
    text = ""
    while (match(line, /[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) {
        number[++count] = substr(line, RSTART, RLENGTH) + 0
        text = text substr(line, 1, RSTART - 1) "#"
        line = substr(line, RSTART + RLENGTH)
    }
    text = text line
    gsub(/[ \t]+/, " ", text)
    sub(/ $/, "", text)
    return text
}
# What differs from run to run is not compared.
function is_loose(line)
{
    return line ~ /^(time|plan) / || line ~ /(KiB|MiB|GiB|bytes)\)?$/
}
function agree(a, b,  i, text_a, text_b, number_a, number_b, count_a)
{
    text_a = skeleton(a, number_a)
    count_a = count
    text_b = skeleton(b, number_b)
    if (is_loose(a) && is_loose(b)) {
        gsub(/[KMG]iB|bytes|threads?/, "", text_a)
        gsub(/[KMG]iB|bytes|threads?/, "", text_b)
        sub(/about # (s|min)/, "about #", text_a)
        sub(/about # (s|min)/, "about #", text_b)
        return text_a == text_b
    }
    if (text_a != text_b || count_a != count)
        return 0
    for (i = 1; i <= count; i++)
        if (!close_to(number_a[i], number_b[i]))
            return 0
    return 1
}
FILENAME == ARGV[1] { expected[++m] = $0; next }
{ found[++n] = $0 }
END {
    for (i = j = 1; i <= m; i++) {
        if (expected[i] == "...") {
            if (i == m) { j = n + 1; break }
            while (j <= n && !agree(expected[i + 1], found[j]))
                j++
            continue
        }
        if (j > n || !agree(expected[i], found[j])) {
            printf "the page prints: %s\nthe command says: %s\n", expected[i], (j > n ? "(nothing)" : found[j])
            exit 1
        }
        j++
    }
    if (j <= n) {
        printf "the command also says: %s\n", found[j]
        exit 1
    }
}
AWK

checking "the comparison sees what it should and nothing else"
same() { printf '%s\n' "$1" >a && printf '%s\n' "$2" >b && awk -f compare.awk a b >"$out"; }
same 'mse 0.1818, 7 rows' 'mse  0.1819,  7 rows' || fail "a last digit should not matter"
same 'mse 0.1818' 'mse 0.1838' && fail "the third digit should matter"
same 'x1 -0.5' 'x1 0.5' && fail "a sign should matter"
same 'engine eig' 'engine krylov' && fail "a word should matter"
same 'time      0.27 s (read 0.00), peak memory 19 MiB, 2 threads' \
    'time      1.1 s (read 0.50), peak memory 1 GiB, 1 thread' || fail "times should not matter"
same 'plan      3 kernels; about 0.3 s' 'plan      3 kernels; about 2 min' || fail "nor expected ones"
same 'model  a.srm (109 KiB)' 'model  a.srm (9.1 MiB)' || fail "sizes should not matter"
same 'a
...' 'a
b
c' || fail "... should stand for lines"
same 'a' 'a
b' && fail "more lines should matter"

shell=sh # people have bash, which does more with braces
command -v bash >/dev/null && shell=bash
n=1
while [ -e $n.command ]; do
    checking "$(head -n 1 $n.command)"
    $shell ./$n.command >$n.found 2>&1
    if awk -f compare.awk $n.expected $n.found >"$out"; then
        cp $n.expected $n.found
    elif [ -z "${README_UPDATE:-}" ]; then
        fail "$(cat $n.command)
$(cat "$out")"
    fi
    n=$((n + 1))
done
[ $n -gt 10 ] || fail "README.md and docs/TOUR.md should have some commands"

if [ -n "${README_UPDATE:-}" ]; then # the commands as they are, with what they printed now
    awk '
    function answer(  line) { while (asked && (getline line < (n ".found")) > 0) print line > page; asked = 0 }
    FNR == 1 { page = "new" ++pages ".md" }
    /^```/ { answer(); inside = $0 == "```console" && !inside; print > page; next }
    !inside { print > page; next }
    /^\$ / { answer(); n++; asked = 1; print > page; next }
    /^> / && asked { print > page }
    ' "$readme" "$examples" && cp new1.md "$readme" && cp new2.md "$examples" && echo "up to date"
    exit
fi

checking "the C program of README.md compiles as C99 without warnings and runs"
[ -s block.c ] || fail "README.md has no C program"
command -v cc >/dev/null || exit 0
cc -std=c99 -pedantic-errors -Wall -Wextra -Werror -I"$SOURCE_DIR/include" -fsyntax-only block.c \
    >"$out" 2>"$err" || fail "it should compile"
library=$BUILD_DIR/libspecreg.so
if [ -e "$library" ] && ! grep -q __asan_init "$library" && ! grep -q __tsan_init "$library"; then
    cc -std=c99 -I"$SOURCE_DIR/include" block.c "$library" -Wl,-rpath,"$BUILD_DIR" -lm -o block \
        >"$out" 2>"$err" || fail "it should link"
    ./block >"$out" 2>"$err"
    rc=$?
    [ $rc -eq 0 ] || fail "it should return 0"
fi
