# Pages of records alone, of many rows, and of data that nobody should write.
# SPECREG_TEST_WHOLE: every part of a report broken in every way, not a sample.
. "$SOURCE_DIR/tests/browser/lib.sh"
need_packages
need_browser
exec node "$SOURCE_DIR/tests/browser/odd.mjs"
