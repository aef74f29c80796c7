# Sourced by every test_*.sh; not a test itself.
#
# A test runs in an empty folder with SPECREG (the binary) and SOURCE_DIR (the repository) set.
# It says what it checks and ends with a clear line and status 1 at the first thing that is wrong.
set -u
: "${SPECREG:?the specreg binary}" "${SOURCE_DIR:?the repository}"
export LC_ALL=C
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
export XDG_CACHE_HOME="$logs/cache" # where plan keeps how fast the machine is
out=$logs/out err=$logs/err rc=0
: >"$out" >"$err"

# whole: no samples and no short cuts, as in `make test-all`.
whole() { [ -n "${SPECREG_TEST_WHOLE:-}" ]; }

checking() { printf '%s\n' "- $*"; }

fail() {
    printf 'FAILED: %s\n' "$*"
    printf 'exit code %s; stdout:\n%s\nstderr:\n%s\n' "$rc" "$(head -n 20 "$out")" "$(head -n 20 "$err")"
    exit 1
}

# run ARGUMENTS: the exit code in $rc, the streams in the files $out and $err.
run() {
    "$SPECREG" "$@" >"$out" 2>"$err"
    rc=$?
}

# ok ARGUMENTS: must succeed and say nothing on stderr.
ok() {
    run "$@"
    [ "$rc" -eq 0 ] || fail "specreg $*: should succeed"
    [ ! -s "$err" ] || fail "specreg $*: should say nothing on stderr"
}

# says PATTERN ARGUMENTS: must succeed with a note on stderr that matches PATTERN.
says() {
    pattern=$1
    shift
    run "$@"
    [ "$rc" -eq 0 ] || fail "specreg $*: should succeed"
    grep -Eqe "^specreg: note: .*$pattern" "$err" || fail "specreg $*: a note should match '$pattern'"
}

# refused CODE PATTERN ARGUMENTS: must fail with CODE, print nothing on stdout and one line on
# stderr that begins 'specreg: ' and matches PATTERN, and leave the folder as it was.
refused() {
    code=$1 pattern=$2
    shift 2
    before=$(ls -AR)
    run "$@"
    [ "$rc" -eq "$code" ] || fail "specreg $*: exit code $rc, should be $code"
    [ ! -s "$out" ] || fail "specreg $*: stdout should be empty"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "specreg $*: stderr should be one line"
    grep -q '^specreg: ' "$err" || fail "specreg $*: the line should begin 'specreg: '"
    grep -Eqe "$pattern" "$err" || fail "specreg $*: the line should match '$pattern'"
    [ "$(ls -AR)" = "$before" ] || fail "specreg $*: left something behind: $(ls -AR)"
}

# prints PATTERN: the last stdout must match.
prints() {
    grep -Eqe "$1" "$out" || fail "stdout should match '$1'"
}

# value FILE KEY.KEY...: a value of a JSON file; [i] are plain numbers between the dots.
value() {
    python3 - "$1" "$2" <<'PY'
import json, sys
at = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    at = at[int(key)] if isinstance(at, list) else at[key]
print(json.dumps(at) if isinstance(at, (dict, list, bool)) else at)
PY
}

# near A B TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(d <= t && -d <= t) }'
}

# regression_data FILE N SEED: x1,x2,y with y = sin(3 x1) + x2 / 2 + small noise.
regression_data() {
    awk -v n="$2" -v seed="$3" 'BEGIN {
        srand(seed); print "x1,x2,y"
        for (i = 0; i < n; i++) {
            a = 2 * rand() - 1; b = 2 * rand() - 1
            printf "%.6f,%.6f,%.6f\n", a, b, sin(3 * a) + b / 2 + 0.1 * (rand() - 0.5)
        }
    }' >"$1"
}

# class_data FILE N SEED: x1,x2,y with y yes inside a circle of half the area, else no.
class_data() {
    awk -v n="$2" -v seed="$3" 'BEGIN {
        srand(seed); print "x1,x2,y"
        for (i = 0; i < n; i++) {
            a = 2 * rand() - 1; b = 2 * rand() - 1
            printf "%.6f,%.6f,%s\n", a, b, a * a + b * b < 0.6366 ? "yes" : "no"
        }
    }' >"$1"
}
