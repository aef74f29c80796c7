#!/bin/sh
# Sparse data stay sparse, from the file to the model and to predictions.
. "$SOURCE_DIR/tests/cli/lib.sh"

# 120 rows, 6 columns of which about a third are not 0; $1: how far the columns lie apart.
sparse_data() {
    awk -v apart="$1" 'BEGIN {
        srand(7)
        for (i = 0; i < 120; i++) {
            y = 0; line = ""
            for (j = 1; j <= 6; j++)
                if (rand() < 0.35) {
                    v = int(rand() * 200 - 100) / 50
                    if (v == 0) v = 1
                    y += (j % 3 - 1) * v
                    line = line " " (1 + (j - 1) * apart) ":" v
                }
            print (int(1000 * (y + rand())) / 1000) line
        }
    }'
}
# The same as a table of columns, for `--scale none`.
written_out() {
    awk '{ for (j = 1; j <= 6; j++) x[j] = 0
           for (k = 2; k <= NF; k++) { split($k, a, ":"); x[a[1]] = a[2] }
           if (NR == 1) print "x1,x2,x3,x4,x5,x6,y"
           print x[1] "," x[2] "," x[3] "," x[4] "," x[5] "," x[6] "," $1 }'
}
close_to() { # FILE FILE TOLERANCE: the same numbers
    paste -d, "$1" "$2" | awk -F, -v tol="$3" 'NR > 1 { d = $1 - $2; if (d < 0) d = -d; if (d > tol) bad = 1 }
        END { exit bad || NR < 2 }'
}

expect() { # WHAT COMMAND
    what=$1
    shift
    "$@" || fail "$what"
}

sparse_data 1 >s.libsvm
written_out <s.libsvm >d.csv

checking "sparse and dense rows give the same model and the same selection"
for kernel in linear rbf:sigma=2 laplace:sigma=3,norm=1; do
    for select in loo kfold gcv; do
        ok fit s.libsvm --kernel $kernel --select $select -o s.srm --json s.json
        ok fit d.csv --kernel $kernel --select $select --scale none -o d.srm --json d.json
        ok predict s.srm s.libsvm -o s.csv
        ok predict d.srm d.csv -o p.csv
        expect "$kernel, $select: predictions" close_to s.csv p.csv 1e-7
    done
done

checking "rows of one kind are good for a model of the other"
cut -d, -f1-6 d.csv >features.csv # a sparse model knows columns by their number alone
ok predict s.srm features.csv -o a.csv
ok predict d.srm s.libsvm -o b.csv
expect "dense rows, sparse model" close_to a.csv s.csv 1e-9
expect "sparse rows, dense model" close_to b.csv s.csv 1e-7

checking "every engine of a linear kernel says the same"
ok fit s.libsvm --kernel linear --param lambda=0.01 --select none --engine eig -o e.srm
ok predict e.srm s.libsvm -o e.csv
for engine in primal lowrank cholesky band krylov; do
    ok fit s.libsvm --kernel linear --param lambda=0.01 --select none --engine $engine -o m.srm
    ok predict m.srm s.libsvm -o m.csv
    expect "engine $engine" close_to m.csv e.csv 1e-9
done
refused 2 'primal.*linear' fit s.libsvm --kernel rbf:sigma=1 --engine primal -o m.srm

checking "columns with large numbers, in little memory"
sparse_data 2000000 >wide.libsvm
ok fit wide.libsvm --kernel linear --select loo --memory 64M --portrait no -o w.srm --json w.json
ok predict w.srm wide.libsvm --memory 64M -o w.csv
ok fit s.libsvm --kernel linear --select loo -o s.srm
ok predict s.srm s.libsvm -o s.csv
expect "the gaps do not matter" close_to w.csv s.csv 1e-9
expect "the model is small" test "$(wc -c <w.srm)" -lt 40000
ok fit wide.libsvm --kernel rbf:sigma=2 --select loo --memory 64M -o w.srm

checking "scaling keeps zeros: a column times 10 changes nothing then"
awk '{ for (k = 2; k <= NF; k++) { split($k, a, ":"); if (a[1] == 2) $k = "2:" 10 * a[2] } print }' s.libsvm >ten.libsvm
for scale in standard minmax; do
    ok fit s.libsvm --kernel linear --scale $scale --param lambda=0.01 --select none -o s.srm
    ok fit ten.libsvm --kernel linear --scale $scale --param lambda=0.01 --select none -o t.srm
    ok predict s.srm s.libsvm -o s.csv
    ok predict t.srm ten.libsvm -o t.csv
    expect "--scale $scale" close_to s.csv t.csv 1e-9
done

checking "indices that are not as they should be"
printf '1 2:1 1:1\n2 1:1\n' >unsorted.libsvm
refused 1 'unsorted.libsvm:1:.*ascend' fit unsorted.libsvm -o m.srm
printf '1 1:1\n2 1:1 1:3\n' >twice.libsvm
refused 1 'twice.libsvm:2:.*same index' fit twice.libsvm -o m.srm
printf '1 0:1\n2 1:1\n' >zero.libsvm
refused 1 'zero.libsvm:1:.*index 0' fit zero.libsvm -o m.srm
printf '1 3000000000:1\n2 1:1\n' >large.libsvm
refused 1 'large.libsvm:1:.*2147483646' fit large.libsvm -o m.srm

checking "intervals of a linear model"
ok fit s.libsvm --kernel linear -o s.srm
ok predict s.srm s.libsvm --interval 0.9 -o i.csv

python=$SOURCE_DIR/tools/python3
if "$python" -c 'import numpy' 2>/dev/null; then
    checking "what SciPy saves of a sparse matrix"
    "$python" - <<'PYTHON'
import numpy as np
rows, y = [], []
for line in open("s.libsvm"):
    a = line.split()
    y.append(float(a[0]))
    rows.append([(int(p.split(":")[0]) - 1, float(p.split(":")[1])) for p in a[1:]][::-1])
parts = dict(data=np.array([v for r in rows for _, v in r]),
             indices=np.array([j for r in rows for j, _ in r], dtype=np.int32),
             indptr=np.cumsum([0] + [len(r) for r in rows]).astype(np.int32), shape=np.array([len(rows), 6]))
np.savez("s.npz", format=b"csr", y=np.array(y), **parts)
np.savez("u.npz", format="csr", y=np.array(y), **parts)
np.savez("csc.npz", format=b"csc", y=np.array(y), **parts)
bad = dict(parts, indices=np.zeros_like(parts["indices"]))
np.savez("twice.npz", format=b"csr", y=np.array(y), **bad)
far = dict(parts, indices=parts["indices"] + 6)
np.savez("far.npz", format=b"csr", y=np.array(y), **far)
short = dict(parts, indptr=parts["indptr"][::-1])
np.savez("back.npz", format=b"csr", y=np.array(y), **short)
PYTHON
    ok fit s.npz --kernel linear --param lambda=0.01 --select none -o n.srm
    ok predict n.srm u.npz -o n.csv
    expect "npz = libsvm" close_to n.csv e.csv 1e-9
    refused 1 'csc.npz.*tocsr' fit csc.npz -o m.srm
    refused 1 'twice.npz.*twice' fit twice.npz -o m.srm
    refused 1 'far.npz.*column' fit far.npz -o m.srm
    refused 1 'back.npz.*indptr' fit back.npz -o m.srm
fi
