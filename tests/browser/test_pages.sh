# The pages of six fits in a browser: marks, tables, slider, themes, saving, keyboard, accessibility.
# SPECREG_TEST_WHOLE: also pages of reports computed in JavaScript, which have all that a page can show.
. "$SOURCE_DIR/tests/browser/lib.sh"
need_packages
need_browser
exec node "$SOURCE_DIR/tests/browser/pages.mjs"
