# A user with cc and pkg-config, shared and static.
. "$SOURCE_DIR/tests/consumer/kit"
runs "$CMAKE" --install "$BUILD_DIR" --prefix "$PWD/first"
mv first prefix # an installed tree may be moved as a whole
PKG_CONFIG_PATH=$(dirname "$(find "$PWD/prefix" -name specreg.pc)")
export PKG_CONFIG_PATH
lib=$(pkg-config --variable libdir specreg)
c99="$CC -std=c99 -pedantic-errors -Wall -Wextra -Werror $SOURCE_DIR/tests/consumer/main.c"

runs $c99 -o shared $(pkg-config --cflags --libs specreg) -Wl,-rpath,"$lib"
runs ./shared
runs ldd ./shared
has out libspecreg.so.1
for library in libzip libcrypto libhdf5 libcurl libldap; do # loaded for files that need them
    lacks out $library
done
runs $c99 -o static $(pkg-config --cflags --static --libs specreg | sed 's/-lspecreg/-l:libspecreg.a/')
runs ./static
runs ldd ./static
lacks out libspecreg
lacks out libzip

runs prefix/bin/specreg --version
has out "$(pkg-config --modversion specreg)"
[ -s prefix/share/man/man1/specreg.1 ] || failed "no manual page"
sed -n 's/.*API.*\(specreg_[a-z0-9_]*\)(.*/\1/p' prefix/include/specreg/specreg.h >calls
[ "$(wc -l <calls)" -gt 60 ] || failed "the header should declare more calls than $(wc -l <calls)"
while read -r call; do
    page=prefix/share/man/man3/$call.3
    [ -s "$page" ] || failed "no manual page of $call"
    has "$page" "$call"
    has prefix/share/man/man3/specreg.3 "$call"
done <calls
if command -v man >/dev/null; then
    runs man --warnings -l prefix/share/man/man3/specreg_predict_array.3
    [ ! -s err ] || failed "specreg_predict_array.3 is not as man wants it"
    has out capacity
fi
