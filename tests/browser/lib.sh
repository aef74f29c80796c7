# Sourced by every test_*.sh; not a test itself.
#
# Sees that Node, the packages of web/package-lock.json and, with `need_browser`, Chromium are here;
# where one of them is not, the test says which and is skipped (77).  tests/python/test_export_onnx.py
# has the packages of tests/onnx from here.
set -u
: "${SPECREG:?the specreg binary}" "${SOURCE_DIR:?the repository}"
unset XDG_CACHE_HOME # ctest's is no folder; a browser wants one
web=$SOURCE_DIR/web

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

# The packages of the lock file of a folder (web), fetched once; two tests may start together.
need_packages() {
    folder=${1:-$web}
    modules=${folder#"$SOURCE_DIR"/}/node_modules
    command -v node >/dev/null || skip "Node is not here (Debian: nodejs)"
    [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] || skip "Node 20 or later is not here"
    have=$folder/node_modules/.package-lock.json
    [ -e "$have" ] && [ ! "$folder/package-lock.json" -nt "$have" ] && return
    command -v npm >/dev/null || skip "$modules is not here, and neither is npm to fetch it"
    (
        flock 9
        if [ ! -e "$have" ] || [ "$folder/package-lock.json" -nt "$have" ]; then
            timeout 120 npm ci --ignore-scripts --prefer-offline --prefix "$folder" >npm.log 2>&1
        fi
    ) 9>"$folder/.installing"
    rm -f "$folder/.installing"
    [ -e "$have" ] || skip "$modules is not here, and npm could not fetch it: $(tail -n 1 npm.log)"
    touch "$have"
}

need_browser() {
    for CHROMIUM in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
        [ -x "$CHROMIUM" ] && break
    done
    [ -x "$CHROMIUM" ] || skip "Chromium is not here (Debian: chromium)"
    export CHROMIUM
}
