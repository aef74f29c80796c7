#!/bin/sh
# A default fit on five sets of the IDA benchmark is as good as the published one: on each no worse
# than the mean plus two deviations of RLS in Table 2 of Lo Gerfo et al., over all no worse than
# their mean plus half a point.  The numbers stand here once more, so that the command's own table
# is not its own judge.
. "$SOURCE_DIR/tests/cli/lib.sh"
for set in heart banana thyroid ringnorm twonorm; do
    if [ ! -r "${SPECREG_DATA:-}/ida/$set.csv.gz" ]; then
        echo "skipped: no ida/$set.csv.gz under '${SPECREG_DATA:-}' (SPECREG_DATA)"
        exit 77
    fi
done

splits=${SPECREG_TEST_WHOLE:+10}
splits=${splits:-3}
checking "default fits on the first $splits splits of five sets"
ok experiment ida --no-progress --splits "$splits" --json ida.json
cat "$out"
for set in heart banana thyroid ringnorm twonorm; do
    prints "^$set +$splits .* ok "
done
prints '^mean over 5 sets: .*: ok;'

checking "the record agrees"
python3 - "$splits" <<'PY' || fail "the errors in the record"
import json, sys
published = {"banana": (11.22, 0.61), "heart": (15.71, 3.20), "ringnorm": (4.68, 0.70),
             "thyroid": (4.48, 2.33), "twonorm": (2.42, 0.14)}
sets = json.load(open("ida.json"))["sets"]
assert sorted(s["name"] for s in sets) == sorted(published)
for s in sets:
    mean, deviation = published[s["name"]]
    ours = sum(s["errors"]) / len(s["errors"])
    assert len(s["errors"]) == int(sys.argv[1]) and len(set(s["errors"])) > 1
    assert abs(ours - s["mean"]) < 1e-9
    if ours > mean + 2 * deviation:
        sys.exit("%s: %.2f %% is worse than %.2f + 2 * %.2f" % (s["name"], ours, mean, deviation))
ours = sum(s["mean"] for s in sets) / 5
theirs = sum(m for m, d in published.values()) / 5
if ours > theirs + 0.5:
    sys.exit("the mean %.2f %% is worse than %.2f + 0.5" % (ours, theirs))
PY
