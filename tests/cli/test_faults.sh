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
        soon 60 1 "hdf5_$name.h5: is damaged" info "$faults/hdf5_$name.h5"
    done
fi

checking "promises of a file that are not kept"
soon 60 1 'npy_U_overflow.npy: has items of a type that is not read' info "$faults/npy_U_overflow.npy"
soon 60 1 'rows.csv.gz: needs more memory than the 64.0 MiB it may take' \
    info "$faults/rows.csv.gz" --memory 64M
soon 60 1 'rows.csv.gz: .* more than 200 times as much' info "$faults/rows.csv.gz" --memory 2G
refused 2 "max-expansion: '0' is not a number of at least 1" info num.csv --max-expansion 0

checking "models whose parts do not belong together"
# model PATTERN FILE ARGUMENTS: the model is refused, whatever is done with it.
model() {
    says=$1 file=$2
    shift 2
    cp "$faults/$file" .
    soon 60 1 "$file: $says" predict "$file" "$@"
    soon 60 1 "$file: $says" eval "$file" "$@"
    soon 60 1 "$file" info "$file"
}
model 'kernel precomputed cannot be part of a sum or product' sum_precomputed.srm num.csv
model "the model's field is not as it should be" field_interval.srm fld.csv
soon 60 1 "centres_2p62x0.srm is damaged: tensor 'centres'" predict "$faults/centres_2p62x0.srm" reg.csv
model "the model's list of centres is not as it should be" centre_start_25x0.srm reg.csv
model "is damaged: value 1 of tensor 'alpha' is not a finite number" alpha_nan.srm reg.csv
model "is damaged: value 1 of tensor 'held_residual' is not a finite number" held_nan.srm reg.csv
model "is damaged: value 3 of tensor 'scaling' is not a finite number" scaling_nan.srm reg.csv
model "unknown scale 'zzz'" scale_zzz.srm reg.csv

checking "what is no model at all"
soon 60 1 '/dev/zero is not a specreg model' predict /dev/zero reg.csv
soon 60 1 '/dev/zero: is not a text' report /dev/zero -o page.html
soon 60 1 '/dev/zero: is not a text' features reg.csv --apply /dev/zero -o words.csv
yes '{}' | soon 60 1 'longer than 64.0 MiB' report - -o page.html
head -c 20000000 /dev/zero | gzip >zeros.srm.gz
soon 60 1 'zeros.srm.gz is not a specreg model' predict zeros.srm.gz reg.csv

checking "the model that is saved is the one that was reported, with lambda far below rounding"
# same DATA ARGUMENTS: mse on the training rows as fit and as eval say it.
same() {
    data=$1
    shift
    ok fit "$data" --header no --features none --select none --param lambda=1e-18 "$@" -o s.srm
    said=$(sed -n 's/^train *mse \([^,]*\),.*/\1/p' "$out")
    ok eval s.srm "$data" --header no
    is=$(sed -n 's/^test *mse \([^,]*\),.*/\1/p' "$out")
    [ -n "$said" ] && [ "$said" = "$is" ] || fail "$data $*: mse $said reported, $is predicted"
}
for engine in primal eig cholesky band; do
    same lin.csv --kernel linear --engine $engine
    [ "$said" = 0.2395 ] || fail "lin.csv, $engine: mse $said, that of least squares is 0.2395"
done
for engine in eig cholesky band lowrank; do
    same dupr.csv --kernel rbf:sigma=1 --engine $engine
    [ "$said" = 0.00224 ] || fail "dupr.csv, $engine: mse $said, that of the doubled rows is 0.00224"
done
same lin.csv --kernel linear --features constant
same dupr.csv --kernel rbf:sigma=1 --features poly:degree=1
same dupr.csv --kernel rbf:sigma=1 --filter iterated
