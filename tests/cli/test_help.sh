#!/bin/sh
# Help, manual pages and completion come for every command from the same tables.
. "$SOURCE_DIR/tests/cli/lib.sh"

checking "specreg --help, -h and help are the same overview, which names every command"
ok help --commands
commands=$(cat "$out")
for command in fit predict eval path spectrum plan convert info filters experiment help; do
    echo "$commands" | grep -qx "$command" || fail "help --commands should name $command"
done
ok --help
cp "$out" overview
ok -h
cmp -s overview "$out" || fail "-h should print what --help prints"
ok help
cmp -s overview "$out" || fail "help should print what --help prints"
for command in $commands; do
    grep -q "^  $command " overview || fail "the overview should list $command"
done

checking "specreg --version"
ok --version
prints '^specreg [0-9]+\.[0-9]+\.[0-9]+'

for command in $commands; do
    checking "help of $command: both ways the same, with usage, options and examples"
    ok "$command" --help
    cp "$out" page
    prints "^usage: specreg $command "
    prints '^  -h, --help'
    prints '^Examples:'
    awk 'length($0) > 100 { exit 1 }' page || fail "$command --help has lines over 100 columns"
    ok help "$command"
    cmp -s page "$out" || fail "help $command should print what $command --help prints"
done
checking "--help wins over files that are missing"
ok fit --kernel rbf --help

checking "options of the library appear where they have a meaning, and only there"
ok help fit
for option in kernel filter param select target header missing seed output json explain; do
    grep -q -- "--$option\\b" "$out" || fail "help fit should have --$option"
done
ok help predict
grep -q -- '--kernel' "$out" && fail "help predict should not have --kernel"
grep -q -- '--missing' "$out" || fail "help predict should have --missing"
ok help convert
grep -q -- '--missing' "$out" && fail "help convert should not have --missing"

for command in '' $commands; do
    checking "manual page of specreg${command:+-$command}"
    # shellcheck disable=SC2086
    ok help --man $command
    cp "$out" page.1
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'EXIT STATUS' 'SEE ALSO'; do
        grep -qx ".SH $section" page.1 || fail "the page should have a section $section"
    done
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww page.1 >page.txt 2>warnings || fail "groff cannot read the page"
        [ ! -s warnings ] || fail "groff warns: $(cat warnings)"
        [ -s page.txt ] || fail "groff prints nothing"
    fi
done

checking "every option of fit is in its manual page"
ok help fit
sed -n 's/^  \(-[a-z], \)\{0,1\}--\([a-z-]*\).*/\2/p' "$out" >options
[ "$(wc -l <options)" -gt 10 ] || fail "help fit should list its options"
ok help --man fit
while read -r option; do
    grep -q "\\\\-\\\\-$(echo "$option" | sed 's/-/\\\\-/g')\\\\fR" "$out" ||
        fail "the page should have --$option"
done <options

checking "completion for bash"
ok help --completion bash
cp "$out" completion
if command -v bash >/dev/null; then
    # offered WORDS...: what is offered for the last of them
    offered() {
        bash -c 'source ./completion
                 COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
                 _specreg
                 echo "${COMPREPLY[*]}"' bash "$@"
    }
    [ "$(offered specreg pre)" = predict ] || fail "pre should become predict"
    [ "$(offered specreg fit --ker)" = --kernel ] || fail "fit --ker should become --kernel"
    [ "$(offered specreg predict --ker)" = '' ] || fail "predict has no --kernel"
    [ "$(offered specreg fit --kernel rb)" = rbf ] || fail "--kernel rb should become rbf"
    [ "$(offered specreg fit --kernel = mat)" = matern ] || fail "--kernel=mat should become matern"
    [ "$(offered specreg fit --filter ts)" = tsvd ] || fail "--filter ts should become tsvd"
    [ "$(offered specreg help spec)" = spectrum ] || fail "help spec should become spectrum"
    [ "$(offered specreg fit train)" = '' ] || fail "files are left to bash"
    [ "$(offered "$SPECREG" experiment sch)" = school ] || fail "sch should become school"
    [ "$(offered "$SPECREG" experiment ida --spl)" = --splits ] || fail "--spl should become --splits"
    cp "$SPECREG" alone && ln -s "${SPECREG_LIBRARY%/*}"/libspecreg.so.* .
    [ "$(offered ./alone experiment sch)" = '' ] || fail "there are no experiments to offer"
    [ "$(offered ./alone experiment --h)" = --help ] || fail "--h should become --help"
fi

checking "help is in groups, with at most two lines for an option; the manual page has the rest"
ok help fit
for group in Data Model Search Output Machine; do
    grep -qx "$group:" "$out" || fail "help fit should have a group $group"
done
for command in $commands; do
    [ "$command" = experiment ] && continue
    ok help "$command"
    awk '/^  (-., )?--/ { lines = 0; name = $0; next } /^        / { if (++lines > 2) { print name; exit 1 } }' \
        "$out" >long || fail "help $command: more than two lines: $(cat long)"
done
ok help --man fit
grep -q 'lists, of which the best is taken' "$out" || fail "the manual page should have the long text"

checking "completion for zsh and fish has every command and option"
for shell in zsh fish; do
    ok help --completion $shell
    cp "$out" completion.$shell
    for word in $commands kernel matern no-progress; do
        grep -q -- "$word" completion.$shell || fail "$shell: $word"
    done
    if command -v $shell >/dev/null; then
        $shell -n completion.$shell >"$out" 2>"$err" || fail "$shell cannot read it"
    fi
done
