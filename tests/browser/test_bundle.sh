# The committed page is what web/src gives, its types hold, and its lock file names no address.
. "$SOURCE_DIR/tests/browser/lib.sh"
grep -Eq '"resolved"|https?://' "$web/package-lock.json" && { echo "FAILED: package-lock.json names an address"; exit 1; }
[ "$(grep -o '@DATA@' "$web/dist/page.html" | wc -l)" -eq 1 ] || { echo "FAILED: the page has one place for its data"; exit 1; }
[ "$(wc -c <"$web/dist/page.html")" -lt 262144 ] || { echo "FAILED: the page is larger than 256 KiB"; exit 1; }
need_packages
npm run -s check --prefix "$web" || { echo "FAILED: the types of web/src"; exit 1; }
node "$web/build.mjs" --check
