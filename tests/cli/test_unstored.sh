#!/bin/sh
# A kernel matrix that does not fit --memory: the same models and scores as with one that does, as
# far as the residual allows, which the record and the summary tell.
. "$SOURCE_DIR/tests/cli/lib.sh"
python3 - <<'PY'
import math, random
random.seed(1) # eight columns: the kernel matrix must not have a low rank
with open("train.csv", "w") as f, open("classes.csv", "w") as c, open("sparse.libsvm", "w") as s:
    print(",".join("x%d" % k for k in range(8)) + ",w,y", file=f)
    print(",".join("x%d" % k for k in range(8)) + ",y", file=c)
    for i in range(700):
        x = [random.gauss(0, 1) for _ in range(8)]
        y = math.sin(x[0]) + x[1] + 0.1 * random.gauss(0, 1)
        print(",".join("%.6f" % v for v in x + [1 + i % 2, y]), file=f)
        print(",".join("%.6f" % v for v in x) + "," + ("low" if y < -1 else "high" if y > 1 else "middle"), file=c)
        print("%.6f " % y + " ".join("%d:%.6f" % (k + 1, x[k]) for k in range(8) if (i + k) % 3), file=s)
PY

same() { # DATA OPTIONS: by a matrix that is stored and one that is not
    data=$1
    shift
    ok fit "$data" --kernel rbf:sigma=3 --calibrate no "$@" --memory 4M -o few.srm --json few.json
    prints 'residual [0-9.]*e-0[789]|residual [0-9.]*e-1'
    ok fit "$data" --kernel rbf:sigma=3 --calibrate no "$@" --memory 1G -q -o all.srm --json all.json
    for kind in few all; do
        ok predict $kind.srm "$data" -o $kind.csv
    done
    python3 - <<'PY' || fail "$data $*: should be the same"
import csv, json
few, all = (json.load(open(p + ".json")) for p in ("few", "all"))
assert few["engine"] == "krylov" and 0 < few["residual"] <= 1e-6 and few["preconditioner_rank"] > 0 < few["steps"]
assert "residual" not in all
assert few["filter"] == all["filter"], (few["filter"], all["filter"])
a, b = few["selection"].get("value"), all["selection"].get("value")
assert a == b or abs(a - b) < 2e-3 * abs(b), (a, b) # searches on a stored matrix go to 0.1 %
rows = [[[float(v) for v in r.values() if v and v[-1].isdigit()] for r in csv.DictReader(open(p + ".csv"))] for p in ("few", "all")]
change = max(abs(x - y) for r, q in zip(*rows) for x, y in zip(r, q))
print("  predictions change by %.1e" % change)
assert change < 1e-4 # 700 rows, a residual of 1e-6
PY
}

checking "one lambda"
same train.csv --select none --param lambda=1e-3 --drop w
checking "folds, held-out rows, weights, unpenalised terms"
same train.csv --select kfold:k=4 --param 'lambda={1e-1,1e-2,1e-3}' --drop w
same train.csv --select holdout --param 'lambda={1e-1,1e-2,1e-3}' --weights w
same train.csv --select kfold:k=4 --param 'lambda={1e-1,1e-2,1e-3}' --weights w --features poly:degree=1
checking "three outputs, sparse rows"
same classes.csv --select kfold:k=4 --param 'lambda={1e-1,1e-2,1e-3}'
same sparse.libsvm --select kfold:k=4 --param 'lambda={1e-1,1e-2,1e-3}'
checking "leave-one-out needs the matrix"
refused 1 'needs at least .* of memory' fit train.csv --kernel rbf:sigma=3 --param lambda=1e-3 --select loo --memory 4M -o m.srm

checking "degrees of freedom of a path are estimated where the matrix is stored"
awk 'BEGIN { srand(2); print "a,b,c,y"; for (i = 0; i < 2100; i++) { a = rand(); b = rand(); c = rand()
             print a "," b "," c "," a * b + sin(5 * c) } }' >many.csv
for memory in 26M 1G; do
    ok path many.csv --approx exact --kernel rbf:sigma=1 --param lambda=1e-2 --select none --memory $memory -q --json $memory.json
done
[ "$(value 26M.json table.0.df)" = None ] || fail "df $(value 26M.json table.0.df)"
awk -v e="$(value 1G.json table.0.df_stderr)" 'BEGIN { exit !(e > 0) }' || fail "an estimate should have an error"
near "$(value 26M.json table.0.train_mse)" "$(value 1G.json table.0.train_mse)" 1e-7 || fail "train_mse"

checking "a path without scores has all its points"
ok path many.csv --approx exact --kernel rbf:sigma=1 --calibrate no --memory 26M --select none --param lambda=log:1e-5:1e-1:13 -q -o path.csv
[ "$(wc -l <path.csv)" -eq 14 ] || fail "13 lambdas were asked for: $(cat path.csv)"
