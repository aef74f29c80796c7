#!/bin/sh
# Output appears whole or not at all; pipes and devices are written in place.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 200 1
ok fit train.csv -q -o m.srm

checking "a folder that is not there, a folder in place of a file"
mkdir folder
refused 1 'nowhere/new.srm: cannot write' fit train.csv -o nowhere/new.srm
refused 1 'folder: is a directory' fit train.csv -o folder
refused 1 'nowhere/p.csv' predict m.srm train.csv -o nowhere/p.csv
refused 1 'nowhere/p.csv' convert train.csv nowhere/p.csv
refused 1 'nowhere/r.json' fit train.csv --json nowhere/r.json
refused 1 'nowhere/s.csv' spectrum train.csv -o nowhere/s.csv

checking "that output cannot be written is found before the data is read"
refused 1 'nowhere/new.srm' fit not-there.csv -o nowhere/new.srm

if [ "$(id -u)" -ne 0 ]; then
    checking "a folder and a file without permission"
    mkdir locked
    chmod 555 locked
    refused 1 'locked' fit train.csv -o locked/new.srm
    chmod 755 locked
    cp m.srm readonly.srm
    chmod 444 readonly.srm
    refused 1 'readonly.srm' fit train.csv -o readonly.srm
fi

checking "a full disk for standard output"
for command in 'help fit' '--version' 'info train.csv' 'predict m.srm train.csv'; do
    # shellcheck disable=SC2086
    "$SPECREG" $command >/dev/full 2>"$err"
    rc=$?
    [ "$rc" -eq 1 ] || fail "specreg $command >/dev/full: exit code $rc, should be 1"
    [ "$(wc -l <"$err")" -eq 1 ] && grep -q '^specreg: .*No space' "$err" ||
        fail "specreg $command >/dev/full should say so in one line"
done

# Devices that a wrong specreg may replace: only who cannot do so is let near the real ones.
full=/dev/full null=/dev/null
if [ "$(id -u)" -eq 0 ]; then
    full=full null=null
    { mknod full c 1 7 && mknod null c 1 3 && : >null; } 2>/dev/null || full='' null=''
fi
if [ -n "$full" ]; then
    checking "a full device"
    refused 1 'full.*No space' fit train.csv -q -o "$full"
    refused 1 'full.*No space' predict m.srm train.csv -o "$full"
    refused 1 'full.*No space' convert train.csv "$full"
    refused 1 'full.*No space' spectrum train.csv -q --json "$full"

    checking "/dev/null stays a device"
    ok fit train.csv -q -o "$null"
    ok fit train.csv -q --json "$null"
    ok predict m.srm train.csv -q -o "$null"
    [ -c "$null" ] && [ -c "$full" ] || fail "the devices should still be devices"
fi

checking "a file that may not grow as long as it should: nothing is left of it"
for command in 'fit train.csv -q -o new.srm' 'fit train.csv -q --json new.json' \
    'convert train.csv new.csv' 'predict m.srm train.csv -o new.csv' \
    'spectrum train.csv -q -o new.csv'; do
    # shellcheck disable=SC2086
    (ulimit -f 1 && refused 1 'new\..*(too large|cannot write)' $command) || exit 1
done

checking "a reader that goes away: no message, exit code 1, no signal"
python3 - "$SPECREG" <<'PY' || fail "a closed pipe should be taken quietly"
import os, subprocess, sys
for args in (["predict", "m.srm", "train.csv"], ["help", "fit"], ["info", "train.csv"]):
    reader, writer = os.pipe()
    os.close(reader)  # before the command begins, however fast it is
    p = subprocess.run([sys.argv[1]] + args, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    if p.returncode != 1 or p.stderr:
        print(args, "exit code", p.returncode, "stderr", p.stderr)
        sys.exit(1)
PY

checking "standard output closed"
"$SPECREG" predict m.srm train.csv >&- 2>"$err"
rc=$?
[ "$rc" -eq 1 ] && [ "$(wc -l <"$err")" -eq 1 ] || fail "a closed stdout should be an error"

checking "pipes are written in place"
mkfifo pipe
for command in 'fit train.csv -q -o pipe' 'predict m.srm train.csv -q -o pipe' \
    'fit train.csv -q --json pipe' 'convert train.csv pipe -q'; do
    cat pipe >through &
    # shellcheck disable=SC2086
    ok $command
    wait
    [ -p pipe ] || fail "specreg $command: the pipe should still be a pipe"
    [ -s through ] || fail "specreg $command: nothing came through the pipe"
done
ok convert train.csv table.csv
cmp -s through table.csv || fail "convert to a pipe should give the same table"

checking "a model through standard output equals the file"
ok fit train.csv -q -o again.srm
run fit train.csv -o -
[ "$rc" -eq 0 ] || fail "fit -o - should succeed"
cp "$out" piped.srm
ok predict piped.srm train.csv
cp "$out" piped.csv
ok predict again.srm train.csv
cmp -s piped.csv "$out" || fail "the model of -o - should predict the same"

checking "an existing file is replaced and keeps its mode; a link stays a link"
echo old >old.csv
chmod 640 old.csv
ok predict m.srm train.csv -q -o old.csv
[ "$(wc -l <old.csv)" -eq 201 ] || fail "old.csv should hold the predictions"
[ "$(ls -l old.csv | cut -c1-10)" = -rw-r----- ] || fail "old.csv should keep its mode"
echo old >record.json
chmod 640 record.json
ln -s record.json link.json
ok fit train.csv -q --json link.json
[ -L link.json ] || fail "link.json should still be a link"
[ "$(ls -l record.json | cut -c1-10)" = -rw-r----- ] || fail "record.json should keep its mode"
value record.json command >/dev/null || fail "record.json should hold the record"

checking "input and output of convert may be the same file"
cp table.csv same.csv
ok convert same.csv same.csv
cmp -s same.csv table.csv || fail "same.csv should be unchanged"

checking "a failed fit leaves an existing model alone"
cp m.srm kept.srm
refused 1 'nope.csv' fit nope.csv -o kept.srm
cmp -s m.srm kept.srm || fail "kept.srm should be as it was"

checking "a file that an option reads is not overwritten"
cp train.csv splits.txt
refused 2 "would overwrite 'splits.txt', which is read" fit train.csv --select splits:splits.txt -o splits.txt
refused 2 "would overwrite './splits.txt', which is read" fit train.csv --checkpoint splits.txt -o ./splits.txt
refused 2 "would overwrite 'splits.txt', which is read" fit train.csv --features-file splits.txt --json splits.txt

checking "what a killed run left is removed by a later one, what another run writes is not"
touch -d '2 minutes ago' .new.srm.0123abcd .new.srm.01234567 .other.srm.0123abcd
python3 - <<'PY'
import fcntl, os, subprocess
held = open(".new.srm.01234567")
fcntl.flock(held, fcntl.LOCK_EX)
subprocess.run([os.environ["SPECREG"], "fit", "train.csv", "-q", "-o", "new.srm"], check=True)
PY
[ ! -e .new.srm.0123abcd ] || fail ".new.srm.0123abcd should be gone"
[ -e .new.srm.01234567 ] || fail ".new.srm.01234567 is locked and should stay"
[ -e .other.srm.0123abcd ] || fail ".other.srm.0123abcd belongs to another file and should stay"

checking "names that would control a terminal"
printf 'a\302\23331m,c\303\251\033[1m,y\n1,2,3\n2,3,4\n3,4,4\n' >names.csv
script -qec "'$SPECREG' info names.csv" /dev/null >shown.txt </dev/null
grep -q 'a?31m' shown.txt || fail "the control character in 'a' should be shown as ?"
grep -q "$(printf 'c\303\251?\[1m')" shown.txt || fail "letters should stay, the escape should be shown as ?"
run info "$(printf 'x\302\233y')"
grep -q 'x?y: cannot read' "$err" || fail "a message should not control the terminal"
