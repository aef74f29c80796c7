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
