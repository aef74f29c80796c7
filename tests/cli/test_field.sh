#!/bin/sh
# Vector fields at the command line: fit, parts, grids, and what is refused.
. "$SOURCE_DIR/tests/cli/lib.sh"
# A swirl and a source, times exp(-r^2).
awk 'BEGIN {
    srand(2); print "x,y,u,v"
    for (i = 0; i < 50; i++) {
        x = 2 * rand() - 1; y = 2 * rand() - 1; e = exp(-x * x - y * y)
        printf "%.6f,%.6f,%.6f,%.6f\n", x, y, (0.5 * x - y) * e, (x + 0.5 * y) * e
    }
}' >f.csv
regression_data other.csv 40 1

checking "data/flow.csv is what data/README.md says, and the commands of docs/FIELDS.md run"
sed -n '/^```awk$/,/^```$/p' "$SOURCE_DIR/data/README.md" | grep -v '^```' >flow.awk
awk -f flow.awk | cmp - "$SOURCE_DIR/data/flow.csv" >"$out" 2>&1 || fail "data/flow.csv differs"
ln -s "$SOURCE_DIR/data" data
sed -n 's/^    \$ specreg //p' "$SOURCE_DIR/docs/FIELDS.md" >commands
[ "$(wc -l <commands)" -ge 3 ] || fail "docs/FIELDS.md should have commands"
if whole; then # the fit takes seconds
    while read -r arguments; do
        ok $arguments
    done <commands
    prints 'predicted 1600 points to flow.vtk'
fi

checking "--problem field fits helmholtz, and eval knows the angle"
ok fit f.csv --target u,v --problem field --select holdout -o f.srm
prints '; field of u, v'
prints 'kernel +helmholtz gamma='
prints 'angular error .* degrees'
ok eval f.srm f.csv --json e.json
prints 'angular error'
near "$(value e.json test.angular_error)" 0 1 || fail "the angle should be small"
ok fit f.csv --target u,v --kernel divfree --select holdout -o d.srm -q
ok fit f.csv --target u,v --kernel rbf:sigma=1 --problem field --select none --param lambda=1e-4 -o r.srm -q
ok cv f.csv --target u,v --kernel curlfree:sigma=1 --param lambda=1e-4 --select none
prints 'angular_error'
ok cv f.csv --target u,v --kernel helmholtz:sigma=1,gamma=0.3 --param lambda=1e-4 --select none
prints '^ +fold +train +test +gamma +sigma +lambda '
prints '^ +1 +[0-9]+ +[0-9]+ +0\.3 +1 +0\.0001 '

checking "parts and grids"
ok predict f.srm f.csv --parts -o p.csv
[ "$(head -n 1 p.csv)" = u,u:curlfree,u:divfree,v,v:curlfree,v:divfree ] || fail "columns of p.csv"
awk -F, 'NR > 1 { d = $2 + $3 - $1; if (d > 1e-9 || d < -1e-9) exit 1 }' p.csv || fail "parts should add up"
ok predict f.srm --grid 0:1:3,0:1:2 -o g.csv --json g.json
[ "$(head -n 1 g.csv)" = x,y,u,v ] || fail "columns of g.csv"
[ "$(wc -l <g.csv)" -eq 7 ] || fail "rows of g.csv"
[ "$(sed -n 3p g.csv | cut -d, -f 1,2)" = 0.5,0 ] || fail "the first coordinate should run fastest"
[ "$(value g.json data.grid)" = 0:1:3,0:1:2 ] && [ "$(value g.json data.n)" = 6 ] || fail "record"
prints 'predicted 6 points to g.csv'
ok predict f.srm --grid 0:1:3,0:1:2
cmp -s "$out" g.csv || fail "standard output should be the same CSV"
ok predict f.srm g.csv -o again.csv -q
cut -d, -f 3,4 g.csv | cmp -s - again.csv || fail "a table of these points should be predicted alike"
ok predict d.srm --grid 0:1:3,0:1:2 --parts -o d.vtk -q
grep -q '^VECTORS divfree double$' d.vtk || fail "d.vtk"

checking "wrong usage"
refused 2 'DATA is missing, or --grid' predict f.srm
refused 2 "'f.csv' is one argument too many" predict f.srm f.csv --grid 0:1:2,0:1:2
refused 2 'VTK files hold values on a regular grid' predict f.srm f.csv -o a.vtk
refused 2 'VTK files hold values on a regular grid' convert f.csv a.vtk
refused 2 "write '0:1' as from:to:count" predict f.srm --grid 0:1,0:1:2 -o a.csv
refused 2 'must be a whole number' predict f.srm --grid 0:1:2,0:1:0 -o a.csv
refused 2 'must be greater' predict f.srm --grid 1:0:2,0:1:2 -o a.csv
refused 2 'at most 100000000' predict f.srm --grid 0:1:100000,0:1:100000 -o a.csv
refused 2 "write '' as from:to:count" predict f.srm --grid '' -o a.csv
refused 2 'gamma must be at most 1, not 1.5' fit f.csv --target u,v --kernel helmholtz:gamma=1.5 -o m.srm
refused 2 'gamma' fit f.csv --target u,v --kernel helmholtz:gamma=-0.1 -o m.srm
refused 2 'gamma' fit f.csv --target u,v --kernel 'helmholtz:gamma={0.5,2}' -o m.srm
refused 2 'helmholtz cannot be part of a product' fit f.csv --target u,v --kernel 'helmholtz * rbf' -o m.srm
refused 2 'multiquadric cannot be added to a field' fit f.csv --target u,v --kernel 'multiquadric + divfree' -o m.srm
refused 2 'leave --outputs out' fit f.csv --target u,v --kernel helmholtz --outputs common:omega=0.5 -o m.srm

checking "data and models that do not suit"
refused 1 'grid .0:1:2. has 1 axis, the model has 2 features' predict f.srm --grid 0:1:2 -o a.csv
refused 1 'as many targets as features.*there are 1 and 3' fit f.csv --target u --kernel helmholtz -o m.srm
refused 1 'as many targets as features.*there are 1 and 2' fit other.csv --problem field -o m.srm
refused 1 'as many targets as features' fit other.csv --problem field --kernel rbf -o m.srm
awk -F, '{ print $0 "," (NR == 1 ? "task" : NR % 2) }' f.csv >tasks.csv
refused 2 'not for tasks' fit tasks.csv --target u,v --task-column task --kernel helmholtz -o m.srm
awk -F, '{ print $1 "," (NR == 1 ? "c" : NR % 2 ? "a" : "b") }' f.csv >classes.csv
refused 2 'this is a classification' fit classes.csv --target c --kernel curlfree:sigma=1 -o m.srm
refused 1 "have none; those of vector fields" predict r.srm f.csv --parts
refused 1 'interval' predict f.srm f.csv --interval 0.9
awk -F, '{ print $0 "," (NR == 1 ? "kind" : NR % 2 ? "a" : "b") }' f.csv >text.csv
ok fit text.csv --target u,v -o t.srm -q
refused 1 "feature 'kind' is a text" predict t.srm --grid 0:1:2,0:1:2,0:1:2 -o a.csv
awk -F, '{ print $0 "," (NR == 1 ? "a" : NR) "," (NR == 1 ? "b" : NR * NR) }' f.csv >wide.csv
ok fit wide.csv --target u -o w.srm -q
refused 1 'at most three axes' predict w.srm --grid 0:1:2,0:1:2,0:1:2 -o a.csv
refused 1 'written, not read' info d.vtk
