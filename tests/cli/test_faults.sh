#!/bin/sh
# Files that once crashed the program, hung it, or made it give wrong numbers in silence.
. "$SOURCE_DIR/tests/cli/lib.sh"
faults=$SOURCE_DIR/tests/faults
cp "$faults"/*.csv "$faults"/*.npz .

# soon SECONDS CODE PATTERN ARGUMENTS: refused within that time.
soon() {
    limit=$1
    shift
    start=$(date +%s%N)
    refused "$@"
    [ $(($(date +%s%N) - start)) -lt $((limit * 1000000000)) ] || fail "took more than $limit s"
}

checking "HDF5 files that crash libhdf5 or keep it busy for ever"
if "$SPECREG" convert num.csv probe.h5 2>/dev/null; then
    rm -f probe.h5
    for name in segv hang overlap; do
        soon 10 1 "hdf5_$name.h5: is damaged" info "$faults/hdf5_$name.h5"
    done
fi

checking "promises of a file that are not kept"
soon 10 1 'npy_U_overflow.npy: has items of a type that is not read' info "$faults/npy_U_overflow.npy"
soon 10 1 'rows.csv.gz: needs more memory than the 64.0 MiB it may take' \
    info "$faults/rows.csv.gz" --memory 64M
soon 10 1 'rows.csv.gz: .* more than 200 times as much' info "$faults/rows.csv.gz" --memory 2G
refused 2 "max-expansion: '0' is not a number of at least 1" info num.csv --max-expansion 0
