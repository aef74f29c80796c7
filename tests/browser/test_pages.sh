# The pages of six fits in a browser: marks, tables, slider, themes, saving, keyboard, accessibility.
. "$SOURCE_DIR/tests/browser/lib.sh"
need_packages
need_browser
exec node "$SOURCE_DIR/tests/browser/pages.mjs"
