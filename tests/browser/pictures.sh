# Draws the pictures of docs/REPORT.md; `make figures` runs it.
SOURCE_DIR=$(realpath "$(dirname "$0")/../..")
SPECREG=$SOURCE_DIR/build/specreg
export SOURCE_DIR SPECREG
. "$SOURCE_DIR/tests/browser/lib.sh"
need_packages
need_browser
exec node "$SOURCE_DIR/tests/browser/pictures.mjs" "$@"
